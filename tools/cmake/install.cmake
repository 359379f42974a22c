# SPDX-License-Identifier: MIT
# What `cmake --install` writes: the library with its headers and CMake package, a pkg-config file, the papers. The components
# are the packages of package.cmake: runtime, development, tools; and the papers, which packages have in another form.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/detent")

install(TARGETS detent EXPORT detent-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
  FILE_SET adapters DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT detent-targets NAMESPACE detent:: DESTINATION "${package_dir}" COMPONENT development)

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/detent-config.cmake.in"
  "${PROJECT_BINARY_DIR}/detent-config.cmake" INSTALL_DESTINATION "${package_dir}")
# While the major version is 0, a new minor version may change the interface: docs/abi.md.
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
endif()
write_basic_package_version_file("${PROJECT_BINARY_DIR}/detent-config-version.cmake" COMPATIBILITY ${compatible})
install(FILES "${PROJECT_BINARY_DIR}/detent-config.cmake" "${PROJECT_BINARY_DIR}/detent-config-version.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

# The prefix follows from where the .pc file lies, so that an installed tree can be moved; a package's cannot.
if(DETENT_PACKAGE OR IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(DETENT_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  cmake_path(APPEND DETENT_PC_PREFIX "\${pcfiledir}" "${up}")
  string(REGEX REPLACE "/$" "" DETENT_PC_PREFIX "${DETENT_PC_PREFIX}")
endif()
# cmake_path(APPEND) leaves an absolute directory as it is.
cmake_path(APPEND DETENT_PC_LIBDIR "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND DETENT_PC_INCLUDEDIR "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
# detent_install_pkg_config(NAME DESCRIPTION): NAME.pc, of libNAME.
function(detent_install_pkg_config DETENT_PC_NAME DETENT_PC_DESCRIPTION)
  configure_file("${PROJECT_SOURCE_DIR}/tools/cmake/detent.pc.in" "${PROJECT_BINARY_DIR}/${DETENT_PC_NAME}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${DETENT_PC_NAME}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT development)
endfunction()
detent_install_pkg_config(detent "${PROJECT_DESCRIPTION}")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT papers)
if(DETENT_BUILD_TOOLS)
  include("${PROJECT_SOURCE_DIR}/packaging/install.cmake")
endif()
