# SPDX-License-Identifier: MIT
# The Debian packages that the commands of tools/dev need, and how they come onto the machine.

# The Debian packages, for each purpose. The only list of them.
packages() {
  case $1 in
    run) echo cmake ninja-build g++-12 libconcurrentqueue-dev libcli11-dev libfmt-dev zlib1g-dev libncurses-dev ;;
    install) echo "$(packages run)" libsqlite3-dev systemtap-sdt-dev ;;
    build) echo cmake ninja-build make g++ g++-12 pkgconf python3 libconcurrentqueue-dev libcli11-dev libfmt-dev zlib1g-dev \
                libjemalloc-dev libncurses-dev libgtest-dev libbenchmark-dev nlohmann-json3-dev \
                systemtap-sdt-dev libsqlite3-dev ;;
    # What detent is compared with. Each is wanted and none is needed.
    peers) echo libboost1.81-dev libuv1-dev libevent-dev libev-dev libdpdk-dev default-jdk-headless libnetty-java \
                golang-go cargo rustc librust-tokio-dev librust-tokio-util-dev ;;
    plots) echo gnuplot-nox ;;
    instructions) echo valgrind ;;
    models) echo spin gcc ;;
    hostile) echo strace ;;
    watching) echo curl python3-prometheus-client python3-pyte linux-perf libdevel-nytprof-perl bpftrace ;;
    adapters) echo libboost1.81-dev libasio-dev libtbb-dev libuv1-dev liburing-dev ;;
    oracles) echo libquartz2-java default-jdk-headless ;;  # beside which the calendar is tested
    # TLS of the Redis store needs Debian 13's libhiredis-dev, and libssl-dev; Debian 12's hiredis has none.
    examples) echo libboost1.81-dev redis-server redis-sentinel libhiredis-dev openssl ;;
    postgres) echo postgresql-15 libpq-dev python3-psycopg ;;
    clang) echo clang-14 libclang-rt-14-dev llvm-14 ;;
    # The rows of the matrix. Of libc++ a machine has one version at a time: each of these rows puts its own in place.
    matrix-gcc-11) echo g++-11 ;;
    matrix-clang-14 | matrix-no-exceptions) echo clang-14 ;;
    matrix-clang-16) echo clang-16 ;;
    matrix-clang-19) echo clang-19 ;;
    matrix-libcxx-14) echo clang-14 libc++-14-dev libc++abi-14-dev googletest ;;
    matrix-libcxx-16) echo clang-16 libc++-16-dev libc++abi-16-dev googletest ;;
    matrix-libcxx-19) echo clang-19 libc++-19-dev libc++abi-19-dev googletest ;;
    matrix-aarch64) echo g++-aarch64-linux-gnu qemu-user googletest ;;
    matrix-windows) echo g++-mingw-w64-x86-64-posix wine wine64 googletest ;;
    matrix-windows-clang) echo clang-14 g++-mingw-w64-x86-64-posix googletest ;;
    matrix-apple) echo clang-14 libc++-14-dev libc++abi-14-dev googletest ;;
    matrix-denied) echo libseccomp-dev strace ;;
    matrix-ubuntu-22.04) echo debootstrap ;;
    coverage) echo gcovr ;;
    format) echo clang-format-14 ;;
    lint) echo clang-tidy-14 ;;
    package) echo libhiredis-dev libpq-dev dpkg-dev file gzip lintian debootstrap abigail-tools ;;
    docs) echo doxygen python3-sphinx furo python3-myst-parser python3-breathe python3-sphinx-copybutton ;;
  esac
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# missing GROUP...: what these groups lack, on one line.
missing() {
  local group package lacking=()
  for group in "$@"; do
    for package in $(packages "$group"); do
      [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || lacking+=("$package")
    done
  done
  say "${lacking[*]}"
}

# quiet COMMAND...: its output only if it fails.
quiet() {
  local log failed=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || failed=1
  [ $failed -eq 0 ] || cat "$log" >&2
  rm -f "$log"
  return $failed
}

# How long apt-get waits for another process, in seconds: unattended-upgrades, for one, is busy for minutes on a new machine.
apt_patience=1800

# in_turn COMMAND...: quiet, but it tries again as long as another process holds a lock on Debian's packages, and says so once.
in_turn() {
  local log said=no until=$((SECONDS + apt_patience)) holder
  log=$(mktemp)
  until LC_ALL=C "$@" >"$log" 2>&1 </dev/null; do
    holder=$(sed -n 's/^E: Could not get lock \([^ ]*\)\. It is held by \(.*\)$/\2, lock \1/p' "$log" | head -n 1)
    if ! grep -qE '^E: (Could not get|Unable to acquire the dpkg frontend|Unable to lock)' "$log" || [ $SECONDS -ge $until ]; then
      cat "$log" >&2
      rm -f "$log"
      return 1
    fi
    [ $said = yes ] || say "Waiting for another process to finish with Debian's packages${holder:+ ($holder)}"
    said=yes
    sleep 2
  done
  rm -f "$log"
}

apt_update() { in_turn as_root apt-get update -qq; }
apt_install() {
  local failed=0 no_cluster=/etc/postgresql-common/createcluster.d/detent.conf
  # Tests start servers of their own: where PostgreSQL comes for them, it makes no cluster and starts no service.
  if [[ " $* " == *" postgresql-"* ]]; then
    as_root mkdir -p "${no_cluster%/*}"
    as_root tee "$no_cluster" >/dev/null <<<'create_main_cluster = false'
  fi
  in_turn as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" || failed=1
  if [[ " $* " == *" postgresql-"* ]]; then as_root rm "$no_cluster"; fi
  return $failed
}

# need GROUP...: installs what these groups lack. Quiet when nothing is missing.
need() {
  local group lacking
  if ! command -v dpkg-query >/dev/null; then
    say "Not a Debian system: this needs the equivalents of: $(for group in "$@"; do packages "$group"; done | xargs)"
    return
  fi
  read -ra lacking <<<"$(missing "$@")"
  [ ${#lacking[@]} -gt 0 ] || return 0
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    die "not root and no sudo; as root: apt-get install --no-install-recommends ${lacking[*]}"
  say "Installing Debian packages: ${lacking[*]}"
  if ! { apt_update && apt_install "${lacking[@]}"; }; then die "apt-get could not install: ${lacking[*]}"; fi
}

# want GROUP: installs what it can of what this group lacks, and names the rest.
want() {
  local lacking package
  if ! command -v dpkg-query >/dev/null; then
    say "Not a Debian system: this can use the equivalents of: $(packages "$1")"
    return
  fi
  read -ra lacking <<<"$(missing "$1")"
  [ ${#lacking[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; then
    say "Installing Debian packages: ${lacking[*]}"
    if apt_update && ! apt_install "${lacking[@]}"; then
      for package in "${lacking[@]}"; do apt_install "$package" || true; done  # the next line names what is missing still
    fi
    read -ra lacking <<<"$(missing "$1")"
  fi
  [ ${#lacking[@]} -eq 0 ] || say "Without these, and what needs them: ${lacking[*]}"
}
