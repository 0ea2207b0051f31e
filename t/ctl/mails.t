# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# catalogctl mail: lists waiting and failed mails, and retries failed ones.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for listed);
use CatalogTest::Smtp;

my $smtp = CatalogTest::Smtp->new(scratch(), map { ('--reply', $_) } 'later=451', map { "never$_=550" } 1 .. 3);
my $server = server(mount => 'CatalogMail ' . $smtp->url . "\nCatalogMailFrom shop\@catalog.test\nCatalogBaseURL https://shop.test\n")->start;
my $db = $server->database;

sub mail { return ctl_for($server, 'mail', @_) }
sub states { return join ' ', map { "$_->{to}=$_->{state}" } listed(mail('list')) }
sub fails {
    my ($r, $words, $name) = @_;
    is_deeply([@$r{qw(status out)}], [1, ''], $name);
    like($r->{err}, $words, "$name: the message has the reason");
}

ok(wait_until(10, sub { mail('list')->{status} == 0 }), 'the server creates its database');
is_deeply(mail('list'), { status => 0, out => "id\ttemplate\tto\tstate\tattempts\tnextAt\tcreatedAt\terror\n", err => '' },
    'mail list is empty');
is(mail('list', '--json')->{out}, "[]\n", 'mail list --json is empty');
register($server, email => "$_\@example.com") for qw(never1 never2 never3 later);
ok(wait_until(15, sub { states() =~ /^(never\d\@example\.com=dead ){3}later\@example\.com=pending$/ }),
    'three mails are dead, one is pending');

my @all;
wait_until(15, sub { @all = listed(mail('list')); $all[3]{error} }); # the pending mail may not have been tried yet
is_deeply([map { $_->{error} } @all], [map { "the server answered $_ to the message" } (550) x 3, 451],
    'mail list says why the last attempts failed');
my $json = Cpanel::JSON::XS::decode_json(mail('list', '-j')->{out});
is(match($json->[0], { id => $ID, template => 'confirm', to => 'never1@example.com', state => 'dead', attempts => 1, createdAt => $TIME, error => 'the server answered 550 to the message' }), '',
    'mail list --json has each field');
is_deeply([map { $_->{id} } @$json], [map { $_->{id} } @all], 'both formats have the same order');

# Back into the queue.
$smtp->kill;
$smtp->{options} = [];
$smtp->start;
is_deeply(mail('retry', $all[0]{id}, uc $all[0]{id}), { status => 0, out => "1\n", err => '' }, 'mail retry with an id retries one dead mail');
ok(wait_until(15, sub { $smtp->received_by('never1@example.com') }), 'that mail is sent');
is_deeply(mail('retry'), { status => 0, out => "2\n", err => '' }, 'mail retry retries all dead mails');
ok(wait_until(15, sub { $smtp->received_by('never2@example.com') && $smtp->received_by('never3@example.com') }),
    'these mails are sent');
ok(wait_until(20, sub { states() eq '' }), 'the outbox is emptied');
is_deeply(mail('retry'), { status => 0, out => "0\n", err => '' }, 'mail retry without dead mails retries none');

# A mail that failed for three days gets three more days.
$server->stop;
my $user = $db->selectrow_array('SELECT id FROM users LIMIT 1');
my $insert = 'INSERT INTO outbox (id, template, user_id, state, attempts, next_at, lease, created_at) VALUES (?, ?, ?, ?, 9, 1, ?, 1)';
$db->do($insert, undef, @$_) for ['a', 'confirm', $user, 'dead', ''], ['b', 'confirm', $user, 'pending', ''], ['c', 'confirm', $user, 'pending', 'x'], ['d', 'confirm', $user, 'dead', ''];
$db->do(q(UPDATE outbox SET error = 'because' WHERE id = 'd'));
is_deeply([map { $_->{state} } listed(mail('list'))], [qw(dead pending sending dead)],
    'mail list shows the mail that a server is sending');
fails(mail('retry', 'a', 'b'), qr/b: there is no such dead mail; nothing was changed/,
    'mail retry fails if one of the mails is not dead');
fails(mail('retry', 'e'), qr/e: there is no such dead mail/, 'mail retry fails with an unknown id');
is_deeply([map { $_->{state} } listed(mail('list'))], [qw(dead pending sending dead)], 'a failed mail retry changes nothing');
is(mail('retry', 'a', 'd')->{out}, "2\n", 'mail retry with two ids retries both');
my ($attempts, $age) = $db->selectrow_array(q(SELECT MAX(attempts), MIN(created_at) FROM outbox WHERE id IN ('a', 'd')));
is($attempts, 0, 'the number of attempts starts at 0 again');
is_deeply([map { $_->{error} } listed(mail('list'))], ['', '', '', ''], 'there is no error of earlier attempts');
is(match(Cpanel::JSON::XS::decode_json(mail('list', '-j')->{out})->[3]{error}, undef), '', 'which is null in JSON');
cmp_ok($age / 1000, '>', time - 60, 'the time of creation is now');

expect_log(qr/CAT017: /);
allow_log(qr/CAT015: /);
done_testing;
