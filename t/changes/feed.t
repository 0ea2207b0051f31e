# SPDX-License-Identifier: Apache-2.0
# route: GET /changes
# The changes of all products, for those who keep a copy of them.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use Time::HiRes qw(sleep);

my $server = server()->start;
my $writer = register($server);
my $token = $writer->{token};

sub call { my ($method, $path, $body, %more) = @_; return $server->api($method => $path, $body, token => $token, %more) }
sub changes { my ($query) = @_; return call(GET => "/changes$query") }

# The changes after a number, once there are as many.
sub wait_for_changes {
    my ($since, $count) = @_;
    my $answer;
    wait_until(10, sub { $answer = changes("?since=$since&limit=1000"); @{ $answer->{json}{data} } >= $count });
    is(scalar @{ $answer->{json}{data} }, $count, "$count changes after $since");
    return $answer->{json};
}

# case: nothing yet
answers(changes(''), 200, { success => true, data => [], next => 0 }, 'there is nothing yet');
answers(changes('?since=0'), 200, { success => true, data => [], next => 0 }, 'after 0 neither');
answers(changes('?since=end'), 200, { success => true, data => [], next => 0 }, 'the end is 0');

# case: each write, in its order
my $id = call(POST => '/products', { name => 'Cup', price => 1.5 })->{json}{data}{id};
call(PUT => "/products/$id", { price => 19.99 });
call(POST => '/products/batch', { operations => [map { { op => 'create', body => { name => "b$_", price => $_ } } } 1 .. 3] });
call(DELETE => "/products/$id");
my $all = wait_for_changes(0, 6);
my @data = @{ $all->{data} };
is_deeply([map { $_->{op} } @data], [qw(create update create create create delete)], 'they are in their order');
is_deeply([map { $_->{id} } @data[0, 1, 5]], [($id) x 3], 'with the product');
is_deeply($_->{by}, { id => $writer->{user}{id}, username => $writer->{user}{username} }, 'and who') for @data;
is_deeply([sort { $a <=> $b } map { $_->{seq} } @data], [map { $_->{seq} } @data], 'their numbers rise');
is($all->{next}, $data[-1]{seq}, 'next is the last one');
is_deeply([map { $_->{batch} } @data[2, 3]], [($data[4]{batch}) x 2], 'a batch is one');

# case: portions
my ($next, @read) = (0);
for (1 .. 4) {
    my $answer = changes("?since=$next&limit=2")->{json};
    push @read, @{ $answer->{data} };
    $next = $answer->{next};
}
is_deeply(\@read, \@data, 'in portions they are the same');
answers(changes("?since=$next"), 200, { success => true, data => [], next => $next }, 'at the end next stays');
answers(changes('?since=end&include=product&limit=1'), 200, { success => true, data => [], next => $next }, 'which is also found at once');

# case: a number that no change has: the database is a copy that was put back
answers(changes('?since=' . ($next + 1)), 410, refusal(error => qr/restored/), 'behind the end nothing can follow', 'catalog-problem' => 'changes-gone');
answers(changes('?since=9223372036854775806'), 410, refusal(error => qr/./), 'however far');

# case: with the products
my @with = @{ changes('?include=product')->{json}{data} };
ok(!exists $with[0]{product}, 'a product that is gone is absent');
is_deeply($with[2]{product}, call(GET => "/products/$with[2]{id}")->{json}{data}, 'the others are as they are');

# case: parameters
for my $bad ('since=x', 'since=END', 'since=end1', 'since=-1', 'since=', 'since=1.5', 'since=%2B1', 'since=%201', 'since=9223372036854775807', 'include=all', 'since=1&since=2') {
    is(changes("?$bad")->{status}, 400, "$bad is refused");
}
is(changes('?limit=x')->{status}, 200, 'a limit that is no number counts as absent');
answers(changes('?nosuch=1'), 200, undef, 'an unknown parameter is named', 'catalog-ignored' => 'nosuch');
is($server->api(GET => '/changes')->{status}, 401, 'only writers read it');

# case: an import in portions
my $rows = join '', map { qq({"name":"p$_","price":$_}\n) } 1 .. 12_000;
my $import = call(POST => '/products/import?atomic=false', $rows, headers => { 'Content-Type' => 'application/x-ndjson' });
is($import->{status}, 200, 'an import') or diag $import->{content};
my (%seen, $batch);
my $read = 0;
wait_until(20, sub {
    my $answer = changes("?since=$next&limit=1000")->{json};
    sleep 0.1 if !@{ $answer->{data} };
    $seen{ $_->{id} }++, $batch //= $_->{batch}, $read += $_->{batch} == $batch for @{ $answer->{data} };
    $next = $answer->{next};
    return $read == 12_000;
});
is($read, 12_000, 'each row is a change of one batch');
is(scalar keys %seen, 12_000, 'and none comes twice');
is($import->{headers}{'catalog-batch'}, $batch, 'which the answer names');
my $db = $server->database;
is_deeply($db->selectrow_arrayref('SELECT row_count, complete, source FROM change_batches WHERE id = ?', undef, $batch), [12_000, 1, 'import'],
    'the batch counts them');

# case: after a move there is nothing to undo, and those who follow begin again, however far they were
my $file = ctl_for($server, 'export')->{out};
my ($last) = $file =~ /\A.*"changes":(\d+)\}/;
cmp_ok($last, '>=', $next, 'the export has the number of the last change');
my $new = server();
is(ctl_for($new, 'migrate')->{status}, 0, 'another database');
for my $moved ('an empty one', 'one that has them') {
    like(ctl_for($new, { in => $file }, 'import')->{out}, qr/^\d+ rows, (?:\d+ added; the history of products does not move|0 added)$/m, "$moved: the import says so");
}
$new->start;
sub there { my ($method, $path, $body) = @_; return $new->api($method => $path, $body, token => $token) }
is(there(GET => "/changes?since=$_")->{status}, 410, "since=$_ begins again") for 1, $next, $last;
is_deeply(there(GET => '/changes/batches')->{json}{data}, [], 'no batch undoes the import');
is(there(GET => '/products?limit=1')->{json}{pagination}{total}, call(GET => '/products?limit=1')->{json}{pagination}{total}, 'the products are there');
my $end = there(GET => '/changes?since=end')->{json}{next};
cmp_ok($end, '>', $last, 'the numbers begin above those of the other database');
is(there(GET => "/changes?since=$end")->{status}, 200, 'from the end on it can be followed');
my $made = there(POST => '/products', { name => 'Mug', price => 2 })->{json}{data}{id};
my $followed;
ok(wait_until(10, sub { $followed = there(GET => "/changes?since=$end")->{json}; @{ $followed->{data} } == 1 }), 'the next change is there');
is($followed->{data}[0]{id}, $made, 'and only that');
cmp_ok($followed->{next}, '>', $end, 'with a higher number');
is_deeply([map { $_->{id} } @{ there(GET => '/changes?since=0')->{json}{data} }], [$made], 'nor is there another one from the beginning on');
done_testing;
