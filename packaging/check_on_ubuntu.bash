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

# Debian has no package of Ubuntu's keys, so no signature can be checked. But the release of April 2022 never changes: this is the
# SHA-256 of its dists/jammy/Release, which has the sums of the lists, and those have the sums of the packages.
released=6883c1cb0fcfeefc2ad2e99746fcbb28cf8b2df66ce49904765d883dbf94a1ca
mirror=http://ports.ubuntu.com/ubuntu-ports
[ "$(dpkg --print-architecture)" != amd64 ] || mirror=http://archive.ubuntu.com/ubuntu
most_steps=60 most_bytes=300000  # of a project that fetches detent, and of its minimal program

say() { printf '%s\n' "$*"; }
fail() { printf 'check_on_ubuntu.bash: %s\n' "$*" >&2; exit 1; }

inside() {
  chroot "$ubuntu" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
# step WHAT COMMAND...: its output comes out only if it fails.
step() {
  local begin=$SECONDS
  printf '  %s' "$1"
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    say ""
    tail -n 60 "$log" >&2
    fail "failed: $*"
  fi
  say ": $((SECONDS - begin)) s"
}
# silent WHAT COMMAND...: the same, and it must not print a warning.
silent() {
  step "$@"
  if grep -i warning "$log" >&2; then fail "a warning: $1"; fi
}

# make_root: what is downloaded is looked at before anything of it is run. From there on apt has Ubuntu's keys.
make_root() {
  local packages=$work/jammy.tar found options=(--no-check-gpg --variant=minbase "--components=main,universe")
  rm -rf --one-file-system "$ubuntu" "$packages"
  say "  debootstrap jammy"
  if ! debootstrap "${options[@]}" --make-tarball="$packages" jammy "$work/download" "$mirror" >"$log" 2>&1 </dev/null; then
    tail -n 3 "$log" >&2
    exit 77
  fi
  found=$(tar -x -O -f "$packages" --wildcards '*_jammy_Release')
  [ "$(sha256sum <<<"$found")" = "$released  -" ] || fail "the mirror's Ubuntu 22.04 is not the one that was released"
  step "unpack it" debootstrap "${options[@]}" --unpack-tarball="$packages" jammy "$ubuntu" "$mirror"
  rm "$packages"
  say "deb $mirror jammy main universe" >"$ubuntu/etc/apt/sources.list"
  step "install a compiler and CMake" inside sh -c 'apt-get update -qq && apt-get install -qq --no-install-recommends \
    g++ cmake make pkgconf git tzdata libconcurrentqueue-dev libsqlite3-dev libcli11-dev libfmt-dev zlib1g-dev libncurses-dev'
  touch "$ubuntu/ready"
}

# copy_tree: the sources, as a repository that can be cloned, and two users' projects.
copy_tree() {
  rm -rf "$ubuntu/tree" "$ubuntu/users" "$ubuntu/build" "$ubuntu/prefix"
  mkdir "$ubuntu/tree" "$ubuntu/users"
  (cd "$tree" && git -c safe.directory='*' ls-files -z -- CMakeLists.txt LICENSE README.md CHANGELOG.md core alloc modules command tools packaging) |
    tar -C "$tree" --null -T - -c | tar --no-same-owner -C "$ubuntu/tree" -x
  step "make a repository" inside sh -c 'cd /tree && git init -q -b main && git add . &&
    git -c user.name=check -c user.email=check@localhost commit -q -m check'
  cp -r "$tree/tests/product/install" "$tree/tests/product/packaging/fetch" "$ubuntu/users/"
}

# fetches: a project that clones detent and builds it as a part of itself.
fetches() {
  local steps bytes
  silent "configure a project that fetches detent" inside cmake -S /users/fetch -B /users/fetch/build -DCMAKE_BUILD_TYPE=Release \
    -DDETENT_REPOSITORY=/tree -DDETENT_MODULES=calendar
  silent "build it" inside cmake --build /users/fetch/build -j "$(nproc)"
  steps=$(grep -cE 'Building|Linking' "$log")
  [ "$steps" -le $most_steps ] || fail "$steps steps are more than $most_steps"
  bytes=$(stat -c %s "$ubuntu/users/fetch/build/minimal")
  [ "$bytes" -le $most_bytes ] || fail "a minimal program has $bytes bytes, more than $most_bytes"
  # shellcheck disable=SC2016  # expanded inside
  step "run its programs" inside sh -ec 'for program in server minimal day; do /users/fetch/build/$program; done'
  say "  $steps steps; a minimal program has $bytes bytes"
}

# installs: the lines of docs/packages.md, in less time, and a project that finds what is installed.
installs() {
  step "configure" inside cmake -S /tree -B /build -DDETENT_WERROR=ON -DDETENT_UNITE=ON -DDETENT_UNITE_LIBRARY=ON
  step "build" inside cmake --build /build -j "$(nproc)"
  step "install" inside cmake --install /build --prefix /prefix
  step "ask the command what it is" inside /prefix/bin/detent --version
  silent "configure a project that finds it" inside cmake -S /users/install -B /users/install/build -DCMAKE_PREFIX_PATH=/prefix
  silent "build it" inside cmake --build /users/install/build -j "$(nproc)"
  step "run its programs" inside ctest --test-dir /users/install/build --no-tests=error --output-on-failure
  # shellcheck disable=SC2016  # expanded inside
  step "compile a program by pkg-config" inside sh -ec 'export PKG_CONFIG_PATH=$(dirname "$(find /prefix -name detent.pc)")
    c++ -std=c++20 -O2 /users/install/pkg_config.cpp -o /users/program $(pkg-config --cflags --libs detent) && /users/program'
}

[ -e "$ubuntu/ready" ] || make_root
copy_tree
fetches
installs
say "  built, installed and used with CMake $(inside cmake --version | awk '{ print $3; exit }')"
