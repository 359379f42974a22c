# What detent needs from outside. Each piece that is missing is one clear error that names its Debian package.

# detent_require(FOUND WHAT PACKAGE OPTION): stops unless FOUND is true. OPTION, if not empty, can turn the need off.
function(detent_require found what package option)
  if(found)
    return()
  endif()
  set(otherwise "")
  if(option)
    set(otherwise ", or configure with -D${option}=OFF")
  endif()
  message(FATAL_ERROR "detent: ${what} not found. On Debian: apt-get install ${package}${otherwise}")
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# moodycamel::ConcurrentQueue has no CMake package. The sources include <concurrentqueue/concurrentqueue.h>.
find_path(DETENT_CONCURRENTQUEUE_INCLUDE_DIR NAMES concurrentqueue/concurrentqueue.h
  DOC "The directory that holds concurrentqueue/concurrentqueue.h, or concurrentqueue.h itself")
detent_require("${DETENT_CONCURRENTQUEUE_INCLUDE_DIR}" "concurrentqueue/concurrentqueue.h" libconcurrentqueue-dev "")
set(queue_dir "${DETENT_CONCURRENTQUEUE_INCLUDE_DIR}")
if(NOT EXISTS "${queue_dir}/concurrentqueue/concurrentqueue.h")
  if(NOT EXISTS "${queue_dir}/concurrentqueue.h")
    message(FATAL_ERROR "detent: DETENT_CONCURRENTQUEUE_INCLUDE_DIR=${queue_dir} holds neither "
      "concurrentqueue/concurrentqueue.h nor concurrentqueue.h")
  endif()
  set(links "${PROJECT_BINARY_DIR}/concurrentqueue-include")
  file(MAKE_DIRECTORY "${links}")
  file(REMOVE "${links}/concurrentqueue")
  file(CREATE_LINK "${queue_dir}" "${links}/concurrentqueue" SYMBOLIC)
  set(queue_dir "${links}")
endif()
add_library(detent_concurrentqueue INTERFACE)
target_include_directories(detent_concurrentqueue SYSTEM INTERFACE "${queue_dir}")

# Static probes for perf and bpftrace, by systemtap's header.
set(DETENT_USDT AUTO CACHE STRING "Static probes: ON, OFF, or AUTO, where <sys/sdt.h> is there")
set_property(CACHE DETENT_USDT PROPERTY STRINGS AUTO ON OFF)
set(DETENT_HAS_PROBES OFF)
if(DETENT_USDT)  # AUTO is as true as ON
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES "${CMAKE_CURRENT_SOURCE_DIR}/core/include")
  set(CMAKE_REQUIRED_DEFINITIONS -DDETENT_USDT)
  check_cxx_source_compiles("#include <detent/base/probe.hpp>
int main(int count, char** words) { DETENT_PROBE(main, words, count, 0u); }" DETENT_SDT_COMPILES)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_DEFINITIONS)
  if(DETENT_USDT STREQUAL "AUTO")
    if(NOT DETENT_SDT_COMPILES)
      message(STATUS "detent: no sys/sdt.h (Debian: systemtap-sdt-dev); built without probes")
    endif()
  else()
    detent_require("${DETENT_SDT_COMPILES}" "sys/sdt.h" systemtap-sdt-dev "")
  endif()
  set(DETENT_HAS_PROBES ${DETENT_SDT_COMPILES})
endif()

if(DETENT_BUILD_TOOLS OR DETENT_BUILD_STRESS)
  find_package(CLI11 CONFIG QUIET)
  detent_require("${CLI11_FOUND}" CLI11 libcli11-dev "DETENT_BUILD_TOOLS=OFF -DDETENT_BUILD_STRESS")
endif()
if(DETENT_BUILD_TOOLS)
  find_package(fmt CONFIG QUIET)
  detent_require("${fmt_FOUND}" fmt libfmt-dev DETENT_BUILD_TOOLS)
  find_package(ZLIB QUIET)
  detent_require("${ZLIB_FOUND}" zlib zlib1g-dev DETENT_BUILD_TOOLS)
  set(CURSES_NEED_WIDE TRUE)
  find_package(Curses QUIET)
  detent_require("${CURSES_FOUND}" "ncurses with wide characters" libncurses-dev DETENT_BUILD_TOOLS)
endif()

# The library refers to jemalloc weakly; a program that wants its arenas links it. --no-as-needed keeps it linked in a
# program that has no reference of its own.
if(DETENT_BUILD_TOOLS OR DETENT_BUILD_BENCH OR DETENT_BUILD_STRESS OR DETENT_BUILD_TESTS)
  find_path(DETENT_JEMALLOC_INCLUDE_DIR NAMES jemalloc/jemalloc.h DOC "The directory that holds jemalloc/jemalloc.h")
  find_library(DETENT_JEMALLOC_LIBRARY NAMES jemalloc DOC "The jemalloc library")
  mark_as_advanced(DETENT_JEMALLOC_INCLUDE_DIR DETENT_JEMALLOC_LIBRARY)
  if(NOT DETENT_JEMALLOC_INCLUDE_DIR OR NOT DETENT_JEMALLOC_LIBRARY)
    message(FATAL_ERROR "detent: jemalloc not found. On Debian: apt-get install libjemalloc-dev, or configure with "
      "DETENT_BUILD_TOOLS, _BENCH, _STRESS and _TESTS all OFF")
  endif()
  add_library(detent_jemalloc INTERFACE)
  target_include_directories(detent_jemalloc SYSTEM INTERFACE "${DETENT_JEMALLOC_INCLUDE_DIR}")
  target_link_libraries(detent_jemalloc INTERFACE
    -Wl,--push-state,--no-as-needed "${DETENT_JEMALLOC_LIBRARY}" -Wl,--pop-state)
endif()

if(DETENT_BUILD_TESTS)
  find_package(GTest CONFIG QUIET)
  detent_require("${GTest_FOUND}" GoogleTest libgtest-dev DETENT_BUILD_TESTS)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  detent_require("${Python3_Interpreter_FOUND}" "a Python 3 interpreter" python3 DETENT_BUILD_TESTS)
endif()

if(DETENT_BUILD_BENCH)
  find_package(benchmark CONFIG QUIET)
  detent_require("${benchmark_FOUND}" "Google Benchmark" libbenchmark-dev DETENT_BUILD_BENCH)
endif()
