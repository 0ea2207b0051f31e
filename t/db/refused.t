# SPDX-License-Identifier: Apache-2.0
# case: 1
# db: mysql pgsql
# again: db
# The log says why a database server refuses a login, without the password.
use CatalogTest;

my $engine = CatalogTest::Database::engine();
my $params = $engine->params('cat_nowhere', 'stranger') =~ s/catalog-test/sesame-sesame/r;
my $refused = driver eq 'mysql' ? qr/Access denied for user 'stranger'/ : qr/(?:password authentication failed for user|role) "stranger"/;

for (['mod_dbd', conf => qq(DBDParams "$params"\n), mount => ''], ['CatalogDatabase', mount => qq(CatalogDatabase \@driver\@ "$params"\n)]) {
    my ($how, %conf) = @$_;
    my $server = server(%conf)->start;
    $server->api(GET => '/products');
    ok(wait_until(20, sub { $server->log_text =~ /CAT002: no connection to [^\n]*$refused/ }), "$how: the line has the cause")
        or diag $server->log_text =~ /(.*CAT002.*)/;
    unlike($server->log_text, qr/sesame/, "$how: no line has the password");
}

allow_log(qr/AH0\d+/);
expect_log(qr/CAT002: /);
done_testing;
