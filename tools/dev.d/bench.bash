# SPDX-License-Identifier: MIT
# The benchmarks and the counts of instructions.

bench_only() {
  [ $# -gt 0 ] || usage_error "bench --only takes the name of a program"
  local program=${1#bench_}
  shift
  [ -n "$(find bench modules command -path "*bench/$program.cpp")" ] || usage_error "there is no bench/$program.cpp, neither at the top nor in a module"
  build gcc "bench_$program"
  "build/gcc/bench/bench_$program" "$@"
}

# cached NAME: what the build tree of the preset gcc was configured with.
cached() { sed -n "s/^$1:[A-Z]*=//p" build/gcc/CMakeCache.txt; }

# build_other COMMIT: that commit's library, with the measuring programs of this tree, in build/against/COMMIT. Its sources
# are written once; a build that is there already is brought up to date with the programs of this tree. COMMIT may be
# `portable`: this tree's library on the portable ground.
build_other() {
  local place=build/against/$1 tree ground=linux
  if [ "$1" = portable ]; then
    tree=$root ground=portable
  else
    tree=$root/$place/tree
    if [ ! -e "$tree/CMakeLists.txt" ]; then
      rm -rf "$place/tree.part" && mkdir -p "$place/tree.part"
      git archive "$1" | tar -x -C "$place/tree.part"
      # Builds before 0.9 have another name for detent::preference, which these programs use.
      grep -rlw wish --include='*.[ch]pp' "$place/tree.part" | xargs -r sed -i 's/\bwish\b/preference/g' || true
      mv "$place/tree.part" "$tree"
    fi
  fi
  cmake -S bench/against -B "$place/build" -G Ninja --log-level=NOTICE -DDETENT_TREE="$tree" -DDETENT_GROUND=$ground \
    -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" -DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)" \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$(cached CMAKE_CXX_FLAGS_RELWITHDEBINFO)" \
    -DDETENT_JEMALLOC="$(cached DETENT_JEMALLOC)" &&
    cmake --build "$place/build" -j "$(jobs)" --target detent_against_other
}

bench_against() {
  [ $# -gt 0 ] || usage_error "bench --against takes a commit, or portable"
  local commit this
  commit=$1
  [ "$1" = portable ] || commit=$(git rev-parse --quiet --verify --short=7 "$1^{commit}") ||
    usage_error "bench --against $1: no such commit"
  shift
  need build instructions
  build gcc detent_against
  build_other "$commit" || die "the library of $commit could not be built"
  this=$(git rev-parse --short=7 HEAD)
  git diff --quiet HEAD || this+=", changed"
  python3 bench/report/against.py --this build/gcc/bench --other "build/against/$commit/build/bench" \
    --names "$this" "$commit" "$@"
}

# What detent costs on this machine beside its floors, in one file.
bench_hardware() {
  need build
  build gcc bench_lateness bench_pair_by_live bench_wake_up bench_poll
  python3 bench/report/hardware.py "$@"
}

cmd_bench() {
  case ${1:-} in
    --report) bench_hardware "${@:2}"; return ;;
    --only) bench_only "${@:2}"; return ;;
    --against) bench_against "${@:2}"; return ;;
    '' | --quick | --again) ;;
    *) usage_error "bench takes --quick, --again, --report, --only PROGRAM, or --against COMMIT or portable" ;;
  esac
  [ $# -le 1 ] || usage_error "bench takes one of its options"
  need build plots
  if [ "${1:-}" != --again ]; then
    want peers
    build gcc detent_bench detent_peers
    cmake --build --preset gcc -j "$(jobs)" --target bench_children -- -k 0 ||
      say "Some of the systems in other languages are not built; they are skipped."
  fi
  python3 bench/report/report.py "$@"
}

cmd_instructions() {
  need build instructions
  build gcc detent_instructions
  python3 bench/instructions/instructions.py "$@"
}
