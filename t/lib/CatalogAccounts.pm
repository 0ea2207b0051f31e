# SPDX-License-Identifier: Apache-2.0
package CatalogAccounts;

# Functions for tests of accounts: signing in, reading mail, decoding tokens.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use Cpanel::JSON::XS ();
use MIME::Base64 ();

use CatalogTest ();

our @EXPORT = qw(
    accounts mailing tokens sign_in refresh works failed lines header_of claims_of set_role confirmed mails mail_token
    moderate from_network quartile
);

# Returns the directives of a mount that writes its mails to files.
sub mailing {
    return <<'END';
CatalogMail     "file:@dir@/data/mail"
CatalogMailFrom shop@catalog.test
CatalogBaseURL  https://shop.test
END
}

# Starts a server that sends mail. `mount` has further directives for its Location, `conf` for the server's scope.
sub accounts {
    my (%o) = @_;
    return CatalogTest::server(%o, mount => mailing() . ($o{mount} // ''))->start;
}

# Returns the expected body of an answer with tokens. `refresh` is true if the body has a refresh token.
sub tokens {
    my (%o) = (user => { id => $CatalogTest::ID, username => qr/./, email => qr/./, createdAt => $CatalogTest::TIME },
        refresh => 1, expires => 900, @_);
    my $flag = sub { Cpanel::JSON::XS::is_bool($_[0]) };
    my %more = $o{registered} ? () : (emailVerified => $flag, role => qr/^(?:user|editor|admin)$/, mayWrite => $flag);
    return {
        success => CatalogTest::true, message => qr/./, token => qr/^[\w-]+\.[\w-]+\.[\w-]+$/, tokenType => 'Bearer',
        expiresIn => $o{expires}, $o{refresh} ? (refreshToken => qr/^[\w-]{43}$/) : (), user => { %more, %{ $o{user} } },
    };
}

sub sign_in {
    my ($server, $login, $password, %more) = @_;
    return $server->api(POST => '/auth/login', { login => $login, password => $password, %more });
}

sub refresh {
    my ($server, $token, %o) = @_;
    return $server->api(POST => '/auth/refresh', { refreshToken => $token }, %o);
}

# Returns true if the server accepts the access token.
sub works { $_[0]->api(GET => '/auth/me', token => $_[1])->{status} == 200 }

# Returns a pattern for the WWW-Authenticate header that refuses a token.
sub failed { qr/^Bearer realm="[^"]+", error="invalid_token"(?:, error_description="[^"\\]+")?$/ }

# Returns an answer as sent, without the headers that differ in every answer.
sub lines {
    my ($r) = @_;
    my ($head, $body) = split /\r\n\r\n/, $r->{text}, 2;
    return join "\n", (grep { !/^(?:Date|X-Request-Id|RateLimit):/i } split /\r\n/, $head), '', $body;
}

sub part { Cpanel::JSON::XS::decode_json(MIME::Base64::decode_base64url((split /\./, $_[0])[$_[1]])) }
sub header_of { part($_[0], 0) }
sub claims_of { part($_[0], 1) }

sub set_role {
    my ($server, $username, $role) = @_;
    $server->database->do('UPDATE users SET role = ? WHERE username = ?', undef, $role, $username) == 1
        or die $username;
}

# Registers a user and confirms the address: { username, email, password, token ... } as register returns it.
sub confirmed {
    my ($server) = @_;
    my $user = CatalogTest::register($server);
    my $token = mail_token($server, $user->{user}{email}, 'confirm');
    my $r = $server->api(POST => '/auth/confirm', { token => $token });
    die "not confirmed: $r->{status} $r->{body}\n" unless $r->{status} == 200;
    return $user;
}

# Returns the mails to an address, oldest first.
sub mails {
    my ($server, $address) = @_;
    my @files = sort glob $server->dir . '/data/mail/*.eml';
    return grep { /^To: <?\Q$address\E>?\r$/m } map { CatalogTest::slurp($_) } @files;
}

# Waits for the `count`th mail (from 1) that links to the page. Returns the token of the link.
sub mail_token {
    my ($server, $address, $page, $count) = @_;
    my $link = qr{^\s*https://shop\.test/$page\.html#token=([\w-]{43})\r$}m;
    my $tokens = sub { map { /$link/ ? $1 : () } mails($server, $address) };
    CatalogTest::wait_until(10, sub { $tokens->() >= ($count // 1) }) or die "no mail for $page to $address\n";
    return ($tokens->())[($count // 1) - 1];
}

# Returns directives that let a test choose its client address, as a trusted proxy would pass it.
sub moderate {
    my ($modules) = CatalogTest::Server::modules() =~ m{^LoadModule authz_core_module "(.*)/mod_authz_core\.so"$}m;
    return <<"END";
LoadModule remoteip_module "$modules/mod_remoteip.so"
RemoteIPHeader        X-Client
RemoteIPInternalProxy 127.0.0.1
END
}

sub from_network { (headers => { 'X-Client' => $_[0] }) }

sub quartile { (sort { $a <=> $b } @_)[@_ / 4] }

1;
