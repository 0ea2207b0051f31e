# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: POST /users
# case: 20 21
# again: db
use CatalogTest;

sub statuses { my %n; $n{ $_->{status} }++ for @_; return \%n }

my $server = server()->start;
for my $route ('/register', '/users') {
    my $name = fresh();
    my @answers = $server->burst(map { wire(POST => $route,
        { username => fresh(), email => "$name\@example.com", password => 'correct horse' }) } 1 .. 6);
    is_deeply(statuses(@answers), { 201 => 1, 409 => 5 }, "$route: one of six gets the address");

    @answers = $server->burst(map { wire(POST => $route,
        { username => $name, email => fresh() . '@example.com', password => 'correct horse' }) } 1 .. 6);
    is_deeply(statuses(@answers), { 201 => 1, 409 => 5 }, "$route: one of six gets the name");
}

my $name = fresh('Case');
my @forms = (lc $name, uc $name, $name, ucfirst lc $name);
my @answers = $server->burst(map { wire(POST => '/users',
    { username => $_, email => fresh() . '@example.com', password => 'correct horse' }) } @forms);
is_deeply(statuses(@answers), { 201 => 1, 409 => 3 }, 'one of four spellings of a name is registered');
@answers = $server->burst(map { wire(POST => '/users',
    { username => fresh(), email => "$_\@example.com", password => 'correct horse' }) } @forms);
is_deeply(statuses(@answers), { 201 => 1, 409 => 3 }, 'one of four spellings of an address is registered');

my ($users) = $server->database->selectrow_array('SELECT COUNT(*) FROM users WHERE username_key = ? OR email_key = ?',
    undef, lc $name, lc "$name\@example.com");
is($users, 2, 'one user for each is stored');

done_testing;
