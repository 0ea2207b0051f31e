# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# again: mysql
# Changes of all products that match, in one transaction: "where" with "set", "adjust" or "delete".
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use Time::HiRes qw(sleep);

my $server = server(mount => "CatalogMaxLimit 1000\n    CatalogWriteRole editor")->start;
my $reader = register($server);
my $user = register($server);
ctl_for($server, 'user', 'role', $user->{user}{username}, 'editor');
my $token = $server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} })->{json}{token};

my $db = $server->database;

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub change { my ($where, $body, %headers) = @_; return ask(POST => '/products/batch', { where => $where, %$body }, headers => \%headers) }
sub made { return ask(POST => '/products', { name => 'Kettle', price => 1, @_ })->{json}{data} }
sub stored { return ask(GET => "/products/$_[0]{id}")->{json}{data} }
sub done { my ($message, $matched, $changed, $unchanged, %more) = @_;
    return { success => true, message => $message, matched => $matched, changed => $changed, unchanged => $unchanged, %more } }
sub changed { return done('Products changed', @_) }
sub listed { return ask(GET => "/products?limit=1000&sort=name&$_[0]")->{json}{data} }
sub prices { return join ' ', map { "$_->{name}=$_->{price}" } @{ listed($_[0]) } }
sub total { return ask(GET => "/products?$_[0]")->{json}{pagination}{total} }

# ---- set ----

my @tea = map { made(name => "tea $_", price => $_ - 0.01, category => 'tea', $_ % 2 ? (rating => 3) : ()) } 1 .. 6;
my $cup = made(name => 'cup', price => 4.99, category => 'ware');
my $list = listed('category=tea');
answers(change('category=tea&price[lt]=5', { set => { inStock => false } }), 200, changed(5, 5, 0), 'fields of all that match are set');
is_deeply([map { $_->{inStock} ? 1 : 0 } @{ listed('category=tea') }], [0, 0, 0, 0, 0, 1], 'of those, and no others');
is(stored($cup)->{inStock}, true, 'a product that does not match stays as it is');
answers(change('category=tea', { set => { inStock => false } }), 200, changed(6, 1, 5), 'what is so already is unchanged');
answers(change('category=tea', { set => { inStock => false } }), 200, changed(6, 0, 6), 'all may be');
answers(change('rating[exists]=true', { set => { rating => undef, category => 'Tee & Co.' } }), 200, changed(3, 3, 0), 'null clears a field');
is(total('rating[exists]=true'), 0, 'no product has it any more');
is(total('category=Tee%20%26%20Co.'), 3, 'a value of a condition is encoded as in a query string');
answers(change('category=Tee%20%26%20Co.', { set => { category => 'tea' } }), 200, changed(3, 3, 0), 'so it is here');
answers(change('q=TEA', { set => { inStock => true } }), 200, changed(6, 6, 0), 'words match as in the list');
answers(change("id[in]=$tea[0]{id},$tea[1]{id}", { set => { inStock => false } }), 200, changed(2, 2, 0), 'so do ids');
answers(change('category=coffee', { set => { inStock => false } }), 200, changed(0, 0, 0), 'none may match');
answers(change('', { set => { inStock => true } }), 200, changed(7, 2, 5), 'no condition: all match');

# case: validators and caches
my $tag = ask(GET => "/products/$tea[0]{id}")->{headers}{etag};
is(total('category=x'), 0, 'a list is cached');
answers(change("id=$tea[0]{id}", { set => { category => 'x' } }), 200, changed(1, 1, 0), 'a product is changed');
isnt(ask(GET => "/products/$tea[0]{id}")->{headers}{etag}, $tag, 'it has another ETag');
is(total('category=x'), 1, 'the list has it');
answers(change('category=x', { set => { category => 'tea' } }), 200, changed(1, 1, 0), 'it is changed back');

# ---- adjust ----

