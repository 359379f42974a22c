# SPDX-License-Identifier: MIT
# The functions by which the modules declare what they are to their users. A module is part of this tree or, where it is
# configured by itself (alone.cmake), a project on an installed engine.
include("${CMAKE_CURRENT_LIST_DIR}/headers.cmake")

# detent_add_adapter(NAME HEADERS...): headers that join detent to another library, and that users of detent::detent find.
# detent_NAME is what tests link.
function(detent_add_adapter name)
  if(TARGET detent)
    detent_add_headers(detent adapters ${ARGN})
    add_library(detent_${name} ALIAS detent)
  else()
    add_library(detent_${name} INTERFACE)
    detent_add_headers(detent_${name} public ${ARGN})
    target_link_libraries(detent_${name} INTERFACE detent::detent)
  endif()
endfunction()

# detent_add_header_module(NAME HEADERS...): detent::NAME, which has no sources.
function(detent_add_header_module name)
  add_library(detent_${name} INTERFACE)
  detent_add_headers(detent_${name} public ${ARGN})
  target_link_libraries(detent_${name} INTERFACE detent::detent)
  set_target_properties(detent_${name} PROPERTIES EXPORT_NAME ${name})
  if(DETENT_BUILD_TESTS)
    detent_verify_headers(detent_${name})
  endif()
  detent_name_module(${name} detent_${name}_public_headers)
endfunction()

# detent_add_module_library(NAME EXPORTED): detent::NAME, a library of its own. A shared one exports what the public headers
# declare, as the engine's does: the header EXPORTED says so before any other is seen.
function(detent_add_module_library name exported)
  add_library(detent_${name})
  target_compile_features(detent_${name} PUBLIC cxx_std_20)
  set_target_properties(detent_${name} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    VERSION ${detent_VERSION}
    SOVERSION ${DETENT_SOVERSION}
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(detent_${name} PRIVATE "SHELL:-include \"${CMAKE_CURRENT_SOURCE_DIR}/${exported}\"")
  get_target_property(library_type detent_${name} TYPE)
  if(library_type STREQUAL SHARED_LIBRARY)
    set(exported_names "${detent_SOURCE_DIR}/modules/c/exported.map")
    target_link_options(detent_${name} PRIVATE "LINKER:--version-script=${exported_names}")
    set_property(TARGET detent_${name} APPEND PROPERTY LINK_DEPENDS "${exported_names}")
  endif()
  target_link_libraries(detent_${name} PUBLIC detent::detent PRIVATE $<BUILD_INTERFACE:detent_flags>)
  if(TARGET detent_module OR NOT PROJECT_IS_TOP_LEVEL OR DETENT_UNITE_LIBRARY)
    set_target_properties(detent_${name} PROPERTIES UNITY_BUILD ${DETENT_UNITE})
  endif()
  detent_name_module(${name} detent_${name})
endfunction()

# For the two functions above: makes detent::NAME, unless the installed engine came with a module of that name. So what belongs to a module
# links it as detent_NAME.
function(detent_name_module name compiled)
  if(NOT TARGET detent::${name})
    add_library(detent::${name} ALIAS detent_${name})
  endif()
  if(TARGET detent_module)
    add_dependencies(detent_module ${compiled})
  endif()
endfunction()
