# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# Idempotency-Key on POST /products/import: a file is stored once, whatever comes of its products.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);

my $server = server()->start;
my $other = server(mount => 'CatalogDatabase @driver@ "' . $server->params . '"')->start; # another server, the same database
my $token = register($server)->{token};
my $db = $server->database;

sub request {
    my ($key, $file, %o) = @_;
    my $path = '/products/import' . ($o{query} ? "?$o{query}" : '');
    return wire(POST => $path, $file, token => $token, headers => { 'Content-Type' => 'text/csv', 'Idempotency-Key' => $key });
}
sub import_file { my ($key, $file, %o) = @_; return ($o{server} // $server)->talk(request($key, $file, %o)) }
sub stored { $db->selectrow_array('SELECT COUNT(*) FROM products') }
sub keys_stored { $db->selectrow_array('SELECT COUNT(*) FROM idempotency_keys WHERE part = 0') }
sub summary { return { success => true, message => 'Products imported', summary => { rows => $_[0], created => $_[1], updated => $_[2], unchanged => $_[3] } } }

# Of a file with one bad row.
sub refused {
    my ($rows, $row, $field, $code) = @_;
    return refusal(message => 'Validation failed', error => qr/^row $row: /, errors => [{ row => $row, line => $row + 1, field => $field, code => $code, message => qr/./ }],
        summary => { rows => $rows, failed => 1, stored => 0 });
}

# case: the same file again
my $file = join '', "name,price,colour\n", map { "p$_,$_,red\n" } 1 .. 250;
my $first = import_file('"first"', $file);
my $wanted = summary(250, 250, 0, 0);
$wanted->{summary}{ignored} = ['colour'];
answers($first, 200, $wanted, 'the first request stores the file', 'idempotency-replayed' => undef, 'catalog-ignored' => 'colour');
for my $case (['this server', $server], ['another server on the database', $other]) {
    answers(import_file('"first"', $file, server => $case->[1]), 200, $first->{body}, "$case->[0] repeats the answer, octet by octet",
        'idempotency-replayed' => 'true', 'catalog-ignored' => 'colour');
}
my ($head, $body) = request('"first"', $file) =~ /^(.*?\r\n\r\n)(.*)\z/s;
$head =~ s/^Content-Length: \d+\r\n/Transfer-Encoding: chunked\r\n/mi;
answers($server->talk($head . join('', map { sprintf "%x\r\n%s\r\n", length, $_ } $body =~ /(.{1,500})/sg) . "0\r\n\r\n"), 200, $first->{body},
    'chunks do not matter', 'idempotency-replayed' => 'true');
is(stored(), 250, 'the products are stored once');

# case: another request with the key
my $problem = refusal(message => 'Idempotency-Key already used', error => qr/./);
answers(import_file('"first"', $file . "p251,1,red\n"), 422, $problem, 'another file is refused');
answers(import_file('"first"', $file, query => 'mode=upsert'), 422, $problem, 'so is another query');
is(stored(), 250, 'neither stored anything');

# case: an import that updates
my @ids = map { $_->[0] } @{ $db->selectall_arrayref('SELECT id FROM products ORDER BY id') };
my $updates = "id,price\n$ids[0],99\n$ids[1],99\n$ids[2],3\n";
my $updated = import_file('"update"', $updates, query => 'mode=upsert');
answers($updated, 200, summary(3, 0, 2, 1), 'products are updated');
answers($server->api(PUT => "/products/$ids[0]", { price => 7 }, token => $token), 200, undef, 'one is changed afterwards');
answers($server->api(DELETE => "/products/$ids[1]", token => $token), 200, undef, 'another one is deleted');
answers(import_file('"update"', $updates, query => 'mode=upsert'), 200, $updated->{body}, 'the answer is repeated, although an id is unknown by now',
    'idempotency-replayed' => 'true');
is($server->api(GET => "/products/$ids[0]")->{json}{data}{price}, 7, 'and the product stays as it was changed');
answers(import_file('"new key"', $updates, query => 'mode=upsert'), 400, refused(3, 2, id => 'unknown'), 'with another key the unknown id is an error');

# case: what is not stored does not use up the key
my $count = keys_stored();
answers(import_file('"later"', "name,price\nx,-1\n"), 400, refused(1, 1, price => 'too_small'), 'a bad row is refused');
answers(import_file('"later"', qq(name,price\nx,"1\n)), 400, refused(1, 1, '' => 'format'), 'so is a file that cannot be read');
answers(import_file('"later"', "name,price\nx,1\n", query => 'dryRun=true'), 200, undef, 'dryRun=true checks', 'idempotency-replayed' => undef);
answers(import_file('"later"', "name,price\n" . "x,1\n" x 10_001), 400, refusal(message => 'Too many rows', error => qr/./, summary => { rows => 10_001, failed => 0, stored => 0 }), 'too many rows are refused');
is(keys_stored(), $count, 'none of them uses up the key');
answers(import_file('"later"', "name,price\nx,1\n"), 200, summary(1, 1, 0, 0), 'which the corrected file may have', 'idempotency-replayed' => undef);

# case: several transactions cannot be one
my $before = stored();
answers(import_file('"several"', $file, query => 'atomic=false'), 400, refusal(message => 'Invalid Idempotency-Key', error => qr/atomic=false/),
    'atomic=false with a key is refused');
answers(import_file('a, b', $file), 400, refusal(message => 'Invalid Idempotency-Key', error => qr/./), 'so is a key that is none');
is(stored(), $before, 'nothing was stored');

# case: several at once, on both servers
my $many = join '', "name,price\n", map { "m$_,$_\n" } 1 .. 500;
my @answers = map { $_->burst((request('"at once"', $many)) x 4) } $server, $other;
is(scalar(grep { $_->{status} == 200 } @answers), 8, 'of requests at once each gets the answer');
is(scalar(grep { $_->{headers}{'idempotency-replayed'} } @answers), 7, 'all but one a repetition');
is(stored(), $before + 500, 'and the file is stored once');
is(problems(ctl_for($server, 'check')), '', 'all that is derived of the products is right');

done_testing;
