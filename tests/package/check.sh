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
    CatalogBaseURL  https://localhost
    CatalogPagesURL https://localhost/catalogue
  </Location>
  Alias /catalogue /usr/share/mod_catalog/www
  <Directory /usr/share/mod_catalog/www>
    Require all granted
    Header set Content-Security-Policy "default-src 'self'"
  </Directory>
</VirtualHost>
END
a2ensite -q shop >/dev/null
echo '# edited' >>/etc/apache2/mods-available/catalog.conf
echo '/* edited */' >>/etc/catalog/www/config.js
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
expect 'the pages' "$(ask $url/catalogue/own/config.js | tail -n 1)" '/* edited */'

step 'upgrade'
dpkg -i --force-confold "${packages[1]}" >/dev/null
wait_for_apache
expect 'the products' "$(products)" 'Chair Lamp Teapot '
[ -n "$(sign_in)" ] || fail 'the account is lost'
catalogctl check >/tmp/check 2>&1 || { cat /tmp/check >&2; fail 'catalogctl check'; }
expect 'the key' "$(sha256sum /etc/catalog/keys/*.key)" "$key"
expect 'the configuration' "$(tail -n 1 /etc/apache2/mods-available/catalog.conf)" '# edited'
expect 'the configuration of the pages' "$(tail -n 1 /etc/catalog/www/config.js)" '/* edited */'

# The pages' files are all there, and none of the older package's.
expect 'the directories of assets' "$(find /usr/share/mod_catalog/www -maxdepth 1 -name 'assets-*' | wc -l)" 1
(cd /usr/share/mod_catalog/www && find -L . -type f -printf "url = $url/catalogue/%P\noutput = /dev/null\n") >/tmp/pages
expect 'the answers to requests for the pages' "$(ask -w '%{http_code}\n' -K /tmp/pages | sort -u)" 200
for page in $(ask $url/catalogue/ | grep -o 'assets-[^"]*'); do
    expect "$page" "$(ask -o /dev/null -w '%{http_code}' "$url/catalogue/$page")" 200
done

# tests/package/run has this step traced, and the trace compared with the AppArmor profile.
step 'serve from three databases'
find /etc /run /tmp /usr/share/mod_catalog /var/lib /var/log /var/www -printf '%U %p\n' >/traces/owners
install -d -o www-data -g www-data -m 750 /var/lib/catalog/mails
sed -i 's,CatalogMail  .*,CatalogMail file:/var/lib/catalog/mails,' /etc/apache2/sites-available/shop.conf
cat >/etc/apache2/conf-available/traced.conf <<'END'
# Files for mutexes, which root gives to www-data.
Mutex file:${APACHE_LOCK_DIR} default
END
cat >/etc/apache2/conf-available/databases.conf <<'END'
CatalogField sku   string unique pattern="C-\d+"
CatalogField brand string facet search
<Location "/mysql">
  CatalogEnable   On
  CatalogKeyDir   /etc/catalog/keys
  CatalogAudience mysql
  CatalogDatabase mysql "user=catalog,pass=secret,dbname=catalog,reconnect=0,flags=CLIENT_FOUND_ROWS,group=catalog"
</Location>
<Location "/pgsql">
  CatalogEnable   On
  CatalogKeyDir   /etc/catalog/keys
  CatalogAudience pgsql
  CatalogDatabase pgsql "user=catalog dbname=catalog"
</Location>
END
a2enconf -q traced databases >/dev/null
cp /etc/apache2/envvars /tmp
echo 'export APACHE_HTTPD=/traces/apache2' >>/etc/apache2/envvars
check_configuration
service apache2 restart >/dev/null
wait_for_apache $url/api/health/ready
token=$(sign_in)
authorized=(-H "Authorization: Bearer $token")
expect 'a wrong password' "$(ask -o /dev/null -w '%{http_code}' $url/api/auth/login -H 'Content-Type: application/json' \
    -d '{"username":"ada","password":"wrong horse"}')" 401
expect 'another registration' "$(ask -o /dev/null -w '%{http_code}' $url/api/register -H 'Content-Type: application/json' \
    -d '{"username":"bob","email":"bob@example.com","password":"correct horse"}')" 201
expect 'a search' "$(ask "$url/api/products?q=lam&sort=-price" | jq -r '.data[].name')" Lamp
seq -f 'Cup %.0f,3.50' 10000 | sed '1i name,price' >/tmp/cups.csv
seq 100 | sed -e 's/.*/Mug &,4,C-&,Acme/' -e '1i name,price,sku,brand' >/tmp/mugs.csv

