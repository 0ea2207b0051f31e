# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# The confirmation mail: its content, its recipient, and what the database stores of it.
use CatalogTest;
use Digest::SHA ();

my $dir = main->dir . '/data/mail';
my $user = register();
my $address = $user->{user}{email};

sub mails { grep { $_->{text} =~ /^To: .*\Q$_[0]\E/m } map { { file => $_, text => slurp($_) } } glob "$dir/*.eml" }

ok(wait_until(10, sub { mails($address) }), 'the mail is sent within seconds');
my ($mail, @more) = mails($address);
is(scalar @more, 0, 'one mail is sent');
my $text = $mail->{text};

unlike($text, qr/(?<!\r)\n/, 'the lines end in CR LF');
my ($head, $body) = split /\r\n\r\n/, $text, 2;
my @names = map { /^([\w-]+):/ ? $1 : () } split /\r\n(?![ \t])/, $head;
my %count;
$count{$_}++ for @names;
my @needed = qw(Date From To Message-ID Subject MIME-Version Content-Type Content-Transfer-Encoding);
is_deeply([grep { !$count{$_} } @needed], [], 'the mail has each header');
is_deeply([grep { $count{$_} > 1 } keys %count], [], 'no header is repeated');

my %header = map { /^([\w-]+):\s*(.*)/ } split /\r\n/, $head =~ s/\r\n(?=[ \t])//gr; # unfolded
is($header{From}, 'The Catalogue <catalogue@catalog.test>', 'From is CatalogMailFrom');
like($header{To}, qr/^<?\Q$address\E>?$/, 'To is the user');
like($header{Date}, qr/^\w{3}, \d\d? \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/, 'Date is in the format of RFC 5322');
like($header{'Message-ID'}, qr/^<[^<>\s@]+\@catalog\.test>$/, 'Message-ID is of the sender\'s domain');
like($header{'Auto-Submitted'}, qr/^auto-generated/, 'Auto-Submitted marks the mail as automatic');
like($header{Subject}, qr/\S/, 'the mail has a subject');
like($body, qr/\b\Q$user->{user}{username}\E\b/, 'the text names the user');

my ($link) = $body =~ /(https?:\S+)/;
like($link, qr{^https://shop\.test/base/confirm\.html#token=[\w-]{43}$},
    'the link begins with CatalogBaseURL, not with the request\'s Host; its token is for the page alone');
my ($token) = $link =~ /token=(.*)/;
my $digest = Digest::SHA::sha256_hex($token);

my $db = main->database;
is($db->selectrow_array('SELECT user_id FROM mail_tokens WHERE token_hash = ?', undef, $digest), $user->{user}{id},
    'the token\'s SHA-256 is stored');
my $day = $db->selectrow_array('SELECT expires_at - created_at FROM mail_tokens WHERE token_hash = ?', undef, $digest);
is($day, 86400 * 1000, 'the token is valid for a day');
unlike(main->log_text, qr/\Q$token\E/, 'the token is not logged');
ok(wait_until(5, sub { !$db->selectrow_array('SELECT COUNT(*) FROM outbox WHERE user_id = ?', undef,
    $user->{user}{id}) }), 'the outbox is emptied');
is((stat $mail->{file})[2] & 07, 0, 'others cannot read the file');

# No header of the client changes the link's host.
my $name = fresh();
talk(wire(POST => '/register', { username => $name, email => "$name\@example.com", password => 'x' x 8 },
    headers => { Host => 'evil.test', 'X-Forwarded-Host' => 'evil.test', Forwarded => 'host=evil.test' }));
wait_until(10, sub { mails("$name\@example.com") });
is(scalar(grep { $_->{text} =~ /evil/ } mails("$name\@example.com")), 0, 'no header of the client changes the link\'s host');
is(scalar(mails("$name\@example.com")), 1, 'that mail is sent');

# A registration that fails sends nothing.
my $before = () = glob "$dir/*.eml";
api(POST => '/register', { username => fresh(), email => $address, password => 'x' x 8 });
api(POST => '/register', { username => 'a', email => $address, password => 'x' x 8 });
sleep 2;
is(scalar(() = glob "$dir/*.eml"), $before, 'a refused registration sends no mail');

done_testing;