sub adjust { my ($where, $how, %more) = @_; return change($where, { adjust => { price => $how }, %more }) }
my $fine = made(name => 'fine', price => 19.99, category => 'fine');
for (
    [{ percent => 10, round => 2 }, 21.99, 'ten hundredths more, rounded up'],
    [{ add => -1.5 }, 20.49, 'less by one and a half'],
    [{ percent => -10 }, 18.441, 'without rounding, all places are kept'],
    [{ percent => 0.5, round => 3 }, 18.533, 'half a hundredth'],
    [{ add => 0.0005, round => 3 }, 18.534, 'half away from zero'],
    [{ add => 0, round => 0 }, 19, 'to a whole number'],
    [{ percent => -100 }, 0, 'all of it'],
    [{ add => 0.1 }, 0.1, 'a tenth'], [{ add => 0.2 }, 0.3, 'two tenths more are three tenths']) {
    my ($how, $price, $name) = @$_;
    answers(adjust('category=fine', $how), 200, changed(1, 1, 0), "a price is adjusted: $name");
    is(stored($fine)->{price}, $price, 'exactly');
}
answers(adjust('category=fine', { percent => 0 }), 200, changed(1, 0, 1), 'the same number is unchanged');
my $before = prices('category=tea');
answers(change('category=tea', { adjust => { price => { percent => 5, round => 2 }, rating => { add => 1 } }, set => { inStock => false } }), 200,
    changed(6, 6, 0), 'several fields at once');
is(prices('category=tea'), 'tea 1=1.04 tea 2=2.09 tea 3=3.14 tea 4=4.19 tea 5=5.24 tea 6=6.29', 'are adjusted');
is(total('rating[exists]=true'), 0, 'a product without the number stays without it');
answers(change("id=$tea[1]{id}", { set => { rating => 4.5 } }), 200, changed(1, 1, 0), 'one gets a rating');

# case: the new value is bad
$before = prices('category=tea');
answers(change('category=tea', { adjust => { rating => { add => 1 } }, set => { category => 'no' } }), 400,
    { success => false, message => 'Validation failed', error => "product $tea[1]{id}: rating must be at most 5",
        errors => [{ id => $tea[1]{id}, field => 'rating', code => 'too_large', message => 'must be at most 5' }] },
    'a product that would become invalid is named');
is(total('category=tea'), 6, 'and nothing is changed');
my $r = adjust('category=tea', { add => -4 });
is($r->{status}, 400, 'prices below zero are refused');
is_deeply([sort map { "$_->{id} $_->{field} $_->{code}" } @{ $r->{json}{errors} }], [sort map { "$tea[$_]{id} price too_small" } 0 .. 2], 'each of them is named');
is(prices('category=tea'), $before, 'no price is changed');
answers(adjust('category=fine', { percent => 0.0000000000000001 }), 400, undef, 'so is a number that a double does not keep');
answers(change('category=tea', { set => { price => 0 } }), 200, changed(6, 6, 0), 'prices are none');
answers(adjust('category=tea', { add => 1e308 }), 200, changed(6, 6, 0), 'a large one is stored');
$r = adjust('category=tea', { percent => 1000 });
is("$r->{status} $r->{json}{errors}[0]{code}", '400 too_large', 'a larger one is not');
answers(change('category=tea', { set => { price => 2 } }), 200, changed(6, 6, 0), 'prices are set');

# case: each by itself
answers(change('category=tea', { adjust => { rating => { add => 1 } }, set => { inStock => true }, atomic => false }), 200,
    changed(6, 5, 0, failed => 1, errors => [{ id => $tea[1]{id}, field => 'rating', code => 'too_large', message => qr/./ }]),
    'with atomic false, the others are changed');
is(stored($tea[1])->{inStock}, false, 'and the invalid one stays as it is');
answers(change('category=tea', { set => { inStock => true }, atomic => false }), 200, changed(6, 1, 5, failed => 0, errors => []), 'none may fail');

# ---- expect and dryRun ----

my $unexpected = sub { return refusal(message => 'Unexpected number of products', error => "$_[0] products match, $_[1] were expected") };
$before = prices('category=tea');
for my $n (0, 5, 7, 20_000) {
    answers(adjust('category=tea', { add => 1 }, expect => $n), 409, $unexpected->(6, $n), "$n products are not what matches");
}
is(prices('category=tea'), $before, 'nothing is changed');
answers(adjust('category=tea', { add => 1 }, expect => 6, dryRun => true), 200, done('Checked, nothing was changed', 6, 6, 0), 'a dry run counts');
answers(adjust('category=tea', { add => -9 }, dryRun => true), 400, undef, 'and finds what would become invalid');
answers(change('category=tea', { delete => true, dryRun => true }), 200, done('Checked, nothing was changed', 6, 6, 0), 'of a deletion, too');
is(prices('category=tea'), $before, 'nothing is changed');
answers(adjust('category=tea', { add => 1 }, expect => 6), 200, changed(6, 6, 0), 'as many as were expected are changed');
answers(change('category=none', { set => { price => 1 }, expect => 0 }), 200, changed(0, 0, 0), 'also none');

