# SPDX-License-Identifier: MIT
# Installs BUILD_DIR below STAGE and moves the copy to PREFIX, where it must work as well.
# PROGRAM (may be empty) and DOCS are relative to the prefix.
file(REMOVE_RECURSE "${STAGE}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${STAGE}/first"
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(RENAME "${STAGE}/first" "${PREFIX}")

foreach(paper LICENSE README.md CHANGELOG.md)
  if(NOT EXISTS "${PREFIX}/${DOCS}/${paper}")
    message(FATAL_ERROR "${DOCS}/${paper} is not installed")
  endif()
endforeach()
if(PROGRAM)
  execute_process(COMMAND "${PREFIX}/${PROGRAM}" --help COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endif()
file(GLOB_RECURSE written "${PREFIX}/*.cmake" "${PREFIX}/*.pc")
foreach(file IN LISTS written)
  file(STRINGS "${file}" lines)
  if(lines MATCHES "${STAGE}|${BUILD_DIR}")
    message(FATAL_ERROR "${file} names the directory it was built or installed in: the copy cannot be moved")
  endif()
endforeach()
