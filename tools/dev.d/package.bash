# SPDX-License-Identifier: MIT
# Debian packages: how they are made, and checked in an empty Debian.

package_tree=build/package

# The maintainer in the packages: what Debian's own tools ask for, else what git knows.
package_maintainer() {
  local name=${DEBFULLNAME:-$(git config user.name || true)} address=${DEBEMAIL:-$(git config user.email || true)}
  say "${name:-The detent authors} <${address:-detent@$(hostname)}>"
}

# package_flags KIND: what Debian's packages are compiled or linked with.
package_flags() { DEB_BUILD_MAINT_OPTIONS=hardening=+bindnow dpkg-buildflags --get "$1"; }

# package_configure TREE [OPTION...]: the shared library, the static one and the command, built as Debian builds.
package_configure() {
  local linking
  linking=$(package_flags LDFLAGS)
  # With the time of the commit, and no path of this machine in the debug information, the same sources give the same packages.
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
  export SOURCE_DATE_EPOCH
  cmake -S . -B "$1" -G Ninja --log-level=NOTICE -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=g++-12 \
    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_SKIP_INSTALL_RPATH=ON -DBUILD_SHARED_LIBS=ON \
    -DDETENT_PACKAGE=ON -DDETENT_WERROR=ON -DDETENT_USDT=ON "-DDETENT_PACKAGE_MAINTAINER=$(package_maintainer)" \
    -DDETENT_BUILD_TOOLS=ON -DDETENT_BUILD_DURABLE_REDIS=ON -DDETENT_BUILD_DURABLE_POSTGRES=ON -DDETENT_JEMALLOC=ON "-DDETENT_UNITE=${DETENT_UNITE:-OFF}" \
    "-DCMAKE_CXX_FLAGS=$(package_flags CPPFLAGS) $(package_flags CXXFLAGS)" \
    "-DCMAKE_SHARED_LINKER_FLAGS=$linking" "-DCMAKE_EXE_LINKER_FLAGS=$linking" "${@:2}"
}

# package_build: the packages, in $package_tree/debs and nothing else there.
package_build() {
  package_configure "$package_tree"
  if ! cmake --build "$package_tree" -j "$(jobs)"; then
    [ "${DETENT_UNITE:-OFF}" = ON ] || die "the build of the packages failed"
    say "== packages: once more, each source by itself"
    DETENT_UNITE=OFF package_configure "$package_tree"
    cmake --build "$package_tree" -j "$(jobs)"
  fi
  rm -rf "$package_tree/debs"
  quiet cpack --config "$package_tree/CPackConfig.cmake" -B "$root/$package_tree/debs" || die "cpack failed"
  rm -rf "$package_tree/debs/_CPack_Packages"
  python3 packaging/contents.py debs "$package_tree/debs" || die "the packages do not hold what they should"
}

cmd_package() {
  local check=no
  case ${1:-} in
    '') ;;
    --check) check=yes ;;
    *) usage_error "package takes --check or nothing" ;;
  esac
  need build package
  package_build
  if [ $check = yes ]; then
    say "== lintian"
    # A first upload to Debian's archive would close the bug that asked for it; these go nowhere.
    lintian --fail-on error,warning --profile debian --suppress-tags initial-upload-closes-no-bugs \
      "$package_tree"/debs/*.deb || die "lintian found something"
    say "== a fresh Debian"
    as_root packaging/check_in_root.bash "$package_tree/debs" "$package_tree/fresh" || die "the packages do not do in a fresh Debian"
  fi
  say "Packages:"
  (cd "$package_tree/debs" && for file in *; do say "  $package_tree/debs/$file"; done)
}
