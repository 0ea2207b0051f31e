# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: POST /users
# route: POST /auth/login
# route: POST /auth/password/forgot
# Users get mails in the language that their browser asks for: the built-in texts, those of the site, and both together.
use utf8;
use CatalogTest;
use CatalogTest::Smtp;
use Encode ();

my $home = scratch();
my $count = 0;

sub mailing {
    my ($more) = @_;
    my $smtp = CatalogTest::Smtp->new("$home/" . ++$count);
    my $server = server(mount => "CatalogMailFrom shop\@catalog.test\nCatalogBaseURL https://shop.test\nCatalogRateLimit Off\nCatalogMail "
        . $smtp->url . "\n" . ($more // ''));
    return ($smtp, $server);
}
sub subjects {
    my ($smtp, $address, $n) = @_;
    wait_until(15, sub { $smtp->received_by($address) >= $n }) or return ['too few mails'];
    return [map { Encode::decode('MIME-Header', ($_->{data} =~ /^Subject: (.*(?:\r?\n[ \t].*)*)/m)[0]) =~ s/\s+$//r } $smtp->received_by($address)];
}
sub accepting { return (headers => { 'Accept-Language' => $_[0] }) }
sub joins {
    my ($server, $path, $name, @options) = @_;
    my $r = $server->api(POST => $path, { username => $name, email => "$name\@x.test", password => 'correct horse' }, @options);
    die "$r->{status} $r->{body}" unless $r->{status} == 201;
}

my %confirm = (en => 'Please confirm your e-mail address', de => 'Bitte bestätigen Sie Ihre E-Mail-Adresse');
my %reset = (en => 'Set a new password', de => 'Neues Passwort festlegen');

# The built-in texts.
my ($smtp, $server) = mailing();
$server->start;
for (['unsaid', 'en'], ['german', 'de', 'de-AT,de;q=0.9,en;q=0.8'], ['english', 'en', 'en-GB'], ['french', 'en', 'fr'], ['both', 'de', 'fr, en;q=0.3, de;q=0.7']) {
    my ($name, $language, $accept) = @$_;
    joins($server, $_, "$name-" . length, $accept ? accepting($accept) : ()) for '/register', '/users';
    is_deeply(subjects($smtp, "$name-" . length($_) . '@x.test', 1), [$confirm{$language}], "$name: $_") for '/register', '/users';
}
my ($mail) = $smtp->received_by('german-9@x.test');
like(Encode::decode('UTF-8', MIME::Base64::decode_base64(($mail->{data} =~ /\r?\n\r?\n(.*)/s)[0])), qr{^Guten Tag german-9,\r\n.*\r\n    https://shop\.test/confirm\.html#token=[\w-]{43}\r\n}s,
    'the text is German, with the link');

# Whoever asks for a mail to somebody else does not choose its language; signing in does.
sub forgets { answers($server->api(POST => '/auth/password/forgot', { email => "$_[0]\@x.test" }, accepting($_[1])), 202, undef, "$_[0] asks for a link, in $_[1]") }
forgets('german-9', 'en');
is_deeply(subjects($smtp, 'german-9@x.test', 2), [$confirm{de}, $reset{de}], 'the mail is in the language of the user');
sub signs_in { answers($server->api(POST => '/auth/login', { login => $_[0], password => $_[2] // 'correct horse' }, @_[1 .. $#_] && $_[1] ? accepting($_[1]) : ()), $_[3] // 200, undef, "$_[0] signs in") }
signs_in('german-9', 'en', 'wrong password', 401);
signs_in('german-9', '');
forgets('german-9', 'en');
is_deeply(subjects($smtp, 'german-9@x.test', 3)->[2], $reset{de}, 'a sign-in that fails, or says no language, changes none');
signs_in('german-9', 'en-US,en');
forgets('german-9', 'de');
is_deeply(subjects($smtp, 'german-9@x.test', 4)->[3], $reset{en}, 'one that succeeds does');

# Texts of the site: one for all languages, some for one language, and a language that is not built in.
($smtp, $server) = mailing('CatalogMailTemplates "@dir@/texts"');
my $dir = $server->dir . '/texts';
mkdir $_ for $dir, "$dir/de", "$dir/fr", "$dir/notes";
my %text = ('confirm.txt' => 'Ours', 'de/confirm.txt' => 'Unsere', 'fr/confirm.txt' => 'La nôtre', 'fr/reset.txt' => 'Mot de passe', 'notes/reset.txt' => 'No template');
$server->write("$dir/$_", Encode::encode('UTF-8', "Subject: $text{$_}\n\n{{username}}: {{link}}\n")) for sort keys %text;
$server->write("$dir/old", "a file that has the name of a language\n");
$server->start;
for (['en', 'Ours', $reset{en}], ['de', 'Unsere', $reset{de}], ['fr', 'La nôtre', 'Mot de passe'], ['it', 'Ours', $reset{en}]) {
    my ($language, @expected) = @$_;
    joins($server, '/users', "user-$language", accepting($language));
    is_deeply(subjects($smtp, "user-$language\@x.test", 1), [$expected[0]], "$language: the site's text");
    $server->api(POST => '/auth/password/forgot', { email => "user-$language\@x.test" });
    is_deeply(subjects($smtp, "user-$language\@x.test", 2), \@expected, "$language: a kind for which there may be none");
}
$server->stop;
unlink "$dir/de/confirm.txt";
$server->start;
$server->api(POST => '/auth/confirm/resend', { email => 'user-de@x.test' });
is_deeply(subjects($smtp, 'user-de@x.test', 3)->[2], 'Ours', "the site's text for all languages comes before a built-in one");

# Faults are found with the others.
$server->stop;
$server->write("$dir/de/confirm.txt", "Subject: {{nobody}}\n\nx\n");
my (undef, $said) = $server->configtest;
like($said, qr{/texts/de/confirm\.txt: \{\{nobody\}\} is not a known placeholder}, 'a fault in a text for one language is found at the start');

done_testing;
