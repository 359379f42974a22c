# SPDX-License-Identifier: MIT
# The function by which bench/, and those of the modules and the command, list their programs.

add_custom_target(detent_bench ALL)  # `tools/dev bench` builds it

# If Boost is installed, its timers and its pool are measured beside the engine's.
find_path(DETENT_BOOST_INCLUDE_DIR NAMES boost/asio/detail/timer_queue.hpp DOC "The directory that holds boost/asio")
mark_as_advanced(DETENT_BOOST_INCLUDE_DIR)
if(NOT DETENT_BOOST_INCLUDE_DIR)
  message(STATUS "detent: no Boost (Debian: libboost1.81-dev); benchmarks run without its heap and its pool beside them")
endif()

# detent_add_bench(NAME LIBRARIES...): bench_NAME, from NAME.cpp, on Google Benchmark. It also runs as a smoke test, so
# that it cannot rot: DETENT_BENCH_SMOKE in its environment leaves out long measurements.
function(detent_add_bench name)
  add_executable(bench_${name} ${name}.cpp)
  target_include_directories(bench_${name} PRIVATE "${detent_SOURCE_DIR}/bench")
  set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  target_link_libraries(bench_${name} PRIVATE detent::detent detent_flags detent_rooms detent_jemalloc
    benchmark::benchmark_main ${ARGN})
  add_dependencies(detent_bench bench_${name})
  if(DETENT_BUILD_TESTS)
    add_test(NAME bench.${name} COMMAND bench_${name} --benchmark_min_time=0.001)
    # Google Benchmark prints a benchmark's error and still exits with 0.
    set_tests_properties(bench.${name} PROPERTIES LABELS "bench;timing;rest" TIMEOUT 300 RUN_SERIAL TRUE
      FAIL_REGULAR_EXPRESSION "ERROR OCCURRED" ENVIRONMENT "DETENT_BENCH_SMOKE=1")
  endif()
endfunction()
