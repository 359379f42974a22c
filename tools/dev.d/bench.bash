# SPDX-License-Identifier: MIT
# The benchmarks and the counts of instructions.

bench_only() {
  [ $# -gt 0 ] || usage_error "bench --only takes the name of a program"
  local program=${1#bench_}
  shift
  [ -e "bench/$program.cpp" ] || usage_error "there is no bench/$program.cpp"
  build gcc "bench_$program"
  "build/gcc/bench/bench_$program" "$@"
}

cmd_bench() {
  case ${1:-} in
    --only) bench_only "${@:2}"; return ;;
    '' | --quick | --again) ;;
    *) usage_error "bench takes --quick, --again, or --only PROGRAM" ;;
  esac
  [ $# -le 1 ] || usage_error "bench takes one of its options"
  need build bench
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
