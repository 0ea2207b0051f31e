# SPDX-License-Identifier: Apache-2.0
# route: GET /webhooks
# moves: catalog_webhook_messages_total delivered deferred dead
# moves: catalog_webhooks_dead
# moves: catalog_webhook_failing_seconds
# again: pgsql
# runs: first
# lasts: 50
# CatalogWebhook: each receiver gets each change, in order, signed as standardwebhooks.com says, whatever the others do.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ctl qw(ctl_for listed);
use CatalogTest::Metrics qw(moved_since);
use CatalogTest::Webhooks;
use Time::HiRes qw(time);

my $receiver = CatalogTest::Webhooks->new;
my @paths = (qw(/ok/a /ok/b?token=query /slow:1/c /500/d /redirect/e /hang/f /reset/g /large/h /drip/i), '/ok/deleted events=product.deleted');
my $server = server(mount => $receiver->lines(@paths), conf => CatalogTest::Metrics::location())->start;
my $db = $server->database;
my $writer = register($server);
my %token = (token => $writer->{token});
my $admin = register($server, username => 'boss');
set_role($server, 'boss', 'admin');
$admin = sign_in($server, 'boss', 'correct horse')->{json}{token};

sub rows { return { map { $_->{url} =~ s{^http://[^/]+}{}r => $_ } @{ $server->api(GET => '/webhooks?limit=100', token => $admin)->{json}{data} // [] } } }
sub create { return map { $server->api(POST => '/products', { name => "product $_", price => $_ }, %token)->{json}{data}{id} } @_ }
sub told { my ($path) = @_; return join ' ', map { "$_->{op}:$_->{id}" } $receiver->changes($path) }
sub arrives { my ($path, $want, $name) = @_; return ok(wait_until(15, sub { told($path) eq $want }), $name) || diag(told($path), "\ninstead of\n$want") }

# ---- what is sent ----

ok(wait_until(15, sub { keys %{ rows() } == @paths }), 'each URL has a row once the server has started');
is(scalar $receiver->received, 0, 'a new webhook is told nothing of what was before');
my ($one, $two) = create(1, 2);
$server->api(PUT => "/products/$one", { name => 'changed', price => 3 }, %token);
$server->api(DELETE => "/products/$two", undef, %token);
my @all = ("create:$one", "create:$two", "update:$one", "delete:$two");
arrives('/ok/a', "@all", 'the receiver is told of each change, in order');
arrives('/ok/b?token=query', "@all", 'so is another one');
arrives('/ok/deleted', "delete:$two", 'and one that wants to know of deletions only is told of these');

my ($message) = $receiver->received('/ok/a');
is($message->{error}, undef, 'the library of Standard Webhooks verifies it') or diag explain $message;
is(match($message->{verified}, { type => 'product.changes', timestamp => $TIME, since => qr/^\d+$/, next => qr/^\d+$/,
    data => sub { @{ $_[0] } >= 1 } }), '', 'what a message has');
is(match($message->{verified}{data}[0], { seq => qr/^\d+$/, at => $TIME, op => 'create', id => $one, batch => qr/^\d+$/,
    by => { id => $writer->{user}{id}, username => $writer->{user}{username} } }), '', 'what a change has, as in GET /changes');
is($message->{verified}{timestamp}, $message->{verified}{data}[-1]{at}, 'the time of a message is that of its last change');
like($message->{headers}{'webhook-id'}, qr/^msg_[0-9a-f-]{36}_\d+_\d+_7$/, 'it has an id');
is("@{ $message->{headers} }{qw(content-type)} $message->{method}", 'application/json POST', 'and is JSON');
my $at = 0;
for my $m (map { $_->{verified} } $receiver->received('/ok/a')) {
    is($m->{since}, $at, 'messages join without a gap') if $at;
    $at = $m->{next};
}

# ---- what does not delay the others ----

arrives('/slow:1/c', "@all", 'a slow receiver is told, too');
is(scalar(grep { $_->{path} =~ /redirected/ } $receiver->received), 0, 'no redirect is followed');
ok(wait_until(10, sub { told('/large/h') eq "@all" && (rows()->{'/large/h'}{status} // 0) == 200 }), 'of a long answer, the status counts');
ok(wait_until(20, sub { my $r = rows(); $r->{'/hang/f'}{error} && $r->{'/drip/i'}{status} }), 'a receiver that does not answer is given up after a while');
my $rows = rows();
is(match($rows->{'/500/d'}, { id => $ID, url => $receiver->url('/500/d'), state => 'active', sent => qr/^\d+$/, attempts => qr/^[1-9]$/,
    nextAt => $TIME, failingSince => $TIME, status => 500, statusAt => $TIME, error => 'the receiver answered 500', createdAt => $TIME }), '', 'GET /webhooks tells of a failure');
is(match($rows->{'/ok/a'}, { id => $ID, url => $receiver->url('/ok/a'), state => 'active', sent => $at, attempts => 0, status => 204, statusAt => $TIME,
    createdAt => $TIME }), '', 'and of success');
is($rows->{'/redirect/e'}{error}, 'the receiver answered 302', 'a redirect is a failure');
is($rows->{'/drip/i'}{status}, 200, 'an answer without an end is an answer');
like($rows->{'/hang/f'}{error}, qr/timed out/i, 'the error of a receiver that hangs');
ok(!exists $rows->{'/hang/f'}{status} && !exists $rows->{'/reset/g'}{status}, 'which answered nothing');
$db->do(q(UPDATE webhooks SET next_at = 1 WHERE failing_at IS NOT NULL AND lease = '')); # those that fail are being tried meanwhile
my $hangs = scalar $receiver->received('/hang/f');
ok(wait_until(15, sub { $receiver->received('/hang/f') > $hangs }), 'the one that hangs hangs again');
my $began = time;
my $three = (create(3))[0];
takes_less(time - $began, 1, 'no client waits for that');
push @all, "create:$three";
arrives('/ok/a', "@all", 'and the others go on');
takes_less(time - $began, 5, 'at once');
diag sprintf 'a change arrived after %.1f s while another receiver hung', time - $began;

# ---- again ----

my @attempts = $receiver->received('/500/d');
$receiver->answer('/500/d', 'ok');
ok(wait_until(60, sub { rows()->{'/500/d'}{sent} == rows()->{'/ok/a'}{sent} }), 'a receiver that works again gets everything');
my @later = ($receiver->received('/500/d'))[scalar(@attempts) - 1 .. scalar($receiver->received('/500/d')) - 1];
is($later[1]{headers}{'webhook-id'}, $later[0]{headers}{'webhook-id'}, 'another attempt has the same id');
is($later[1]{body}, $later[0]{body}, 'and the same body');
cmp_ok($later[1]{headers}{'webhook-timestamp'}, '>', $later[0]{headers}{'webhook-timestamp'}, 'but its own time');
is(scalar(grep { $_->{error} } $receiver->received), 0, 'every attempt verifies');
my @seen = do { my %seen; grep { !$seen{ $_->{headers}{'webhook-id'} }++ } $receiver->received('/500/d') };
is(join(' ', map { "$_->{op}:$_->{id}" } map { @{ $_->{verified}{data} } } @seen), "@all", 'nothing is missing, and all is in order');
ok(!exists rows()->{'/500/d'}{$_}, "there is no $_ then") for qw(failingSince nextAt error);
like($server->log_text, qr{CAT144: the webhook \S+ \(http://[^ )]+/500/d\) accepts messages again}, 'which is logged');

# ---- dead ----

$receiver->answer('/ok/b?token=query', '410');
create(4);
ok(wait_until(15, sub { rows()->{'/ok/b?token=query'}{state} eq 'dead' }), '410 ends a webhook at once');
my $age = q(UPDATE webhooks SET failing_at = failing_at - 3 * 86400000, next_at = 1 WHERE url = ? AND lease = ''); # not while it is being tried
wait_until(15, sub { $db->do($age, undef, $receiver->url('/reset/g')) == 1 });
ok(wait_until(15, sub { rows()->{'/reset/g'}{state} eq 'dead' }), 'one that has failed for three days is dead after another attempt');
my $sent = rows()->{'/reset/g'}{sent};
is(ctl_for($server, 'webhook', 'list')->{status}, 0, 'catalogctl webhook list');
my %listed = map { $_->{url} =~ s{^http://[^/]+}{}r => $_ } listed(ctl_for($server, 'webhook', 'list'));
is("@{ $listed{'/reset/g'} }{qw(state sent)}", "dead $sent", 'says what is dead');
my ($dead, @more) = grep { $_->{what} eq 'webhooks' } listed(ctl_for($server, 'check'));
is("$dead->{state} $dead->{detail} " . @more, 'problem 2 dead; see catalogctl webhook list 0', 'catalogctl check has it');
my %counted = map { $_ => qq(catalog_webhook_messages_total{result="$_"}) } qw(delivered deferred dead);
moved_since($server, {}, { $counted{delivered} => ['>=', 5], $counted{deferred} => ['>=', 3], $counted{dead} => 2,
    catalog_webhooks_dead => 2, catalog_webhook_failing_seconds => ['>=', 1] }, 'the metrics have it');
$receiver->answer($_, 'ok') for '/reset/g', '/ok/b?token=query';
is(ctl_for($server, 'webhook', 'retry', $listed{'/reset/g'}{id}, uc $listed{'/reset/g'}{id})->{out}, "1\n", 'catalogctl webhook retry; an id that is repeated is one');
ok(wait_until(20, sub { rows()->{'/reset/g'}{sent} == rows()->{'/ok/a'}{sent} }), 'and it gets what it missed');
like(ctl_for($server, 'webhook', 'retry', $listed{'/ok/a'}{id})->{err}, qr/there is no such webhook that is dead or fails; nothing was changed/, 'there is nothing to retry where nothing failed');
cmp_ok(ctl_for($server, 'webhook', 'retry')->{out}, '>=', 2, 'catalogctl webhook retry without an id retries all');
ok(wait_until(20, sub { rows()->{'/ok/b?token=query'}{sent} == rows()->{'/ok/a'}{sent} }), 'the one that had wanted no more, too');
my ($entry) = grep { $_->{action} eq 'webhook.retry' } @{ $server->api(GET => '/audit', token => $admin)->{json}{data} };
is(match($entry, { id => $ID, createdAt => $TIME, source => 'catalogctl', actor => qr/./, action => 'webhook.retry', changes => { webhooks => { to => qr/^\d$/ } } }), '', 'the audit table has it');

# ---- a receiver that is not told of everything ----

sub has_all { my ($path) = @_; return wait_until(60, sub { rows()->{$path}{sent} == rows()->{'/ok/a'}{sent} && told('/ok/a') =~ /\Q$all[-1]\E$/ }) }
sub remove { my ($id) = create(@_); $server->api(DELETE => "/products/$id", undef, %token); push @all, "delete:$id" }
push @all, map { "create:$_" } create(5);
ok(has_all('/ok/deleted'), 'changes that it is not told of are left out');
remove(6);
ok(has_all('/ok/deleted'), 'and it is told of the next one');
$server->graceful;
push @all, map { "create:$_" } create(7);
ok(has_all('/ok/deleted'), 'another process leaves some out');
$receiver->answer('/ok/deleted', '500');
remove(8);
ok(wait_until(20, sub { rows()->{'/ok/deleted'}{failingSince} }), 'the next message is refused');
$receiver->answer('/ok/deleted', 'ok');
remove(9);
ok(has_all('/ok/deleted'), 'until it is accepted, as are later ones');
my %attempted;
my @chain = grep { !$attempted{ $_->{headers}{'webhook-id'} }++ } $receiver->received('/ok/deleted');
cmp_ok(scalar(@chain), '>=', 3, 'there are several messages');
is_deeply([map { $_->{verified}{since} } @chain[1 .. $#chain]], [map { $_->{verified}{next} } @chain[0 .. $#chain - 1]], 'each begins where the one before ended, whatever was left out');

# ---- who may see it, and what nobody sees ----

answers($server->api(GET => '/webhooks'), 401, refusal(error => qr/./), 'GET /webhooks requires a token', 'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
answers($server->api(GET => '/webhooks', %token), 403, refusal(error => qr/./), 'of an administrator', 'www-authenticate' => qr/error="insufficient_scope"/);
answers($server->api(GET => '/webhooks?limit=2&page=2', token => $admin), 200, sub { @{ $_[0]{data} } == 2 && $_[0]{pagination}{total} == @paths }, 'a page of the list');
my $secret = substr $CatalogTest::Webhooks::SECRET, 6, 12;
unlike($server->log_text, qr/\Q$secret\E|token=query/, 'the log has neither the secret nor the query of a URL');
is(scalar(grep { /\Q$secret\E/ } map { join ' ', grep { defined } @$_ } @{ $db->selectall_arrayref('SELECT * FROM webhooks') }), 0, 'nor has the table the secret');

expect_log(qr/CAT14[0124]: /);
done_testing;
