# SPDX-License-Identifier: Apache-2.0
# route: PUT /products/:id
# route: DELETE /products/:id
# case: 22
# again: db
use CatalogTest;

my $token = token();

sub made { '/products/' . api(POST => '/products', { name => 'x', price => 0 }, token => $token)->{json}{data}{id} }
sub statuses { my %n; $n{ $_->{status} }++ for @_; return \%n }

my $path = made();
my @puts = burst(map { wire(PUT => $path, { name => "n$_", price => $_ }, token => $token) } 1 .. 16);
is_deeply(statuses(@puts), { 200 => 16 }, 'all updates of one product succeed');
ok(!(grep { $_->{json}{data}{name} ne "n$_->{json}{data}{price}" } @puts), 'each answer has what its own request stored');
my $last = api(GET => $path)->{json}{data};
is($last->{name}, "n$last->{price}", 'the last update is stored as a whole');

for my $round (1 .. 5) {
    my $path = made();
    my @answers = burst(map { wire(@$_, token => $token) } (map { [PUT => $path, { price => $_ }] } 1 .. 6),
        [DELETE => $path], (map { [PUT => $path, { price => $_ }] } 7 .. 12));
    my ($removed) = splice @answers, 6, 1;
    answers($removed, 200, { success => true, message => qr/./ }, "round $round: the product is deleted");
    my $n = statuses(@answers);
    is(($n->{200} // 0) + ($n->{404} // 0), 12, "round $round: each update gets a 200 or a 404");
    answers(api(GET => $path), 404, undef, "round $round: the product stays deleted");
}

$path = made();
is_deeply(statuses(burst((wire(DELETE => $path, token => $token)) x 8)), { 200 => 1, 404 => 7 },
    'one of many deletions succeeds');

my @made = burst(map { wire(POST => '/products', { name => "r$_", price => $_ }, token => $token) } 1 .. 32);
is_deeply(statuses(@made), { 201 => 32 }, 'all of 32 creations at once succeed');
my %ids = map { $_->{json}{data}{id} => 1 } @made;
is(scalar keys %ids, 32, 'each product has an id of its own');

done_testing;
