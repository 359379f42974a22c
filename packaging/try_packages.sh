#!/bin/sh
# SPDX-License-Identifier: MIT
# try_packages.sh use_command|consumers: uses installed packages as a stranger would. It runs where check_in_root.bash puts it, in
# an empty Debian; the programs are those of tests/product/install and modules/c/tests, and docs/one_file.cpp.
set -eux
cd /try

use_command() {
  detent --version
  detent replay --virtual --to-end tcp-http-200k.csv.gz
  detent run --duration 0.2 --counters auto
  detent stat
  detent-kernel-trace --help
  detent-profile --help
  for page in detent detent-console detent-cron detent-doctor detent-durable detent-kernel-trace detent-pending detent-profile detent-replay detent-run detent-stat detent-top; do
    test -f "/usr/share/man/man1/$page.1.gz"
  done
  ldd "$(which detent)" | grep libdetent
}

consumers() {
  # C++ by CMake, and its own tests
  cmake -S install -B build_cxx
  cmake --build build_cxx
  ctest --test-dir build_cxx --output-on-failure
  # C by CMake
  cmake -S c/consumer -B build_c
  cmake --build build_c
  build_c/first_steps
  # C by pkg-config; C++ by pkg-config was one_file, of the page
  readelf -d one_file | grep 'NEEDED.*libdetent'
  # shellcheck disable=SC2046  # the flags are words
  cc -std=c11 -D_GNU_SOURCE c/first_steps.c -o first_steps $(pkg-config --cflags --libs detent)
  ./first_steps
  # the library with its assertions on, by pkg-config; by CMake it was among the programs of install
  test -x build_cxx/checked
  # shellcheck disable=SC2046  # as above
  c++ -std=c++20 install/checked.cpp -o checked $(pkg-config --cflags --libs detent_checked)
  ./checked
  # the static library, by CMake's other target
  mkdir static
  cp one_file.cpp static/
  cat > static/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(one_file LANGUAGES CXX)
find_package(detent CONFIG REQUIRED)
add_executable(one_file one_file.cpp)
target_link_libraries(one_file PRIVATE detent::static)
CMAKE
  cmake -S static -B build_static
  cmake --build build_static
  build_static/one_file
  ! readelf -d build_static/one_file | grep 'NEEDED.*libdetent'
}

"$1"