# ---- delete ----

answers(change('category=tea&price[gte]=3', { delete => true, expect => 6 }), 200, done('Products deleted', 6, 6, 0), 'all that match are deleted');
is(total(''), 2, 'and no others');
is(ask(GET => "/products/$tea[0]{id}")->{status}, 404, 'they are gone');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

# ---- Idempotency-Key ----

my %key = ('Idempotency-Key' => '"raise"');
$r = change('category=fine', { adjust => { price => { add => 1 } } }, %key);
answers($r, 200, changed(1, 1, 0), 'a change with an Idempotency-Key');
my $again = change('category=fine', { adjust => { price => { add => 1 } } }, %key);
answers($again, 200, $r->{body}, 'is made once', 'idempotency-replayed' => 'true');
is(stored($fine)->{price}, 1.3, 'only');
answers(change('category=fine', { adjust => { price => { add => 2 } } }, %key), 422, refusal(error => qr/./), 'another one must not have the key');
answers(change('category=fine', { set => { price => 1.3 } }, 'Idempotency-Key' => '"same"'), 200, changed(1, 0, 1), 'one that changes nothing');
answers(change('category=fine', { set => { price => 1.3 } }, 'Idempotency-Key' => '"same"'), 200, changed(1, 0, 1), 'is repeated as well',
    'idempotency-replayed' => 'true');

# ---- another writer at the same time ----

# It holds one of the products that match until the change waits for it, and then commits what does not match any more.
my @rated = map { made(name => "rated $_", rating => 4) } 1 .. 4;
$db->begin_work;
$db->do('UPDATE products SET rating = ?, rating_key = ? WHERE id = ?', undef, '5', 4617315517961601024, $rated[2]{id});
my $socket = $server->connection;
print {$socket} wire(POST => '/products/batch', { where => 'rating=4', set => { price => 7 } }, token => $token);
sleep 0.5;
$db->commit;
answers(CatalogTest::Http::parse(CatalogTest::Http::read_all($socket)), 200, changed(3, 3, 0), 'a product that does not match any more is left as it is');
is(prices('name[prefix]=rated'), 'rated 1=7 rated 2=7 rated 3=1 rated 4=7', 'the others are changed');
answers(change('name[prefix]=rated', { delete => true }), 200, done('Products deleted', 4, 4, 0), 'all are deleted');

# ---- what is no change ----

