# SPDX-License-Identifier: MIT
# What a user meets: an installed copy, moved from where it was installed, used by programs of their own.
set(stage "${CMAKE_CURRENT_BINARY_DIR}/install")
set(prefix "${stage}/moved")
list(JOIN DETENT_SANITIZE_FLAGS " " user_flags)
set(program_flag "")
if(DETENT_BUILD_TOOLS)
  set(program_flag "-DPROGRAM=${CMAKE_INSTALL_BINDIR}/detent")
endif()

add_test(NAME install.copy COMMAND "${CMAKE_COMMAND}" "-DBUILD_DIR=${PROJECT_BINARY_DIR}" "-DSTAGE=${stage}"
  "-DPREFIX=${prefix}" "-DDOCS=${CMAKE_INSTALL_DOCDIR}" ${program_flag} -P "${CMAKE_CURRENT_LIST_DIR}/stage.cmake")
set_tests_properties(install.copy PROPERTIES FIXTURES_SETUP installed_copy)
set(tests install.copy)

add_test(NAME install.find_package COMMAND "${CMAKE_CTEST_COMMAND}"
  --build-and-test "${CMAKE_CURRENT_LIST_DIR}" "${stage}/find_package"
  --build-generator "${CMAKE_GENERATOR}" --build-makeprogram "${CMAKE_MAKE_PROGRAM}"
  --build-options "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
    "-DCMAKE_CXX_FLAGS=${user_flags}" "-DDETENT_EXPECTED_VERSION=${PROJECT_VERSION}"
  --test-command "${CMAKE_CTEST_COMMAND}" --output-on-failure)
list(APPEND tests install.find_package)

# Each module is configured by itself on the copy, with its tests, and most of what it gives to users is compiled.
set(modules modules/asio modules/c modules/coroutine modules/counters_file modules/pools modules/recipes modules/recording
  modules/senders modules/sharded modules/tbb)
if(DETENT_BUILD_CALENDAR)
  list(APPEND modules modules/calendar)
endif()
if(DETENT_BUILD_DURABLE)
  list(APPEND modules modules/durable)
endif()
if(DETENT_BUILD_TOOLS)
  list(APPEND modules command)
endif()
foreach(folder IN LISTS modules)
  cmake_path(GET folder FILENAME module)
  add_test(NAME install.module.${module} COMMAND "${CMAKE_CTEST_COMMAND}"
    --build-and-test "${PROJECT_SOURCE_DIR}/${folder}" "${stage}/module.${module}"
    --build-generator "${CMAKE_GENERATOR}" --build-makeprogram "${CMAKE_MAKE_PROGRAM}" --build-target detent_module
    --build-options "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${user_flags}"
      -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DDETENT_UNITE=ON -DDETENT_WERROR=ON)
  list(APPEND tests install.module.${module})
endforeach()

# The copy serves a project without C++, too.
if(NOT DETENT_SANITIZE)
  add_test(NAME install.in_c COMMAND "${CMAKE_CTEST_COMMAND}"
    --build-and-test "${PROJECT_SOURCE_DIR}/modules/c/tests/consumer" "${stage}/in_c"
    --build-generator "${CMAKE_GENERATOR}" --build-makeprogram "${CMAKE_MAKE_PROGRAM}"
    --build-options "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}"
    --test-command first_steps)
  list(APPEND tests install.in_c)
endif()

# Uses the same copy through pkg-config, with every compiler that is installed. A sanitized library links only with its
# own compiler.
find_program(DETENT_GXX NAMES g++-12 g++)
find_program(DETENT_CLANGXX NAMES clang++-14 clang++)
mark_as_advanced(DETENT_GXX DETENT_CLANGXX)
set(compilers "${DETENT_GXX}" "${DETENT_CLANGXX}")
if(DETENT_SANITIZE)
  set(compilers "${CMAKE_CXX_COMPILER}")
endif()
foreach(compiler IN LISTS compilers)
  if(NOT compiler)
    continue()
  endif()
  cmake_path(GET compiler FILENAME short)
  set(programs pkg_config hostile_macros every_header)
  if(DETENT_CHECKED_LIBRARY)
    list(APPEND programs checked)
  endif()
  foreach(program IN LISTS programs)
    set(test install.${program}.${short})
    add_test(NAME ${test} COMMAND "${CMAKE_CURRENT_LIST_DIR}/build_and_run.sh" "${compiler}" "${prefix}"
      "${stage}/${program}.${short}" ${program} "${PROJECT_VERSION}" ${DETENT_SANITIZE_FLAGS})
    list(APPEND tests ${test})
  endforeach()
  set(test install.no_exceptions.${short})
  add_test(NAME ${test} COMMAND "${CMAKE_CURRENT_LIST_DIR}/build_and_run.sh" "${compiler}" "${prefix}"
    "${stage}/no_exceptions.${short}" no_exceptions "${PROJECT_VERSION}" -fno-exceptions -fno-rtti ${DETENT_SANITIZE_FLAGS})
  list(APPEND tests ${test})
endforeach()

# Programs that ThreadSanitizer watches, with a library that it does not: nothing is reported but what is their own.
if(NOT DETENT_SANITIZE OR DETENT_SANITIZE STREQUAL "thread")
  foreach(compiler IN LISTS compilers)
    if(NOT compiler)
      continue()
    endif()
    cmake_path(GET compiler FILENAME short)
    foreach(program timers ends groups executors coroutines timers_in_c own_races)
      set(test install.watched.${program}.${short})
      add_test(NAME ${test} COMMAND "${CMAKE_CURRENT_LIST_DIR}/build_and_run.sh" "${compiler}" "${prefix}"
        "${stage}/watched.${program}.${short}" watched/${program} "${PROJECT_VERSION}" -O1 -g1 -fsanitize=thread)
      list(APPEND tests ${test})
    endforeach()
  endforeach()
endif()

set_tests_properties(${tests} PROPERTIES LABELS "install;rest" TIMEOUT 300)
list(REMOVE_ITEM tests install.copy)
set_tests_properties(${tests} PROPERTIES FIXTURES_REQUIRED installed_copy)
