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

# What the clang build compiles of these folders; other sources belong to projects of their own, or need another compiler.
compiled_sources() {
  python3 - build/clang/compile_commands.json "$@" <<'PYTHON'
import json, os, sys
commands, *folders = sys.argv[1:]
files = {os.path.relpath(each["file"]) for each in json.load(open(commands, encoding="utf-8"))}
print(*sorted(f for f in files if f.endswith(".cpp") and f.split("/")[0] in folders), sep="\n")
PYTHON
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
  compiled_sources "${folders[@]}" | xargs -P "$(jobs)" -n 4 clang-tidy-14 -p build/clang --quiet
}
