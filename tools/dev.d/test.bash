# SPDX-License-Identifier: MIT
# The tests and the stress programs.

# Tests labelled `timing` ask ctest to run alone; the others run two at a time.
run_tests() { ctest --preset "$1" -j 2 "${@:2}"; }

# What the tests of a pass use beside what they are built with; without some of it they are fewer, and say so.
need_for_tests() {
  case $1 in gcc | long | gcc-rest-*) need instructions models hostile && want watching && want plots ;; esac
  case $1 in *-quick | walks-* | counts | fuzz) ;; *) want adapters && want oracles && want examples && want postgres && want package && want docs ;; esac
}

# A minute of fresh inputs for each fuzz target. What has failed is kept as build/found/TARGET-crash-..., what adds
# coverage in build/found/TARGET: the next time begins with it.
fuzz() {
  local program name log failed=()
  for program in build/fuzz/tests/search/fuzz/libfuzzer.*; do
    name=${program##*/libfuzzer.} log=build/found/${program##*/libfuzzer.}.log
    mkdir -p "build/found/$name"
    if "$program" -max_total_time="${DETENT_FUZZ_SECONDS:-60}" -timeout=60 -artifact_prefix="build/found/$name-" \
      "build/found/$name" "tests/search/fuzz/corpus/$name" >"$log" 2>&1; then
      say "$name: $(tail -n 1 "$log")"
    else
      tail -n 40 "$log" >&2
      failed+=("$name")
    fi
  done
  [ ${#failed[@]} -eq 0 ] || { say "Fuzzing fails: ${failed[*]}; the inputs are build/found/TARGET-*" >&2 && return 1; }
}

# The programs of tests/unit, tests/engine, tests/hostile and of modules in the library, each run as a whole, which takes a fifth of the
# time that their tests take one by one; with the label `look` the beginning of each search of tests/proofs/protocols,
# and tests/search/meetings.
# quick PRESET LABELS TARGET...
quick() {
  local preset=$1 labels=$2
  shift 2
  build "$preset" "$@" || return
  ctest --test-dir "build/$preset" -C Whole -L "^($labels)\$" -j 4 --output-on-failure --no-tests=error |
    grep -vE '^ *[0-9]+/[0-9]+ Test +#.* Passed|^ +Start '
}

# rest FOLDER...: runs the tests of these folders that `quick gcc` does not run. It leaves to --all those that take minutes,
# are about this machine, or need programs outside of tests/. Three run at a time, because many of them wait for a server or
# for time to pass.
rest() {
  local folder status=0
  build gcc "${@/%//all}" detent detent_checked || return
  for folder; do
    ctest --test-dir "build/gcc/$folder" -j 3 --output-on-failure --no-tests=error -LE '^(quick|mutants|spin)$' \
      -E '^(bench|stress|instructions|examples|packaging|probes|kernel_trace)[.]|^docs[.](contributing|monitoring|profiling|tuning)|^Meetings' ||
      status=$?
  done
  return "$status"
}

# Random walks, by poll() and through the worker's own loop, side by side, from fresh seeds that they print.
# walks PRESET SECONDS
walks() {
  if [ "$1" = portable ]; then  # without a wake_fd, and without the worker's, whose waits there are no futexes
    build portable detent_walks || return
    build/portable/tests/search/poll_walks/detent_walks --no-wake-fd --seconds "$2"
    return
  fi
  local search=build/$1/tests/search log=build/$1/worker_walks.log worker status=0
  build "$1" detent_walks detent_worker_walks || return
  say "== $1: random walks, $2 s"
  "$search/worker_walks/detent_worker_walks" --seconds "$2" >"$log" 2>&1 &
  worker=$!
  "$search/poll_walks/detent_walks" --seconds "$2" || status=$?
  wait "$worker" || status=$?
  cat "$log"
  return "$status"
}

# test_pass PASS: PRESET, PRESET-quick, walks-PRESET-SECONDS, gcc-rest-PART, packages, long, counts or fuzz.
test_pass() {
  need_for_tests "$1"
  case $1 in
    tsan-quick)
      say "== tsan: units and engine, where threads meet"
      quick tsan whole-threaded detent_quick_threaded
      ;;
    tight-quick)
      say "== tight: units, engine and histories, with every private limit as small as it may be"
      quick tight 'whole|history' detent_quick detent_history
      ;;
    portable-quick)
      say "== portable: units, engine and histories, on the ground of C++20 alone, with every private limit as small as it may be;" \
        "tests/portable_excluded.txt is left out"
      quick portable 'whole|history' detent_quick detent_history
      ;;
    portable-tsan-quick)
      say "== portable-tsan: the same where threads meet"
      quick portable-tsan whole-threaded detent_quick_threaded
      ;;
    gcc-quick)
      say "== gcc: units and engine, calls in the middle of others, and a look at each protocol in all interleavings"
      quick gcc 'whole|look' detent_quick detent_looks
      ;;
    *-quick)
      say "== ${1%-quick}: units and engine"
      quick "${1%-quick}" whole detent_quick
      ;;
    walks-*) walks "$(cut -d- -f2 <<<"$1")" "$(cut -d- -f3 <<<"$1")" ;;
    gcc-rest-core)
      say "== gcc: proofs and searches"
      rest tests/proofs tests/search tests/engine tests/unit
      ;;
    gcc-rest-modules)
      say "== gcc: modules"
      rest modules
      ;;
    gcc-rest-product)
      say "== gcc: the command, documents, installation"
      rest command tests/product
      ;;
    packages)
      say "== packages, compiled in half the time that \`package\` takes"
      DETENT_UNITE=ON cmd_package
      ;;
    long)
      say "== gcc: every test, the long histories too"
      build gcc && DETENT_LONG_TESTS=1 run_tests gcc
      ;;
    counts)
      say "== gcc: the big counts of the storm"
      build gcc detent_stress && build/gcc/stress/stress_storm --only timers --operations 1000000000 &&
        build/gcc/stress/stress_storm --only threads --operations 100000 &&
        build/gcc/stress/stress_storm --only engines --operations 10000
      ;;
    fuzz)
      say "== fuzz: fresh inputs for the fuzz targets, a minute each"
      build fuzz && fuzz
      ;;
    *)
      say "== $1: every test"
      build "$1" && run_tests "$1"
      ;;
  esac
}

