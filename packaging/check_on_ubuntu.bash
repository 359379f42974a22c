#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_on_ubuntu.bash WORK: builds, installs and uses this tree in an empty Ubuntu 22.04 made in WORK/root, whose CMake is the oldest
# that will do, and whose compiler is g++ 11. Root. Status 77 if debootstrap cannot get that Ubuntu here.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: check_on_ubuntu.bash WORK" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "check_on_ubuntu.bash: not root" >&2; exit 1; }
tree=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
mkdir -p "$1"
work=$(readlink -f "$1")
ubuntu=$work/root log=$work/log

inside() {
  chroot "$ubuntu" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
# step WHAT COMMAND...: its output comes out only if it fails.
step() {
  printf '  %s\n' "$1"
  shift
  "$@" >"$log" 2>&1 </dev/null || { tail -n 60 "$log" >&2; printf 'check_on_ubuntu.bash: failed: %s\n' "$*" >&2; exit 1; }
}
# silent WHAT COMMAND...: the same, and it must not print a warning.
silent() {
  step "$@"
  if grep -i warning "$log" >&2; then echo "check_on_ubuntu.bash: a warning: $1" >&2; exit 1; fi
}

if [ ! -e "$ubuntu/ready" ]; then
  rm -rf --one-file-system "$ubuntu"
  mkdir -p "$ubuntu"
  printf '  debootstrap jammy\n'
  if ! debootstrap --variant=minbase --components=main,universe jammy "$ubuntu" >"$log" 2>&1 </dev/null; then
    tail -n 3 "$log" >&2
    exit 77
  fi
  step "install a compiler and CMake" inside sh -c 'apt-get update -qq && apt-get install -qq --no-install-recommends \
    g++ cmake make pkgconf libconcurrentqueue-dev libsqlite3-dev libcli11-dev libfmt-dev zlib1g-dev libncurses-dev'
  touch "$ubuntu/ready"
fi
rm -rf "$ubuntu/tree" "$ubuntu/users" "$ubuntu/build" "$ubuntu/prefix"
mkdir "$ubuntu/tree" "$ubuntu/users"
(cd "$tree" && git -c safe.directory='*' ls-files -z -- CMakeLists.txt LICENSE README.md CHANGELOG.md core alloc modules command tools packaging) |
  tar -C "$tree" --null -T - -c | tar -C "$ubuntu/tree" -x
cp -r "$tree/tests/product/install" "$tree/tests/product/packaging/fetch" "$ubuntu/users/"

# The lines of docs/packages.md, in less time.
step "configure" inside cmake -S /tree -B /build -DDETENT_WERROR=ON -DDETENT_UNITE=ON -DDETENT_UNITE_LIBRARY=ON
step "build" inside cmake --build /build -j "$(nproc)"
step "install" inside cmake --install /build --prefix /prefix
step "ask the command what it is" inside /prefix/bin/detent --version
step "configure programs that find the installed library" inside cmake -S /users/install -B /users/install/build -DCMAKE_PREFIX_PATH=/prefix
silent "build them" inside cmake --build /users/install/build -j "$(nproc)"
step "run them" inside ctest --test-dir /users/install/build --output-on-failure
silent "configure a program that fetches the sources" inside cmake -S /users/fetch -B /users/fetch/build -DCMAKE_BUILD_TYPE=Release \
  -DFETCHCONTENT_SOURCE_DIR_DETENT=/tree -DDETENT_MODULES=calendar
silent "build it" inside cmake --build /users/fetch/build -j "$(nproc)"
step "run it" inside sh -c "/users/fetch/build/server && /users/fetch/build/day"
printf '  built, installed and used with CMake %s\n' "$(inside cmake --version | awk '{ print $3; exit }')"
