# SPDX-License-Identifier: MIT
# How tests are compiled, and the targets that gather them.
set(DETENT_TEST_FLAGS "" CACHE STRING "Further flags for compiling the tests")

# A trace with line numbers is all that a failing test needs of a debugger, but in the build that is for debugging; and an
# optimised one not even that. Most take longer to compile than to run: half as long with less optimization, of which the
# library keeps all, and an eighth less without debug information.
set(detent_test_options -g1)
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT DETENT_SANITIZE)
  set(detent_test_options -g)
elseif(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  set(detent_test_options -g0 -Og)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # which then takes the stop sources of libstdc++ for uninitialised
    list(APPEND detent_test_options -Wno-maybe-uninitialized)
  endif()
elseif("address" IN_LIST DETENT_SANITIZE)
  list(APPEND detent_test_options -O0)
endif()

# libc++ has had stop tokens, and std::jthread, since version 20 only.
detent_compiles("#include <stop_token>
int main() { return std::stop_source().stop_requested(); }" DETENT_HAS_STOP_TOKENS)
if(NOT DETENT_HAS_STOP_TOKENS)
  message(STATUS "detent: no tests of coroutines and stop tokens: this standard library has no <stop_token>")
endif()

add_custom_target(detent_threaded)  # the programs of the tests labelled `threaded`: what sanitizers are built for
add_custom_target(detent_portable)  # those labelled `portable`: what every row of the portability matrix builds
add_custom_target(detent_history)  # those labelled `history`
add_custom_target(detent_engine_tests)  # all but those labelled `rest`
add_custom_target(detent_quick)  # what `tools/dev test` builds, and of that what it runs under ThreadSanitizer
add_custom_target(detent_quick_threaded)
add_custom_target(detent_looks)  # of the explorer, which it takes as well