my %set = (set => { price => 1 });
for (
    ['where that is no text', { where => 5, %set }, where => 'type'],
    ['neither set nor delete', { where => '' }, set => 'required'],
    ['delete that is false', { where => '', delete => false }, set => 'required'],
    ['set and delete', { where => '', %set, delete => true }, delete => 'format'],
    ['set that is no object', { where => '', set => [] }, set => 'type'],
    ['an empty set', { where => '', set => {} }, set => 'required'],
    ['a bad value', { where => '', set => { price => -1, name => '' } }, 'set.name' => 'too_short', 'set.price' => 'too_small'],
    ['an empty adjust', { where => '', adjust => {} }, adjust => 'required'],
    ['a text to adjust', { where => '', adjust => { name => { add => 1 } } }, 'adjust.name' => 'unknown'],
    ['a time to adjust', { where => '', adjust => { createdAt => { add => 1 } } }, 'adjust.createdAt' => 'unknown'],
    ['set and adjusted', { where => '', %set, adjust => { price => { add => 1 } } }, 'adjust.price' => 'duplicate'],
    ['an adjustment that is no object', { where => '', adjust => { price => 1 } }, 'adjust.price' => 'type'],
    ['an adjustment of nothing', { where => '', adjust => { price => { round => 2 } } }, 'adjust.price' => 'required'],
    ['percent and add', { where => '', adjust => { price => { percent => 2, add => 1 } } }, 'adjust.price' => 'required'],
    ['an amount that is no number', { where => '', adjust => { price => { add => '1' } } }, 'adjust.price.add' => 'type'],
    ['places below zero', { where => '', adjust => { price => { add => 1, round => -1 } } }, 'adjust.price.round' => 'type'],
    ['too many places', { where => '', adjust => { price => { add => 1, round => 16 } } }, 'adjust.price.round' => 'type'],
    ['an unknown way to adjust', { where => '', adjust => { price => { add => 1, by => 2 } } }, 'adjust.price.by' => 'unknown'],
    ['expect below zero', { where => '', %set, expect => -1 }, expect => 'too_small'],
    ['expect that is no whole number', { where => '', %set, expect => 1.5 }, expect => 'type'],
    ['null for expect', { where => '', %set, expect => undef }, expect => 'type'],
    ['dryRun that is no boolean', { where => '', %set, dryRun => 1 }, dryRun => 'type'],
    ['operations beside where', { where => '', %set, operations => [] }, operations => 'unknown'],
    ['an unknown member', { where => '', %set, dryrun => true }, dryrun => 'unknown'],
    ['a bad value of a condition', { where => 'price[lt]=x', %set }, 'where.price[lt]' => 'type'],
    ['an unknown condition', { where => 'categry=tea', %set }, 'where.categry' => 'unknown'],
    ['an order', { where => 'sort=name', %set }, 'where.sort' => 'unknown'],
    ['fields', { where => 'fields=name', %set }, 'where.fields' => 'unknown'],
    ['a value without a name', { where => '=tea', %set }, 'where' => 'unknown'],
    ['a value without a name beside a condition', { where => 'category=tea&=2', %set }, 'where' => 'unknown'],
    ['values without names, all empty', { where => '=&=', %set }, 'where' => 'unknown', 'where' => 'unknown'],
    ['a where that says nothing', { where => '&&', %set, dryRun => true }, 'where' => 'required'],
    ['an empty list of values', { where => 'category[in]=', delete => true }, 'where.category[in]' => 'too_short'],
    ['an empty list of ids', { where => 'id[in]=', delete => true }, 'where.id[in]' => 'too_short'],
    ['a page', { where => 'page=2', %set }, 'where.page' => 'unknown'],
    ) {
    my ($name, $body, @wrong) = @$_;
    answers(ask(POST => '/products/batch', $body), 400, invalid(@wrong), "refused: $name");
}
answers(ask(POST => '/products/batch', '{"where":"","adjust":{"price":{"add":0.12345678901234567890}}}'), 400, invalid('adjust.price.add' => 'precision'),
    'refused: an amount that a double does not keep');
is(prices('category=fine'), 'fine=1.3', 'nothing is changed');
answers(change('category=fine', { set => { price => 1.4, colour => 'red' } }), 200, changed(1, 1, 0), 'an unknown field is ignored', 'catalog-ignored' => 'colour');
answers(change('category=fine', { set => { price => 1.3, colour => 'red' } }, Prefer => 'handling=strict'), 400, invalid('set.colour' => 'unknown'),
    'and refused where the client wants that');

# ---- who ----

my @request = (POST => '/products/batch', { where => '', delete => true });
answers($server->api(@request), 401, refusal(error => qr/./), 'a token is required');
answers($server->api(@request, token => $reader->{token}), 403, refusal(error => qr/./), 'and the role');
is(total(''), 2, 'nothing is deleted');

# ---- without an index ----

my $bare = server(mount => 'CatalogIndex none')->start;
my $writer = register($bare)->{token};
$bare->api(POST => '/products', { name => "n$_", price => $_, inStock => $_ % 2 ? true : false }, token => $writer) for 1 .. 3;
answers($bare->api(POST => '/products/batch', { where => 'price[lt]=3', %set }, token => $writer), 400, invalid('where.price[lt]' => 'no_index'),
    'a condition that no index serves is refused');
answers($bare->api(POST => '/products/batch', { where => 'inStock=true', set => { price => 9 } }, token => $writer), 200, changed(2, 2, 0), 'one without an index is not');

allow_log(qr/CAT\d+: .*(?:out of range|too long)/);
done_testing;
