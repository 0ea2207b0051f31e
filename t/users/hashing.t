# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# hashes: real
# Never more hashes at once than CatalogHashConcurrency, over all children; a short queue; then 503.
use CatalogTest;

my $server = server(conf => <<'END')->start;
CatalogHashConcurrency 1
<IfModule mpm_prefork_module>
    StartServers 30
</IfModule>
END
register($server);

my @answers = $server->burst(map { wire(POST => '/register',
    { username => $_, email => "$_\@example.com", password => 'correct horse' }) } map { fresh() } 1 .. 60);
my @made = grep { $_->{status} == 201 } @answers;
my @later = grep { $_->{status} == 503 } @answers;
is(@made + @later, 60, 'each registration gets a 201 or a 503');
cmp_ok(scalar @made, '>=', 5 / slowness(), 'at least five registrations succeed, or as many as a slow machine can hash');
cmp_ok(scalar @later, '>', 5, 'more than five registrations get a 503') if mpm() ne 'prefork'; # where a child has a single request
answers($_, 503, refusal(error => qr/busy/), 'the 503 has Retry-After',
    'retry-after' => qr/^[1-9]\d*$/) for grep { defined } $later[0];
my ($longest) = sort { $b <=> $a } map { $_->{took} } @answers;
takes_less($longest, 8, 'no registration takes eight seconds');

my ($users) = $server->database->selectrow_array('SELECT COUNT(*) FROM users');
is($users, 1 + @made, 'only the successful registrations are stored');
answers($server->api(GET => '/products'), 200, undef, 'a read is served');
ok(register($server), 'a registration succeeds afterwards');

mpm() eq 'prefork' ? allow_log(qr/CAT011: /) : expect_log(qr/CAT011: /);
done_testing;
