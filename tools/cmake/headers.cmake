# SPDX-License-Identifier: MIT
# The headers of the libraries. CMake's own FILE_SET would do all of this, but needs CMake 3.23, and Ubuntu 22.04 has 3.22.

# detent_add_headers(TARGET KIND HEADERS...): headers below include/ of the calling folder. KIND is `public`, which are installed and
# each compile alone; `adapters`, which are installed and need libraries that a machine may lack; or `private`, which are neither.
function(detent_add_headers target kind)
  set(headers ${ARGN})
  list(TRANSFORM headers PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  set_property(TARGET ${target} APPEND PROPERTY detent_${kind}_headers ${headers})
  set(here "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>")
  set(as_system)
  if(NOT PROJECT_IS_TOP_LEVEL)  # the warnings that a user turns on are for the user's own code
    set(as_system SYSTEM)
  endif()
  target_include_directories(${target} ${as_system} INTERFACE "${here}")
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    target_sources(${target} PRIVATE ${headers})
    target_include_directories(${target} PRIVATE "${here}")
  endif()
endfunction()

# detent_verify_headers(TARGET): the target TARGET_public_headers, in which each public header of TARGET is compiled alone.
function(detent_verify_headers target)
  get_property(headers TARGET ${target} PROPERTY detent_public_headers)
  set(units)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "^.*/include/" "" name "${header}")
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/${target}_public_headers/${name}.cpp")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "#include <${name}>\n" @ONLY)
    list(APPEND units "${unit}")
  endforeach()
  add_library(${target}_public_headers OBJECT EXCLUDE_FROM_ALL ${units})
  target_link_libraries(${target}_public_headers PRIVATE ${target})
endfunction()

# detent_install_headers(TARGET...): what users of these targets include.
function(detent_install_headers)
  foreach(target IN LISTS ARGN)
    foreach(kind public adapters)
      get_property(headers TARGET ${target} PROPERTY detent_${kind}_headers)
      foreach(header IN LISTS headers)
        string(REGEX REPLACE "^.*/include/(.*)/[^/]*$" "\\1" folder "${header}")
        install(FILES "${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}" COMPONENT development)
      endforeach()
    endforeach()
  endforeach()
endfunction()
