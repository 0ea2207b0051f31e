# SPDX-License-Identifier: Apache-2.0
package Https;

# Compares one product with a static file of the same bytes, both over HTTPS connections that stay open, and over HTTP/2.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Tools qw(setting free_port);
use Catalogue ();
use Httpd ();
use Rounds ();

my $COUNT = 10_000;
my $SOME = 5001; # the product that the file has
my $STREAMS = 10; # requests at a time on an HTTP/2 connection
my %PATH = (one => '/api/products/{id}', 'static one' => '/one.json?{id}');

sub run {
    my ($c) = @_;
    my $file = Catalogue::file("$c->{dir}/data", setting('ctl'), $COUNT);
    my $certificate = certificate();
    my @servers = map { server($_, $file, $certificate) } qw(event worker);
    my %figures = $c->{rounds}->measure(map { cells($_) } @servers);
    CatalogTest::Process::stop_all(@servers);
    $c->{results}->add(https => %figures);
}

# The key stays beside it and is as short-lived as the run.
sub certificate {
    my $base = setting('home') . '/https';
    Catalogue::capture(
        qw(openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1),
        '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', "$base.key", '-out', "$base.pem");
    return $base;
}

sub server {
    my ($mpm, $file, $certificate) = @_;
    my $port = free_port();
    my $modules = setting('modules');
    my $server = Httpd->new("$mpm, HTTPS", mpm => $mpm, database => $file, url => "https://127.0.0.1:$port", more => <<"END")->start;
LoadModule ssl_module   "$modules/mod_ssl.so"
LoadModule http2_module "$modules/mod_http2.so"
Listen 127.0.0.1:$port
<VirtualHost 127.0.0.1:$port>
    SSLEngine             On
    SSLCertificateFile    "$certificate.pem"
    SSLCertificateKeyFile "$certificate.key"
    Protocols             h2 http/1.1
</VirtualHost>
END
    $server->offer(one => '/api/products/' . Catalogue::id($SOME));
    check($server, $_, '/api/products/' . Catalogue::id($SOME)) for '1.1', '2';
    check($server, $_, '/one.json') for '1.1', '2';
    return $server;
}

# The answer must be the same as over HTTP.
sub check {
    my ($server, $version, $path) = @_;
    my $text = Catalogue::capture(
        'curl', '-sk', $version eq '2' ? '--http2' : '--http1.1', '-w', '%{http_version}', "$server->{url}$path");
    die $server->name . ": HTTP/$version: $text\n" if $text ne $server->get($path)->{body} . $version;
}

sub cells {
    my ($server) = @_;
    my %load = (
        server => $server, url => $server->{url}, count => $COUNT, size => $COUNT, warm => 1, every => Rounds::OFTEN);
    return map {
        (
            "$server->{mpm}: $_, HTTPS" => { %load, requests => ["1 GET $PATH{$_}"] },
            "$server->{mpm}: $_, HTTP/2" => { %load, streams => $STREAMS, requests => ["1 GET $PATH{$_}"] })
    } sort keys %PATH;
}

1;
