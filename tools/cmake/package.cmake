# SPDX-License-Identifier: MIT
# The Debian packages: what goes into which, and what Debian wants to know of each. `./tools/dev package` builds them in a
# tree of their own, where the library is shared; docs/packages.md.
if(NOT DETENT_BUILD_CALENDAR OR NOT DETENT_BUILD_DURABLE OR NOT DETENT_BUILD_DURABLE_REDIS OR NOT DETENT_BUILD_DURABLE_POSTGRES)
  message(FATAL_ERROR "detent: DETENT_PACKAGE makes packages of everything: configure with "
    "-DDETENT_BUILD_CALENDAR=ON -DDETENT_BUILD_DURABLE=ON -DDETENT_BUILD_DURABLE_REDIS=ON -DDETENT_BUILD_DURABLE_POSTGRES=ON")
endif()
if(NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR "detent: DETENT_PACKAGE makes packages with a shared library: configure with -DBUILD_SHARED_LIBS=ON")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(DETENT_GZIP gzip REQUIRED)
mark_as_advanced(DETENT_GZIP)
set(DETENT_PACKAGE_MAINTAINER "The detent authors <detent@localhost>" CACHE STRING "NAME <ADDRESS> in the packages")

set(runtime_name "libdetent${DETENT_SOVERSION}")
set(calendar_name "libdetent-calendar${DETENT_SOVERSION}")
set(durable_name "libdetent-durable${DETENT_SOVERSION}")
set(durable_redis_name "libdetent-durable-redis${DETENT_SOVERSION}")
set(durable_postgres_name "libdetent-durable-postgres${DETENT_SOVERSION}")
set(development_name libdetent-dev)
set(tools_name detent-tools)
set(made "${PROJECT_BINARY_DIR}/packaging")
set(sources "${PROJECT_SOURCE_DIR}/packaging/debian")
set(papers "${CMAKE_INSTALL_DATADIR}/doc")

# The static library, of the very objects of the shared one: detent::static in the same CMake package.
add_library(detent_static STATIC $<TARGET_OBJECTS:detent>)
target_compile_features(detent_static INTERFACE cxx_std_20)
target_link_libraries(detent_static INTERFACE Threads::Threads
  $<$<LINK_LANGUAGE:C>:stdc++> $<$<LINK_LANGUAGE:C>:m>)
set_target_properties(detent_static PROPERTIES OUTPUT_NAME detent EXPORT_NAME static LINKER_LANGUAGE CXX)
# detent_strip_archive(TARGET): as Debian has archives.
function(detent_strip_archive target)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND "${CMAKE_STRIP}" --strip-debug --remove-section=.comment --enable-deterministic-archives $<TARGET_FILE:${target}>)
endfunction()
detent_strip_archive(detent_static)
install(TARGETS detent_static EXPORT detent-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

# A package's papers: the copyright, the changes as the project lists them, the changes as Debian wants them.
file(MAKE_DIRECTORY "${made}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${sources}/changelog.py")
execute_process(
  COMMAND "${Python3_EXECUTABLE}" "${sources}/changelog.py" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${DETENT_PACKAGE_MAINTAINER}"
  OUTPUT_FILE "${made}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
configure_file("${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${made}/changelog" COPYONLY)
foreach(paper changelog changelog.Debian)
  execute_process(COMMAND "${DETENT_GZIP}" -9nf "${made}/${paper}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(component runtime calendar durable durable_redis durable_postgres development tools)
  install(FILES "${sources}/copyright" "${made}/changelog.gz" "${made}/changelog.Debian.gz"
    DESTINATION "${papers}/${${component}_name}" COMPONENT ${component})
endforeach()
install(FILES "${sources}/lintian-overrides" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides"
  RENAME "${tools_name}" COMPONENT tools)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${papers}/${development_name}" COMPONENT development)
install(FILES "${PROJECT_SOURCE_DIR}/docs/one_file.cpp" DESTINATION "${papers}/${development_name}/examples"
  COMPONENT development)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME detent)
set(CPACK_PACKAGE_CONTACT "${DETENT_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # else it would stand before each package's own
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL runtime calendar durable durable_redis durable_postgres development tools)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE detent)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The command's own libraries are not installed yet.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}"
  "${PROJECT_BINARY_DIR}/modules/calendar" "${PROJECT_BINARY_DIR}/modules/durable")
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)  # strips as well

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME "${runtime_name}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "lock-free timer engine - shared library
Schedules, cancels and restarts timers from any thread without a lock, a
system call or an allocation in the steady state. One worker turns a timing
wheel and fires each timer exactly: never early, in deadline order.")
# CPack would write a postinst and a postrm that call ldconfig, unless files of these names are announced: the trigger is
# what Debian wants in their place.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${sources}/triggers;postinst;postrm")

