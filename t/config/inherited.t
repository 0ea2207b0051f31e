# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# Each virtual host inherits the main server's mount, but uses its own database there.
use CatalogTest;

my $hosts = join '', map { <<"END" } qw(one two);
<VirtualHost 127.0.0.1:\@port\@>
    ServerName $_.test
    DBDParams  "\@params:$_\@"
    <Location "/api">
        CatalogAudience $_
    </Location>
</VirtualHost>
END
my $server = server(conf => $hosts . "<VirtualHost 127.0.0.1:\@port\@>\n    ServerName three.test\n</VirtualHost>\n")->start;
my %database = (one => 'one', two => 'two', three => 'catalog');
my %audience = (one => 'one', two => 'two', three => 'catalog-test', first => 'catalog-test', other => 'other');
sub token_of { my ($host) = @_; return forge(claims => claims(aud => $audience{$host})) }

for my $host (sort keys %database) {
    answers($server->talk(wire(POST => '/products', { name => "of $host", price => 1 }, token => token_of($host), headers => { Host => "$host.test" })),
        201, undef, "$host: a product is created");
}
for my $host (sort keys %database) {
    answers($server->talk(wire(GET => '/products', headers => { Host => "$host.test" })), 200,
        sub { join(' ', map { $_->{name} } @{ $_[0]{data} }) eq "of $host" }, "$host has its own products");
    is($server->database($database{$host})->selectrow_array('SELECT name FROM products'), "of $host", "$host has its own database");
}

# If the host shares the main server's database, background jobs run once for both. A failing job retries after one second, then after
# two: that makes two failures, or four if each host had its own job.
my $db = $server->database;
$db->do('ALTER TABLE revoked_sessions RENAME TO away');
my $failed = qr/(\d\d):(\d\d):(\d\d\.\d+) \d+\] \[catalog:error\] \[pid (\d+).* CAT003: .*SQL_REVOKED_SINCE failed/;
ok(wait_until(10, sub { $server->log_text =~ $failed }), 'a background job fails');
sleep 3;
$db->do('ALTER TABLE away RENAME TO revoked_sessions');
my (%first, %times);
for (split /\n/, $server->log_text) {
    my ($hours, $minutes, $seconds, $pid) = $_ =~ $failed or next;
    my $time = 3600 * $hours + 60 * $minutes + $seconds;
    $times{$pid}++ if $time - ($first{$pid} //= $time) < 2.5;
}
is(join(' ', grep { $_ > 3 } values %times), '', 'the job runs once in each child') or diag explain \%times;

# A virtual host's changes of an inherited mount leave the main server's sections valid, whichever host uses their databases.
my $own = qq(<Location "/own">
    CatalogEnable   On
    CatalogKeyFile  "\@key\@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    CatalogDatabase \@driver\@ "\@params:own\@"
</Location>
);
sub host { my ($name, $lines) = @_; return "<VirtualHost 127.0.0.1:\@port\@>\nServerName $name.test\n$lines</VirtualHost>\n" }
my $several = server(mount => undef, conf => $own
    . host(first => '')
    . host(off => qq(<Location "/own">\nCatalogEnable Off\n</Location>\n))
    . host(other => qq(<Location "/own">\nCatalogAudience other\nCatalogDatabase \@driver\@ "\@params:other\@"\n</Location>\n)))->start;
sub names {
    my ($host) = @_;
    my $r = $several->talk(CatalogTest::request_bytes(GET => '/own/products', undef, headers => { Host => "$host.test" }));
    return $r->{status} == 200 ? join ' ', map { $_->{name} } @{ $r->{json}{data} } : $r->{status};
}
for my $host (qw(first other)) {
    answers($several->talk(CatalogTest::request_bytes(POST => '/own/products', { name => "of $host", price => 1 },
        token => token_of($host), headers => { Host => "$host.test" })), 201, undef, "$host.test: a product is created");
}
is(names('first'), 'of first', 'a virtual host without settings uses the database of the inherited mount');
is(names('off'), 404, 'a virtual host can switch the mount off');
is(names('other'), 'of other', 'a virtual host can give the mount another database');

for my $host ('off', 'replaced') {
    my $change = $host eq 'off' ? 'CatalogEnable Off' : 'CatalogDatabase @driver@ "@params:other@"';
    my ($status, $said) = server(mount => undef,
        conf => $own . qq(<Location "/own">\n$change\n</Location>\n) . host(x => ''))->configtest;
    is($status, 0, "a later section of the same server can change the mount: $host") or diag $said;
}
my ($status, $said) = server(conf => qq(<Location "/api/part">\nCatalogDatabase \@driver\@ "\@params:other\@"\n</Location>\n)
    . host(x => ''))->configtest;
ok($status != 0 && $said =~ m{CAT030: <Location "/api/part">.* has a CatalogDatabase that no mount uses; move it}, 'a database of a part of a mount is refused')
    or diag $said;

expect_log(qr/CAT003: .*SQL_REVOKED_SINCE failed/);
done_testing;
