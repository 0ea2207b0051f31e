# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event
# Follows the how-tos tls.md, backup.md, move.md, own-fields.md, search-engines.md and in-step.md step by step: their commands, configurations and checks, with only paths, ports, users
# and the new database changed. t/docs/front.t has proxy.md, and `make cluster` the files of cluster.md.
use CatalogTest;

use File::Path qw(make_path);
use POSIX ();

use CatalogTest::Ctl ();
use CatalogTest::Document ();
use CatalogTest::Tools qw(setting free_port);

my $how_to = setting('top') . '/docs/how-to';
my $modules = setting('modules');
my $load = join '', map { qq(LoadModule ${_}_module "$modules/mod_$_.so"\n) } qw(http2 socache_shmcb ssl);
my $server = server(mount => undef);
my $dir = $server->dir;
my %port = (80 => free_port(), 443 => free_port());
my %path = ('/etc/ssl/certs' => "$dir/tls", '/etc/ssl/private' => "$dir/tls", '/etc/catalog' => "$dir/etc/catalog", '-C /etc' => "-C $dir/etc",
    '/var/lib/catalog' => "$dir/database", '/var/www' => "$dir/www", '/var/backups' => "$dir/backups", '/root/' => "$dir/", 'www-data' => setting('user'),
    '-g www-data' => '-g ' . setting('group'), 'root:www-data' => 'root:' . setting('group'), 8090 => free_port());
my $any = join '|', map { quotemeta } sort { length $b <=> length $a } keys %path;
mkdir "$dir/$_" for qw(tls etc etc/catalog www www/html);

sub here { my ($text) = @_; return $text =~ s/($any)/$path{$1}/gr =~ s/\*:(80|443)>/127.0.0.1:$port{$1}>/gr }

