# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# Idempotency-Key on POST /products: what is repeated, what is refused, and what runs again.
use CatalogTest;
use CatalogTest::Ids qw(n_of);

my $server = server(conf => <<'END')->start;
<Location "/my shop">
    CatalogEnable   On
    CatalogKeyFile  "@key@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
</Location>
END
my $other = server(mount => 'CatalogDatabase @driver@ "' . $server->params . '"')->start; # another server, the same database
my ($user, $stranger) = (register($server)->{token}, register($server)->{token});
my $db = $server->database;

sub create {
    my ($key, $body, %o) = @_;
    my $path = $o{path} // '/products';
    return ($o{server} // $server)->api(POST => $path, $body, token => $o{token} // $user,
        headers => { 'Idempotency-Key' => $key, %{ $o{headers} // {} } });
}

sub stored { $db->selectrow_array('SELECT COUNT(*) FROM products') }
sub keys_stored { $db->selectrow_array('SELECT COUNT(*) FROM idempotency_keys WHERE part = 0') }

my %mug = (name => "M\x{fc}g \"\\\n", price => 9.5, colour => 'red');
my $first = create('"first"', \%mug);
answers($first, 201, undef, 'the first request creates a product', 'idempotency-replayed' => undef, etag => qr/^"/,
    location => qr{^/api/products/}, 'catalog-ignored' => 'colour');

# case: the same key and body after completion
for my $case (['this server', $server], ['another server on the database', $other]) {
    my $again = create('"first"', \%mug, server => $case->[1]);
    answers($again, 201, $first->{body}, "$case->[0] repeats status and body, octet by octet", 'idempotency-replayed' => 'true',
        map { $_ => $first->{headers}{$_} } qw(etag location catalog-ignored));
}
my %elsewhere = (token => $user, mount => '/my%20shop', headers => { 'Idempotency-Key' => '"first"' });
answers($server->api(POST => '/products', \%mug, %elsewhere), 201, $first->{body}, 'another mount of the database repeats it, too',
    'idempotency-replayed' => 'true', location => '/my%20shop' . $first->{headers}{location} =~ s{^/api}{}r);
is(stored(), 1, 'one product is stored');
answers($server->api(GET => "/products/$first->{json}{data}{id}"), 200, undef, 'the product can be read', etag => $first->{headers}{etag});
answers($server->api(PUT => "/products/$first->{json}{data}{id}", { price => 10 }, token => $user), 200, undef, 'and changed');
answers(create('"first"', \%mug), 201, $first->{body}, 'the stored answer is that of the creation, whatever came of the product',
    'idempotency-replayed' => 'true');
answers($server->api(DELETE => "/products/$first->{json}{data}{id}", token => $user), 200, undef, 'or deleted');
answers(create('"first"', \%mug), 201, $first->{body}, 'even if it has been deleted', 'idempotency-replayed' => 'true');
is(stored(), 0, 'which does not create it again');

# case: another request with the key
my $problem = refusal(message => 'Idempotency-Key already used', error => qr/./);
answers(create('"first"', { %mug, price => 9 }), 422, $problem, 'another body is refused', 'idempotency-replayed' => undef);
answers(create('"first"', '{"price":9.5, "name":"M"}'), 422, $problem, 'so is one that differs in a blank');
answers(create('"first"', \%mug, path => '/products?x=1'), 422, $problem, 'so is another query');
answers(create('first', \%mug, path => '/products/'), 201, $first->{body}, 'a trailing slash, and bare text for a string, are the same',
    'idempotency-replayed' => 'true');
is(stored(), 0, 'nothing was written meanwhile');

# case: the scope of a key
answers(create('"first"', { name => 'b', price => 1 }, token => $stranger), 201, undef, 'another user may use the same key',
    'idempotency-replayed' => undef);
is(create('"first"', { name => 'b', price => 1 }, token => $stranger)->{headers}{'idempotency-replayed'}, 'true', 'for requests of that user');
answers($server->api(POST => '/users', { username => fresh(), email => fresh() . '@example.com', password => 'correct horse' },
    headers => { 'Idempotency-Key' => '"first"' }), 201, undef, 'so may another route', 'idempotency-replayed' => undef);
answers($server->api(POST => '/products', \%mug, headers => { 'Idempotency-Key' => '"first"' }), 401, undef,
    'a client without a token gets no answer of anybody', 'idempotency-replayed' => undef);

# case: without the header, and where it has no meaning
answers($server->api(POST => '/products', \%mug, token => $user), 201, undef, "creation $_ without a key creates a product",
    'idempotency-replayed' => undef) for 1, 2;
is(stored(), 3, 'each');
answers($server->api(PUT => "/products/$first->{json}{data}{id}", { price => 1 }, token => $user, headers => { 'Idempotency-Key' => ',' }),
    404, undef, 'a route for which the header has no meaning ignores it');

# case: what failed is not stored
my $count = keys_stored();
answers(create('"later"', { name => 'x' }), 400, undef, 'an invalid body is refused', 'idempotency-replayed' => undef);
answers(create('"later"', '{"name":'), 400, undef, 'so is one that is no JSON');
is(keys_stored(), $count, 'neither uses up the key');
answers(create('"later"', { name => 'x', price => 1 }), 201, undef, 'the corrected request may have the same key',
    'idempotency-replayed' => undef);

$db->do('ALTER TABLE products RENAME TO products_away');
my $down = create('"down"', { name => 'down', price => 1 });
$db->do('ALTER TABLE products_away RENAME TO products');
answers($down, 503, undef, 'a failure of the database is a 503', 'idempotency-replayed' => undef);
answers(create('"down"', { name => 'down', price => 1 }), 201, undef, 'which is not stored: the same request succeeds afterwards',
    'idempotency-replayed' => undef);

# case: a long name, of which no character may be cut where a stored answer is
for my $octets (0 .. 3) {
    my %long = (name => ('x' x $octets) . ("\x{1f375}" x 150), category => "\x{20ac}" x 100, price => 1);
    my $made = create("\"long-$octets\"", \%long);
    answers($made, 201, undef, "a long name is stored ($octets)");
    answers(create("\"long-$octets\"", \%long), 201, $made->{body}, 'and repeated', 'idempotency-replayed' => 'true');
}

# case: strict handling, and what else belongs to the request rather than to the stored answer
answers(create('"strict"', { name => 's', price => 1 }, headers => { Prefer => 'handling=strict' }), 201, undef,
    'a strict request', 'preference-applied' => 'handling=strict');
answers(create('"strict"', { name => 's', price => 1 }), 201, undef, 'is repeated without what another preference adds',
    'preference-applied' => undef, 'idempotency-replayed' => 'true');

# case: the number of the id is taken. A trigger takes half of the numbers, which MariaDB's cannot.
if (driver ne 'mysql') {
    my $take = q(INSERT INTO products (id, name, price, category, in_stock, n) VALUES ('other', 'other', '1', '', 1, NEW.n););
    $db->do($_) for driver eq 'sqlite3'
        ? "CREATE TRIGGER takes BEFORE INSERT ON products WHEN NEW.name = 'drawn' AND (NEW.n & 128) = 0 BEGIN $take END"
        : (qq(CREATE FUNCTION take() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN
              IF NEW.name = 'drawn' AND (NEW.n & 128) = 0 THEN $take END IF; RETURN NEW; END\$\$),
            'CREATE TRIGGER takes BEFORE INSERT ON products FOR EACH ROW EXECUTE FUNCTION take()');
    my @drawn = map { create(qq("drawn $_"), { name => 'drawn', price => 1 }) } 1 .. 20;
    is_deeply([grep { $_->{status} != 201 } @drawn], [], 'products are created with other numbers');
    is_deeply([grep { !(n_of($_->{json}{data}{id}) & 128) } @drawn], [], 'which are free');
    is_deeply([grep { $server->api(GET => "/products/$drawn[$_]{json}{data}{id}")->{status} != 200
        || create(sprintf('"drawn %d"', $_ + 1), { name => 'drawn', price => 1 })->{body} ne $drawn[$_]{body} } 0 .. $#drawn], [],
        'and the answers that are stored have their ids');
    $db->do('DROP TRIGGER takes' . (driver eq 'sqlite3' ? '' : ' ON products'));
}

# case: what is stored
my $dump = $server->database_named->dump;
unlike($dump, qr/first|later|strict/, 'no key is stored in clear');
my $marks = $db->selectcol_arrayref('SELECT content FROM idempotency_keys WHERE part = 0');
is(scalar(grep { !/^[0-9a-f]{16} [0-9a-f]{64}$/ } @$marks), 0, 'bodies are stored as a MAC only');

expect_log(qr/CAT00[0-9]: .*products/);
allow_log(qr/\[dbd:error\]/, qr/CAT00\d: /);
done_testing;
