# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# route: POST /products/import
# route: POST /changes/batches/:batch/undo
# again: db
# Products that swap unique values in one transaction; and which field is named, of several unique ones, where a value is taken.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use Cpanel::JSON::XS ();

my $server = server(mount => join "\n", map { "CatalogField $_" } 'sku string unique', 'num integer unique', 'note text', 'more text')->start;
my $token = register($server)->{token};
sub made { return $server->api(POST => '/products', { name => 'cup', price => 1, %{ $_[0] } }, token => $token) }

# case: the field that is refused is named, though nothing is stored of what has its value
my @pair = map { { op => 'create', body => { name => 'x', price => 1, sku => "AA$_", num => 5001 } } } 1, 2;
my $both = $server->api(POST => '/products/batch', { operations => \@pair }, token => $token)->{json}{results}[1]{errors};
is_deeply([map { $_->{field} } @$both], ['num'], 'by a batch');
$both = $server->api(POST => '/products/batch', { operations => \@pair, atomic => Cpanel::JSON::XS::false }, token => $token)->{json}{results}[1]{errors};
is_deeply([map { $_->{field} } @$both], ['num'], 'by one that is not atomic');
my $file = "name,price,sku,num\nx,1,AA3,5002\ny,1,AA4,5002\n";
$both = $server->api(POST => '/products/import', $file, headers => { 'Content-Type' => 'text/csv' }, token => $token)->{json}{errors};
is_deeply([map { $_->{field} } @$both], ['num'], 'by an import');

# case: a value for all that match, which one product can have
my $third = made({ sku => 'AA5', num => 5003, name => 'bulk' })->{json}{data}{id};
made({ sku => 'AA6', name => 'bulk' });
for my $dry (Cpanel::JSON::XS::true, Cpanel::JSON::XS::false) {
    my %change = (where => 'name=bulk', dryRun => $dry);
    my $all = $server->api(POST => '/products/batch', { %change, set => { num => 7 } }, token => $token);
    answers($all, 400, undef, 'is refused');
    is_deeply([map { "$_->{field} $_->{code}" } @{ $all->{json}{errors} }], ['num taken'], 'with the field');
    $all = $server->api(POST => '/products/batch', { %change, set => { num => 8 }, atomic => Cpanel::JSON::XS::false }, token => $token)->{json};
    is_deeply([@$all{qw(matched changed failed)}], [2, 1, 1], 'or made for one of them');
    $all = $server->api(POST => '/products/batch', { where => 'sku=AA6', set => { num => 5001 }, dryRun => $dry }, token => $token);
    answers($all, 400, undef, 'a value that another product has is refused');
    my $long = $server->api(POST => '/products/batch', { %change, set => { note => 'x' x 60_000, more => 'x' x 60_000 } }, token => $token);
    is_deeply([map { $_->{code} } @{ $long->{json}{errors} }], ['too_long', 'too_long'], 'so is what is too long') or diag $long->{body};
    my $num = $server->api(GET => "/products/$third")->{json}{data}{num};
    is($num == 8 ? 1 : 0, $dry ? 0 : 1, 'a dry run changes nothing');
}

# ---- values that products swap ----

