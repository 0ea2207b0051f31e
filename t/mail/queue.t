# SPDX-License-Identifier: Apache-2.0
# route: GET /mails
# route: POST /mails/retry
# route: POST /mails/:id/retry
# route: POST /mails/test
# again: pgsql
# Administrators see the mails that are not sent yet, and send those after all that were given up.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Smtp;

my $smtp = CatalogTest::Smtp->new(scratch(), map { ('--reply', $_) } 'later=451', map { "never$_=550" } 1 .. 3);
my $server = server(mount => 'CatalogMail ' . $smtp->url . "\nCatalogMailFrom shop\@catalog.test\nCatalogBaseURL https://shop.test\n"
    . "CatalogRateLimit Off\nCatalogMaxLimit 50\n")->start;
my $db = $server->database;
my $admin = register($server, username => 'boss');
set_role($server, 'boss', 'admin');
$admin = sign_in($server, 'boss', 'correct horse')->{json}{token};
my $user = register($server, username => 'ann');
sub call { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $admin) }
sub queued { my ($query) = @_; return call(GET => '/mails' . ($query ? "?$query" : ''))->{json}{data} }
sub states { return join ' ', map { "$_->{to}=$_->{state}" } reverse @{ queued() } }
sub refuse { my ($title) = @_; return { success => false, message => $title, error => qr/./ } }

