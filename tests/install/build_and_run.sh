#!/bin/sh
# SPDX-License-Identifier: MIT
# build_and_run.sh COMPILER PREFIX WORK_DIR PROGRAM VERSION [FLAG...]
# Builds PROGRAM against the copy of detent installed in PREFIX, knowing only its pkg-config file, and runs it.
set -eu
compiler=$1 prefix=$2 work=$3 program=$4 version=$5
shift 5
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

fail() { echo "$0: $*" >&2; exit 1; }

pc=$(find "$prefix" -name detent.pc)
[ -n "$pc" ] || fail "no detent.pc below $prefix"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion detent)" = "$version" ] || fail "detent.pc: not version $version"
libdir=$(pkg-config --variable=libdir detent)
includedir=$(pkg-config --variable=includedir detent)
[ -f "$includedir/detent/detent.hpp" ] || fail "includedir=$includedir holds no detent/detent.hpp"
[ -n "$(find "$libdir" -name 'libdetent.*')" ] || fail "libdir=$libdir holds no libdetent"

mkdir -p "$work"
case $program in
  every_header)  # what the public headers include must be installed with them
    (cd "$prefix/include" && find detent -name '*.hpp' | sort) | sed -e 's/.*/#include <&>/' \
      -e '/asio/s/.*/#if __has_include(<boost\/asio.hpp>)\n&\n#endif/' -e '/tbb/s/.*/#if __has_include(<oneapi\/tbb.h>)\n&\n#endif/' > "$work/every_header.cpp"
    echo 'int main() {}' >> "$work/every_header.cpp"
    sources=$work/every_header.cpp ;;
  hostile_macros) sources="$here/hostile_first.cpp $here/hostile_after.cpp" ;;
  *) sources=$here/$program.cpp ;;
esac
# The lists are meant to be split into words.
# shellcheck disable=SC2046,SC2086
"$compiler" -std=c++20 -Wall -Wextra -Werror "$@" $sources -o "$work/program" \
  $(pkg-config --cflags --static --libs detent)
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$work/program"
