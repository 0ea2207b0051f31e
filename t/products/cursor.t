# SPDX-License-Identifier: Apache-2.0
# route: GET /products
use CatalogTest;
use CatalogTest::Ids qw(id_of n_at n_of);
use CatalogTest::Keys qw(put_key);

my ($old, $keys) = (scratch(), scratch());
put_key($_->[0], $_->[1], join '', 'a' .. 'z', $_->[2] x 6) for [$old, 'a.key', 'x'], [$keys, 'a.key', 'x'], [$keys, 'b.key', 'y'];
my $server = server(conf => <<"END")->start;
<Location "/old">
    CatalogEnable  On
    CatalogKeyFile "$old/a.key"
</Location>
<Location "/both">
    CatalogEnable  On
    CatalogKeyDir  "$keys"
</Location>
END
my $token = register($server)->{token};
my $db = $server->database;

sub make { map { $server->api(POST => '/products', { name => $_, price => 1 }, token => $token)->{json}{data} } @_ }
sub remove { $server->api(DELETE => "/products/$_->{id}", token => $token) for @_ }
sub list { $server->api(GET => "/products?$_[0]", mount => $_[1] // '/api') }
sub names { join ' ', map { $_->{name} } @_ }

# Reads all pages from a cursor on, with an optional action between them.
sub walk {
    my ($limit, $between, $cursor) = @_;
    my @all;
    for (my $next = $cursor // ''; defined $next;) {
        my $r = list("cursor=$next&limit=$limit");
        push @all, @{ $r->{json}{data} };
        $next = $r->{json}{pagination}{nextCursor};
        $between->() if $between;
    }
    return @all;
}

answers(list('cursor='), 200, { success => true, data => [], pagination => { limit => 10 } },
    'an empty catalogue has one empty page');
my @made = make(map { "p$_" } 10 .. 34);
my @newest = sort { $b->{createdAt} cmp $a->{createdAt} || $b->{id} cmp $a->{id} } @made;

my $first = list('cursor=');
answers($first, 200, { success => true, data => [@newest[0 .. 9]], pagination => { limit => 10, nextCursor => qr/^[\w-]+$/ } },
    'the first page has the ten newest products');
my $next = $first->{json}{pagination}{nextCursor};
answers(list("cursor=$next&limit=15"), 200, { success => true, data => [@newest[10 .. 24]], pagination => { limit => 15 } },
    'a full last page has no nextCursor');
answers(list("limit=14&cursor=$next"), 200,
    { success => true, data => [@newest[10 .. 23]], pagination => { limit => 14, nextCursor => qr/./ } },
    'a page before the last one has a nextCursor');
is_deeply(list($_)->{json}, $first->{json}, "?$_ returns the first page") for 'cursor', 'x=1&cursor=&limit=10';
answers(list('cursor=&cursor='), 400, invalid(cursor => 'duplicate'), 'a second cursor is refused');
my $limit = list('cursor=&limit=1001')->{json}{pagination};
is_deeply($limit, { limit => 1000 }, 'CatalogMaxLimit applies to cursors');
is_deeply([walk($_)], \@newest, "pages of $_ have each product once and in order") for 1, 4, 25, 100;

# ---- while the catalogue changes ----

my @before = @newest;
my @new;
is(names(walk(5, sub { push @new, make('new') })), names(@before), 'products created meanwhile cause no duplicates or gaps');
remove(@new);
my @gone = @newest[3, 9, 10, 17, 24];
my @victims = @gone;
my @walked = walk(5, sub { remove(shift @victims // ()) });
my %is_gone = map { $_->{id} => 1 } @gone;
is(names(grep { !$is_gone{ $_->{id} } } @walked), names(grep { !$is_gone{ $_->{id} } } @newest),
    'products deleted meanwhile cause no duplicates or gaps');
@newest = grep { !$is_gone{ $_->{id} } } @newest;
my $last = list('cursor=&limit=7'); # the test deletes its last product
remove($newest[6]);
is(names(@{ list("cursor=$last->{json}{pagination}{nextCursor}")->{json}{data} }), names(@newest[7 .. 16]),
    'a cursor works after its product was deleted');
splice @newest, 6, 1;

# Gives a product another time and id.
sub move {
    my ($product, $n) = @_;
    $db->do('UPDATE products SET n = ?, id = ? WHERE n = ?', undef, $n, id_of($n), n_of($product->{id}));
    $product->{id} = id_of($n);
}
move($newest[$_], n_at(1_700_000_000_000, $_ * 7919 % 1000)) for 0 .. $#newest;
@newest = sort { $b->{id} cmp $a->{id} } @newest;
is(names(walk(3)), names(@newest), 'products of one millisecond are sorted by id');
move($newest[0], 0);
move($newest[1], 1);
move($newest[2], n_at(2**43 - 1, 2**20 - 2));
is(names(walk(1)), names(@newest[2 .. $#newest], @newest[1, 0]), 'times far in the past and in the future are in order');

# ---- invalid cursors ----

my $bad = { success => false, message => 'Invalid cursor', error => qr/start again/ };
answers(list("cursor=$_"), 400, $bad, 'cursor=' . substr $_, 0, 30) for '%zz', '%00', 'x', '1', '0' x 80, '%C3%BC', "$next=",
    "$next$next", substr($next, 0, -1), "A$next", $next =~ s/^.{10}//r, 'MTcwMDAwMDAwMDAwMCAw', "%20$next", 'x' x 4000, "'--";
my $alphabet = join '', 'A' .. 'Z', 'a' .. 'z', 0 .. 9, '-_';
my @changed = map { my $c = $next; substr $c, $_, 1, substr $alphabet, 1 ^ index($alphabet, substr $c, $_, 1), 1; $c }
    0 .. length($next) - 1;
my @taken = grep { list("cursor=$_")->{status} != 400 } @changed;
is("@taken", '', 'a cursor changed in any place is refused') or diag $next;
for ("cursor=$next&page=1", 'page=2&cursor=', 'cursor=&page', 'cursor=&page=%zz') {
    answers(list($_), 400, { success => false, message => 'Invalid cursor', error => qr/page/ }, "?$_ is refused");
}

# ---- keys ----

my $of_old = list('cursor=&limit=2', '/old')->{json}{pagination}{nextCursor};
my $rest = { success => true, data => list('cursor=&limit=4')->{json}{data}, pagination => { limit => 2, nextCursor => qr/./ } };
splice @{ $rest->{data} }, 0, 2;
answers(list("limit=2&cursor=$of_old", '/old'), 200, $rest, 'a mount with the same key accepts the cursor');
answers(list("limit=2&cursor=$of_old", '/both'), 200, $rest, 'a mount with that key among others accepts the cursor');
answers(list("limit=2&cursor=$of_old"), 400, $bad, 'a mount without that key refuses the cursor');

allow_log(qr{CAT076: CatalogKeyFile }); # the file is one of a CatalogKeyDir too, which its group may read
done_testing;
