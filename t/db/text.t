# SPDX-License-Identifier: Apache-2.0
# route: POST /users
# route: POST /auth/login
# route: POST /products
# route: GET /products
# case: 21 47 48
# mpm: event
# again: db
# Every database compares text and stores numbers alike. The MPM does not matter.
use utf8;
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ids qw(id_of n_at);

my $server = accounts();
my $token = register($server, username => 'ada', email => 'ada@example.com')->{token};
my $password = 'correct horse';

# case: names and addresses compare equal in any case, and only then
for ('ada', 'ADA', 'aDa', 'Ada@Example.COM') {
    is(sign_in($server, $_, $password)->{status}, 200, "the user can sign in as $_");
}
for ('ada ', ' ada', "ada\t", "ada\x{a0}", 'ádá', 'ÀDA', 'ａｄａ', 'a.d.a', 'ada%', 'ad_', 'ada@example.com ', 'adá@example.com',
    'ada@example.com🫖', "ada\x{200d}", "ada\x{301}", 'straße', 'ADA@EXAMPLE.COM.') {
    my $shown = join '', map { /[ -~]/ ? $_ : sprintf '<%X>', ord } split //, $_;
    is(sign_in($server, $_, $password)->{status}, 401, "the user cannot sign in as '$shown'");
}
is($server->api(POST => '/users', { username => 'ADA', email => 'other@example.com', password => $password })->{status}, 409,
    'the same name in another case is refused');
is($server->api(POST => '/users', { username => 'other', email => 'ADA@example.com', password => $password })->{status}, 409,
    'the same address in another case is refused');
is($server->api(POST => '/users', { username => 'ada-', email => 'ada-@example.com', password => $password })->{status}, 201,
    'a longer name is accepted');

# case: all octets and trailing blanks come back; products are in the order of creation, whatever their names
my @names = ('a', 'A', 'á', 'a ', 'a  ', 'ä', 'ß', 'ss', '🫖', '🫗', "e\x{301}", 'é', 'ǆ', 'İ', 'ı', 'Z', '_', '%', '\\', "x\n", "\x{ffff}");
my @prices = ('0.30000000000000004', '1234567.8912345679', '9007199254740993', '1e21', '0.1', '5e-324', '100', '1.7976931348623157e308');
my @sent = map { { name => $names[$_], price => $prices[ $_ % @prices ] } } 0 .. $#names;
for (@sent) {
    my $name = Cpanel::JSON::XS->new->ascii->allow_nonref->encode($_->{name});
    my $r = $server->api(POST => '/products', qq({"name":$name,"price":$_->{price},"category":$name}), token => $token);
    $_->{body} = $r->{body} =~ /"data":(\{.*\}),"message"/ ? $1 : $r->{body};
}
my $when = sub { $_[0]{body} =~ /"createdAt":"([^"]+)"/ ? "$1 " . substr $_[0]{body}, 0, 50 : '' };
my $latest_first = join ',', map { $_->{body} } sort { $when->($b) cmp $when->($a) } @sent;
my @numbers = map { $_->{body} =~ /"price":([^,]+)/ ? $1 : 'none' } @sent[0 .. $#prices];
is_deeply(\@numbers, ['0.30000000000000004', '1234567.8912345679', '9007199254740993', '1e+21', '0.1', '5e-324', '100',
    '1.7976931348623157e+308'], 'prices are returned unchanged');
my $all = $server->api(GET => '/products?limit=100')->{body};
is($all =~ /"data":\[(.*)\],"pagination"/ ? $1 : $all, $latest_first, 'the list has the products octet for octet');
my $pages = join ',', map { $server->api(GET => "/products?limit=4&page=$_")->{body} =~ /"data":\[(.*)\],"pagination"/ ? $1 : '' } 1 .. 6;
is($pages, $latest_first, 'the pages have the products octet for octet');

# case: products created at the same time are in the order of their ids
my $db = $server->database;
my @created = @{ $db->selectcol_arrayref('SELECT n FROM products ORDER BY n') };
for my $i (0 .. $#created) {
    my $n = n_at(1_700_000_000_000, $i * 7919 % 1000);
    $db->do('UPDATE products SET n = ?, id = ? WHERE n = ?', undef, $n, id_of($n), $created[$i]);
}
my @ids = map { $_->{id} } map { @{ $server->api(GET => "/products?limit=4&page=$_")->{json}{data} } } 1 .. 6;
is(join(' ', @ids), join(' ', reverse sort @ids), 'products of one time are sorted by id');
is(scalar @ids, scalar @sent, 'each product is listed once');

done_testing;
