# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # the script that sources this has set box
# Bare Debians of this machine's release in directories below $box: one that has only what the package's Build-Depends name, in which the
# packages are built, and one, $box/debian, in which they are tested, with databases for it. A script that sources this has set box, and is
# in the top directory.

# A package with a lower version, which the check upgrades from, and the package itself, in $box/packages.
build_packages() {
    bootstrap builder
    mkdir -p "$box/packages" "$box/builder/source"
    tar -c --exclude-vcs --exclude=./build --exclude=./data --exclude=node_modules . | tar -x -C "$box/builder/source"
    enter '' builder /source/tests/package/build.sh prepare
    enter --net builder /source/tests/package/build.sh build
    enter '' builder /source/tests/package/build.sh lint
    mv "$box"/builder/out/*/libapache2-mod-catalog_*.deb "$box/packages"
    rm -rf --one-file-system "$box/builder"
}

# The Debian in which the packages are tested.
make_debian() {
    bootstrap debian
    mkdir "$box/debian/packages" "$box/debian/traces"
    cp "$box"/packages/*.deb tests/package/*.sh "$box/debian/packages"
}

bootstrap() { # directory
    local mirror suite
    mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -1)
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    [ -d "$box/bare" ] || debootstrap --variant=minbase --include=ca-certificates,iproute2 "$suite" "$box/bare" ${mirror:+"$mirror"} >"$box/log" 2>&1 || {
        tail "$box/log" >&2
        exit 1
    }
    cp -a "$box/bare" "$box/$1"
    rm -f "$box/$1/etc/apt/sources.list"
    cp /etc/apt/sources.list.d/*.sources "$box/$1/etc/apt/sources.list.d/" 2>/dev/null || true
    cp /etc/apt/apt.conf.d/99* "$box/$1/etc/apt/apt.conf.d/" 2>/dev/null || true
    cp -r /usr/local/share/ca-certificates "$box/$1/usr/local/share/" 2>/dev/null || true
    cp /etc/resolv.conf "$box/$1/etc/"
}

# With its own processes, and without a network but its own loopback if the first argument says so. What it starts ends with it.
enter() { # options, directory, command
    # shellcheck disable=SC2086,SC2016 # options are words; the inner shell expands the rest
    unshare $1 --mount --propagation unchanged --pid --fork --kill-child sh -c '
        mount --make-rprivate / 2>/dev/null # within a chroot there is no mount to change, and its maker has done it
        mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/tmp"
        exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' \
        "$box/$2" "${@:3}"
}

# The directory of the newest PostgreSQL that is installed.
pgsql_programs() { find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin | sort -V | tail -1; }

# MariaDB and PostgreSQL, with their sockets where Debian's packages have them in the root directory that is named, and their data in $box.
engines=()
start_databases() {
    local run=$1/run mysql=(--no-defaults --datadir="$box/mysql") pgsql
    pgsql=$(pgsql_programs)
    local as=(setpriv --pdeathsig TERM --clear-groups)
    exec 3>>"$box/engines"
    install -d -o mysql "$run/mysqld" "$box/mysql"
    install -d -o postgres "$run/postgresql" "$box/postgres"
    "${as[@]}" --reuid mysql --regid mysql mariadb-install-db "${mysql[@]}" --tmpdir="$box/mysql" --skip-test-db --auth-root-authentication-method=normal >&3 2>&3 </dev/null
    "${as[@]}" --reuid postgres --regid postgres $pgsql/initdb -D "$box/postgres/data" -U postgres --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync >&3 2>&3 </dev/null
    "${as[@]}" --reuid mysql --regid mysql mariadbd "${mysql[@]}" --tmpdir="$box/mysql" --socket="$run/mysqld/mysqld.sock" --skip-networking >&3 2>&3 </dev/null &
    engines+=($!)
    "${as[@]}" --reuid postgres --regid postgres $pgsql/postgres -D "$box/postgres/data" -k "$run/postgresql" -c listen_addresses= >&3 2>&3 </dev/null &
    engines+=($!)
    wait_for mariadb-admin --no-defaults --socket="$run/mysqld/mysqld.sock" --user=root ping
    wait_for psql -h "$run/postgresql" -U postgres -c 'SELECT 1'
    mariadb --no-defaults --socket="$run/mysqld/mysqld.sock" --user=root -e "CREATE USER catalog@localhost IDENTIFIED BY 'secret';
        CREATE DATABASE catalog CHARACTER SET utf8mb4 COLLATE utf8mb4_bin; GRANT ALL ON catalog.* TO catalog@localhost"
    createuser -h "$run/postgresql" -U postgres catalog
    createdb -h "$run/postgresql" -U postgres -O catalog catalog
}

stop_databases() {
    [ -z "${engines[*]}" ] || { kill "${engines[@]}" && wait "${engines[@]}"; } || true
    engines=()
}

wait_for() {
    for _ in $(seq 300); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.1
    done
    tail "$box/engines" >&2
    return 1
}
