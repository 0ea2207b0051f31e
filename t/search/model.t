# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# runs: first
# again: db
# Random questions about a random catalogue, of writers and of readers: pages by number and by cursor, totals, facets, lists of values,
# names and exports are those of CatalogTest::Model. Each round has other lines of CatalogField and CatalogVisible, with which the server
# restarts, and its first questions are asked while the keys of new fields are filled in. Products keep what they have of fields whose line
# is gone. In every second round another client writes: pages leave its products out, walks by cursor meet some of them, and all others
# once and in order.
# CATALOG_QUESTIONS=100000 asks more of them, as make nightly does; CATALOG_PRODUCTS=6000 has enough products for every plan of
# src/catalogue/search/plan.c; CATALOG_SEED=N asks the same as before.
use CatalogLoad;
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Ids qw(id_at);
allow_log(qr/CAT072: /); # conditions of CatalogVisible that no product meets
use CatalogTest::Model qw(write_synonyms words matches corrected ordered ranked compare_values choose_fields own_names facet_names unique_names list_names part_of encoded random_product
    random_change random_conditions random_question query_of words_meant);
use CatalogTest::Move qw(time_of write_file);
use Cpanel::JSON::XS ();
use List::Util qw(max min shuffle sum0);
use POSIX ();
use Time::HiRes qw(sleep time);
use Time::Local qw(timegm);

my $COUNT_LIMIT = 25;
my $RECORDED = 100; # requests of a round
my $FILLED = 60; # seconds until new fields have their keys
my $PATIENCE = 600; # seconds for a change of all products, of which CATALOG_PRODUCTS may make many
my $seed = $ENV{CATALOG_SEED} // int rand 2**31;
my $questions = $ENV{CATALOG_QUESTIONS} // ($ENV{AGAIN} ? 200 : $ENV{BRIEF} ? 400 : 800);
my $count = $ENV{CATALOG_PRODUCTS} // 120;
my $rounds = ($ENV{AGAIN} ? 2 : 4) + int($questions / 10_000);
srand $seed;
diag "CATALOG_SEED=$seed";

my $server = server(mount => "CatalogCountLimit $COUNT_LIMIT\nCatalogWriteRole editor\nCatalogSynonyms synonyms.txt\nInclude \"\@dir\@/fields.conf\"");
my $json = Cpanel::JSON::XS->new->utf8->allow_nonref->canonical;
my ($client, $db);
my %products;  # all that there are, with what they have of fields without a line
my @visible;   # the conditions of CatalogVisible
my $is_filled; # all fields have their keys
my $writer;    # the process of the other client
my $unique = 1000;
my @wrong;
my $corrected = 0; # answers that say what was corrected
my $OTHERS = 'written by another client'; # the category of its products

sub pick { return $_[int rand @_] }

# ---- requests ----

my $gets;
my %token;

sub token_of {
    my ($who) = @_;
    $token{$who} = [time + 200, forge(claims => claims(role => $who eq 'writer' ? 'editor' : 'user'))] if !$token{$who} || $token{$who}[0] < time;
    return $token{$who}[1];
}

# Every question here is a good one. Most are asked on one connection, without being recorded for the check of the API's description. undef:
# its keys are being filled in.
sub get {
    my ($who, $path) = @_;
    my @request = (GET => $path, $who eq 'nobody' ? () : (token => token_of($who)));
    my $r = $gets++ < $RECORDED || $path =~ /export/ ? $server->api(@request) : $client->ask(@request);
    return undef if $r->{status} == 503 && $r->{body} =~ /are being indexed/;
    die "$who: $path: $r->{status} $r->{body} (CATALOG_SEED=$seed)\n", grep { /:error\]/ } $server->log_text =~ /^.*\n/mg
        if $r->{status} !~ /^(?:200|404)$/;
    return $r;
}

# While a field that is new becomes unique, nobody gets a value of it.
sub write_product {
    my ($status, @request) = @_;
    my $r;
    wait_until($FILLED, sub {
        $r = $server->api(@request, token => token_of('writer'));
        return $r->{status} != 503 || $r->{body} !~ /are being indexed/;
    });
    die "@request[0, 1]: $r->{status} $r->{body} (CATALOG_SEED=$seed)\n" if $r->{status} != $status;
    return $r->{json}{data};
}

