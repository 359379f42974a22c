# SPDX-License-Identifier: MIT
# The style of the sources.

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
  want adapters && want examples
  cmd_format --check
  python3 tools/tidy.py
  cmake --preset clang --log-level=NOTICE
  python3 tools/tidy_batches.py build/clang "${folders[@]}"
}
