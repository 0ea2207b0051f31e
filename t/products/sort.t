# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# Lists in other orders.
use CatalogTest;

my $server = server()->start;
my $token = register($server)->{token};
my %rating = (b => 3, d => 3, e => 0);
my @rows = (['b', 2, 'x', true], ['a', 1, 'y', false], ['d', 2, 'x', true], ['C', 10, '', true], ["\x{e9}", 9, 'X', false], ['e', 2, 'y', true]);
for (@rows) {
    my ($name, $price, $category, $stock) = @$_;
    my $r = $server->api(POST => '/products', { name => $name, price => $price, category => $category, inStock => $stock,
        exists $rating{$name} ? (rating => $rating{$name}) : () }, token => $token);
    die $r->{body} if $r->{status} != 201;
}

sub list { $server->api(GET => "/products?$_[0]") }
sub names { join ' ', map { $_->{name} } @{ $_[0]{json}{data} } }

# The order, and its reverse. Names: e with an accent is equal to e; later ones are last where they are equal.
my @cases = (
    ['createdAt', "b a d C \x{e9} e"], ['name', "a b C d \x{e9} e"], ['price', "a b d e \x{e9} C"], ['category', "C b d \x{e9} a e"],
    ['id', "b a d C \x{e9} e"], ['inStock', "a \x{e9} b d C e"], ['rating', "a C \x{e9} e b d"],
);
for (@cases) {
    my ($field, $order) = @$_;
    is(names(list("sort=$field")), $order, "sort=$field");
    is(names(list("sort=-$field")), join(' ', reverse split / /, $order), "sort=-$field is exactly the reverse");
}
@cases = (
    ['category,-name', "C \x{e9} d b e a"], ['-rating,price', "d b e a \x{e9} C"], ['price,-createdAt', "a e d b \x{e9} C"], ['-inStock,-category,name', "e b d C a \x{e9}"],
    ['price,createdAt', "a b d e \x{e9} C"], ['price,-id', "a e d b \x{e9} C"], ['-inStock,id,name', "b d C e a \x{e9}"], ['-createdAt', "e \x{e9} C d a b"],
);
is(names(list("sort=$_->[0]")), $_->[1], "sort=$_->[0]") for @cases;

# ---- pages and cursors ----

for my $sort ('id', '-id', 'price,-id', '-inStock,id', 'name', '-price', 'rating,-name', '-inStock,category', '-rating') {
    my $all = names(list("sort=$sort"));
    for my $limit (1 .. 6) {
        my @pages = map { names(list("sort=$sort&limit=$limit&page=$_")) } 1 .. 7;
        is(join(' ', grep { length } @pages), $all, "pages of $limit in the order $sort have each product once");
        my ($next, @walked) = '';
        while (defined $next) {
            my $r = list("sort=$sort&limit=$limit&cursor=$next");
            push @walked, names($r);
            $next = $r->{json}{pagination}{nextCursor};
        }
        is(join(' ', @walked), $all, "cursors of $limit too");
    }
}
my $next = list('sort=price&limit=2&cursor=')->{json}{pagination}{nextCursor};
answers(list("sort=$_&cursor=$next"), 400, refusal(message => 'Invalid cursor', error => qr/./), "a cursor is none of sort=$_")
    for '-price', 'name', 'price,name', '-createdAt';
answers(list("sort=price,createdAt&cursor=$next"), 200, undef, 'another spelling of the same order takes it');
is(list('sort=-createdAt')->{headers}{etag}, list('')->{headers}{etag}, 'sort=-createdAt is the default');
like(list('sort=-price,name&limit=2')->{headers}{link}, qr/<\?page=2&sort=-price,name&limit=2>; rel="next"/, 'links have the order');

# ---- faults ----

answers(list("sort=$_"), 400, invalid(sort => 'unknown'), "sort=$_ is refused") for '', 'colour', 'name,', '--name', '+name', 'name;price', '%ff';
answers(list('sort=name,-name'), 400, invalid(sort => 'duplicate'), 'a field twice is refused');
answers(list('sort=name&sort=name'), 400, invalid(sort => 'duplicate'), 'a field twice is refused, in parameters of its own too');
answers(list('sort=name,price,category,rating'), 400, invalid(sort => 'too_many'), 'four fields are refused');

done_testing;
