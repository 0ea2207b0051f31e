# SPDX-License-Identifier: Apache-2.0
# Webhooks that are far behind: when they are tried again, what they go past, and what the history does not have any more.
use CatalogTest;
use CatalogTest::Webhooks;

my $receiver = CatalogTest::Webhooks->new;
my $server = server(mount => "CatalogRateLimit Off\n" . $receiver->lines('/500/late', '/ok/deleted events=product.deleted'))->start;
my $db = $server->database;
my %token = (token => register($server)->{token});
sub row { my ($path) = @_; return $db->selectrow_hashref('SELECT * FROM webhooks WHERE url = ?', undef, $receiver->url($path)) }
sub create { return map { $server->api(POST => '/products', { name => 'x', price => $_ }, %token)->{json}{data}{id} } @_ }
ok(wait_until(60, sub { row('/500/late') && row('/ok/deleted') }), 'the webhooks are there');

# ---- when a receiver is tried again ----

my ($first) = create(1);
ok(wait_until(60, sub { (row('/500/late')->{status} // 0) == 500 && !row('/500/late')->{lease} }), 'a receiver fails');
my $set = q(UPDATE webhooks SET attempts = ?, next_at = 1, status = NULL WHERE url = ? AND lease = '');

# Seconds until the next attempt, if it fails for the n-th time.
sub waits {
    my ($attempt) = @_;
    wait_until(60, sub { $db->do($set, undef, $attempt - 1, $receiver->url('/500/late')) == 1 });
    wait_until(60, sub { my $r = row('/500/late'); $r->{status} && !$r->{lease} });
    my $row = row('/500/late');
    return ($row->{next_at} - $row->{status_at}) / 1000;
}
for ([1, 5], [2, 10], [5, 80], [12, 10_240], [14, 21_600], [40, 21_600]) {
    my ($attempt, $least) = @$_;
    my $wait = waits($attempt);
    ok($wait >= $least && $wait <= ($least < 21_600 ? $least * 1.1 : $least) + 0.01, "after attempt $attempt it waits $least seconds, or a little more") or diag $wait;
}
$receiver->answer('/500/late', '503:60');
my $wait = waits(1);
ok($wait >= 60 && $wait < 61, 'Retry-After is respected') or diag $wait;
$receiver->answer('/500/late', '429:999999');
is(waits(1), 21_600, 'up to six hours');

# ---- what a webhook is not told of ----

$server->api(POST => '/products/batch', { operations => [map { { op => 'create', body => { name => "p$_", price => 1 } } } 1 .. 1000] }, %token) for 1 .. 3;
$server->api(DELETE => "/products/$first", undef, %token);
ok(wait_until(60, sub { $receiver->received('/ok/deleted') }), 'one change among thousands of others arrives');
my ($message, @others) = $receiver->received('/ok/deleted');
is(join(' ', map { "$_->{op}:$_->{id}" } @{ $message->{verified}{data} }), "delete:$first", 'alone');
is(scalar(@others), 0, 'and once');

# ---- what the history has lost ----

my $sent = row('/500/late')->{sent_seq};
my $seq = driver eq 'sqlite3' ? 'number' : 'seq';
my $end;
ok(wait_until(60, sub { $end = $db->selectrow_array("SELECT MAX($seq) FROM changes"); $end > $sent + 3000 && row('/ok/deleted')->{sent_seq} == $end }),
    'the other one is far behind');
my $purged = $sent + 2950;
$db->do("DELETE FROM changes WHERE $seq <= ?", undef, $purged);
$db->do(q(UPDATE change_marks SET n = ? WHERE name = 'purged'), undef, $purged);
$receiver->answer('/500/late', 'ok');
$db->do(q(UPDATE webhooks SET next_at = 1 WHERE url = ?), undef, $receiver->url('/500/late'));
ok(wait_until(60, sub { row('/500/late')->{sent_seq} == $end }), 'it gets what there is');
my ($late) = grep { $_->{verified}{since} > $sent } $receiver->received('/500/late');
is($late->{verified}{since}, $purged, 'and sees by since what is missing');
cmp_ok($late->{verified}{data}[0]{seq}, '>', $purged, 'it begins behind that');
like($server->log_text, qr/CAT145: the webhook \S+ \(\S+\) misses the changes from \d+ to $purged: /, 'the log says so');

# It was there before the first change, and got none.
$db->do('UPDATE webhooks SET sent_seq = 0, until_seq = 0, told_seq = 0, next_at = 1 WHERE url = ?', undef, $receiver->url('/500/late'));
ok(wait_until(60, sub { row('/500/late')->{sent_seq} == $end }), 'one that is at 0 gets what there is');
like($server->log_text, qr/CAT145: the webhook \S+ \(\S+\) misses the changes from 1 to $purged: /, 'and is told that changes are missing');

expect_log(qr/CAT14[045]: /);
done_testing;
