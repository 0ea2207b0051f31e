# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# case: 54 55
use CatalogTest;

my $server = server()->start;
my $token = register($server)->{token};

sub list { $server->api(GET => '/products' . ($_[0] // '')) }
sub page { my ($data, %p) = @_; return { success => true, data => $data, pagination => \%p } }

answers(list(), 200, page([], page => 1, limit => 10, total => 0, pages => 0), 'an empty catalogue has an empty list');
answers(list('?page=7'), 200, page([], page => 7, limit => 10, total => 0, pages => 0), 'page 7 of an empty catalogue is empty');

my @all = map { $server->api(POST => '/products', { name => "p$_", price => $_ },
    token => $token)->{json}{data} } 1 .. 25;
my @newest = sort { $b->{createdAt} cmp $a->{createdAt} || $b->{id} cmp $a->{id} } @all;
my %rest = (total => 25, pages => 3);
my $first = page([@newest[0 .. 9]], page => 1, limit => 10, %rest);

answers(list(), 200, $first, 'the first page has the ten newest, newest first');
answers(list('/'), 200, $first, 'a trailing slash is accepted');
answers(list('?page=2'), 200, page([@newest[10 .. 19]], page => 2, limit => 10, %rest), 'the second page has the next ten');
answers(list('?page=3'), 200, page([@newest[20 .. 24]], page => 3, limit => 10, %rest), 'the last page has the rest');
answers(list('?page=4'), 200, page([], page => 4, limit => 10, %rest), 'a page past the end is empty');
answers(list('?limit=25'), 200, page([@newest], page => 1, limit => 25, total => 25, pages => 1), 'a page can have all products');
answers(list('?limit=24&page=2'), 200, page([$newest[24]], page => 2, limit => 24, total => 25, pages => 2),
    'a last page can have one product');
answers(list('?limit=1000'), 200, page([@newest], page => 1, limit => 1000, total => 25, pages => 1),
    'the largest limit is accepted');
answers(list('?limit=1001'), 200, page([@newest], page => 1, limit => 1000, total => 25, pages => 1),
    'a larger limit is reduced to the largest');
is_deeply([map { list("?limit=1&page=$_")->{json}{data}[0]{id} } 1 .. 25], [map { $_->{id} } @newest],
    'no page repeats or leaves out a row');

my $head = $server->api(HEAD => '/products?limit=3');
answers($head, 200, '', 'HEAD has the headers of GET', 'content-length' => length list('?limit=3')->{body},
    'content-type' => 'application/json');

# query, page and limit in effect
my $max = 9007199254740991;
my @queries = (
    ['page=0', 1, 10], ['page=-1', 1, 10], ['page=abc', 1, 10], ['page=1.5', 1, 10], ['page=1e3', 1, 10],
    ['page=', 1, 10],
    ['page', 1, 10], ['page=%00', 1, 10], ['page=2%00', 1, 10], ['page=%zz', 1, 10], ['page=2%', 1, 10],
    ['page=+2', 1, 10],
    ['page=%2B2', 1, 10], ['page=%202', 1, 10], ['page=2%20', 1, 10], ['page=0x2', 1, 10], ['page=%D9%A2', 1, 10],
    ['page=2,3', 1, 10],
    ['page[]=2', 1, 10], ['PAGE=2', 1, 10], ['page=002', 2, 10], ['page=%32', 2, 10], ['page=2&page=3', 2, 10],
    ['x=1&&page=2', 2, 10],
    ['page=abc&page=2', 1, 10],
    ['page=1000000', 1000000, 10], ["page=$max", $max, 10], ['page=99999999999999999999', $max, 10],
    ['page=' . '9' x 400, $max, 10], ["page=$max&limit=100", $max, 100], ['page=-99999999999999999999', 1, 10],
    ['limit=0', 1, 10], ['limit=-1', 1, 10], ['limit=-99999999999999999999', 1, 10], ['limit=abc', 1, 10],
    ['limit=1.5', 1, 10],
    ['limit=1e1', 1, 10], ['limit=', 1, 10], ['limit=%00', 1, 10], ['limit=5&limit=7', 1, 5],
    ['limit=99999999999999999999', 1, 1000],
    ['limit=3&page=2', 2, 3],
);
for (@queries) {
    my ($query, $page, $limit) = @$_;
    my $from = ($page - 1) * $limit;
    my @data = $from < 25 ? grep { defined } @newest[$from .. $from + $limit - 1] : ();
    my $pages = int((25 + $limit - 1) / $limit);
    answers(list("?$query"), 200, page(\@data, page => $page, limit => $limit, total => 25, pages => $pages),
        substr $query, 0, 40);
}

$server->api(DELETE => "/products/$newest[0]{id}", token => $token);
answers(list('?limit=2'), 200, page([@newest[1, 2]], page => 1, limit => 2, total => 24, pages => 12),
    'the list omits a deleted product');
answers($server->api(PUT => "/products/$newest[5]{id}", { name => 'changed' }, token => $token), 200, undef,
    'a product is updated');
is(list('?limit=1&page=5')->{json}{data}[0]{name}, 'changed', 'the updated product keeps its place');

done_testing;
