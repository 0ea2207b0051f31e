# SPDX-License-Identifier: Apache-2.0
# route: GET /changes
# route: GET /products/:id/history
# Changes that are older than CatalogHistory are deleted, and those who follow the changes are told; Off notes nothing.
use CatalogTest;
use Time::HiRes qw(sleep);

my $server = server(mount => "CatalogHistory 2d\n")->start;
my $token = register($server)->{token};
my $db = $server->database;

sub call { my ($to, $method, $path, $body) = @_; return $to->api($method => $path, $body, token => $token) }
sub count { my ($table) = @_; return $db->selectrow_array("SELECT COUNT(*) FROM $table") }

# case: only what is too old goes
my @ids = map { call($server, POST => '/products', { name => "n$_", price => $_ })->{json}{data}{id} } 1 .. 6;
my $all;
wait_until(10, sub { $all = call($server, GET => '/changes')->{json}; @{ $all->{data} } == 6 });
my @seq = map { $_->{seq} } @{ $all->{data} };
my $old = time() - 3 * 86_400;
my $numbers = $db->selectcol_arrayref('SELECT number FROM changes ORDER BY number');
$db->do('UPDATE changes SET at = ? WHERE number <= ?', undef, $old . '000', $numbers->[3]);
$db->do('UPDATE change_batches SET at = ?', undef, $old . '000');
wait_until(10, sub { count('changes') == 2 });
is_deeply([map { $_->{id} } @{ call($server, GET => '/changes')->{json}{data} }], [@ids[4, 5]], 'those that are older are gone');
wait_until(10, sub { count('change_batches') <= 3 });
cmp_ok(count('change_batches'), '<=', 3, 'and so are their batches');

# case: who follows them is told
answers(call($server, GET => "/changes?since=$seq[2]"), 410, refusal(error => qr/since/), 'changes after since are gone');
answers(call($server, GET => "/changes?since=$seq[3]"), 200, undef, 'nothing after since is gone');
is(scalar @{ call($server, GET => "/changes?since=$seq[3]")->{json}{data} }, 2, 'so the next ones follow');
answers(call($server, GET => "/products/$ids[0]/history"), 200, { success => true, data => [], pagination => { page => 1, limit => 10, total => 0, pages => 0 } },
    'a product whose history is gone has none');

# case: a batch that went on for long stays until its last portion goes, with who made it
my $number = driver eq 'sqlite3' ? 'number' : 'seq';
my $end = $db->selectrow_array("SELECT MAX($number) FROM changes");
call($server, POST => '/products/batch', { operations => [map { { op => 'create', body => { name => "long$_", price => $_ } } } 1 .. 3] });
call($server, POST => '/products', { name => 'between', price => 1 });
wait_until(10, sub { @{ call($server, GET => "/changes?since=$end")->{json}{data} } == 4 });
my ($long, $short) = @{ $db->selectcol_arrayref("SELECT DISTINCT batch FROM changes WHERE $number > ? ORDER BY batch", undef, $end) };
my ($n1, $n2, $n3, $n4) = @{ $db->selectcol_arrayref("SELECT number FROM changes WHERE $number > ? ORDER BY number", undef, $end) };
$db->do('UPDATE changes SET batch = ? WHERE number = ?', undef, @$_) for [$short, $n2], [$long, $n4];
$db->do('UPDATE change_batches SET at = ? WHERE id = ?', undef, $old . '000', $long);
$db->do('UPDATE changes SET at = ? WHERE number <= ?', undef, $old . '000', $n1);
wait_until(10, sub { count('changes') == 3 });
sleep 1;
my @later = @{ call($server, GET => '/changes')->{json}{data} };
is(scalar(grep { $_->{by} } @later), 3, 'all changes that are kept have their author') or diag explain \@later;
$seq[5] = $later[-1]{seq};

# case: the last one stays, so that no number is given again
$db->do('UPDATE changes SET at = ?', undef, $old . '000');
wait_until(10, sub { count("changes") == 1 });
sleep 1;
is(count('changes'), 1, 'the last change stays');
call($server, PUT => "/products/$ids[0]", { price => 9 });
wait_until(10, sub { my $d = call($server, GET => "/changes?since=$seq[5]")->{json}{data}; @$d && $d->[0]{seq} > $seq[5] });
my $later = call($server, GET => "/changes?since=$seq[5]")->{json}{data};
cmp_ok($later->[0]{seq}, '>', $seq[5], 'later changes have higher numbers');
$server->stop;

# case: Off
my $off = server(mount => "CatalogHistory Off\n")->start;
$token = register($off)->{token};
my $id = call($off, POST => '/products', { name => 'Cup', price => 1 })->{json}{data}{id};
call($off, PUT => "/products/$id", { price => 2 });
is(call($off, DELETE => "/products/$id")->{status}, 200, 'products are written as ever');
$db = $off->database;
is(count('changes') + count('change_batches'), 0, 'nothing is noted');
for (['GET', '/changes'], ['GET', "/products/$id/history"], ['POST', "/products/$id/restore", { seq => 1 }]) {
    is(call($off, @$_)->{status}, 404, "$_->[1] is no route");
}
my $paths = $off->api(GET => '/openapi.json')->{json}{paths};
ok(!grep({ /changes|history|restore/ } keys %$paths), 'and not described');
done_testing;
