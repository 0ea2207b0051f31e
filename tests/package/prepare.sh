#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what the packages depend on and what the check uses. Nothing is started: the machine's network is still there.
set -eu

update-ca-certificates >/dev/null 2>&1
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod +x /usr/sbin/policy-rc.d
apt-get -qq update
apt-get -qq -y upgrade >/dev/null
# The older package's dependencies are among the newer's.
apt-get -qq -y --no-install-recommends satisfy "$(dpkg-deb -f "$(ls /packages/*.deb | sort -V | tail -1)" Depends)" >/dev/null
apt-get -qq -y --no-install-recommends install apache2 curl jq libaprutil1-dbd-mysql libaprutil1-dbd-pgsql logrotate \
    sqlite3 ssl-cert strace >/dev/null
# From now on the packages' scripts may start servers, as on a machine with an init system.
printf '#!/bin/sh\nexit 0\n' >/usr/sbin/policy-rc.d