# mount token: fields of the shop's own there, in products that are gone at the end.
use_own_fields() {
    local at=$url/$1 bearer="Authorization: Bearer $2"
    for _ in $(seq 600); do # until the products that are there have the keys of the fields
        if [ "$(ask -o /dev/null -w '%{http_code}' "$at/fields/brand/values")" = 200 ] && [ "$(ask -o /dev/null -w '%{http_code}' "$at/products/sku=C-0")" = 404 ]; then break; fi
        sleep 0.1
    done
    expect "an import of fields, /$1" "$(ask "$at/products/import" -H "$bearer" -H 'Content-Type: text/csv' --data-binary @/tmp/mugs.csv | jq .summary.created)" 100
    expect "a product by its name, /$1" "$(ask "$at/products/sku=C-77" | jq -r .data.name)" 'Mug 77'
    expect "a search in a field, /$1" "$(ask "$at/products?q=acme+77" | jq .pagination.total)" 1
    expect "values of a field, /$1" "$(ask "$at/fields/brand/values" | jq '.data[0].count')" 100
    expect "a deletion by a field, /$1" "$(ask "$at/products/batch" -H "$bearer" -H 'Content-Type: application/json' \
        -d '{"where":"brand=Acme","delete":true}' | jq .changed)" 100
}
use_own_fields api "$token"
expect 'an import' "$(ask $url/api/products/import "${authorized[@]}" -H 'Content-Type: text/csv' --data-binary @/tmp/cups.csv |
    jq .summary.created)" 10000
for database in mysql pgsql; do
    token=$(ask $url/$database/register -H 'Content-Type: application/json' \
        -d '{"username":"ada","email":"ada@example.com","password":"correct horse"}' | jq -r .token)
    expect "an import on $database" "$(ask $url/$database/products/import -H "Authorization: Bearer $token" -H 'Content-Type: text/csv' \
        --data-binary @/tmp/cups.csv | jq .summary.created)" 10000
    use_own_fields $database "$token"
done
expect 'an export' "$(ask "$url/api/products/export?format=csv" | wc -l)" 10004
expect 'the first page' "$(ask -o /dev/null -w '%{http_code}' $url/catalogue/)" 200
service apache2 reload >/dev/null
wait_for_apache $url/api/health/ready
for _ in $(seq 100); do
    if compgen -G '/var/lib/catalog/mails/*.eml' >/dev/null; then break; fi
    sleep 0.1
done
compgen -G '/var/lib/catalog/mails/*.eml' >/dev/null || fail 'no mail was written'
expect 'the products' "$(ask "$url/api/products?limit=1" | jq .pagination.total)" 10003
service apache2 stop >/dev/null
cp /tmp/envvars /etc/apache2
a2disconf -q traced databases >/dev/null
service apache2 start >/dev/null
wait_for_apache $url/api/health/ready

step 'rotate the logs'
log=/var/log/apache2/other_vhosts_access.log # of virtual hosts without one of their own
ask -o /dev/null $url/api/categories
logrotate --force /etc/logrotate.d/apache2 2>/dev/null
wait_for_apache $url/api/health/ready
ask -o /dev/null $url/api/problems
for _ in $(seq 100); do
    if grep -q 'GET /api/problems HTTP/2' $log; then break; fi # a request is logged after its answer
    sleep 0.1
done
expect 'requests from before in the old log' "$(grep -c 'GET /api/categories HTTP/2' $log.1)" 1
expect 'requests from after in it' "$(grep -c 'GET /api/problems HTTP/2' $log.1)" 0
expect 'requests from after in the new log' "$(grep -c 'GET /api/problems HTTP/2' $log)" 1

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
expect 'the products' "$(ask "$url/api/products?limit=1" | jq .pagination.total)" 10003

step 'purge'
a2dissite -q shop >/dev/null
dpkg --purge $name >/dev/null
for file in /etc/catalog/keys /etc/apache2/mods-available/catalog.* /etc/apache2/mods-enabled/catalog.* /usr/share/mod_catalog; do
    [ ! -e "$file" ] || fail "$file is still there"
done
[ -s /var/lib/catalog/catalog.db ] || fail 'the database is lost'
service apache2 restart >/dev/null
wait_for_apache http://localhost/

# What was there before the package is not the package's to remove or to enable.
step 'keys that are older than the package'
install -d -m 750 /etc/catalog/keys
echo mine >/etc/catalog/keys/mine.key
dpkg -i "${packages[1]}" >/dev/null
dpkg --purge $name >/dev/null
expect 'the keys' "$(ls /etc/catalog/keys)" mine.key
rm -r /etc/catalog

step 'a package that is installed before apache2'
service apache2 stop >/dev/null
dpkg --purge apache2 >/dev/null 2>&1
dpkg -i "${packages[1]}" >/tmp/installed
grep -q 'the module is not enabled' /tmp/installed || fail 'nothing says that the module is not enabled'
dpkg --purge $name >/dev/null
step 'passed'
