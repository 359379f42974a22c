# SPDX-License-Identifier: MIT
# detent::checked, libdetent_checked.a: the library once more, optimised as ever, with its assertions on (DETENT_ASSERT in
# core/src/platform/check.hpp). A program links it in place of detent::detent; no other header, no other call.
get_target_property(checked_sources detent SOURCES)
list(FILTER checked_sources INCLUDE REGEX "\\.cpp$")
add_library(detent_checked STATIC ${checked_sources})
add_library(detent::checked ALIAS detent_checked)
target_compile_features(detent_checked PUBLIC cxx_std_20)
target_compile_definitions(detent_checked PRIVATE DETENT_CHECKED $<TARGET_PROPERTY:detent,COMPILE_DEFINITIONS>)
target_compile_options(detent_checked PRIVATE $<TARGET_PROPERTY:detent,COMPILE_OPTIONS>)
target_include_directories(detent_checked
  PRIVATE $<TARGET_PROPERTY:detent,INCLUDE_DIRECTORIES>
  INTERFACE $<BUILD_INTERFACE:$<TARGET_PROPERTY:detent,INTERFACE_INCLUDE_DIRECTORIES>>)
target_link_libraries(detent_checked
  PUBLIC Threads::Threads
  PRIVATE $<BUILD_INTERFACE:detent_flags> $<BUILD_INTERFACE:detent_rooms>
  INTERFACE $<$<LINK_LANGUAGE:C>:stdc++> $<$<LINK_LANGUAGE:C>:m>)
set_target_properties(detent_checked PROPERTIES EXPORT_NAME checked LINKER_LANGUAGE CXX
  POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD ${DETENT_UNITE})
if(DETENT_PACKAGE)
  detent_strip_archive(detent_checked)
endif()

if(DETENT_INSTALL)
  install(TARGETS detent_checked EXPORT detent-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  detent_install_pkg_config(detent_checked "${PROJECT_DESCRIPTION}, with its assertions on")
endif()