# test_programs NAME...: the test programs of the preset gcc whose names contain one of these, by their paths in its tree.
test_programs() {
  ninja -C build/gcc -t targets all | sed -n 's/^\(\(tests\|modules\|command\)\/[^:]*\): CXX_EXECUTABLE_LINKER.*/\1/p' |
    grep -E "/[^/]*($(IFS='|' && say "$*"))[^/]*$" || true
}

# test_module FOLDER: builds all of it except its benchmarks, and runs its tests.
test_module() {
  build gcc "$1/all"
  ctest --test-dir "build/gcc/$1" -j 2 --output-on-failure --no-tests=error -LE '^bench$'
}

# test_named NAME...: builds these programs alone, and runs them; tests that are no programs, as those in
# Python, run by ctest. A single NAME may be a module.
test_named() {
  local program programs folder failed=()
  for folder in "modules/$*" "$*"; do
    if [ -e "$folder/tests/CMakeLists.txt" ]; then
      test_module "$folder"
      return
    fi
  done
  need build
  cmake --preset gcc --log-level=NOTICE >/dev/null
  mapfile -t programs < <(test_programs "$@")
  if [ ${#programs[@]} -eq 0 ]; then
    ctest --preset gcc -R "$(IFS='|' && say "$*")"
    return
  fi
  cmake --build --preset gcc -j "$(jobs)" --target "${programs[@]##*/}"
  for program in "${programs[@]}"; do
    say "== ${program##*/}"
    "build/gcc/$program" --gtest_brief=1 || failed+=("${program##*/}")
  done
  [ ${#failed[@]} -eq 0 ] || die "failed: ${failed[*]}"
}

cmd_test() {
  local pass ran=() left_out=() passes=(gcc-quick walks-gcc-60 tsan-quick walks-tight-60)
  case ${1:-} in
    '') [ -d build/tsan ] || say "In four passes: about 11 minutes on 2 cores, the first time, of which building takes most." ;;
    --full) passes=(clang-asan-quick portable-quick walks-portable-30 walks-tight-60 gcc-rest-core gcc-rest-modules gcc-rest-product) ;;
    --all) passes=(long "${presets[@]:1}" tight-quick portable-quick portable-tsan-quick walks-portable-300 walks-gcc-1800 walks-tight-1800 packages counts fuzz) ;;
    -*) usage_error "test takes --full, --all, a preset, fuzz, or the names of tests" ;;
    fuzz | tight-quick | portable-quick | portable-tsan-quick | walks-*-* | gcc-rest-core | gcc-rest-modules | gcc-rest-product) passes=("$1") ;;
    *)
      if [[ " ${presets[*]} " != *" $1 "* ]]; then
        test_named "$@"
        return
      fi
      passes=("$1")
      ;;
  esac
  [ $# -le 1 ] || usage_error "test takes one preset, fuzz, --full or --all; or the names of tests"
  # No pass begins after DETENT_BEGIN_BEFORE, which is in seconds since 1970.
  for pass in "${passes[@]}"; do
    if [ "$(date +%s)" -ge "${DETENT_BEGIN_BEFORE:-$((2 ** 40))}" ]; then
      left_out+=("$pass")
      continue
    fi
    ran+=("$pass")
    step "$pass" test_pass "$pass"
  done
  [ ${#left_out[@]} -eq 0 ] || say "== left out, as the time is over: ${left_out[*]}"
  end_of_steps || die "failed: ${failed_steps[*]}"
  [ ${#ran[@]} -eq 0 ] || say "All passed: ${ran[*]}"
}

cmd_stress() {
  local minutes=12 preset=gcc program programs each failed=()
  while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || usage_error "stress: $1 takes a value"
    case $1 in
      --minutes) minutes=$2 ;;
      --preset) preset=$2 ;;
      *) usage_error "stress takes --minutes N and --preset PRESET, not $1" ;;
    esac
    shift 2
  done
  [[ $minutes =~ ^[0-9]+(\.[0-9]+)?$ && $minutes =~ [1-9] ]] || usage_error "--minutes $minutes: not a number above 0"
  check_preset "$preset"
  build "$preset" detent_stress
  mapfile -t programs <"build/$preset/stress/programs.txt"
  each=$(awk -v minutes="$minutes" -v programs=${#programs[@]} 'BEGIN { printf "%.6f", minutes / programs }')
  for program in "${programs[@]}"; do
    say "== $(basename "$program")"
    "$program" --minutes "$each" </dev/null || failed+=("$(basename "$program")")
  done
  [ ${#failed[@]} -eq 0 ] || die "failed: ${failed[*]}"
  say "All ${#programs[@]} programs ended with nothing wrong."
}
