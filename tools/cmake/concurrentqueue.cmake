# SPDX-License-Identifier: MIT
# moodycamel::ConcurrentQueue, headers alone, for building the library: no program that uses detent needs it. It has no
# CMake package on Debian. The sources include <concurrentqueue/concurrentqueue.h>.
option(DETENT_FETCH_CONCURRENTQUEUE "Download moodycamel::ConcurrentQueue at a pinned commit, instead of looking for it" OFF)
if(DETENT_FETCH_CONCURRENTQUEUE)
  set(DETENT_CONCURRENTQUEUE_REPOSITORY https://github.com/cameron314/concurrentqueue.git CACHE STRING
    "Where DETENT_FETCH_CONCURRENTQUEUE gets it: a URL, or a clone of it")
  set(DETENT_CONCURRENTQUEUE_COMMIT 6dd38b8a1dbaa7863aa907045f32308a56a6ff5d CACHE STRING "Which commit of it: release 1.0.4")
  mark_as_advanced(DETENT_CONCURRENTQUEUE_REPOSITORY DETENT_CONCURRENTQUEUE_COMMIT)
  include(FetchContent)
  FetchContent_Declare(detent_concurrentqueue_source
    GIT_REPOSITORY "${DETENT_CONCURRENTQUEUE_REPOSITORY}"
    GIT_TAG "${DETENT_CONCURRENTQUEUE_COMMIT}"
    SOURCE_SUBDIR none)  # its own CMakeLists.txt would install it
  FetchContent_MakeAvailable(detent_concurrentqueue_source)
  set(queue_dir "${detent_concurrentqueue_source_SOURCE_DIR}")
else()
  find_path(DETENT_CONCURRENTQUEUE_INCLUDE_DIR NAMES concurrentqueue/concurrentqueue.h concurrentqueue.h
    PATH_SUFFIXES concurrentqueue/moodycamel
    DOC "The directory that holds concurrentqueue/concurrentqueue.h, or concurrentqueue.h itself")
  set(queue_dir "${DETENT_CONCURRENTQUEUE_INCLUDE_DIR}")
  if(NOT queue_dir)
    message(FATAL_ERROR "detent: concurrentqueue/concurrentqueue.h not found. On Debian: apt-get install libconcurrentqueue-dev; "
      "or configure with -DDETENT_FETCH_CONCURRENTQUEUE=ON, which downloads it; "
      "or with -DDETENT_CONCURRENTQUEUE_INCLUDE_DIR=DIR, where you have a copy")
  endif()
endif()
if(EXISTS "${queue_dir}/concurrentqueue/concurrentqueue.h")
  set(queue_dir "${queue_dir}/concurrentqueue")
elseif(NOT EXISTS "${queue_dir}/concurrentqueue.h")
  message(FATAL_ERROR "detent: ${queue_dir} holds neither concurrentqueue/concurrentqueue.h nor concurrentqueue.h: "
    "set DETENT_CONCURRENTQUEUE_INCLUDE_DIR to the directory of moodycamel::ConcurrentQueue")
endif()
# By a link, so that compilers for another system find nothing else beside it.
set(links "${PROJECT_BINARY_DIR}/concurrentqueue-include")
file(MAKE_DIRECTORY "${links}")
file(REMOVE "${links}/concurrentqueue")
file(CREATE_LINK "${queue_dir}" "${links}/concurrentqueue" SYMBOLIC)
add_library(detent_concurrentqueue INTERFACE)
target_include_directories(detent_concurrentqueue SYSTEM INTERFACE "${links}")
