# SPDX-License-Identifier: Apache-2.0
# route: GET /changes
# CatalogHistory: what httpd -t refuses, and how sections inherit it.
use CatalogTest;

for my $good ('30d', '12h', '90m', '1s', '3650d', 'Off', 'off') {
    my ($code, $out) = server(mount => "CatalogHistory $good\n")->configtest;
    is($code, 0, "$good is a duration") or diag $out;
}
for my $bad ('30', '0d', '-1d', 'd', '1.5d', '30 d', '1w', '3651d', '99999999999999999999s', 'On', '"30d 12h"') {
    my ($code, $out) = server(mount => "CatalogHistory $bad\n")->configtest;
    isnt($code, 0, "$bad is none");
    like($out, qr/CatalogHistory must be Off, or a whole number/, 'and the message says so');
}

# case: server, virtual host, Location
my $server = server(mount => undef, conf => <<"END")->start;
CatalogKeyFile "${\key_path}"
CatalogHistory Off
<Location "/api">
    CatalogEnable On
</Location>
<Location "/own">
    CatalogEnable  On
    CatalogHistory 1h
</Location>
END
sub status { my ($path) = @_; return CatalogTest::Http::request($server->port, GET => $path)->{status} }
is(status('/api/openapi.json'), 200, 'both mounts work');
my $described = sub { my ($path) = @_; return CatalogTest::Http::request($server->port, GET => "$path/openapi.json")->{json}{paths}{'/changes'} };
ok(!$described->('/api'), 'a mount inherits Off');
ok($described->('/own'), 'its own setting wins');
done_testing;
