#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_in_root.bash DEBS WORK: installs the packages of the directory DEBS into an empty Debian made in WORK/root, uses them
# there, removes them, and looks for what is left; by the commands of docs/packages.md, word for word. Root, and a Debian mirror.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: check_in_root.bash DEBS WORK" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "check_in_root.bash: not root" >&2; exit 1; }
tree=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
debs=$(readlink -f "$1")
mkdir -p "$2"
work=$(readlink -f "$2")
fresh=$work/root
suite=bookworm
log=$work/log

say() { printf '%s\n' "$*"; }
fail() { printf 'check_in_root.bash: %s\n' "$*" >&2; exit 1; }

# The mirror that this host uses.
mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    awk '!found && match($0, /https?:\/\/[^ ]*\/debian\/?( |$)/) { found = substr($0, RSTART, RLENGTH) }
      END { print found ? found : "http://deb.debian.org/debian" }' | tr -d ' '
}

# What was printed comes out only if it failed.
step() {
  say "  $1"
  shift
  "$@" >"$log" 2>&1 </dev/null || { tail -n 60 "$log" >&2; fail "failed: $*"; }
}
inside() {
  chroot "$fresh" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
# page_block N: the Nth block of commands in docs/packages.md that is for a fresh Debian.
page_block() { inside sh -euxc "cd /try; $(awk -v wanted="$1" '/^```/ { on = 0 } on { print } /^```sh fresh$/ { on = ++n == wanted }' "$tree/docs/packages.md")"; }

leave() {
  local mounted
  for mounted in proc dev/shm var/cache/apt/archives; do
    if mountpoint -q "$fresh/$mounted"; then umount "$fresh/$mounted"; fi
  done
}

make_root() {
  leave
  rm -rf --one-file-system "$fresh"
  mkdir -p "$fresh" "$work/cache"
  step "debootstrap $suite" debootstrap --variant=minbase --cache-dir="$work/cache" "$suite" "$fresh" "$(mirror)"
  trap leave EXIT
  mkdir -p "$fresh/dev/shm"
  mount -t proc proc "$fresh/proc"
  mount -t tmpfs shm "$fresh/dev/shm"
  mount --bind "$work/cache" "$fresh/var/cache/apt/archives"  # the next check has them already
  # The page's commands are run in /try.
  mkdir -p "$fresh/try/build/package"
  cp -r "$debs" "$fresh/try/build/package/debs"
  say 'APT::Get::Assume-Yes "true"; APT::Install-Recommends "false"; Dpkg::Use-Pty "false";' >"$fresh/etc/apt/apt.conf.d/90check"
  cp -r "$tree/tests/product/install" "$fresh/try/install"
  cp -r "$tree/modules/c/tests" "$fresh/try/c"
  cp "$tree/packaging/try_packages.sh" "$tree/bench/data/tcp-http-200k.csv.gz" "$fresh/try/"
}

# Every file but those in which apt, dpkg and their triggers note what they did.
files() {
  (cd "$fresh" && find . -xdev \( -path ./try -o -path ./proc -o -path ./sys -o -path ./tmp -o -path ./run \
    -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./etc/ld.so.cache \) \
    -prune -o -print | sort)
}

# nothing_left BEFORE: what is there now is what was there then.
nothing_left() {
  files >"$work/after"
  if ! diff "$1" "$work/after" >"$work/left"; then
    cat "$work/left" >&2
    fail "the packages are gone, and these files have come or gone"
  fi
  [ -z "$(inside dpkg-query -W -f='${Package} ' '*detent*' 2>/dev/null)" ] || fail "dpkg still knows of detent"
}

main() {
  local before=$work/before
  make_root
  step "apt-get update" inside apt-get update

  files >"$before"
  step "install the command and its library" inside sh -c 'apt-get install /try/build/package/debs/libdetent[0-9]*.deb /try/build/package/debs/libdetent-calendar[0-9]*.deb /try/build/package/debs/libdetent-durable[0-9]*.deb /try/build/package/debs/libdetent-durable-redis[0-9]*.deb /try/build/package/debs/libdetent-durable-postgres[0-9]*.deb /try/build/package/debs/detent-tools_*.deb'
  step "use the command" inside sh /try/try_packages.sh use_command
  step "remove them" inside sh -c 'apt-get purge "*detent*" && apt-get autoremove --purge'
  nothing_left "$before"

  step "install compilers" inside apt-get install g++ cmake make pkgconf
  files >"$before"
  step "install all packages" page_block 1
  step "ask the command what it is" page_block 2
  step "compile and run one file" page_block 3
  step "compile and run programs in C++ and C" inside sh /try/try_packages.sh consumers
  step "remove them" page_block 4
  nothing_left "$before"
  leave
  rm -rf --one-file-system "$fresh"
  say "Installed, used, removed: nothing left."
}
main
