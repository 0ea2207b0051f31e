# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# README's site for a Debian Apache, and that of docs/how-to/confine.md for a container, work as they are: its commands, then its virtual host, with only paths, ports and addresses changed.
use CatalogTest;

use CatalogTest::Ctl ();
use CatalogTest::Document ();
use CatalogTest::Tools qw(setting free_port);

my $readme = setting('top') . '/README.md';
my ($site) = grep { /^<VirtualHost \*:443>/ } CatalogTest::Document::blocks($readme);
my ($commands) = grep { m{^sudo install -d .* /var/lib/catalog$}m } CatalogTest::Document::blocks($readme);
my $modules = setting('modules');
my $load = join '', map { qq(LoadModule ${_}_module "$modules/mod_$_.so"\n) } qw(socache_shmcb ssl);
my ($user, $group) = map { setting($_) } 'user', 'group';

# A Debian Apache that only loads our module; text: additional configuration.
sub site {
    my ($text, %path) = @_;
    my $server = server(mount => undef);
    my $dir = $server->dir;
    my $port = free_port();
    my %standard = ('/var/lib/catalog' => "$dir/database", '/etc/catalog' => "$dir/etc", '/etc/ssl/certs/ssl-cert-snakeoil.pem' => "$dir/cert.pem",
        '/etc/ssl/private/ssl-cert-snakeoil.key' => "$dir/cert.key", map { ($_ => "127.0.0.1:$port") } '*:443', '*:80');
    my $translate = sub {
        my ($words) = @_;
        $words =~ s/\Q$_\E/$standard{$_}/g for keys %standard;
        return $words;
    };
    my $conf = slurp("$dir/httpd.conf") =~ s/^(?:DBD|CatalogRateLimit|CatalogMaxConnections).*\n//mgr;
    $server->write("$dir/httpd.conf", $conf, $load, "Listen 127.0.0.1:$port\n", $translate->($text));
    return ($server, $port, $translate);
}

my ($server, $port, $translate) = site($site);
my $dir = $server->dir;
my $certificate = CatalogTest::Ctl::run({}, qw(openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=shop.example.com -addext),
    'subjectAltName=DNS:shop.example.com', '-keyout', "$dir/cert.key", '-out', "$dir/cert.pem");
die $certificate->{err} if $certificate->{status};

# Runs the commands that concern neither packages nor modules.
my $typed = join '', map { "$_\n" } grep { /install -d|openssl/ } split /\n/, $translate->($commands) =~ s/^sudo //mgr;
$typed =~ s/-o www-data -g www-data/-o $user -g $group/;
is(system('sh', '-ec', $typed), 0, 'the commands succeed');
my ($status, $said) = $server->configtest;
is("$status $said", "0 Syntax OK\n", 'httpd -t accepts the site');
allow_log(qr/ssl:warn/);
$server->start;

sub ask {
    my ($path, $body, @headers) = @_;
    my $r = CatalogTest::Ctl::run({}, qw(curl -s --noproxy * -w), "\n%{http_code}", '--cacert', "$dir/cert.pem", '--resolve',
        "shop.example.com:$port:127.0.0.1", "https://shop.example.com:$port$path", '-d', Cpanel::JSON::XS::encode_json($body),
        map { ('-H', $_) } 'Content-Type: application/json', @headers);
    my ($answer, $code) = $r->{out} =~ /^(.*)\n(\d+)$/s or return { status => "curl: $r->{status}" };
    return { status => $code, json => scalar eval { Cpanel::JSON::XS::decode_json($answer) } };
}
my ($shown, $answer) = slurp($readme) =~ /^(curl -sk --resolve .*)\n```\n\nThe last command prints `(.*?)`/m or die "README does not show that it works\n";
$shown =~ s{:443:}{:$port:}; $shown =~ s{example\.com/}{example.com:$port/}; $shown =~ s{curl -}{curl --noproxy '*' -};
is(qx($shown), $answer, 'the command that shows that it works');
my $made = ask('/api/register', { username => 'ada', email => 'ada@example.com', password => 'correct horse' });
is($made->{status}, 201, 'a registration over TLS succeeds');
is(ask('/api/products', { name => 'Kettle', price => 19.99 }, "Authorization: Bearer $made->{json}{token}")->{status}, 201,
    'a product is created over TLS');
is($server->api(GET => '/products')->{status}, 404, 'other virtual hosts do not have the mount');
$server->stop;

# The same in the main server.
my ($inner) = $site =~ /^(  DBDriver.*<\/Location>\n)/ms;
my ($inherited, $plain, $again) = site("<VirtualHost *:443>\nServerName plain.example.com\n</VirtualHost>\n$inner");
system('sh', '-ec', "mkdir $inherited->{dir}/etc && cp $dir/etc/token.key $inherited->{dir}/etc && cp -a $dir/database $inherited->{dir}") == 0 or die;
$inherited->start;
is(CatalogTest::Http::request($_, GET => '/api/products')->{json}{pagination}{total}, 1,
    'each virtual host inherits the mount of the main server')
    for $inherited->port, $plain;

# The site of a container.
my ($boxed) = grep { /^<VirtualHost \*:80>/ } CatalogTest::Document::blocks(setting('top') . '/docs/how-to/confine.md');
my ($container, $inside) = site(qq(LoadModule remoteip_module "$modules/mod_remoteip.so"\n) . $boxed =~ s{/dev/std(?:err|out)}{$dir/logs/container}gr);
system('sh', '-ec', "mkdir -p $container->{dir}/etc/keys && cp $dir/etc/token.key $container->{dir}/etc/keys && cp -a $dir/database $container->{dir}") == 0 or die;
is(join(' ', $container->configtest), "0 Syntax OK\n", 'httpd -t accepts the site of a container');
$container->start;
is(CatalogTest::Http::request($inside, GET => '/api/health/ready')->{status}, 200, 'and it is ready');

done_testing;
