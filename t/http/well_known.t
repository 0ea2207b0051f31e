# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# The Redirect for password managers that conf/catalog.conf has leads to the page where a password is changed.
use CatalogTest;
use CatalogTest::Tools qw(setting);

my $top = setting('top');
my @redirects = slurp("$top/conf/catalog.conf") =~ /^#(Redirect \d+ .*change-password .*)$/mg;
is(scalar @redirects, 1, 'the reference configuration has a Redirect');
my ($to) = $redirects[0] =~ m{ /catalogue/(\S+)$};
like(slurp("$top/www/$to"), qr/autocomplete="new-password"/, 'its page has the form');

my $server = server(conf => "$redirects[0]\n")->start;
my $r = $server->api(GET => '/.well-known/change-password', mount => '');
is($r->{status}, 302, 'it is temporary, as the specification says');
like($r->{headers}{location}, qr{/catalogue/\Q$to\E$}, 'it leads to the page');
is($server->api(GET => '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200', mount => '')->{status}, 404,
    'what does not exist is a 404, from which password managers know that the status is to be trusted');
is($server->api(GET => '/products')->{status}, 200, 'the mount is untouched');
done_testing;
