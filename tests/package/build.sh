#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the packages in a bare Debian that has only what Build-Depends name: build.sh prepare | build | lint
# Preparing and lint require a network; the build has none.
set -euo pipefail
cd /source

# The package from which the check upgrades: its version is lower, and its pages' assets have another name.
make_older() {
    cp -r /source /older
    echo '/* older */' >>/older/www/assets/style.css
    printf '%s\n' 'mod-catalog (0.0.9-1) unstable; urgency=medium' '' '  * An older package.' '' \
        ' -- mod_catalog maintainers <mod-catalog@packages.invalid>  Sun, 22 Nov 2026 12:00:00 +0000' >/older/debian/changelog
}

case $1 in
prepare)
    update-ca-certificates >/dev/null 2>&1
    apt-get -qq update
    apt-get -qq -y upgrade >/dev/null
    apt-get -qq -y --no-install-recommends build-dep /source >/dev/null
    ;;
build)
    ip link set lo up
    LINTIAN=true tools/package /out/new
    make_older
    DEB_BUILD_OPTIONS=nocheck LINTIAN=true /older/tools/package /out/older
    ;;
lint)
    apt-get -qq -y --no-install-recommends install lintian >/dev/null
    cd /out/new
    lintian --fail-on error,warning --allow-root ./*.changes
    ;;
esac
