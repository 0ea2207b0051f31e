# SPDX-License-Identifier: Apache-2.0
# route: PATCH /users/:id
# route: DELETE /users/:id/sessions
# route: POST /auth/confirm
# route: POST /auth/password/reset
# again: pgsql
# What takes a right away from a user withdraws the links that were mailed before; a locked account's links do not work.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ctl qw(ctl_for);

my $server = accounts(mount => "CatalogRateLimit Off\n");
my $db = $server->database;
my $admin = register($server);
set_role($server, $admin->{user}{username}, 'admin');
$admin = sign_in($server, $admin->{user}{username}, 'correct horse')->{json};
sub call { my ($method, $path, @body) = @_; return $server->api($method => $path, @body, token => $admin->{token}) }
my $void = refusal(message => 'Invalid or expired link', error => qr/./);

# Each use of a link: what it sends, to which route.
my %use = (
    confirm => sub { $server->api(POST => '/auth/confirm', { token => $_[0] }) },
    new_email => sub { $server->api(POST => '/auth/confirm', { token => $_[0] }) },
    reset => sub { $server->api(POST => '/auth/password/reset', { token => $_[0], password => 'thieves horse' }) },
);

# A user, and the tokens of a link of each kind, the one to a thief's address included.
my $number = 0;
sub with_links {
    my $user = register($server);
    my $thief = 'thief-' . ++$number . "-$$\@example.net";
    $server->api(POST => '/auth/email/change', { newEmail => $thief, password => 'correct horse' }, token => $user->{token});
    $server->api(POST => '/auth/password/forgot', { email => $user->{user}{email} });
    my %token = (confirm => mail_token($server, $user->{user}{email}, 'confirm'), new_email => mail_token($server, $thief, 'confirm'),
        reset => mail_token($server, $user->{user}{email}, 'reset'));
    return ($user, %token);
}

sub is_void {
    my ($what, $user, %token) = @_;
    for my $kind (sort keys %token) {
        answers($use{$kind}->($token{$kind}), 400, $void, "$what: the link $kind is void");
        answers($server->api(GET => "/auth/confirm?token=$token{$kind}"), 400, $void, "$what: and is said to be") if $kind ne 'reset';
    }
    is(join(' ', $db->selectrow_array('SELECT email FROM users WHERE id = ?', undef, $user->{user}{id})), $user->{user}{email}, "$what: the address stays");
}

my %acts = (
    'a lock' => sub { call(PATCH => "/users/$_[0]{user}{id}", { locked => true }) },
    'a role' => sub { call(PATCH => "/users/$_[0]{user}{id}", { role => 'editor' }) },
    'the end of the sessions' => sub { call(DELETE => "/users/$_[0]{user}{id}/sessions") },
    'an address that is not confirmed any more' => sub {
        $db->do('UPDATE users SET confirmed_at = 1 WHERE id = ?', undef, $_[0]{user}{id});
        return call(PATCH => "/users/$_[0]{user}{id}", { emailVerified => false });
    },
);
for my $what (sort keys %acts) {
    my ($user, %token) = with_links();
    answers($acts{$what}->($user), 200, undef, $what);
    is_void($what, $user, %token);
    call(POST => "/users/$user->{user}{id}/unlock");
    is_void("$what, and the unlock", $user, %token);
    answers(sign_in($server, $user->{user}{username}, 'correct horse'), 200, undef, "$what: the password stays");
}

# The same with catalogctl.
for my $words (['lock'], ['revoke'], ['role', 'editor']) {
    my ($verb, @more) = @$words;
    my ($user, %token) = with_links();
    is(ctl_for($server, 'user', $verb, $user->{user}{username}, @more)->{status}, 0, "catalogctl user $verb");
    is_void("catalogctl user $verb", $user, %token);
}

# A link that is there although the account is locked, such as one that another program's lock left.
my ($user, %token) = with_links();
$db->do('UPDATE users SET locked_at = 1 WHERE id = ?', undef, $user->{user}{id});
is_void('a locked account', $user, %token);

# What takes no right away leaves the links; and one to set a password is void where it was sent to another address.
($user, %token) = with_links();
answers(call(PATCH => "/users/$user->{user}{id}", { emailVerified => true }), 200, undef, 'a confirmation');
answers($server->api(GET => "/auth/confirm?token=$token{new_email}"), 200, undef, 'leaves the links');
$db->do('UPDATE users SET email = ? WHERE id = ?', undef, "another$$\@example.org", $user->{user}{id});
answers($use{reset}->($token{reset}), 400, $void, 'a link to set a password that went to a former address is void');
$db->do('UPDATE users SET email = ? WHERE id = ?', undef, $user->{user}{email}, $user->{user}{id});
answers($use{reset}->($token{reset}), 200, undef, 'and works where the address is the one it went to');
done_testing;
