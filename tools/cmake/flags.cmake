# SPDX-License-Identifier: MIT
# detent_flags: the warnings and sanitizers of this project's own targets. Linked by them, never exported.
add_library(detent_flags INTERFACE)

if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(detent_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-align -Wformat=2
    -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op>
    # Under -fsanitize=thread, from whatever option: g++ says that it cannot model fences. They order no plain memory here.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
elseif(NOT DETENT_WERROR)  # the user of another project cannot cure a warning in this one
  target_compile_options(detent_flags INTERFACE -w)
endif()
if(DETENT_UNITE)  # a name of one source may be that of another
  target_compile_options(detent_flags INTERFACE -Wno-shadow)
endif()
if(DETENT_WERROR)
  target_compile_options(detent_flags INTERFACE -Werror)
endif()

if(DETENT_SANITIZE)
  set(allowed address undefined thread)
  foreach(name IN LISTS DETENT_SANITIZE)
    if(NOT name IN_LIST allowed)
      message(FATAL_ERROR "detent: DETENT_SANITIZE=${DETENT_SANITIZE}: '${name}' is none of: ${allowed}")
    endif()
  endforeach()
  list(JOIN DETENT_SANITIZE "," names)
  # Flags that every target that links a sanitized library needs as well; the install tests pass them on.
  set(DETENT_SANITIZE_FLAGS -fsanitize=${names} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(detent_flags INTERFACE ${DETENT_SANITIZE_FLAGS})
  add_compile_options(-O1)  # a target's own options come after it
  target_link_options(detent_flags INTERFACE ${DETENT_SANITIZE_FLAGS})
  if("address" IN_LIST DETENT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ takes the checks it adds itself for paths past the initialisation (in Asio's use_future, once inlined).
    target_compile_options(detent_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