set(CPACK_DEBIAN_CALENDAR_PACKAGE_NAME "${calendar_name}")
set(CPACK_DEBIAN_CALENDAR_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_CALENDAR_PACKAGE_DEPENDS tzdata)
set(CPACK_DEBIAN_CALENDAR_DESCRIPTION "lock-free timer engine - shared library of the calendar
Computes when something is due by the wall clock: cron expressions of Quartz
and of crontab in the time zones of the tz database, on chosen days, with a
defined answer where a clock skips an hour or shows it twice.")
set(CPACK_DEBIAN_CALENDAR_PACKAGE_CONTROL_EXTRA "${sources}/triggers;postinst;postrm")
set(CPACK_COMPONENT_CALENDAR_DEPENDS runtime)

set(CPACK_DEBIAN_DURABLE_PACKAGE_NAME "${durable_name}")
set(CPACK_DEBIAN_DURABLE_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DURABLE_DESCRIPTION "lock-free timer engine - shared libraries of durable timers
Keeps timers in a store, so that they survive a crash and run at least once:
with keys, partitions, retries, repetition and exact cancellation. A store in
one SQLite file comes with it.")
set(CPACK_DEBIAN_DURABLE_PACKAGE_CONTROL_EXTRA "${sources}/triggers;postinst;postrm")
set(CPACK_COMPONENT_DURABLE_DEPENDS runtime calendar)

set(CPACK_DEBIAN_DURABLE_REDIS_PACKAGE_NAME "${durable_redis_name}")
set(CPACK_DEBIAN_DURABLE_REDIS_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DURABLE_REDIS_DESCRIPTION "lock-free timer engine - shared library of durable timers in Redis
The store of durable timers that the nodes of many machines share: they take
over from each other, with leases, fences and exact cancellation. It needs a
server of Redis 6.2 or newer, alone, with replicas or a cluster.")
set(CPACK_DEBIAN_DURABLE_REDIS_PACKAGE_CONTROL_EXTRA "${sources}/triggers;postinst;postrm")
set(CPACK_COMPONENT_DURABLE_REDIS_DEPENDS runtime calendar durable)

set(CPACK_DEBIAN_DURABLE_POSTGRES_PACKAGE_NAME "${durable_postgres_name}")
set(CPACK_DEBIAN_DURABLE_POSTGRES_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DURABLE_POSTGRES_DESCRIPTION "lock-free timer engine - shared library of durable timers in PostgreSQL
The store of durable timers that begin and end in the transactions of the
programs that use the same database. The nodes of many machines share it. It
needs a server of PostgreSQL 13 or newer.")
set(CPACK_DEBIAN_DURABLE_POSTGRES_PACKAGE_CONTROL_EXTRA "${sources}/triggers;postinst;postrm")
set(CPACK_COMPONENT_DURABLE_POSTGRES_DEPENDS runtime calendar durable)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME "${development_name}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, pkgconf, libboost-dev, libhiredis-dev, libpq-dev, libsqlite3-dev, libtbb-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS runtime calendar durable durable_redis durable_postgres)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "lock-free timer engine - development files
Headers for C++20 and C11, the static library, the same with its assertions
on, a CMake package with the targets detent::detent, detent::static and
detent::checked, and pkg-config files.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME "${tools_name}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS python3)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "bpftrace, libdevel-nytprof-perl, linux-perf")
set(CPACK_COMPONENT_TOOLS_DEPENDS runtime calendar durable durable_redis durable_postgres)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "lock-free timer engine - live view, replay and diagnosis
The command detent shows the timer engines of this host live, replays
recorded traces of timers, runs synthetic loads and measures what on this host
spoils precision. detent-kernel-trace records the kernel's own timers,
detent-profile draws flame graphs, and scripts for bpftrace trace a running
engine.")
include(CPack)
