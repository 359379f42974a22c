# SPDX-License-Identifier: MIT
# Which lines and branches of the library the tests take.

# Exceptions that a call might throw are branches to the compiler; so is what it knows to be impossible.
coverage_gcovr() {
  gcovr --root . --filter core/ --filter alloc/ --filter modules/coroutine/ --filter modules/counters_file/ --filter modules/pools/ --filter modules/recording/ --filter modules/sharded/ --gcov-executable gcov-12 --object-directory build/coverage \
    --exclude-throw-branches --exclude-unreachable-branches "$@"
}

cmd_coverage() {
  [ $# -eq 0 ] || usage_error "coverage takes nothing"
  need build hostile coverage
  build coverage
  find build/coverage -name '*.gcda' -delete
  local failed=0
  ctest --preset coverage || failed=1
  mkdir -p build/coverage/report
  coverage_gcovr --html-details build/coverage/report/index.html --json-summary build/coverage/report/summary.json \
    --print-summary
  say "Report: $root/build/coverage/report/index.html"
  [ $failed -eq 0 ] || die "tests failed; what they would have taken is missing from the figures"
}
