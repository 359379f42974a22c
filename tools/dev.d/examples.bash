# SPDX-License-Identifier: MIT
# The programs in examples/.

# example NAME [OPTION...]: what examples/NAME/README.md shows.
cmd_example() {
  local name=${1:-} names
  names=$(cd examples && printf '%s ' */demo)
  [ -n "$name" ] && [ -x "examples/$name/demo" ] || usage_error "example takes one of: ${names//\/demo/}"
  shift
  want examples
  [ "$name" != orders ] || want postgres
  build gcc "example_$name"
  "examples/$name/demo" "build/gcc/examples/$name" "$@"
}
