# SPDX-License-Identifier: MIT
# What comes before a release: docs/abi.md, docs/packages.md.

abi_baseline=packaging/abi

release_version() {
  sed -n 's/^#define DETENT_VERSION_[A-Z]* \([0-9]*\)$/\1/p' core/include/detent/version.hpp | paste -sd.
}

# abi_check record|compare: of the library in the tree of the packages, and the headers as they are installed. Of sources compiled as one,
# abidw takes instances of an alias template for one another, and abidiff then reports a change where there is none.
abi_check() {
  local stage=$package_tree/headers options=()
  DETENT_UNITE=OFF package_configure "$package_tree" || return 1
  cmake --build "$package_tree" -j "$(jobs)" --target detent detent_static detent_checked detent_calendar detent_durable detent_durable_sqlite detent_durable_redis detent_durable_postgres || return 1
  rm -rf "$stage"
  quiet cmake --install "$package_tree" --prefix "$root/$stage" --component development || return 1
  [ "$1" = record ] || options=(--allowed "$abi_baseline/allowed.abignore")
  python3 packaging/abi_check.py "$1" "$package_tree/libdetent.so" "$abi_baseline" --include "$stage/include" \
    --version "$(release_version)" "${options[@]}"
}

cmd_abi() {
  case ${1:-} in
    '') need build package && abi_check compare ;;
    --record) need build package && abi_check record ;;
    *) usage_error "abi takes --record or nothing" ;;
  esac
}

cmd_release() {
  [ $# -le 1 ] || usage_error "release takes one version"
  local version=${1:-$(release_version)} failed=()
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || usage_error "release: '$version' is not a version such as 1.2.3"
  need build package
  say "== the tree"
  python3 packaging/release_check.py . "$version" || failed+=("the tree")
  say "== the binary interface"
  abi_check compare || failed+=("the binary interface")
  say "== the packages"
  ./tools/dev package --check || failed+=("the packages")
  [ ${#failed[@]} -eq 0 ] || die "version $version cannot be released; look at: ${failed[*]}"
  say "Version $version can be released:"
  say "  git tag -a v$version -m 'detent $version'"
  say "  ./tools/dev abi --record, and commit $abi_baseline, as the first change of the next version"
}
