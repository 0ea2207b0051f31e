#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a site of the Debian package, and the suite, while the kernel enforces the AppArmor profile, in the virtual machine that
# tests/apparmor/run boots. Each access that the kernel denies is a fault.
set -euo pipefail
cd "$(dirname "$0")/../.."

profile=/etc/apparmor.d/usr.sbin.apache2
box=/var/databases
faults=0
witness=
# shellcheck source=tests/package/box.sh
. /packages/box.sh

step() { echo "apparmor: $*"; }
fail() { echo "apparmor: failed: $*"; exit 1; }
fault() { echo "apparmor: failed: $*"; faults=$((faults + 1)); }

# What the kernel denied since it was last asked. It repeats itself: what differs is the time, the process and the temporary name.
denials() { dmesg --read-clear --notime | grep 'apparmor="DENIED"' || true; }
summary() { sed -E 's/^.*(apparmor=)/\1/; s/ (pid|comm)=[^ ]*//g; s/catalog-test\.\w+/catalog-test.*/g' | sort | uniq -c; }

# A file that the profile does not name is served before the profile is there, and not afterwards.
control() {
    mkdir -p /srv/elsewhere /run/apache2
    echo here >/srv/elsewhere/file
    cat >/etc/apache2/control.conf <<CONF
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
ServerName localhost
Listen 127.0.0.1:8000
User www-data
Group www-data
PidFile /run/apache2/control.pid
DefaultRuntimeDir /run/apache2
ErrorLog /var/log/apache2/control.log
DocumentRoot /srv/elsewhere
CONF
    [ "$(served)" = 200 ] || fail 'the control is not served without the profile'
    load
    [ "$(served)" = 403 ] || fail 'the control is served with the profile'
    denials | grep -q 'operation="open".*profile="apache2".*name="/srv/elsewhere/file"' || fail 'the kernel does not say that it denied the control'
    step 'a file that the profile does not name: served without the profile, denied with it'
}

served() {
    local status
    apache2 -f /etc/apache2/control.conf
    status=$(curl -s --retry 30 --retry-connrefused --retry-delay 1 -o /dev/null -w '%{http_code}' http://127.0.0.1:8000/file)
    kill "$(cat /run/apache2/control.pid)"
    while [ -e /run/apache2/control.pid ]; do sleep 0.1; done
    echo "$status"
}

load() {
    cp conf/examples/apparmor-apache2 $profile
    cp tests/apparmor/local /etc/apparmor.d/local/usr.sbin.apache2
    apparmor_parser --replace $profile
    grep -qx 'apache2 (enforce)' /sys/kernel/security/apparmor/profiles || fail 'the profile is not enforced'
}

# What is run, confined, with a witness of each process.
confined() { # what, command
    local begun=$SECONDS denied
    step "$1"
    tests/apparmor/witness /usr/sbin/apache2 'apache2 (enforce)' &
    witness=$!
    "${@:2}" || fault "$1"
    kill $witness
    wait $witness || fault "$1: a process was not confined"
    denied=$(denials | summary)
    [ -z "$denied" ] || fault "$1: the kernel denied"$'\n'"$denied"
    step "$1: $((SECONDS - begun)) seconds"
}

package() {
    mkdir -p $box
    start_databases ''
    # In place of strace, with which tests/package/run starts it.
    # shellcheck disable=SC2016 # it is a script
    printf '#!/bin/sh\nexec /usr/sbin/apache2 "$@"\n' >/traces/apache2
    chmod +x /traces/apache2
    local result=0
    /packages/check.sh || result=1
    service apache2 stop >/dev/null || result=1
    stop_databases
    return $result
}

suite() { # database, MPM, files
    DB=$1 MPM=$2 JOBS=1 MODULE=$PWD/build/mod_catalog.so t/TEST "${@:3}"
}

step "Linux $(uname -r), $(cat /sys/kernel/security/lsm)"
ip link set lo up
echo 0 >/proc/sys/kernel/printk_ratelimit # or the kernel would not say all that it denies
grep -q localhost /etc/hosts 2>/dev/null || echo '127.0.0.1 localhost' >>/etc/hosts
control
confined "Debian's apache2 with the package" package
mapfile -t runs <runs
for run in "${runs[@]}"; do
    read -ra words <<<"$run"
    [ -z "$run" ] || confined "the suite on ${words[0]} under ${words[1]}" suite "${words[@]}"
done
[ "$faults" = 0 ] || exit 1
step passed
