# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# The Link header (RFC 8288) with the other pages.
use CatalogTest;

my $server = server()->start;
my $token = register($server)->{token};

sub list { $server->api(GET => "/products$_[0]") }

# Pairs of relation and query, in the order in which they are sent.
sub links {
    my ($r) = @_;
    my @links = split /, /, $r->{headers}{link};
    return map { /^<([?][\w=&-]*)>; rel="(\w+)"$/ ? ($2 => $1) : die "not a link: $_\n" } @links;
}

sub leads {
    my ($query, %want) = @_;
    my %got = links(list($query));
    is_deeply(\%got, { map { ($_ => "?page=$want{$_}&limit=" . ($query =~ /limit=(\d+)/ ? $1 : 10)) } keys %want },
        'the links of ' . ($query || 'the list without a query') . ' are right');
}

leads('', first => 1, last => 1);
leads('?page=5', first => 1, prev => 1, last => 1);

$server->api(POST => '/products', { name => "p$_", price => $_ }, token => $token) for 1 .. 25;
leads('', first => 1, next => 2, last => 3);
leads('?page=2', first => 1, prev => 1, next => 3, last => 3);
leads('?page=3', first => 1, prev => 2, last => 3);
leads('?page=4', first => 1, prev => 3, last => 3);
leads('?page=9007199254740991', first => 1, prev => 3, last => 3);
leads('?limit=25', first => 1, last => 1);
leads('?limit=4&page=3&x=y', first => 1, prev => 2, next => 4, last => 7);
leads('?page=nonsense&limit=5', first => 1, next => 2, last => 5);
is_deeply({ links(list('?limit=1001')) }, { first => '?page=1&limit=1000', last => '?page=1&limit=1000' },
    'links have the limit in effect');

# A client that follows `next` reads the whole list.
for my $start ('?limit=4', '?cursor=&limit=4') {
    my ($query, @prices) = $start;
    while ($query) {
        my $r = list($query);
        push @prices, map { $_->{price} } @{ $r->{json}{data} };
        my %links = links($r);
        is($links{first}, $start =~ /cursor/ ? $start : '?page=1&limit=4',
            'the first page has a link to itself') if $query eq $start;
        $query = $links{next};
    }
    is(join(' ', sort { $a <=> $b } @prices), join(' ', 1 .. 25), "next links from $start lead through the whole list");
}
my %links = links(my $r = list('?cursor=&limit=7'));
is_deeply(\%links, { first => '?cursor=&limit=7', next => "?cursor=$r->{json}{pagination}{nextCursor}&limit=7" },
    'a page of a cursor has links to the first and the next');
is_deeply({ links(list('?cursor=&limit=25')) }, { first => '?cursor=&limit=25' },
    'the last page of a cursor has a link to the first only');
answers($server->api(HEAD => '/products'), 200, '', 'HEAD has the links', link => list('')->{headers}{link});
is(list('?cursor=x')->{headers}{link}, undef, 'a failed request has no links');

done_testing;
