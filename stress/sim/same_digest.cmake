# SPDX-License-Identifier: MIT
# Plays the worlds of a file twice, in two processes, and compares what they print, digests included.
foreach(run first second)
  execute_process(COMMAND "${program}" --seeds "${seeds}" RESULT_VARIABLE status OUTPUT_VARIABLE ${run})
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the ${run} run ended with status ${status}")
  endif()
endforeach()
if(NOT first MATCHES "digest" OR NOT first STREQUAL second)
  message(FATAL_ERROR "the same seeds, two histories:\n${first}\n${second}")
endif()
