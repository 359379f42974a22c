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
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS detent_recipes detent_senders EXPORT detent-targets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
detent_install_headers(detent detent_recipes detent_senders)
install(EXPORT detent-targets NAMESPACE detent:: DESTINATION "${package_dir}" COMPONENT development)
if(DETENT_BUILD_CALENDAR)
  install(TARGETS detent_calendar EXPORT detent-calendar-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT calendar NAMELINK_COMPONENT development
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT calendar
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  detent_install_headers(detent_calendar)
  install(EXPORT detent-calendar-targets NAMESPACE detent:: DESTINATION "${package_dir}" COMPONENT development)
endif()
if(DETENT_BUILD_DURABLE)
  install(TARGETS detent_durable detent_durable_sqlite EXPORT detent-durable-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT durable NAMELINK_COMPONENT development
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT durable
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  detent_install_headers(detent_durable detent_durable_sqlite)
  install(EXPORT detent-durable-targets NAMESPACE detent:: DESTINATION "${package_dir}" COMPONENT development)
endif()
if(DETENT_BUILD_DURABLE_REDIS)  # targets of their own: a program with another store needs no hiredis
  install(TARGETS detent_durable_redis EXPORT detent-durable-redis-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT durable_redis NAMELINK_COMPONENT development
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT durable_redis
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  detent_install_headers(detent_durable_redis)
  install(EXPORT detent-durable-redis-targets NAMESPACE detent:: DESTINATION "${package_dir}" COMPONENT development)
endif()
if(DETENT_BUILD_DURABLE_POSTGRES)  # likewise
  install(TARGETS detent_durable_postgres EXPORT detent-durable-postgres-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT durable_postgres NAMELINK_COMPONENT development
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT durable_postgres
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  detent_install_headers(detent_durable_postgres)
  install(EXPORT detent-durable-postgres-targets NAMESPACE detent:: DESTINATION "${package_dir}" COMPONENT development)
endif()

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
# detent_install_pkg_config(NAME DESCRIPTION [REQUIRES PRIVATE]): NAME.pc, of libNAME; what it requires, and what a static library
# links besides.
function(detent_install_pkg_config DETENT_PC_NAME DETENT_PC_DESCRIPTION)
  set(DETENT_PC_REQUIRES "${ARGV2}")
  set(DETENT_PC_PRIVATE "${ARGV3}")
  configure_file("${PROJECT_SOURCE_DIR}/tools/cmake/detent.pc.in" "${PROJECT_BINARY_DIR}/${DETENT_PC_NAME}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${DETENT_PC_NAME}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT development)
endfunction()
detent_install_pkg_config(detent "${PROJECT_DESCRIPTION}")
if(DETENT_BUILD_CALENDAR)
  detent_install_pkg_config(detent_calendar "${PROJECT_DESCRIPTION}, by the wall clock" detent)
endif()
if(DETENT_BUILD_DURABLE)
  detent_install_pkg_config(detent_durable "${PROJECT_DESCRIPTION}, timers that outlive the process" detent_calendar)
  detent_install_pkg_config(detent_durable_sqlite "${PROJECT_DESCRIPTION}, durable timers in a file" detent_durable "-lsqlite3 ")
endif()
if(DETENT_BUILD_DURABLE_REDIS)
  set(private "-lhiredis ")
  if(DETENT_DURABLE_REDIS_HAS_TLS)
    set(private "-lhiredis_ssl -lhiredis -lssl -lcrypto ")
  endif()
  detent_install_pkg_config(detent_durable_redis "${PROJECT_DESCRIPTION}, durable timers in Redis" detent_durable "${private}")
endif()
if(DETENT_BUILD_DURABLE_POSTGRES)
  detent_install_pkg_config(detent_durable_postgres "${PROJECT_DESCRIPTION}, durable timers in PostgreSQL" detent_durable "-lpq ")
endif()

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT papers)
if(DETENT_BUILD_TOOLS)
  include("${PROJECT_SOURCE_DIR}/packaging/install.cmake")
endif()
