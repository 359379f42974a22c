# SPDX-License-Identifier: MIT
# What runs at the beginning and the end, in refusals, and beside the engine: compiled to be small, as a third of the library
# is such code and no timer ever waits for it.
set(small
  alloc/src/platform/${DETENT_GROUND}/page_source.cpp
  core/src/api/engine_life.cpp
  core/src/api/timer_group.cpp
  core/src/callers/describe.cpp
  core/src/callers/executor_table.cpp
  core/src/callers/last_failure.cpp
  core/src/callers/pending_list.cpp
  core/src/callers/refusals.cpp
  core/src/callers/return_timer.cpp
  core/src/counters/counters_block.cpp
  core/src/counters/counters_memory.cpp
  core/src/counters/label_store.cpp
  core/src/counters/last_error.cpp
  core/src/driver/group_sweep.cpp
  core/src/engine/driven_engine.cpp
  core/src/engine/live_cores.cpp
  core/src/engine/metrics.cpp
  core/src/engine/options_check.cpp
  core/src/engine/stop.cpp
  core/src/platform/check.cpp
  core/src/platform/clock_choice.cpp
  core/src/platform/${DETENT_GROUND}/cpu_latency.cpp
  core/src/platform/error.cpp
  core/src/platform/${DETENT_GROUND}/thread_setup.cpp
  core/src/platform/${DETENT_GROUND}/wake_fd.cpp
  core/src/submission/queue_room.cpp
  core/src/threads/thread_registry.cpp
  modules/counters_file/src/counters_file_memory.cpp
  modules/counters_file/src/name_spaces.cpp
  modules/recording/src/gzip_packer.cpp
  modules/recording/src/recorded_groups.cpp
  modules/recording/src/recorder.cpp
  modules/recording/src/trace_file.cpp
  modules/recording/src/trace_writer.cpp)
list(TRANSFORM small PREPEND "${PROJECT_SOURCE_DIR}/")

# CMake compiles a source with options of its own by itself; so these are united here.
if(unite_library)
  get_target_property(sources detent SOURCES)
  set(units)
  set(number 0)
  while(small)
    list(SUBLIST small 0 12 batch)
    list(REMOVE_ITEM small ${batch})
    set(text "")
    foreach(source IN LISTS batch)
      if(source IN_LIST sources)  # the portable ground has fewer
        string(APPEND text "#include \"${source}\"\n")
      endif()
    endforeach()
    math(EXPR number "${number} + 1")
    file(CONFIGURE OUTPUT "small_${number}.cpp" CONTENT "${text}" @ONLY)
    set_source_files_properties(${batch} PROPERTIES HEADER_FILE_ONLY ON)
    list(APPEND units "${CMAKE_CURRENT_BINARY_DIR}/small_${number}.cpp")
  endwhile()
  target_sources(detent PRIVATE ${units})
  set(small ${units})
endif()
set_source_files_properties(${small} PROPERTIES COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-Os>)
