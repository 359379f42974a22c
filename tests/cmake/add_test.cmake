# SPDX-License-Identifier: MIT
# The functions by which the folders of tests/, and those of the modules and the command, list their programs.
include(GoogleTest)
include("${CMAKE_CURRENT_LIST_DIR}/test_options.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/add_program.cmake")

# detent_add_test(NAME SOURCES... [LIBS ...] [LABELS ...] [TIMEOUT SECONDS] [ENGINE TARGET] [ENVIRONMENT TEXT])
# One GoogleTest program; ctest sees each of its tests. Labels: unit (the default), integration, threaded, progress,
# model, spin, history, fuzz, timing (runs alone). Sanitized, emulated or not optimized, a test may take five times as
# long. Those of one unit or one thread are labelled `portable` here: they hold on the slowest emulator. ENGINE is what it
# links: the library itself, or where it is labelled `unit`, detent_internals. In a directory labelled `rest` whole presets
# alone have it: it is neither `portable` nor `threaded`, as these are the tests of the library that other builds are made
# for. Where DETENT_QUICK is set, the program is one of those that `tools/dev test` runs, each as a whole: ctest has it
# once more in the configuration Whole.
function(detent_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;ENGINE;ENVIRONMENT" "LIBS;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(NOT arg_ENGINE)
    set(arg_ENGINE detent::detent)
    if("unit" IN_LIST arg_LABELS)
      set(arg_ENGINE detent_internals)
    endif()
  endif()
  if(DETENT_SANITIZE OR CMAKE_CROSSCOMPILING OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
  endif()
  if("unit" IN_LIST arg_LABELS OR "${arg_LABELS}" STREQUAL "integration")
    list(APPEND arg_LABELS portable)
  endif()
  get_directory_property(labels_of_all LABELS)
  if("rest" IN_LIST labels_of_all)
    list(REMOVE_ITEM arg_LABELS portable threaded)
  endif()
  set(serial FALSE)
  if("timing" IN_LIST arg_LABELS)
    set(serial TRUE)
  endif()

  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE
    "${detent_SOURCE_DIR}/tests" "${detent_SOURCE_DIR}/alloc/src")
  target_compile_options(${name} PRIVATE ${DETENT_TEST_FLAGS} ${detent_test_options})
  target_link_libraries(${name} PRIVATE
    ${arg_ENGINE} detent_flags detent_rooms ${arg_LIBS} GTest::gtest_main)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT arg_ENGINE STREQUAL "detent_hooked")  # which comes with macros of its own
    target_precompile_headers(${name} REUSE_FROM detent_test_headers)
  endif()
  if(NOT "rest" IN_LIST labels_of_all)
    add_dependencies(detent_engine_tests ${name})
  endif()
  foreach(label threaded portable history)
    if(label IN_LIST arg_LABELS)
      add_dependencies(detent_${label} ${name})
    endif()
  endforeach()
  if(DETENT_QUICK)
    detent_add_whole_test(${name})
    list(APPEND arg_LABELS quick)
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ${serial})
  if(arg_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT "${arg_ENVIRONMENT}")
  endif()
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_LIST discovered
    PROPERTIES ${properties})
  # It takes no list as a property's value, so the labels are set by a script that ctest reads after its own.
  file(CONFIGURE OUTPUT "${name}-labels.cmake" @ONLY CONTENT
    "if(discovered)\n  set_tests_properties(\${discovered} PROPERTIES LABELS \"@arg_LABELS@\")\nendif()
unset(discovered)\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}-labels.cmake")
endfunction()

# For detent_add_test, in whose scope it looks.
function(detent_add_whole_test name)
  add_dependencies(detent_quick ${name})
  set(labels whole)
  if("threaded" IN_LIST arg_LABELS)
    add_dependencies(detent_quick_threaded ${name})
    list(APPEND labels whole-threaded)
  endif()
  add_test(NAME whole.${name} COMMAND ${name} --gtest_brief=1 CONFIGURATIONS Whole)
  set_tests_properties(whole.${name} PROPERTIES LABELS "${labels}" TIMEOUT 600 RUN_SERIAL ${serial}
    ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()

# detent_add_unit_test(NAME [SOURCES...] [WHOLE] [THREADED] [UNIT SOURCES...] [LIBS ...])
# unit.NAME, from NAME_test.cpp. It has its unit alone: headers, and of the sources of core/src or alloc/src those that
# UNIT names, which are compiled into it. WHOLE: what it is about needs the whole engine, so it links the library.
function(detent_add_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE;THREADED" "" "UNIT;LIBS")
  set(labels unit)
  if(arg_THREADED)
    list(APPEND labels threaded)
  endif()
  set(engine detent_unit_ground)
  if(arg_WHOLE)
    set(engine detent_internals)
  endif()
  set(unit)
  foreach(source IN LISTS arg_UNIT)
    detent_unit_object(${source} object)
    list(APPEND unit "${object}")
  endforeach()
  detent_add_test(unit.${name} ${name}_test.cpp ${arg_UNPARSED_ARGUMENTS} ${unit} ENGINE ${engine}
    LIBS ${arg_LIBS} LABELS ${labels})
endfunction()

# For detent_add_unit_test: the object of a source of core/src or alloc/src, compiled once for all tests that name it.
function(detent_unit_object source variable)
  string(MAKE_C_IDENTIFIER "detent_unit_${source}" target)
  if(NOT TARGET ${target})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/core/src" OUTPUT_VARIABLE path)
    if(NOT EXISTS "${path}")
      set(path "${PROJECT_SOURCE_DIR}/alloc/src/${source}")
    endif()
    add_library(${target} OBJECT "${path}")
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/alloc/src")
    target_compile_options(${target} PRIVATE ${detent_test_options})
    target_link_libraries(${target} PRIVATE detent_unit_ground detent_flags detent_rooms)
  endif()
  set(${variable} "$<TARGET_OBJECTS:${target}>" PARENT_SCOPE)
endfunction()

# detent_add_engine_test(NAME SOURCES... [THREADED] [TIMING] [TIMEOUT SECONDS] [LIBS ...]): engine.NAME, from outside.
function(detent_add_engine_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADED;TIMING" "TIMEOUT" "LIBS")
  set(labels integration)
  if(arg_THREADED)
    list(APPEND labels threaded)
  endif()
  if(arg_TIMING)
    list(APPEND labels timing)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  detent_add_test(engine.${name} ${arg_UNPARSED_ARGUMENTS} LIBS ${arg_LIBS} LABELS ${labels} TIMEOUT ${arg_TIMEOUT})
endfunction()

# detent_add_engine_tests(SUBJECT [THREADED SOURCES...] [OTHERS SOURCES...] [LIBS ...]): engine.SUBJECT, of every *_test.cpp of
# the folder except those named here. Of the sources after THREADED, in which threads meet, it makes engine.SUBJECT_threaded.
# OTHERS are left out, as they cannot be built here, or need something of their own and are programs by the function above.
function(detent_add_engine_tests subject)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "THREADED;OTHERS;LIBS")
  file(GLOB sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS *_test.cpp)
  list(REMOVE_ITEM sources ${arg_THREADED} ${arg_OTHERS})
  list(REMOVE_ITEM arg_THREADED ${arg_OTHERS})
  if(sources)
    detent_add_engine_test(${subject} ${sources} LIBS ${arg_LIBS})
  endif()
  if(arg_THREADED)
    detent_add_engine_test(${subject}_threaded ${arg_THREADED} THREADED TIMEOUT 120 LIBS ${arg_LIBS})
  endif()
endfunction()