# Who may.
my $unknown = '01a1fd8d-47a8-77ac-9778-38d2c78c295b';
for ([GET => '/mails'], [POST => '/mails/retry'], [POST => "/mails/$unknown/retry"], [POST => '/mails/test']) {
    answers($server->api(@$_), 401, refusal(error => qr/./), "@$_ requires a token", 'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
    answers($server->api(@$_, token => $user->{token}), 403, refusal(error => qr/./), "@$_ refuses a user",
        'www-authenticate' => qr/error="insufficient_scope"/);
}
my $former = register($server, username => 'former');
set_role($server, 'former', 'admin');
$former = sign_in($server, 'former', 'correct horse')->{json}{token};
set_role($server, 'former', 'user');
answers($server->api(POST => $_, token => $former), 403, refusal(error => qr/./), "$_: a token with the role of an administrator is refused if the database knows better")
    for '/mails/retry', "/mails/$unknown/retry", '/mails/test';

# The list.
ok(wait_until(15, sub { states() eq '' }), 'mails that are sent leave the queue');
answers(call(GET => '/mails'), 200, { success => true, data => [], pagination => { page => 1, limit => 10, total => 0, pages => 0 } }, 'which is empty then',
    'cache-control' => 'no-store', etag => undef);
register($server, username => $_, email => "$_\@example.com") for qw(never1 never2 never3 later);
my $put_off = 'UPDATE outbox SET next_at = ? WHERE state = ? AND lease = ? AND attempts > 0';
ok(wait_until(15, sub { states() =~ /^(never\d\@example\.com=dead ){3}later\@example\.com=pending$/ && $db->do($put_off, undef, 9_000_000_000_000, 'pending', '') == 1 }),
    'three mails are dead, one is pending');
my $r = call(GET => '/mails');
my %mail = (id => $ID, template => 'confirm', createdAt => $TIME, attempts => 1);
my %error = map { ($_ => "the server answered $_ to the message") } 451, 550; # without the server's words, which have the address
answers($r, 200, { success => true, data => [{ %mail, to => 'later@example.com', state => 'pending', nextAt => $TIME, error => $error{451} },
    map { { %mail, to => "never$_\@example.com", state => 'dead', error => $error{550} } } 3, 2, 1],
    pagination => { page => 1, limit => 10, total => 4, pages => 1 } }, 'the newest is first');
unlike($r->{body}, qr/token|https:|lease/, 'without texts or links');
my @dead = @{ queued('state=dead') };
is_deeply([map { $_->{to} } @dead], [map { "never$_\@example.com" } 3, 2, 1], 'GET /mails?state=dead');
is_deeply([map { $_->{to} } @{ queued('state=pending') }], ['later@example.com'], 'GET /mails?state=pending');
is_deeply(queued('state=sending'), [], 'GET /mails?state=sending');
answers(call(GET => '/mails?state=dead&limit=1&page=2'), 200, sub { $_[0]{data}[0]{id} eq $dead[1]{id} && match($_[0]{pagination}, { page => 2, limit => 1, total => 3, pages => 3 }) eq '' },
    'a page in the middle', link => qr{<\?page=1&limit=1&state=dead>; rel="prev"});
answers(call(GET => '/mails?page=9'), 200, sub { @{ $_[0]{data} } == 0 }, 'a page behind the end');
answers(call(GET => '/mails?limit=1000'), 200, sub { $_[0]{pagination}{limit} == 50 }, 'CatalogMaxLimit bounds the page');
answers(call(GET => "/mails?$_->[0]"), 400, invalid(state => $_->[1]), "refused: $_->[0]")
    for ['state=sent', 'invalid'], ['state=', 'invalid'], ['state=%ff', 'invalid'], ['state=dead&state=dead', 'duplicate'];
answers(call(GET => '/mails?colour=blue'), 200, undef, 'an unknown parameter is ignored', 'catalog-ignored' => 'colour');

# A test goes to whoever asks for it.
answers(call(POST => '/mails/test'), 202, { success => true, message => qr/./ }, 'an administrator asks for a test mail');
my $address = $db->selectrow_array("SELECT email FROM users WHERE username = 'boss'");
ok(wait_until(15, sub { grep { $_->{data} =~ /^Subject: Test mail\r?$/m } $smtp->received_by($address) }), 'and gets one');

# What cannot be retried.
answers(call(POST => "/mails/$_/retry"), 404, { success => false, message => 'Mail not found' }, "the unknown id $_") for $unknown, 'x', '%25', "'";
my ($pending) = @{ queued('state=pending') };
answers(call(POST => "/mails/$pending->{id}/retry"), 409, refuse('Mail not dead'), 'a mail that waits');
is(scalar @{ call(GET => '/audit')->{json}{data} }, 0, 'what was refused is not in the audit table');

# What can.
$smtp->kill;
$smtp->{options} = [];
$smtp->start;
answers(call(POST => "/mails/$dead[2]{id}/retry"), 200,
    { success => true, message => qr/./, data => { %mail, to => 'never1@example.com', state => 'pending', attempts => 0, nextAt => $TIME, error => undef } },
    'a dead mail is queued as if it were new', 'cache-control' => 'no-store');
ok(wait_until(15, sub { $smtp->received_by('never1@example.com') }), 'and sent');
answers(call(POST => '/mails/retry'), 200, { success => true, message => qr/./, data => { retried => 2 } }, 'so are all others', 'cache-control' => 'no-store');
ok(wait_until(15, sub { $smtp->received_by('never2@example.com') && $smtp->received_by('never3@example.com') }), 'and sent');
ok(wait_until(20, sub { states() eq 'later@example.com=pending' }), 'only the other one is left');
$db->do($put_off, undef, 1, 'pending', '');
ok(wait_until(20, sub { states() eq '' }), 'until it is sent');
answers(call(POST => '/mails/retry'), 200, { success => true, message => qr/./, data => { retried => 0 } }, 'then there is nothing to retry');
my %entry = (id => $ID, createdAt => $TIME, source => 'http', actorId => $ID, actor => 'boss', address => '127.0.0.1', requestId => qr/^\S+$/, action => 'mail.retry');
is(match(call(GET => '/audit')->{json}{data}, [{ %entry, changes => { mails => { to => 2 } } }, { %entry, targetId => $dead[2]{id}, changes => { mails => { to => 1 } } }]), '',
    'what was retried is in the audit table');

# Two administrators at the same moment.
$server->stop;
my $insert = 'INSERT INTO outbox (id, template, email_key, state, attempts, next_at, lease, created_at) VALUES (?, ?, ?, ?, 9, 9000000000000, ?, 1)';
my @ids = map { "01a1fd8d-47a8-77ac-9778-38d2c78c295$_" } 1 .. 2;
$db->do($insert, undef, $ids[0], 'reset', 'x@example.com', 'dead', '');
$db->do($insert, undef, $ids[1], 'reset', 'y@example.com', 'pending', 'lease');
$server = $server->start;
is_deeply([map { $_->{error} } @{ queued() }], [undef, undef], 'no attempt has failed');
is_deeply([map { "$_->{state} $_->{to}" } @{ queued() }], ['sending y@example.com', 'dead x@example.com'], 'a mail that is being sent says so, and one to nobody whose address it is');
answers(call(POST => "/mails/$ids[1]/retry"), 409, refuse('Mail not dead'), 'and is not retried');
my @answers = $server->burst((wire(POST => "/mails/$ids[0]/retry", undef, token => $admin)) x 4);
is_deeply([grep { $_ == 200 } map { $_->{status} } @answers], [200], 'of several requests one retries a mail') or diag join ' ', map { $_->{status} } @answers;
is_deeply([grep { !/^(?:200|404|409)$/ } map { $_->{status} } @answers], [], 'the others are told so');

expect_log(qr/CAT017: /);
allow_log(qr/CAT015: /);
done_testing;
