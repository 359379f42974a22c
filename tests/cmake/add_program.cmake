# SPDX-License-Identifier: MIT
# The functions by which folders list tests that are not GoogleTest programs.

# detent_add_header_check(NAME LIBRARIES...): <detent/NAME.hpp> compiles alone.
function(detent_add_header_check name)
  file(CONFIGURE OUTPUT "${name}_alone.cpp" CONTENT "#include <detent/${name}.hpp>\n" @ONLY)
  add_library(detent_${name}_alone OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}_alone.cpp")
  target_link_libraries(detent_${name}_alone PRIVATE detent::detent detent_flags ${ARGN})
  if(TARGET detent_module)
    add_dependencies(detent_module detent_${name}_alone)
  endif()
endfunction()

# detent_add_program(NAME SOURCE LIBRARIES...): a program of the guides. It returns 0 if all that it waits for came.
function(detent_add_program name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE detent::detent detent_flags ${ARGN})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS integration TIMEOUT 60 SKIP_RETURN_CODE 77)
endfunction()

# detent_add_guide(PAGE PROGRAMS...): the page shows these programs as they are.
function(detent_add_guide page)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  add_test(NAME docs.guide.${page} COMMAND Python3::Interpreter "${detent_SOURCE_DIR}/tests/product/docs/page_test.py"
    guide "${detent_SOURCE_DIR}/docs/${page}.md" ${ARGN})
  set_tests_properties(docs.guide.${page} PROPERTIES LABELS tidy TIMEOUT 60)
endfunction()

# detent_add_session(NAME FILE PROGRAMS...): the session in FILE goes as it is written. tests/README.md says what that is.
function(detent_add_session name file)
  add_test(NAME ${name} COMMAND Python3::Interpreter "${detent_SOURCE_DIR}/tests/support/session_test.py" "${file}" ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS integration TIMEOUT 300 ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")
endfunction()
