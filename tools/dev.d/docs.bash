# SPDX-License-Identifier: MIT
# The pages of the tree and the API reference as one site.

cmd_docs() {
  [ $# -eq 0 ] || usage_error "docs takes no options"
  need docs
  python3 docs/site/build.py build/docs
}
