# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# runs: first
# again: db
# Random questions about a random catalogue: every page of every list, by number and by cursor, is that of CatalogTest::Model.
# In the second half of them, while another client writes: pages leave its products out, walks by cursor meet some of them, and all
# others once and in order.
# CATALOG_QUESTIONS=10000 asks more of them, as make nightly does; CATALOG_PRODUCTS=6000 has enough products for every plan of src/catalogue/search/plan.c;
# CATALOG_SEED=N asks the same as before.
use CatalogLoad;
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Model qw(matches ordered query_of own_fields random_product random_question);
use CatalogTest::Move qw(product_id write_file);
use Cpanel::JSON::XS ();
use List::Util qw(max min shuffle);
use POSIX ();
use Time::HiRes qw(sleep);
use Time::Local qw(timegm);

my $COUNT_LIMIT = 25;
my $RECORDED = 1000; # requests
my $seed = $ENV{CATALOG_SEED} // int rand 2**31;
my $questions = $ENV{CATALOG_QUESTIONS} // ($ENV{AGAIN} ? 250 : 500);
my $count = $ENV{CATALOG_PRODUCTS} // 120;
srand $seed;
diag "CATALOG_SEED=$seed";

my $server = server(mount => "CatalogCountLimit $COUNT_LIMIT\n" . own_fields())->start;
my $token = register($server)->{token};
my $client = client($server);
my $gets = 0;
my %products;
my $json = Cpanel::JSON::XS->new->utf8->allow_nonref;

# Every question here is a good one. Most are asked on one connection, without being recorded for the check of the API's description.
sub get {
    my @request = (GET => "/products?$_[0]");
    my $r = $gets++ < $RECORDED ? $server->api(@request) : $client->ask(@request);
    die "?$_[0]: $r->{status} $r->{body} (CATALOG_SEED=$seed)\n", grep { /:error\]/ } $server->log_text =~ /^.*\n/mg
        if $r->{status} != 200;
    return $r;
}

# ---- the catalogue ----

sub milliseconds {
    my ($date, $fraction) = $_[0] =~ /^(.*)\.(\d+)Z/;
    my ($y, $mo, $d, $h, $mi, $s) = split /\D/, $date;
    return 1000 * timegm($s, $mi, $h, $d, $mo - 1, $y) + $fraction;
}

# Many of them share a time.
sub import_products {
    my $number = 0;
    my $file = scratch() . '/products';
    write_file($file, sub {
        return undef if ++$number > $count;
        my $product = random_product();
        my $row = { id => product_id($number), in_stock => ${ delete $product->{inStock} } ? true : false,
            created_at => 1_763_717_400_000 + int rand($count / 5) };
        $row->{$_} = delete $product->{$_} for grep { exists $product->{$_} } qw(name price category rating);
        $product->{seen} = milliseconds($product->{seen}) if $product->{seen};
        $row->{extra} = Cpanel::JSON::XS->new->encode($product) if %$product;
        return $json->encode({ products => $row });
    });
    my $r = ctl_for($server, { in => slurp($file) }, 'import');
    is($r->{status}, 0, 'the catalogue is imported') or diag $r->{err};
}

sub read_products {
    my $next = '';
    %products = ();
    while (defined $next) {
        my $r = get("cursor=$next&limit=1000")->{json};
        $products{ $_->{id} } = $_ for @{ $r->{data} };
        $next = $r->{pagination}{nextCursor};
    }
}

sub create {
    my $r = $server->api(POST => '/products', random_product(), token => $token);
    $products{ $r->{json}{data}{id} } = $r->{json}{data};
}

sub update {
    my $id = (sort keys %products)[int rand keys %products];
    my $change = random_product();
    delete $change->{$_} for (shuffle(keys %$change))[0 .. int rand 3];
    $change->{rating} = undef if rand() < 0.2;
    my $r = $server->api(PUT => "/products/$id", { %$change, price => 7 }, token => $token);
    $products{$id} = $r->{json}{data};
}

sub remove {
    my $id = (sort keys %products)[int rand keys %products];
    $server->api(DELETE => "/products/$id", token => $token);
    delete $products{$id};
}

# ---- products of another client ----

my $OTHERS = 'written by another client'; # their category
my $PAUSE = 0.02; # seconds between two writes, which would otherwise take more of the machine than the questions

sub write_others {
    srand $seed + 1;
    for (my @ids; 1; sleep $PAUSE) {
        my $product = { %{ random_product() }, category => $OTHERS };
        if (@ids < 50 && rand() < 0.6) {
            push @ids, $server->api(POST => '/products', $product, token => $token)->{json}{data}{id};
        } elsif (@ids) {
            my ($id) = splice @ids, int rand @ids, 1;
            my $is_update = rand() < 0.5;
            $server->api($is_update ? (PUT => "/products/$id", $product, token => $token) : (DELETE => "/products/$id", token => $token));
            push @ids, $id if $is_update;
        }
    }
}

sub start_writer {
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    eval { write_others() };
    POSIX::_exit(1); # without the END blocks of the test
}

