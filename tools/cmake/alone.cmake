# SPDX-License-Identifier: MIT
# A module that is configured by itself, on an installed engine, gets from here what the tree's CMakeLists.txt gives it else:
#   cmake -S modules/calendar -B build/calendar -DCMAKE_PREFIX_PATH=PREFIX
cmake_path(SET detent_SOURCE_DIR NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")
find_package(detent CONFIG REQUIRED COMPONENTS ${DETENT_COMPONENTS})

option(DETENT_BUILD_TESTS "Build the tests" ON)
option(DETENT_BUILD_BENCH "Build the benchmarks" OFF)
option(DETENT_UNITE "Compile several sources as one" OFF)
option(DETENT_WERROR "Warnings are errors" OFF)
set(DETENT_SANITIZE "" CACHE STRING "Sanitizers for this project's own code: thread, or address;undefined")
get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)

file(STRINGS "${detent_SOURCE_DIR}/CMakeLists.txt" DETENT_SOVERSION REGEX "^set\\(DETENT_SOVERSION [0-9]+\\)")
string(REGEX MATCH "[0-9]+" DETENT_SOVERSION "${DETENT_SOVERSION}")
set(DETENT_GROUND linux)
get_target_property(definitions detent::detent INTERFACE_COMPILE_DEFINITIONS)
if(definitions MATCHES DETENT_PORTABLE)
  set(DETENT_GROUND portable)
endif()
set(DETENT_USDT OFF)  # the engine has its probes
include("${CMAKE_CURRENT_LIST_DIR}/flags.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/module.cmake")

add_custom_target(detent_module)  # install.module.NAME builds it
add_library(detent_rooms INTERFACE)  # a few tests make what the engine writes, with its own headers
target_include_directories(detent_rooms INTERFACE "${detent_SOURCE_DIR}/core/src")
if(DETENT_BUILD_TESTS)
  enable_testing()
  include("${detent_SOURCE_DIR}/tests/cmake/add_test.cmake")
  add_subdirectory("${detent_SOURCE_DIR}/tests/support" support)
endif()
if(DETENT_BUILD_BENCH)
  include("${detent_SOURCE_DIR}/bench/add_bench.cmake")
endif()
