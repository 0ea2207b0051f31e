#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What an administrator does with the package, on a Debian of its own. Ends at the first thing that is not as it should be.
set -euo pipefail

name=libapache2-mod-catalog
mapfile -t packages < <(ls /packages/*.deb | sort -V)
url=https://localhost

step() { echo "package: $*"; }
fail() { echo "package: failed: $*" >&2; tail -20 /var/log/apache2/error.log >&2; exit 1; }
expect() { [ "$2" = "$3" ] || fail "$1: $2, expected $3"; } # what, actual, expected
expect_module() { [[ $(apache2ctl -M 2>/dev/null) == *" $1 "* ]] || fail "$1 is not enabled"; }
check_configuration() { apache2ctl configtest >/tmp/configtest 2>&1 || { cat /tmp/configtest >&2; fail 'configtest'; }; }
owner_of() { stat -c '%U:%G %a' "$1"; }
ask() { curl -sk --http2 --max-time 30 "$@"; } # -k: the certificate is the one that ssl-cert made

wait_for_apache() { # [URL]
    for _ in $(seq 300); do
        if ask -o /dev/null "${1:-$url/}"; then return; fi
        sleep 0.1
    done
    fail 'apache2 does not answer'
}

sign_in() {
    ask $url/api/auth/login -H 'Content-Type: application/json' -d '{"username":"ada","password":"correct horse"}' | jq -r .token
}

products() { ask "$url/api/products?limit=100" | jq -r '.data[].name' | sort | tr '\n' ' '; }

ip link set lo up
echo 'ServerName localhost' >/etc/apache2/conf-available/name.conf
a2enconf -q name >/dev/null
grep -q localhost /etc/hosts 2>/dev/null || echo "127.0.0.1 localhost $(hostname)" >>/etc/hosts

step 'install the older package'
dpkg -i "${packages[0]}" >/dev/null
expect 'the database directory' "$(owner_of /var/lib/catalog)" 'www-data:www-data 750'
expect 'the key directory' "$(owner_of /etc/catalog/keys)" 'root:www-data 750'
expect 'the key' "$(owner_of /etc/catalog/keys/*.key)" 'root:www-data 640'
key=$(sha256sum /etc/catalog/keys/*.key)
expect_module catalog_module
expect_module dbd_module

step 'serve a site over HTTPS and HTTP/2'
a2enmod -q ssl http2 headers >/dev/null
cat >/etc/apache2/sites-available/shop.conf <<'END'
<VirtualHost *:443>
  ServerName localhost
  SSLEngine  On
  SSLCertificateFile    /etc/ssl/certs/ssl-cert-snakeoil.pem
  SSLCertificateKeyFile /etc/ssl/private/ssl-cert-snakeoil.key
  DBDriver  sqlite3
  DBDParams /var/lib/catalog/catalog.db
  <Location "/api">
    CatalogEnable On
    CatalogKeyDir /etc/catalog/keys
    CatalogMail     smtp://localhost
    CatalogMailFrom shop@example.com
    CatalogBaseURL  https://localhost/catalogue
  </Location>
  Alias /catalogue /usr/share/mod_catalog/www
  <Directory /usr/share/mod_catalog/www>
    Require all granted
  </Directory>
</VirtualHost>
END
a2ensite -q shop >/dev/null
echo '# edited' >>/etc/apache2/mods-available/catalog.conf
echo '/* edited */' >>/etc/catalog/pages.js
check_configuration
service apache2 restart >/dev/null
wait_for_apache

answer=$(ask -w '\n%{http_version} %{http_code}' $url/api/register -H 'Content-Type: application/json' \
    -d '{"username":"ada","email":"ada@example.com","password":"correct horse"}')
expect 'the registration' "$(tail -n 1 <<<"$answer")" '2 201'
token=$(head -n 1 <<<"$answer" | jq -r .token)
for product in Lamp Teapot Chair; do
    status=$(ask -o /dev/null -w '%{http_code}' $url/api/products -H "Authorization: Bearer $token" \
        -H 'Content-Type: application/json' -d "{\"name\":\"$product\",\"price\":19.99}")
    expect "the product $product" "$status" 201
done
expect 'the pages' "$(ask $url/catalogue/config.js | tail -n 1)" '/* edited */'
schema() { sqlite3 /var/lib/catalog/catalog.db 'SELECT MAX(version) FROM schema_version'; }
before=$(schema)

step 'upgrade'
dpkg -i --force-confold "${packages[1]}" >/dev/null
wait_for_apache
[ "$(schema)" -gt "$before" ] || fail "the schema is still at step $before"
expect 'the products' "$(products)" 'Chair Lamp Teapot '
[ -n "$(sign_in)" ] || fail 'the account is lost'
catalogctl check >/tmp/check 2>&1 || { cat /tmp/check >&2; fail 'catalogctl check'; }
expect 'the key' "$(sha256sum /etc/catalog/keys/*.key)" "$key"
expect 'the configuration' "$(tail -n 1 /etc/apache2/mods-available/catalog.conf)" '# edited'
expect 'the configuration of the pages' "$(tail -n 1 /etc/catalog/pages.js)" '/* edited */'

step 'remove'
a2dissite -q shop >/dev/null
dpkg --remove $name >/dev/null
check_configuration
[ ! -e /etc/apache2/mods-enabled/catalog.load ] || fail 'the module is still enabled'
[ -e /etc/apache2/mods-available/catalog.conf ] || fail 'the configuration is lost'

step 'install again'
dpkg -i --force-confold "${packages[1]}" >/dev/null
a2ensite -q shop >/dev/null
service apache2 restart >/dev/null
wait_for_apache
expect 'the products' "$(products)" 'Chair Lamp Teapot '

step 'purge'
a2dissite -q shop >/dev/null
dpkg --purge $name >/dev/null
for file in /etc/catalog/keys /etc/apache2/mods-available/catalog.* /etc/apache2/mods-enabled/catalog.* /usr/share/mod_catalog; do
    [ ! -e "$file" ] || fail "$file is still there"
done
[ -s /var/lib/catalog/catalog.db ] || fail 'the database is lost'
service apache2 restart >/dev/null
wait_for_apache http://localhost/
step 'passed'
