# SPDX-License-Identifier: Apache-2.0
# route: GET /changes/batches
# route: GET /audit
# Lists that grow with every request are counted up to CatalogCountLimit, and read by page beyond that.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);

my $server = server(mount => "CatalogRateLimit Off\nCatalogCountLimit 5\n")->start;
my $user = register($server);
ctl_for($server, 'user', 'role', $user->{user}{username}, 'admin');
my %token = (token => $server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} })->{json}{token});
sub get { return $server->api(GET => $_[0], undef, %token) }

my @names = map { "n$_" } 1 .. 8;
my @batches = reverse map { $server->api(POST => '/products', { name => $_, price => 1 }, %token)->{json} && get('/changes/batches?limit=1')->{json}{data}[0]{batch} } @names;
my $other = register($server)->{user};
$server->api(PATCH => "/users/$other->{id}", { emailVerified => $_ % 2 ? true : false }, %token) for 1 .. 8;

for (['/changes/batches', 8], ['/audit?target=' . $other->{username}, 8]) {
    my ($path, $rows) = @$_;
    my $and = $path =~ /\?/ ? '&' : '?';
    my @pages = map { get("$path${and}limit=3&page=$_") } 1 .. 4;
    is_deeply($_->{json}{pagination}, { page => $_->{json}{pagination}{page}, limit => 3, total => 5, pages => 2, totalRelation => 'gte' }, "$path is counted up to the limit")
        for @pages;
    is(join(' ', map { scalar @{ $_->{json}{data} } } @pages), '3 3 2 0', 'its pages have all rows');
    is(join(' ', map { ($_->{headers}{link} // '') =~ /rel="next"/ ? 1 : 0 } @pages), '1 1 0 0', 'and say where it goes on');
    ok(!grep({ exists $_->{headers}{'x-total-count'} } @pages), 'the total is not exact');
    my $far = get("$path${and}page=9223372036854775807");
    is_deeply([$far->{status}, $far->{json}{data}], [200, []], 'a page behind the end has none');
}
# case: by cursor, to the end
for (['/changes/batches', 'batch'], ['/audit?target=' . $other->{username}, 'id']) {
    my ($path, $id) = @$_;
    my $and = $path =~ /\?/ ? '&' : '?';
    my @all = map { $_->{$id} } map { @{ get("$path${and}limit=3&page=$_")->{json}{data} } } 1 .. 3;
    my ($cursor, @rows) = ('');
    while (defined $cursor) {
        my $page = get("$path${and}limit=3&cursor=$cursor");
        push @rows, map { $_->{$id} } @{ $page->{json}{data} };
        $cursor = $page->{json}{pagination}{nextCursor};
        is_deeply($page->{json}{pagination}, { limit => 3, defined $cursor ? (nextCursor => $cursor) : () }, "$path: a page by cursor is not counted");
        is(($page->{headers}{link} // '') =~ /cursor=\Q$cursor\E&limit=3/ ? 1 : 0, 1, 'its Link has the next one') if defined $cursor;
        last if @rows > 8;
    }
    is_deeply(\@rows, \@all, 'the cursors have the same rows');
    is(get("$path${and}cursor=$_")->{status}, 400, "cursor=$_ is none") for 'x', '-1', '9' x 19, '9' x 30, '0%27';
    answers(get("$path${and}cursor=&page=2"), 400, undef, 'page and cursor are not combined', 'catalog-problem' => 'invalid-cursor');
}
is(scalar @{ get("/audit?since=$_->[0]")->{json}{data} } > 0 ? 1 : 0, $_->[1], "since $_->[0]") for ['1969-01-01T00:00:00Z', 1], ['9999-12-31T00:00:00Z', 0], ['2020-01-01T00:00:00Z', 1];
is_deeply([map { $_->{batch} } map { @{ get("/changes/batches?limit=3&page=$_")->{json}{data} } } 1 .. 3], \@batches, 'each row is on one page');
is_deeply(get('/audit?target=' . $user->{user}{username})->{json}{pagination}, { page => 1, limit => 10, total => 1, pages => 1 }, 'a short list is counted exactly');
done_testing;
