# SPDX-License-Identifier: Apache-2.0
# runs: first
# again: mpm
# Webhooks while the server restarts gracefully, is killed, and while two servers of a database have the same line: each change arrives, in
# order, and what arrives twice has the same id.
use CatalogTest;
use CatalogTest::Webhooks;

my $receiver = CatalogTest::Webhooks->new;
my @paths = ('/ok/one', '/ok/two', '/hang/three', '/slow:0.3/four');
my $mount = "CatalogRateLimit Off\n" . $receiver->lines(@paths);
my $server = server(mount => $mount)->start;
my $other = server(mount => $mount, conf => 'DBDParams "' . $server->params . "\"\n")->start;
my $db = $server->database;
my %token = (token => register($server)->{token});
ok(wait_until(20, sub { $db->selectrow_array('SELECT COUNT(*) FROM webhooks') == @paths }), 'the webhooks are there');

my @created;
sub create {
    my ($count) = @_;
    my $r = $server->api(POST => '/products/batch', { operations => [map { { op => 'create', body => { name => "p$_", price => $_ } } } 1 .. $count] }, %token);
    push @created, map { $_->{data}{id} } @{ $r->{json}{results} } if $r->{status} == 200;
    return $r->{status};
}

# The changes of a path, those of repeated messages once; dies if a repetition differs.
sub accepted {
    my ($path) = @_;
    my (%seen, @changes);
    for my $m ($receiver->received($path)) {
        my $id = $m->{headers}{'webhook-id'};
        push @changes, @{ $m->{verified}{data} } unless exists $seen{$id};
        die "$id has two bodies\n" if exists $seen{$id} && $seen{$id} ne $m->{body};
        $seen{$id} = $m->{body};
    }
    return @changes;
}
sub told { my ($path) = @_; return scalar grep { $_->{op} eq 'create' } accepted($path) }

sub all_arrived {
    my ($name) = @_;
    for my $path (grep { !/hang/ } @paths) {
        ok(wait_until(60, sub { told($path) == @created }), "$name: each change arrives at $path") or diag told($path) . ' of ' . @created;
        my @seqs = map { $_->{seq} } accepted($path);
        is_deeply(\@seqs, [sort { $a <=> $b } @seqs], 'in order');
        my @ids = map { $_->{id} } accepted($path);
        is_deeply([sort @ids], [sort @created], 'and none is missing or false');
    }
}

create(50) for 1 .. 3;
$server->graceful;
create(50) for 1 .. 3;
wait_until(20, sub { create(1) == 200 });
all_arrived('a graceful restart');

create(150);
wait_until(5, sub { told('/ok/one') > @created - 150 });
$server->kill;
$server->start;
create(20);
all_arrived('a server that was killed');

create(150);
$receiver->kill;
create(10);
sleep 2;
$receiver->start;
all_arrived('a receiver that was away');

# One of two servers ends while it has sent something, and the other one goes on.
create(150);
wait_until(5, sub { $db->selectrow_array(q(SELECT COUNT(*) FROM webhooks WHERE lease <> '')) });
$other->kill;
create(20);
all_arrived('another server that was killed');

# The one that hangs is named once its first failure is noted, by who noted it, or by another one too that was killed before it could.
my $hang_url = $receiver->url('/hang/three');
ok(wait_until(90, sub { $db->selectrow_array('SELECT COUNT(*) FROM webhooks WHERE url = ? AND failing_at IS NOT NULL', undef, $hang_url) }), 'a failure is noted');
sub named { return scalar map { $_->log_text =~ /CAT140: .*three/g } $server, $other }
ok(wait_until(60, \&named), 'the one that hangs is named');
my $named = named();

# A server that stops gives its claims back, so that the next one need not wait for their end.
my $hanging = 'SELECT lease, attempts FROM webhooks WHERE url = ?';
$db->do(q(UPDATE webhooks SET attempts = 7, next_at = 1, lease = '' WHERE url = ?), undef, $hang_url);
ok(wait_until(20, sub { $db->selectrow_array(q(SELECT COUNT(*) FROM webhooks WHERE url = ? AND lease <> '' AND attempts = 8), undef, $hang_url) }), 'a message is on its way');
my $took = $server->stop;
takes_less($took, 8, 'a server stops meanwhile');
is_deeply([$db->selectrow_array($hanging, undef, $hang_url)], ['', 7], 'and gives its claim back');

is(scalar(grep { $_->{error} } $receiver->received), 0, 'the library verifies all of them');
is(named(), $named, 'the one that hangs is not named at each attempt');

expect_log(qr/CAT140: /);
allow_log(qr/CAT144: |AH00098: pid file .* overwritten|database is locked|CAT0\d\d: .*(?:lock|busy|another)/);
allow_kills();
done_testing;
