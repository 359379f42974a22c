# SPDX-License-Identifier: MIT
# An overlay port for vcpkg, of the tree that it lies in. Untested with vcpkg itself, which Debian 12 does not have; the tests of
# this tree run it with made-up vcpkg functions, and so know that it names what the tree has.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES tools DETENT_BUILD_TOOLS probes DETENT_USDT)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${features}
    "-DDETENT_CONCURRENTQUEUE_INCLUDE_DIR=${CURRENT_INSTALLED_DIR}/include"
    -DDETENT_BUILD_CALENDAR=OFF
    -DDETENT_BUILD_DURABLE=OFF)

vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME detent CONFIG_PATH lib/cmake/detent)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES detent AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