sub check {
    my ($what, $query, $got, $want) = @_;
    my ($g, $w) = map { $json->encode($_) } $got, $want;
    push @wrong, "$what of $query is\n    $g\nnot $w" if $g ne $w;
}

# ---- the catalogue ----

sub milliseconds {
    my ($date, $fraction) = $_[0] =~ /^(.*)\.(\d+)Z/;
    my ($y, $mo, $d, $h, $mi, $s) = split /\D/, $date;
    return 1000 * timegm($s, $mi, $h, $d, $mo - 1, $y) + $fraction;
}

# Many of them share a time. A file has them in the order of their ids.
sub import_products {
    my $number = 0;
    my @times = sort { $a <=> $b } map { time_of(int rand($count / 5)) } 1 .. $count;
    my $file = scratch() . '/products';
    write_file($file, sub {
        return undef if $number == $count;
        my $time = $times[$number++];
        my $product = random_product(++$unique);
        my $row = { id => id_at($time, $number), in_stock => ${ delete $product->{inStock} } ? true : false, created_at => $time };
        $row->{$_} = delete $product->{$_} for grep { exists $product->{$_} } qw(name price category rating);
        $product->{seen} = milliseconds($product->{seen}) if $product->{seen};
        delete $product->{tags} if !@{ $product->{tags} // [] };
        $row->{extra} = Cpanel::JSON::XS->new->canonical->allow_nonref->encode($product) if %$product;
        return $json->encode({ products => $row });
    });
    my $r = ctl_for($server, { in => slurp($file) }, 'import');
    is($r->{status}, 0, 'the catalogue is imported') or diag $r->{err};
}

# What an answer says of a product, and what it cannot say.
sub keep {
    my ($product) = @_;
    my %hidden = %{ $products{ $product->{id} } // {} };
    delete @hidden{ @CatalogTest::Model::BUILT_IN, own_names('writer') };
    $products{ $product->{id} } = { %hidden, %$product };
}

sub exported { return map { $json->decode($_) } split /\n/, get('writer', '/products/export')->{body} }
sub any_id { return (sort keys %products)[int rand keys %products] }

# What was sent is what comes back, a number in one spelling, and nothing that is empty.
sub check_sent {
    my ($sent, $got) = @_;
    for my $name (grep { $_ ne 'price' } keys %$sent) {
        my $value = ref $sent->{$name} eq 'ARRAY' && $name eq 'tags' && !@{ $sent->{$name} } ? undef : $sent->{$name};
        next if $name eq 'weight' && defined $value && defined $got->{$name} && $value == $got->{$name};
        check("$name, when it was sent,", "product $got->{id}", $got->{$name}, $value);
    }
    return $got;
}

sub create {
    my $product = random_product(++$unique);
    keep(check_sent($product, write_product(201, POST => '/products', $product)));
}

# By a name, if there is one that is known and can be in a path.
sub address_of {
    my ($product) = @_;
    my ($field) = grep { defined $product->{$_} && $product->{$_} !~ m{/} } unique_names('writer');
    my $name = $field ? "$field=" . encoded($product->{$field}) : $product->{id};
    return rand() < 0.3 && get('writer', "/products/$name") ? $name : $product->{id};
}

sub update {
    my $product = $products{ any_id() };
    my $change = random_change(++$unique);
    keep(check_sent($change, write_product(200, pick(qw(PUT PATCH)) => '/products/' . address_of($product), { price => 7, %$change })));
}

sub remove {
    my $id = any_id();
    write_product(200, DELETE => "/products/$id");
    delete $products{$id};
}

sub without { my ($product, @names) = @_; my %rest = %$product; delete @rest{@names}; return \%rest }

# All that match get a value, and nothing else changes but the time of the change.
sub change_matching {
    my $question = { who => 'writer', conditions => [random_conditions('writer', 1 + int rand 2, values %products)] };
    my $field = pick(qw(category rating inStock), grep { /^(?:brand|weight|tags|color|note)$/ } own_names('writer'));
    my $value = $json->decode($json->encode(random_product(0)->{$field}));
    return if !@{ $question->{conditions} } || !$is_filled || !defined $value || (ref $value eq 'ARRAY' && !@$value);
    $question = without_others($question);
    my $where = query_of($question);
    my $r = $server->api(POST => '/products/batch', { where => $where, set => { $field => $value } }, token => token_of('writer'), patience => $PATIENCE);
    die "$where: $r->{status} $r->{body} (CATALOG_SEED=$seed)\n" if $r->{status} != 200;
    my @matched = matches($question, values %products);
    check('the number of changes', $where, $r->{json}{matched}, scalar @matched);
    my %before = %products;
    keep($_) for grep { $_->{category} ne $OTHERS } exported();
    $before{ $_->{id} } = { %$_, $field => $field eq 'weight' && $products{ $_->{id} }{weight} == $value ? $products{ $_->{id} }{weight} : $value } for @matched;
    check('a product after the change', "$_ where $where", without($products{$_}, 'changed'), without($before{$_}, 'changed')) for keys %before;
}

sub newest_batch { return get('writer', '/changes/batches?limit=1')->{json}{data}[0]{batch} // 0 }

# One of the changes is taken back, with its batch or, if it was one product's, by restoring that: all products are what they were before, but for the time
# of the change.
sub go_back {
    my %before = %products;
    my $batch = newest_batch();
    my $change = pick(\&create, \&update, \&remove, \&change_matching);
    $change->();
    return if newest_batch() == $batch;
    my ($id) = grep { ($before{$_} // 0) != ($products{$_} // 0) } keys %{ { %before, %products } };
    if (rand() < 0.5 && ($change == \&update || $change == \&remove)) {
        my $seq = get('writer', "/products/$id/history?limit=1")->{json}{data}[0]{seq};
        write_product(200, POST => "/products/$id/restore", { seq => $seq });
    } else {
        write_product(200, POST => '/changes/batches/' . newest_batch() . '/undo');
    }
    my %there = map { $_->{id} => $_ } exported();
    %products = map { $_ => $products{$_} // $before{$_} } keys %there;
    keep($_) for values %there;
    check('a product', "$_ that has gone back", $products{$_} && without($products{$_}, 'changed'), $before{$_} && without($before{$_}, 'changed'))
        for keys %{ { %before, %products } };
}

# ---- products of another client ----

my $over = scratch() . '/over'; # tells the other client to end when it has its answer: what it sends may be stored after it was killed
my $PAUSE = 0.02; # seconds between two writes, which would otherwise take more of the machine than the questions

sub write_others {
    my ($number) = @_;
    srand $seed + $number;
    for (my @ids; !-e $over; sleep $PAUSE) {
        my $product = { %{ random_product(1e6 * $number + ++$unique) }, category => $OTHERS };
        if (@ids < 50 && rand() < 0.6) {
            push @ids, $server->api(POST => '/products', $product, token => token_of('writer'))->{json}{data}{id} // ();
        } elsif (@ids) {
            my ($id) = splice @ids, int rand @ids, 1;
            my $is_update = rand() < 0.5;
            $server->api($is_update ? (PUT => "/products/$id", $product) : (DELETE => "/products/$id"), token => token_of('writer'));
            push @ids, $id if $is_update;
        }
    }
}

sub start_writer {
    my ($number) = @_;
    unlink $over;
    $writer = fork // die "fork: $!\n";
    return if $writer;
    @SIG{qw(INT TERM)} = qw(DEFAULT DEFAULT); # only the parent stops the server
    eval { write_others($number) };
    POSIX::_exit(1); # without the END blocks of the test
}

sub stop_writer {
    my $written = get('writer', '/products?category=' . encoded($OTHERS))->{json}{pagination}{total};
    cmp_ok($written, '>', 0, 'another client wrote products');
    is(waitpid($writer, POSIX::WNOHANG()), 0, 'and did so to the end');
    spew($over, '');
    waitpid $writer, 0;
    $writer = 0;
    my $r = $server->api(POST => '/products/batch', { where => 'category=' . encoded($OTHERS), delete => true }, token => token_of('writer'), patience => $PATIENCE);
    is($r->{status}, 200, 'they are deleted') or diag $r->{body};
}

# The question about all but their products.
sub without_others {
    my ($question) = @_;
    my @conditions = grep { "@$_[0, 1]" ne 'category ne' } @{ $question->{conditions} };
    return { %$question, conditions => [@conditions, [category => 'ne', $OTHERS]], match => $question->{match} || 'prefix' };
}

# ---- questions: each gives true if it was answered ----

# An integer, which JSON writes without a point.
sub pages_of {
    use integer;
    my ($total, $limit) = @_;
    return ($total + $limit - 1) / $limit;
}

sub wanted {
    my ($question) = @_;
    return $question->{relevance} ? ranked($question, $COUNT_LIMIT, values %products) : ordered($question, matches($question, values %products));
}
sub caller_of { my ($question) = @_; return $question->{who} eq 'writer' ? 'writer' : pick(qw(reader nobody)) }

# The total is exact, or as many as are counted.
sub check_total {
    my ($query, $pagination, $total, $is_exact) = @_;
    my $is_capped = defined $pagination->{totalRelation};
    my $want = $is_capped ? $COUNT_LIMIT : $total;
    check('the total', $query, [@$pagination{qw(total pages totalRelation)}],
        [$want, pages_of($want, $pagination->{limit}), $is_capped ? 'gte' : undef]);
    push @wrong, "$query counts no further than $COUNT_LIMIT of $total" if $is_capped && ($is_exact || $total <= $COUNT_LIMIT);
}

# The members of an answer, and the parameter that asks for them.
sub random_members {
    my ($who) = @_;
    return ('&fields=id', 'id') if rand() < 0.6;
    return ('', list_names($who)) if rand() < 0.5;
    my @names = ('id', grep { rand() < 0.3 } @CatalogTest::Model::BUILT_IN[1 .. 6], own_names($who));
    return ('&fields=' . join(',', @names), @names);
}

sub ask_page {
    my ($question) = @_;
    $question = without_others($question) if $writer;
    my @want = wanted($question);
    my ($fields, @names) = random_members($question->{who});
    my $limit = 1 + int rand($fields eq '&fields=id' ? max(3, min(300, scalar @want)) : 5);
    $question = { %$question, limit => $limit };
    @want = wanted($question);
    my $page = 1 + int rand(pages_of(scalar @want, $limit) + 1);
    my $is_exact = rand() < 0.3;
    my $query = '/products?' . query_of($question) . "$fields&limit=$limit&page=$page" . ($is_exact ? '&count=exact' : '');
    my $r = get(caller_of($question), $query) or return 0;
    my ($from, $to) = (($page - 1) * $limit, min($page * $limit - 1, $#want));
    check("the $question->{who}'s page", $query, $r->{json}{data}, [map { part_of($_, @names) } @want[$from .. $to]]);
    my $total = $question->{relevance} ? matches($question, values %products) : @want;
    check_total($query, $r->{json}{pagination}, $total, $is_exact);
    $corrected++ if $r->{json}{corrected};
    check('what is corrected', $query, $r->{json}{corrected}, corrected($question, [@want[$from .. $to]], values %products));
    return 1;
}

sub ask_meant {
    my ($question) = @_;
    my @few = rand() < 0.7 ? () : @{ $question->{conditions} }[0 .. min(0, $#{ $question->{conditions} })];
    my @words = $is_filled ? words_meant(values %products) : ();
    my $is_ranked = @words && rand() < 0.4;
    my @order = $is_ranked ? (sort => []) : ();
    return ask_page({ %$question, conditions => \@few, words => \@words, match => '', relevance => $is_ranked, @order });
}

# Products of the other client, which may have been created, moved or deleted during the walk, do not count; by relevance they would take the
# places of others.
sub ask_walk {
    my ($question) = @_;
    $question = without_others($question) if $writer && $question->{relevance};
    $question = { %$question, match => $question->{match} || 'prefix' } if $writer;
    my @want = map { $_->{id} } wanted($question);
    my $limit = min(1000, pages_of(scalar @want, 4) + 1);
    @want = map { $_->{id} } wanted({ %$question, limit => $limit });
    my $query = '/products?' . query_of($question) . "&fields=id,category&limit=$limit&cursor=";
    my ($next, @got) = '';
    while (defined $next && @got <= @want) {
        my $r = get(caller_of($question), "$query$next") or return 0;
        push @got, grep { $_->{category} ne $OTHERS } @{ $r->{json}{data} };
        $next = $r->{json}{pagination}{nextCursor};
    }
    check("the $question->{who}'s walk", $query, [map { $_->{id} } @got], \@want);
    return 1;
}

sub text_of { my ($value) = @_; return Cpanel::JSON::XS::is_bool($value) ? $value ? 'true' : 'false' : "$value" }

sub count_values {
    my ($field, @products) = @_;
    my %count;
    $count{ text_of($_) }++ for map { my $value = $_->{$field}; ref $value eq 'ARRAY' ? @$value : $value // () } @products;
    return \%count;
}

# Of a list that is longer than what is counted, a facet is of the newest products, unless counters know it.
sub check_facet {
    my ($query, $field, $values, $is_cut, @products) = @_;
    my $got = { map { text_of($_->{value}) => $_->{count} } @$values };
    my $all = count_values($field, @products);
    my $is_all = !$is_cut || $json->encode($got) eq $json->encode($all);
    check("the facet $field", $query, $got, $is_all ? $all : count_values($field, (ordered({ sort => [] }, @products))[0 .. min($COUNT_LIMIT, scalar @products) - 1]));
    my @counts = map { $_->{count} } @$values;
    push @wrong, "the facet $field of $query is not in order" if "@counts" ne join ' ', sort { $b <=> $a } @counts;
}

sub ask_facets {
    my ($question) = @_;
    $question = without_others($question) if $writer;
    my @fields = grep { defined } (shuffle(facet_names($question->{who})))[0 .. rand 3];
    my @want = matches({ %$question, limit => 1 }, values %products);
    my $query = '/products?' . query_of($question) . '&limit=1&fields=id&facets=' . join ',', map { "$_:1000" } @fields;
    my $r = get(caller_of($question), $query) or return 0;
    check_facet($query, $_, $r->{json}{facets}{$_}, $r->{json}{facetsRelation}, @want) for keys %{ $r->{json}{facets} // {} };
    push @wrong, "the facets of $query are not of all" if $r->{json}{facetsRelation} && $is_filled && @want <= $COUNT_LIMIT;
    return 1;
}

sub ask_values {
    my ($question) = @_;
    return 1 if $writer; # the other client's values would be among them
    my $field = pick(grep { $_ ne 'inStock' } facet_names($question->{who}));
    my $sign = pick('', '-');
    my $query = "/fields/$field/values?limit=1000&sort=${sign}value";
    my $r = get(caller_of($question), $query) or return 0;
    my $of = count_values($field, matches({ who => $question->{who}, visible => $question->{visible}, conditions => [] }, values %products));
    delete $of->{''} if $field eq 'category';
    my @order = sort { compare_values($field, $a, $b) } keys %$of;
    check("the $question->{who}'s list", $query, [map { [text_of($_->{value}), $_->{count}] } @{ $r->{json}{data} }],
        [map { ["$_", $of->{$_}] } $sign ? reverse @order : @order]);
    return 1;
}

sub ask_name {
    my ($question) = @_;
    my $field = pick(unique_names($question->{who})) // return 1;
    my $product = $products{ any_id() };
    my $value = $product->{$field} // "no $field has this";
    my $path = "/products/$field=" . encoded($value);
    return 1 if $value =~ m{/};
    my $r = get(caller_of($question), $path) or return 0;
    my ($want) = matches({ %$question, conditions => [[$field, '', $value]], words => [] }, values %products);
    check("the $question->{who}'s answer", $path, $r->{json}{data}, $want && part_of($want, @CatalogTest::Model::BUILT_IN, own_names($question->{who})));
    return 1;
}

# Each product is found by its name.
sub ask_itself {
    my $product = $products{ any_id() };
    my $query = "/products?id=$product->{id}&fields=id&match=" . pick('prefix', 'exact') . '&q=' . encoded($product->{name});
    return 1 if !$is_filled || !words($product->{name});
    my $r = get('writer', $query) or return 0;
    check('the product', $query, $r->{json}{data}, [{ id => $product->{id} }]);
    return 1;
}

sub ask_export {
    my ($question) = @_;
    $question = without_others($question) if $writer;
    $question = { %$question, relevance => 0 };
    my $query = '/products/export?' . query_of($question);
    my $r = get(caller_of($question), $query) or return 0;
    check("the $question->{who}'s export", $query, [map { $json->decode($_) } split /\n/, $r->{body}],
        [map { part_of($_, @CatalogTest::Model::BUILT_IN, own_names($question->{who})) } wanted($question)]);
    return 1;
}

my @ASKED = ((\&ask_page) x 26, (\&ask_meant) x 6, (\&ask_walk) x 4, (\&ask_facets) x 4, (\&ask_values) x 2, (\&ask_name) x 2, (\&ask_itself) x 2, \&ask_export);

# A word of a field that is being searched anew is not yet found in each product.
sub ask_one {
    my $question = random_question(pick(qw(writer reader)), values %products);
    $question->{visible} = \@visible;
    @$question{qw(words relevance)} = ([], 0) if !$is_filled;
    return pick(@ASKED)->($question);
}

# ---- rounds ----

sub fields_left { return $db->selectrow_array('SELECT COUNT(*) FROM catalog_fields WHERE complete = 0') }

sub write_lines {
    my (@lines) = @_;
    @visible = %products ? random_conditions('writer', pick(0, 1, 1, 2), values %products) : ();
    push @lines, 'CatalogVisible "' . query_of({ conditions => \@visible }) . '"' if @visible;
    spew($server->dir . '/fields.conf', join "\n", @lines, '');
    note join "\n", @lines;
}

# Old children answer as before until they have ended.
sub restart {
    my ($how) = @_;
    my @children = $server->children;
    if ($how eq 'stop') {
        $server->stop;
        $server->start;
    } else {
        $server->graceful;
        wait_until(60, sub { !grep { kill 0, $_ } @children }) or die "old children do not end\n";
        wait_until(60, sub { $server->api(GET => '/fields')->{status} == 200 }) or die "no new children\n";
    }
}

# The first list makes the database know the new fields.
sub begin_round {
    ($client, $gets) = (client($server), 0);
    get('writer', '/products?sort=' . join ',', (grep { $_ ne 'tags' && CatalogTest::Model::is_indexed($_) } own_names('writer'))[0 .. 0]);
    $is_filled = 0;
}

sub wait_filled {
    $is_filled = wait_until($FILLED, sub { !fields_left() });
    ok($is_filled, 'all fields have their keys');
    sleep 1.1; # a server reads the table of fields once a second
}

sub ask_many {
    my ($asked) = @_;
    my $later = 0;
    for my $number (1 .. $asked) {
        $is_filled ||= $number % 50 == 0 && !fields_left() && sleep 1.1;
        $later += !ask_one();
        pick(\&create, \&update, \&update, \&remove, \&change_matching, $writer ? () : \&go_back)->() if $number % 10 == 0;
        return 0 if @wrong > 5;
    }
    return $later;
}

spew($server->dir . '/fields.conf', '');
spew($server->dir . '/synonyms.txt', write_synonyms());
$server->start;
$db = $server->database;
$db->{AutoInactiveDestroy} = 1; # the other client does not close the connection
for my $round (1 .. $rounds) {
    write_lines(choose_fields());
    restart($round == 1 || rand() < 0.5 ? 'stop' : 'graceful');
    begin_round();
    if ($round == 1) {
        wait_filled(); # a default= would be given to imported products
        import_products();
        keep($_) for exported();
        is(keys %products, $count, 'the catalogue is read');
        create() for 1 .. 30;
    }
    start_writer($round) if $round % 2 == 0;
    my $later = ask_many(POSIX::ceil($questions / $rounds));
    note "round $round: $later questions are asked again";
    wait_filled() if !$is_filled;
    is(ask_many($later), 0, "round $round: each question is answered");
    # While keys were filled in, no question asked for words.
    for (my $more = 50; $corrected <= $questions / 800 && $more && !@wrong; $more--) {
        ask_meant({ %{ random_question('writer', values %products) }, visible => \@visible });
    }
    stop_writer() if $writer;
    last if @wrong;
}
is(join("\n", @wrong), '', "$questions questions are answered as the model answers them") or diag "CATALOG_SEED=$seed";

note "$corrected answers name words that may have been meant";
cmp_ok($corrected, '>', $questions / 800, 'some with words that may have been meant');

# ---- nothing is lost ----

write_lines(choose_fields(1));
restart('stop');
begin_round();
wait_filled();
my %there = map { $_->{id} => $_ } exported();
is_deeply([grep { $json->encode($there{$_} // {}) ne $json->encode($products{$_} // {}) } sort keys %{ { %there, %products } }], [],
    'when all fields have their lines again, products have what they had');
# Conditions that no product meets are one: the rounds draw them at random.
is(join('', grep { !/ of \d+ products meet CatalogVisible/ } split /^/, problems(ctl_for($server, 'check'))), '', 'catalogctl check finds no problem');

done_testing;