# The question about all but their products.
sub without_others {
    my ($question) = @_;
    my @conditions = grep { "@$_[0, 1]" ne 'category ne' } @{ $question->{conditions} };
    return { %$question, conditions => [@conditions, [category => 'ne', $OTHERS]] };
}

# ---- a question ----

my @wrong;

sub check {
    my ($what, $query, $got, $want) = @_;
    my ($g, $w) = map { $json->canonical->encode($_) } $got, $want;
    push @wrong, "$what of ?$query is\n    $g\nnot $w" if $g ne $w;
}

# An integer, which JSON writes without a point.
sub pages_of {
    use integer;
    my ($total, $limit) = @_;
    return ($total + $limit - 1) / $limit;
}

sub ids { return [map { $_->{id} } @_] }

# The total is exact, or as many as are counted.
sub check_total {
    my ($query, $pagination, $total, $is_exact) = @_;
    my $is_capped = defined $pagination->{totalRelation};
    my $want = $is_capped ? $COUNT_LIMIT : $total;
    check('the total', $query, [@$pagination{qw(total pages totalRelation)}],
        [$want, pages_of($want, $pagination->{limit}), $is_capped ? 'gte' : undef]);
    push @wrong, "?$query counts no further than $COUNT_LIMIT of $total" if $is_capped && ($is_exact || $total <= $COUNT_LIMIT);
}

sub check_pages {
    my ($query, $limit, $is_exact, @want) = @_;
    my @pages = shuffle(1 .. pages_of(scalar @want, $limit) + 1);
    for my $page (@pages > 4 ? @pages[0 .. 3] : @pages) {
        my $asked = "$query&limit=$limit&page=$page" . ($is_exact ? '&count=exact' : '');
        my $r = get($asked);
        my ($from, $to) = (($page - 1) * $limit, $page * $limit - 1);
        my @part = $from > $#want ? () : @want[$from .. ($to > $#want ? $#want : $to)];
        check('the page', $asked, ids(@{ $r->{json}{data} }), ids(@part));
        check_total($asked, $r->{json}{pagination}, scalar @want, $is_exact);
    }
}

# Products of the other client, which may have been created, moved or deleted during the walk, do not count.
sub check_walk {
    my ($query, $limit, @want) = @_;
    my ($next, @got) = '';
    while (defined $next && @got <= @want) {
        my $r = get("$query&limit=$limit&cursor=$next")->{json};
        push @got, grep { $_->{category} ne $OTHERS } @{ $r->{data} // [] };
        $next = $r->{pagination}{nextCursor};
    }
    check('the walk', "$query&limit=$limit", ids(@got), ids(@want));
}

sub count_values {
    my ($field, @products) = @_;
    my %count;
    $count{ ref $_ ? $_ ? 'true' : 'false' : $_ }++ for map { $_->{$field} } @products;
    return \%count;
}

sub check_facets {
    my ($query, @want) = @_;
    my $r = get("$query&facets=category,inStock")->{json};
    for my $field (qw(category inStock)) {
        my @values = @{ $r->{facets}{$field} };
        my %got = map { (ref $_->{value} ? $_->{value} ? 'true' : 'false' : $_->{value}) => $_->{count} } @values;
        my $of = count_values($field, @want);
        check("the facet $field", $query, \%got, $of) if !$r->{facetsRelation};
        push @wrong, "the facet $field of ?$query is not in order" if join(' ', map { $_->{count} } @values) ne
            join ' ', sort { $b <=> $a } map { $_->{count} } @values;
    }
    push @wrong, "the facets of ?$query are not of all" if $r->{facetsRelation} && @want <= $COUNT_LIMIT;
}

sub ask {
    my ($question) = @_;
    my $query = query_of($question);
    my @want = ordered($question, matches($question, values %products));
    my $limit = 1 + int rand max(3, min(300, scalar @want));

    check_pages($query, $limit, rand() < 0.3, @want);
    check_facets($query, @want) if rand() < 0.2;
}

sub walk {
    my ($question) = @_;
    my @want = ordered($question, matches($question, values %products));

    check_walk(query_of($question), min(1000, pages_of(scalar @want, 4) + 1), @want);
}

get('sort=weight'); # now the database knows the fields, and gives the products that are imported their keys
import_products();
read_products();
is(keys %products, $count, 'the catalogue is read');
create() for 1 .. 30;
my $writer;
for my $number (1 .. $questions) {
    my $question = random_question(values %products);
    $writer //= start_writer() if $number > $questions / 2;
    ask($writer ? without_others($question) : $question);
    walk($question) if rand() < 0.5;
    (\&create, \&update, \&update, \&remove)[int rand 4]->() if $number % 5 == 0;
    last if @wrong > 5;
}
my $written = get('category=' . $OTHERS =~ s/ /+/gr)->{json}{pagination}{total};
cmp_ok($written, '>', 0, 'another client wrote products');
if ($writer) {
    is(waitpid($writer, POSIX::WNOHANG()), 0, 'and did so to the end');
    kill TERM => $writer;
    waitpid $writer, 0;
}
is(join("\n", @wrong), '', "$questions questions are answered as the model answers them");

done_testing;
