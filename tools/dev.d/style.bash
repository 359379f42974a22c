# SPDX-License-Identifier: MIT
# The style of the sources, and what else can be found wrong with the tree in seconds.

# The C++ files of the tree, those not yet committed included.
sources() {
  local file
  git ls-files -co --exclude-standard -- '*.hpp' '*.h' '*.cpp' | while IFS= read -r file; do
    [ ! -e "$file" ] || say "$file"
  done
}

cmd_format() {
  need format
  case ${1:-} in
    '') sources | xargs clang-format-14 -i ;;
    --check) sources | xargs clang-format-14 --dry-run --Werror ;;
    *) usage_error "format takes --check or nothing" ;;
  esac
}

# lint [FOLDER...]
cmd_lint() {
  local folder folders=("$@")
  [ $# -gt 0 ] || folders=(core alloc modules command examples bench stress tests)
  for folder in "${folders[@]}"; do [ -d "$folder" ] || usage_error "lint takes folders of the tree, not $folder"; done
  need build clang format lint
  want adapters && want examples && want postgres
  cmd_format --check
  python3 tools/tidy.py
  cmake --preset clang --log-level=NOTICE
  python3 tools/tidy_batches.py build/clang "${folders[@]}"
}

# What `test`, `test --full` and `lint` need, at once; then what they can do without, by its name where it cannot be had.
gate_packages() {
  local group
  need build clang format lint package instructions models hostile
  for group in adapters oracles examples postgres docs watching plots; do want $group; done
}

# Checks that fail in seconds: each step is there because a failure of it would else show after the tests of an hour.
cmd_gate() {
  [ $# -eq 0 ] || usage_error "gate takes nothing"
  local preset
  step format cmd_format --check
  step tidy python3 tools/tidy.py
  [ ${#failed_steps[@]} -gt 0 ] || step packages gate_packages
  for preset in gcc tsan clang-asan clang; do
    [ ${#failed_steps[@]} -gt 0 ] || step "configure $preset" cmake --preset $preset --log-level=NOTICE
  done
  end_of_steps
}
