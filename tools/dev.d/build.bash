# SPDX-License-Identifier: MIT
# Building, and the commands that run what was built.

presets=(gcc clang debug asan tsan clang-asan clang-tsan)

need_for_preset() {
  case $1 in
    clang* | fuzz) need build clang ;;
    run | install) need "$1" ;;
    *) need build ;;
  esac
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  need_for_preset "$preset"
  cmake --preset "$preset" --log-level=NOTICE || return
  cmake --build --preset "$preset" -j "$(jobs)" ${1:+--target "$@"} && return
  grep -q '^DETENT_UNITE:.*=ON$' "build/$preset/CMakeCache.txt" || return 1
  # Sources that are compiled as one can clash where each is right by itself.
  say "== $preset: once more, each source by itself"
  cmake --preset "$preset" --log-level=NOTICE -DDETENT_UNITE=OFF && cmake --build --preset "$preset" -j "$(jobs)" ${1:+--target "$@"}
}

cmd_run() {
  [ -e build/run/bin/detent ] || say "Building the command in build/run: about 2 minutes on 2 cores, the first time."
  build run detent_tool
  local report=build/report.html
  build/run/bin/detent replay bench/data/tcp-http-200k.csv.gz --report "$report" "$@"
  say "The report is $root/$report. The command is build/run/bin/detent, without the calendar and durable timers;" \
    "./tools/dev install puts all of it on the PATH."
}

check_preset() { [[ " ${presets[*]} " == *" $1 "* ]] || usage_error "no preset '$1'; there are: ${presets[*]}"; }

cmd_doctor() {
  build run detent_tool
  build/run/bin/detent doctor "$@"
}

cmd_install() {
  [ $# -le 1 ] || usage_error "install takes one prefix"
  local prefix=${1:-/usr/local} parent run=()
  case $prefix in /*) ;; *) prefix=$started_in/$prefix ;; esac
  [ -e build/install/bin/detent ] || say "Building in build/install: about 4 minutes on 2 cores, the first time."
  build install
  parent=$prefix
  while [ ! -e "$parent" ]; do parent=$(dirname "$parent"); done
  [ -w "$parent" ] || run=(as_root)
  "${run[@]}" cmake --install build/install --prefix "$prefix"
}