# The block of a document that has a line which begins so.
my @blocks;
sub open_page { my ($name) = @_; @blocks = CatalogTest::Document::blocks("$how_to/$name.md") }
sub block { my ($line) = @_; my ($block) = grep { /^\s*\Q$line\E/m } @blocks; return $block // die "no block has $line\n" }

# What the shell functions stand for: the commands of the machine, with this server's ports and configuration.
my $functions = <<"END";
curl() { command curl --noproxy '*' --cacert $dir/tls/shop.pem --connect-to shop.example.com:80:127.0.0.1:$port{80} --connect-to shop.example.com:443:127.0.0.1:$port{443} "\$@"; }
catalogctl() {
    [ "\$1" = --driver ] || set -- --httpd $CatalogTest::Ctl::HTTPD --config $dir/httpd.conf "\$@"
    ${\setting('ctl')} "\$@"
}
END

# Types a block in; httpd is stopped and started between its lines. Returns what it printed.
sub type_in {
    my ($block) = @_;
    my $printed = '';
    for my $piece (split /^(service apache2 \w+)\n/m, here($block) =~ s/^(?:a2\w+|apachectl) .*\n//mgr) {
        if ($piece =~ /^service apache2 (\w+)$/) {
            my $verb = $1 eq 'reload' ? 'graceful' : $1;
            $server->$verb;
            next;
        }
        my $r = CatalogTest::Ctl::run({}, 'bash', '-ec', $functions . $piece);
        is($r->{status}, 0, 'typed in: ' . ($block =~ /^(.*)/)[0]) or diag "$r->{out}$r->{err}";
        $printed .= $r->{out};
    }
    return $printed;
}

sub configure {
    my ($text) = @_;
    my $conf = slurp(setting('home') . '/conf/httpd.conf.in') =~ s/^(?:DBD|CatalogRateLimit|CatalogMaxConnections).*\n//mgr;
    $server->write("$dir/httpd.conf", CatalogTest::Server::head(), $conf, $load, map({ "Listen 127.0.0.1:$_\n" } values %port), here($text));
    my ($status, $said) = $server->configtest;
    is("$status $said", "0 Syntax OK\n", 'httpd -t accepts the site');
}

allow_log(qr/ssl:warn/);
my $api = 'https://shop.example.com/api';
my $json = q(-H 'Content-Type: application/json');
sub total { return (type_in("curl -s '$api/products?limit=1'\n") =~ /"total":(\d+)/)[0] // 'none' }

# ---- HTTPS ----

open_page('tls');
type_in($_) for block('openssl req'), block('install -d');
my $site = block('<VirtualHost *:443>');
# Debian's site for the machine's own name, which comes first unless the page switches it off.
my $default = block('a2ensite shop') =~ /^a2dissite 000-default$/m ? '' : "<VirtualHost *:80>\nServerName shop.example.com\n</VirtualHost>\n";
configure($default . $site =~ s{(?=</VirtualHost>\n\z)}{block('  Alias /.well-known')}er);
make_path("$dir/www/html/.well-known/acme-challenge");
spew("$dir/www/html/.well-known/acme-challenge/x", "x.y\n");
$server->start_unready;
ok(wait_until(20, sub { type_in(block(q(curl -s -o /dev/null -w '%{http_version})) . "\n") eq "2 200\n" }), 'HTTPS serves the catalogue over HTTP/2');
is(type_in(block(q(curl -s -o /dev/null -w '%{http_code} %{redirect))), "301 $api/products\n", 'plain HTTP serves the redirect');
is(type_in("curl -sL http://shop.example.com/.well-known/acme-challenge/x\n"), "x.y\n", 'an authority that follows the redirect finds what certbot wrote');
like(type_in(block('curl -sI')), qr/^strict-transport-security: max-age=31536000\r$/, 'browsers will stay with HTTPS');
like(type_in(block("curl -si $api/register")), qr/^set-cookie: __Host-catalog_refresh%2fapi=.*; Secure/, 'the cookie belongs to the host alone');
is(type_in(block('openssl x509')), "Certificate will not expire\n", 'the certificate is good for a week');

# ---- backup ----

open_page('backup');
my ($token) = type_in(qq(curl -s $api/auth/login $json -d '{"login":"marie","password":"correct horse"}'\n)) =~ /"token":"([^"]+)"/;
my $create = qq(curl -s $api/products $json -H 'Authorization: Bearer $token' -d '{"name":"Kettle","price":19.99}'\n);
type_in($create) for 1 .. 2;
mkdir "$dir/backups";
type_in($_) for block('install -d -m 700'), block('catalogctl backup'), block('sqlite3 '), block('tar -C');
my ($first) = glob "$dir/backups/catalog/catalog-*.db";
like(type_in(block('catalogctl --driver')), qr/\A(?:state\twhat\tdetail\n)(?:ok\t.*\n)+\z/, 'the copy is as the page says');
rename $first, "$first.kept";
my @jobs = map { s/^(?:\S+ ){6}//r =~ s/\\%/%/gr } grep { /^\d/ } split /^/, block('30 2 * * * root');
type_in(join '', @jobs);
ok(-s $first && -s "$dir/backups/catalog/shell.db" && glob("$dir/backups/catalog/keys-*"), 'the nightly jobs make copies too');
rename "$first.kept", $first;
type_in($create);
is(total(), 3, 'a product is created after the copy');
type_in(block('rm -f '));
is(total(), 2, 'the restored copy does not have it');
my ($check) = split /\n/, block('catalogctl check');
my $problems = CatalogTest::Ctl::problems(CatalogTest::Ctl::run({}, 'bash', '-c', "$functions$check"));
is($problems, '', 'and catalogctl finds no problem');

# ---- moving house ----

open_page('move');
@blocks = map { s/--driver mysql/--driver sqlite3/gr =~ s{^echo '.*'}{echo '$dir/database/new.db'}mr } @blocks;
type_in(block('echo '));
type_in(block('time catalogctl export'));
unlink glob "$dir/database/new.db*";
type_in(block('service apache2 stop'));
type_in("chown $path{'www-data'} $dir/database/new.db*\n");
is(type_in(block('[ "$(tail')), "the same\n", 'both databases have the same rows');
configure($site =~ s{catalog\.db}{new.db}r);
$server->start;
is(total(), 2, 'the server has the products');
like(type_in("curl -s $api/auth/me -H 'Authorization: Bearer $token'\n"), qr/"username":"marie"/, 'and accepts the tokens of before');
type_in(block('shred '));
ok(!-e "$dir/catalog.jsonl" && !-e "$dir/new.params", 'no file of the move is left');

# ---- own fields ----

open_page('own-fields');
$server->write("$dir/etc/catalog/fields.conf", block('CatalogField sku'));
configure(($site =~ s{catalog\.db}{new.db}r) =~ s{^ *CatalogEnable.*\n}{block('Include') =~ s/.*\n//r}mer);
type_in(block('service apache2 reload'));
ok(wait_until(20, sub { type_in("curl -s '$api/products?limit=1&fields=sku'\n") !~ /"errors"/ }), 'the graceful restart adds the fields');
ok(wait_until(60, sub { type_in(block('catalogctl fields')) =~ /^sku\t.*\ttrue\ttrue\t0\n(?:.*\ttrue\ttrue\t.*\n)+\z/m }), 'and soon they are complete');
like(type_in(block('    -d \'{"name":"Teapot"')), qr/"sku":"TP-1","brand":"Acme","tags":\["tea","glass"\],"weight":0.8,"color":"dark blue"/, 'a product has them');
my ($sign_in) = block('TOKEN=') =~ /\A((?:.*\n){2})/;
like(type_in($sign_in . block('    -d \'{"name":"Mug"')), qr/^weight must be at least 0; color must be red, green or dark blue\n/, 'what a line does not allow is refused');
type_in(block('catalogctl export --products csv >'));
my ($head, @rows) = split /^/, slurp("$dir/products.csv");
like($head, qr/^id,name,.*,sku,description,brand,tags,weight,color,cost\r\n$/, 'the export has a column for each field');
my @kettles = map { my $n = $_; $rows[$n] =~ s/,,,,,,,\r/,KT-$n,"Boils, and whistles",Acme,tea|steel,1.5,red,3.2\r/r } grep { $rows[$_] =~ /Kettle/ } keys @rows;
spew("$dir/products.csv", $head, @kettles);
is(type_in(block('catalogctl import --products csv --upsert --dry-run')), "2 rows, 0 created, 2 updated, 0 unchanged, nothing stored\n", 'the import says what it would do');
is(type_in(block('catalogctl import --products csv --upsert <')), "2 rows, 0 created, 2 updated, 0 unchanged\n", 'and does it');
like(type_in(block(q(curl -s 'https://shop.example.com/api/products?limit=3))), qr/"sku":"TP-1".*"sku":"KT-\d","brand":"Acme","tags":\["tea","steel"\],"weight":1.5,"color":"red"/,
    'all products have the fields');
is(type_in(block('curl -s \'https://shop.example.com/api/products?limit=100') =~ s/$/ || true/r), '', 'but nobody sees the cost who may not write');
like(type_in("catalogctl export --products ndjson\n"), qr/"cost":3.2/, 'which products have');
ok(wait_until(60, sub { type_in(block('curl -s \'https://shop.example.com/api/products?limit=1&q=acme') =~ s/$/ || true/r) eq qq("total":3\n) }), 'words of a field are found when the server has prepared them');
is(type_in(block('catalogctl export --products csv | head')), "id,name,price,category,inStock,rating,createdAt,sku,description,brand,tags,weight,color,cost\r\n", 'the file has the columns');

# ---- search engines ----

open_page('search-engines');
my $pages = block('Alias /catalogue/p');
configure(($site =~ s{catalog\.db}{new.db}r) =~ s{(^ *CatalogEnable.*\n)}{$1 . block('CatalogField slug')}mer =~ s{(?=</VirtualHost>\n\z)}{$pages}r);
type_in("service apache2 reload\n");
mkdir "$dir/bin";
spew("$dir/bin/.curlrc", "noproxy = *\ncacert = $dir/tls/shop.pem\nconnect-to = shop.example.com:443:127.0.0.1:$port{443}\n");
spew("$dir/bin/static-pages", "#!/bin/sh\nCURL_HOME=$dir/bin exec ${\setting('top')}/conf/examples/static-pages \"\$@\"\n");
chmod 0755, "$dir/bin/static-pages";
local $ENV{PATH} = "$dir/bin:$ENV{PATH}";
is(type_in(block('install -d -o www-data')), "7 files written, 0 unchanged, 0 removed\n", 'the pages are written');
ok(wait_until(20, sub { type_in(block('curl -s https://shop.example.com/catalogue/p/index.html') =~ s/$/ || true/r) eq "3\n" }), 'and served');
is(type_in(block('curl -s https://shop.example.com/catalogue/p/sitemap_1.xml')), "3\n", 'with a sitemap');
type_in(block('cp /var/www/catalog-pages/robots.txt'));
like(slurp("$dir/www/html/robots.txt"), qr{^Sitemap: https://shop\.example\.com/catalogue/p/sitemap\.xml$}m, 'which robots.txt names');
my ($job) = block('*/15 * * * * www-data') =~ /www-data (.*) >/;
is(type_in("setpriv --reuid=www-data --regid=www-data --clear-groups $job\n"), "0 files written, 7 unchanged, 0 removed\n", 'the next run writes nothing');

# ---- another system ----

open_page('in-step');
my $said = "$dir/in-step.out";
type_in($_) for block('(umask 077; catalogctl user key'), block('(umask 077; echo whsec_');
my $webhook = block('CatalogWebhook ');
configure(($site =~ s{catalog\.db}{new.db}r) =~ s{(^ *CatalogEnable.*\n)}{$1$webhook}mr);
my $program = fork // die "fork: $!\n";
if (!$program) {
    open STDOUT, '>', $said;
    open STDERR, '>&', \*STDOUT;
    my $node = "node() { API=https://localhost:$port{443}/api NODE_TLS_REJECT_UNAUTHORIZED=0 exec setpriv --pdeathsig KILL node ${\setting('top')}/conf/examples/\$1; }\n";
    exec 'bash', '-ec', $node . here(block('export API')) or POSIX::_exit(127);
}
ok(wait_until(20, sub { slurp($said) =~ /^made a new copy of 3 products$/m }), 'the program makes a copy') or diag slurp($said);
type_in(block('service apache2 reload'));
ok(wait_until(20, sub { type_in("catalogctl webhook list\n") =~ /active/ }), 'the server has the webhook');
is(type_in(block('KEY=$(cat')), "in step\n", 'and follows');
like(type_in(block('catalogctl webhook list')), qr/\tactive\t.*\t204\t/, 'a message was accepted');
kill KILL => $program;
waitpid $program, 0;
type_in(block('rm -f /var/lib/catalog/copy.json'));
ok(!-e "$dir/database/copy.json", 'without the file it would begin again');

done_testing;
