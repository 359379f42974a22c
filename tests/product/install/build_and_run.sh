#!/bin/sh
# SPDX-License-Identifier: MIT
# build_and_run.sh COMPILER PREFIX WORK_DIR PROGRAM VERSION [FLAG...]
# Builds PROGRAM against the copy of detent installed in PREFIX, knowing only its pkg-config file, and runs it. Of
# watched/own_races each race has to be reported.
set -eu
compiler=$1 prefix=$2 work=$3 program=$4 version=$5
shift 5
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

fail() { echo "$0: $*" >&2; exit 1; }

package=detent
[ "$program" != checked ] || package=detent_checked
pc=$(find "$prefix" -name "$package.pc")
[ -n "$pc" ] || fail "no $package.pc below $prefix"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion "$package")" = "$version" ] || fail "$package.pc: not version $version"
libdir=$(pkg-config --variable=libdir "$package")
includedir=$(pkg-config --variable=includedir "$package")
[ -f "$includedir/detent/detent.hpp" ] || fail "includedir=$includedir holds no detent/detent.hpp"
[ -n "$(find "$libdir" -name "lib$package.*")" ] || fail "libdir=$libdir holds no lib$package"

mkdir -p "$work"
case $program in
  every_header)  # what the public headers include must be installed with them
    (cd "$prefix/include" && find detent -name '*.hpp' | sort) | sed -e 's/.*/#include <&>/' \
      -e '/standalone_asio/s/.*/#if __has_include(<asio.hpp>)\n&\n#endif/' -e '/<detent\/\(detail\/\|base\/boost_\|base\/\)*asio[_.]/s/.*/#if __has_include(<boost\/asio.hpp>)\n&\n#endif/' -e '/tbb/s/.*/#if __has_include(<oneapi\/tbb.h>)\n&\n#endif/' > "$work/every_header.cpp"
    echo 'int main() {}' >> "$work/every_header.cpp"
    sources=$work/every_header.cpp ;;
  hostile_macros) sources="$here/hostile_first.cpp $here/hostile_after.cpp" ;;
  *_in_c)  # by the C compiler of the same kind
    c_compiler=$(echo "$compiler" | sed -e 's/clang++/clang/' -e 's/g++/gcc/')
    # shellcheck disable=SC2046
    "$c_compiler" -std=c11 -Wall -Wextra -Werror "$@" -c "$here/$program.c" -o "$work/in_c.o" $(pkg-config --cflags detent)
    sources=$work/in_c.o ;;
  *) sources=$here/$program.cpp ;;
esac
# The lists are meant to be split into words.
# shellcheck disable=SC2046,SC2086
"$compiler" -std=c++20 -Wall -Wextra -Werror "$@" $sources -o "$work/program" \
  $(pkg-config --cflags --static --libs "$package")
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
if [ "$program" != watched/own_races ]; then
  exec "$work/program"
fi
export TSAN_OPTIONS=atexit_sleep_ms=0  # what it reports is in one place before the program ends
races=$("$work/program")
while [ "$races" -gt 0 ]; do
  races=$((races - 1))
  "$work/program" "$races" > "$work/report" 2>&1 && fail "race $races: not reported"
  grep -q 'ThreadSanitizer: reported 1 warnings' "$work/report" || { cat "$work/report"; fail "race $races: not one report"; }
done
