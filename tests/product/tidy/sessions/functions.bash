# SPDX-License-Identifier: MIT
# A small tree with the hook, for the sessions.
root=$(readlink -f here/../../..)
unset "${!GIT_@}"
export HOME=$PWD GIT_CONFIG_NOSYSTEM=1
source=core/src/wheel/a.cpp lists=core/CMakeLists.txt
spdx='// SPDX-License-Identifier: MIT'
# repository: a new one with what the hook needs, entered; again: the last one.
repository() {
  rm -rf tree && mkdir -p tree/tools/git-hooks tree/core/src/wheel && cd tree || return
  cp "$root"/tools/tidy.py "$root"/tools/tidy_text.py tools && cp "$root/tools/git-hooks/pre-commit" tools/git-hooks && cp "$root/.clang-format" .
  put $lists 'add_library(a src/wheel/a.cpp)' && git init -q && git config user.name reader && git config user.email reader@example.org
  git config core.hooksPath tools/git-hooks && git add .
}
again() { cd tree || return; }
put() { printf '%s\n' "${@:2}" >"$1"; }
commit() { git commit -q -m a "$@"; }
# shown: what is committed, what is in the folder, and whether they differ.
shown() { git show "HEAD:$source" && echo / && cat $source && git status --porcelain $source; }
