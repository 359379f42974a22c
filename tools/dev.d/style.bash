# SPDX-License-Identifier: MIT
# How the sources look.

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

cmd_lint() {
  need build clang format lint
  cmd_format --check
  python3 tools/tidy.py
  cmake --preset clang --log-level=NOTICE
  # Only what the build compiles: the programs of tests/install belong to a project of their own.
  sources | grep '\.cpp$' | grep -v '^tests/install/' | xargs -P "$(jobs)" -n 4 clang-tidy-14 -p build/clang --quiet
}