my %id = map { ($_ => made({ sku => $_, num => 100 + ord, name => 'swap' })->{json}{data}{id}) } 'A' .. 'E';
sub update { my ($which, %body) = @_; return { op => 'update', id => $id{$which} // $which, body => \%body } }
sub operate { my (@operations) = @_; return $server->api(POST => '/products/batch', { operations => \@operations }, token => $token) }
sub import_file { my ($query, $rows) = @_; return $server->api(POST => "/products/import?$query", $rows, headers => { 'Content-Type' => 'text/csv' }, token => $token) }
sub undo { return $server->api(POST => '/changes/batches/' . $server->api(GET => '/changes/batches?limit=1', token => $token)->{json}{data}[0]{batch} . '/undo', token => $token)->{json} }
sub has { my ($field) = @_; return join ' ', map { $server->api(GET => "/products/$id{$_}")->{json}{data}{$field} // '-' } sort keys %id }
sub found { return join ' ', map { my $name = $_; my $r = $server->api(GET => "/products/sku=$name"); $r->{status} == 200 ? grep { $id{$_} eq $r->{json}{data}{id} } keys %id : '-' } 'A' .. 'E' }
sub fails_with { my ($r) = @_; return join ' ', $r->{status}, map { "$_->{index} " . join ',', map { $_->{field} } @{ $_->{errors} } } grep { ($_->{status} // 0) == 400 } @{ $r->{json}{results} } }

# case: each way, and back again
my @ways = (
    ['two products by a batch', 'B A C D E', sub { operate(update('A', sku => 'B'), update('B', sku => 'A')) }],
    ['two by their names', 'B A C D E', sub { operate(update('sku=A', sku => 'B'), update('sku=B', sku => 'A')) }],
    ['three in turn', 'B C A D E', sub { operate(update('A', sku => 'B'), update('B', sku => 'C'), update('C', sku => 'A')) }],
    ['a value that its product gives up later', 'B - C D E', sub { operate(update('A', sku => 'B'), update('B', sku => undef)) }],
    ['a value that its product gave up before', 'B - C D E', sub { operate(update('B', sku => undef), update('A', sku => 'B')) }],
    ['one that is asked for and given up', 'Z A C D E', sub { operate(update('A', sku => 'B'), update('B', sku => 'A'), update('A', sku => 'Z')) }],
    ['two by an import with ids', 'B A C D E', sub { import_file('mode=upsert', "id,sku\n$id{A},B\n$id{B},A\n") }],
    ['five by an import with ids', 'E A B C D', sub { import_file('mode=upsert', "id,sku\n" . join '', map { "$id{$_->[0]},$_->[1]\n" } [A => 'E'], [B => 'A'], [C => 'B'], [D => 'C'], [E => 'D']) }],
);
for (@ways) {
    my ($name, $want, $do) = @$_;
    my ($skus, $stand) = (has('sku'), found());
    answers($do->(), 200, undef, $name);
    is(has('sku'), $want, 'the products have the values');
    is(found(), join(' ', map { my $sku = $_; my @all = split / /, $want; my ($at) = grep { $all[$_] eq $sku } 0 .. 4; defined $at ? ('A' .. 'E')[$at] : '-' } 'A' .. 'E'), 'and are found by them');
    is(undo()->{failed}, 0, 'it is undone');
    is_deeply([has('sku'), found()], [$skus, $stand], 'all is as it was');
}
answers(import_file('mode=upsert&key=sku', "sku,num\nA,166\nB,165\n"), 200, undef, 'values of another field than the key of an import');
is(has('num'), '166 165 167 168 169', 'are swapped, too');
answers(import_file('mode=upsert&key=sku', "sku,name,price,num\nNEW,new,1,165\nB,,,\n"), 200, undef, 'a row that creates takes the value of a later one');
is(has('num'), '166 - 167 168 169', 'which gives it up');
is(undo()->{failed}, 0, 'it is undone');
for my $dry ('true', 'false') {
    answers($server->api(POST => '/products/batch', { where => 'name=swap', adjust => { num => { add => $_ } }, dryRun => $dry eq 'true' ? Cpanel::JSON::XS::true : Cpanel::JSON::XS::false }, token => $token),
        200, undef, "a number of all that match is moved by $_, dry: $dry") for 1, -1;
}
is(has('num'), '166 165 167 168 169', 'and back');
my $off = Cpanel::JSON::XS::false;
my $each = $server->api(POST => '/products/batch', { operations => [update('A', sku => 'B'), update('B', sku => 'X')], atomic => $off }, token => $token)->{json};
is_deeply([map { $_->{status} } @{ $each->{results} }], [400, 200], 'a batch that is not atomic is done one by one');
operate(update('B', sku => 'B'));

# case: what nobody gives up
is(fails_with(operate(update('A', sku => 'B', num => 3), update('B', sku => 'C'), update('D', sku => 'A'))), '400 1 sku', 'the operation whose value stays taken is named, and no other');
is(fails_with(operate(update('A', sku => 'B', num => 167), update('B', sku => 'Z'))), '400 0 num', 'with the field');
is(fails_with(operate(update('A', sku => 'B'), update('C', sku => 'B'), update('B', sku => 'Z'))), '400 1 sku', 'of two that ask for a value the second one');
my $rows = import_file('mode=upsert', "id,sku,num\n$id{A},B,3\n$id{B},C,167\n$id{D},A,4\n")->{json};
is_deeply([map { "$_->{row} $_->{field} $_->{code}" } @{ $rows->{errors} }], ['2 sku taken', '2 num taken'], 'so is the row of an import');
is($rows->{summary}{failed}, 1, 'once');
my $adjusted = $server->api(POST => '/products/batch', { where => 'name=swap&sku[in]=A,B,C', adjust => { num => { add => 1 } } }, token => $token);
is_deeply([$adjusted->{status}, map { "$_->{id} $_->{field}" } @{ $adjusted->{json}{errors} }], [400, "$id{C} num"], 'and the product of a change of all that match') or diag $adjusted->{body};
is(has('sku') . ' ' . has('num'), 'A B C D E 166 165 167 168 169', 'nothing is stored');

# case: more than one statement names
import_file('mode=create', "name,price,sku\n" . join '', map { "many,1,M$_\n" } 1 .. 250);
my %many = map { ($_->{sku} => $_->{id}) } @{ $server->api(GET => '/products?name=many&limit=1000')->{json}{data} };
answers(import_file('mode=upsert', "id,sku\n" . join '', map { my $next = $_ % 250 + 1; "$many{qq(M$_)},M$next\n" } 1 .. 250), 200, undef, 'an import in which all products pass their values on');
is($server->api(GET => '/products/sku=M1')->{json}{data}{id}, $many{M250}, 'is stored');
is_deeply([@{ undo() }{qw(changed failed)}], [250, 0], 'and undone');
is($server->api(GET => '/products/sku=M1')->{json}{data}{id}, $many{M1}, 'each has its own again');
is(problems(ctl_for($server, 'check')), '', 'all keys are right');

done_testing;
