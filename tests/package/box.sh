# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # the script that sources this has set box and new
# A bare Debian 12 in the directory $box/debian, with the packages that are to be tested in /packages, and databases for it. A script that
# sources this has set box, and new, the directory of the packages that `make deb` built, and is in the top directory.

# The last commit without the last step of its schema. The pages, which the package is about, are today's; their assets have another name.
build_older() {
    mkdir "$box/older"
    git archive HEAD | tar -x -C "$box/older"
    for schema in "$box"/older/conf/schema/*; do
        rm "$(printf '%s\n' "$schema"/*.sql | tail -1)"
    done
    rm -r "$box/older/www"
    cp -r debian www "$box/older"
    cp tools/package tools/install "$box/older/tools"
    echo '/* older */' >>"$box/older/www/assets/style.css"
    printf '%s\n' 'mod-catalog (0.0.9-1) unstable; urgency=medium' '' '  * An older schema.' '' \
        ' -- mod_catalog maintainers <mod-catalog@packages.invalid>  Sun, 22 Nov 2026 12:00:00 +0000' >"$box/older/debian/changelog"
    DEB_BUILD_OPTIONS=nocheck LINTIAN=true "$box/older/tools/package" "$box/older/build/deb"
}

bootstrap() {
    local mirror
    mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -1)
    debootstrap --variant=minbase --include=ca-certificates,iproute2 bookworm "$box/debian" ${mirror:+"$mirror"} >"$box/log" 2>&1 || {
        tail "$box/log" >&2
        exit 1
    }
    rm -f "$box/debian/etc/apt/sources.list"
    cp /etc/apt/sources.list.d/*.sources "$box/debian/etc/apt/sources.list.d/" 2>/dev/null || true
    cp /etc/apt/apt.conf.d/99* "$box/debian/etc/apt/apt.conf.d/" 2>/dev/null || true
    cp -r /usr/local/share/ca-certificates "$box/debian/usr/local/share/" 2>/dev/null || true
    cp /etc/resolv.conf "$box/debian/etc/"
    mkdir "$box/debian/packages" "$box/debian/traces"
    cp "$box"/older/build/deb/libapache2-mod-catalog_*.deb "$new"/libapache2-mod-catalog_*.deb "$box/debian/packages"
    cp tests/package/*.sh "$box/debian/packages"
}

# With its own processes, and without a network but its own loopback if the first argument says so. What it starts ends with it.
enter() {
    # shellcheck disable=SC2086,SC2016 # options are words; the inner shell expands the rest
    unshare $1 --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/tmp"
        exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' \
        "$box/debian" "${@:2}"
}

# MariaDB and PostgreSQL, with their sockets where Debian's packages have them in the root directory that is named, and their data in $box.
engines=()
start_databases() {
    local run=$1/run mysql=(--no-defaults --datadir="$box/mysql") pgsql=/usr/lib/postgresql/15/bin
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
