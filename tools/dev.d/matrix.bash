# SPDX-License-Identifier: MIT
# The portability matrix: a row is the preset matrix-ROW of tools/cmake/matrix-presets.json, and what it needs is the
# group matrix-ROW of packages(). But ubuntu-22.04 is a script, as it runs in a system of its own.

matrix_rows=(gcc-11 gcc-12 clang-14 clang-16 clang-19 libcxx-14 libcxx-16 libcxx-19 aarch64 windows windows-clang apple denied
  shared no-usdt no-jemalloc no-exceptions plain cxx23 asio stdexec ubuntu-22.04)

# matrix_line ROW COMPILER BUILT PASSED FAILED SKIPPED SECONDS: one line of the table.
matrix_line() { printf '%-14s %-30s %-9s %7s %7s %8s %8s\n' "$@"; }

# matrix_found ROW VARIABLE: what CMake found out about the compiler of a build tree.
matrix_found() { sed -n "s/^set($2 \"\(.*\)\")\$/\1/p" "build/matrix-$1"/CMakeFiles/*/CMakeCXXCompiler.cmake 2>/dev/null | head -n 1; }

# matrix_compiler ROW: its compiler and version.
matrix_compiler() {
  local compiler
  compiler=$(matrix_found "$1" CMAKE_CXX_COMPILER)
  [ -n "$compiler" ] || return 0
  say "$(basename "$compiler" | sed 's/-[0-9]*$//') $(matrix_found "$1" CMAKE_CXX_COMPILER_VERSION)"
}

# matrix_count ROW WHAT: tests, failures or skipped of its last run.
matrix_count() { sed -n "s/.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p" "build/matrix-$1/results.xml" | head -n 1; }

# matrix_folder ROW: the variable that names a folder without which there is no such row.
matrix_folder() {
  case $1 in
    asio) echo DETENT_ASIO_DIR ;;
    stdexec) echo DETENT_STDEXEC_DIR ;;
  esac
}

# matrix_lacks ROW PRESET: what this machine lacks for it, in words.
matrix_lacks() {
  local folder
  folder=$(matrix_folder "$1")
  if [ -n "$folder" ] && [ ! -d "${!folder:-}/include" ]; then
    say "a folder with include/, which $folder names"
    return 0
  fi
  ! command -v dpkg-query >/dev/null || missing "$2"
}

# matrix_ubuntu: the row ubuntu-22.04. Fails if it does; where that Ubuntu cannot be had, it is skipped.
matrix_ubuntu() {
  local begin=$SECONDS log=build/matrix/ubuntu-22.04.log status=0 compiler="g++ 11, CMake 3.22"
  say "== ubuntu-22.04"
  ! command -v dpkg-query >/dev/null || want matrix-ubuntu-22.04 >"$log"
  if command -v debootstrap >/dev/null; then
    as_root packaging/check_on_ubuntu.bash build/matrix/ubuntu-22.04 >"$log" 2>&1 || status=$?
  else
    status=77
  fi
  case $status in
    0) matrix_line ubuntu-22.04 "$compiler" yes - - - $((SECONDS - begin)) >>build/matrix/table.txt ;;
    77)
      say "Skipped: this needs debootstrap, and the archive of Ubuntu; see $root/$log"
      matrix_line ubuntu-22.04 - skipped - - - - >>build/matrix/table.txt
      ;;
    *)
      tail -n 30 "$log" >&2 && say "Failed; all of it: $root/$log" >&2
      matrix_line ubuntu-22.04 "$compiler" no - - - $((SECONDS - begin)) >>build/matrix/table.txt
      return 1
      ;;
  esac
}

# wine_begins ROW, wine_ends ROW: the services that programs for Windows share while the row's tests run. Begun by the first
# program, they would keep its output open, and ctest would wait for that. A crash is a line instead of a debugger.
wine_begins() {
  export WINEPREFIX=$root/build/matrix-$1/wine WINEDEBUG=-all WINEDLLOVERRIDES='winedbg.exe=d;explorer.exe=d;mscoree,mshtml='
  wine wineboot --init </dev/null >/dev/null 2>&1 && wine_server -p
}
wine_ends() { wine_server -k || true; }
wine_server() { "$(command -v wineserver64 wineserver /usr/lib/wine/wineserver64 | head -n 1)" "$@" </dev/null >/dev/null 2>&1; }

# matrix_tests ROW: runs its tests.
matrix_tests() {
  local status=0
  [ "$1" != windows ] || wine_begins "$1"
  ctest --preset "matrix-$1" --output-junit "$root/build/matrix-$1/results.xml" </dev/null || status=$?
  [ "$1" != windows ] || wine_ends
  return $status
}

# matrix_row ROW: builds and tests it, and puts its line into the table. Fails if the row does.
matrix_row() {
  local row=$1 preset=matrix-$1 begin=$SECONDS log=build/matrix/$1.log lacking failed=0 built=no passed=- failures=- skipped=-
  say "== $row"
  ! command -v dpkg-query >/dev/null || want "$preset" >"$log"
  lacking=$(matrix_lacks "$row" "$preset")
  if [ -n "$lacking" ]; then
    say "Skipped: this needs $lacking"
    matrix_line "$row" - skipped - - - - >>build/matrix/table.txt
    return 0
  fi
  rm -f "build/$preset/results.xml"
  if cmake --preset "$preset" >>"$log" 2>&1 && cmake --build --preset "$preset" -j "$(jobs)" >>"$log" 2>&1; then
    built=yes
    # A row of programs or of the library alone has no tests.
    ! ctest --list-presets | grep -qF "\"$preset\"" || matrix_tests "$row" >>"$log" 2>&1 || failed=1
    if [ -e "build/$preset/results.xml" ]; then
      failures=$(matrix_count "$row" failures) skipped=$(matrix_count "$row" skipped)
      passed=$(($(matrix_count "$row" tests) - failures - skipped))
    fi
  else
    failed=1
  fi
  [ $failed -eq 0 ] || { tail -n 30 "$log" >&2 && say "Failed; all of it: $root/$log" >&2; }
  matrix_line "$row" "$(matrix_compiler "$row")" $built $passed "$failures" "$skipped" $((SECONDS - begin)) >>build/matrix/table.txt
  return $failed
}

cmd_matrix() {
  local row rows=("${matrix_rows[@]}") failed=()
  for row in "$@"; do
    [[ " ${matrix_rows[*]} " == *" $row "* ]] || usage_error "no row '$row'; there are: ${matrix_rows[*]}"
  done
  [ $# -eq 0 ] || rows=("$@")
  need build
  mkdir -p build/matrix
  matrix_line row compiler built passed failed skipped seconds >build/matrix/table.txt
  for row in "${rows[@]}"; do
    if [ "$row" = ubuntu-22.04 ]; then
      matrix_ubuntu || failed+=("$row")
    else
      matrix_row "$row" || failed+=("$row")
    fi
  done
  cat build/matrix/table.txt
  [ ${#failed[@]} -eq 0 ] || die "failed: ${failed[*]}"
}
