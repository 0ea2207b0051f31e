# SPDX-License-Identifier: Apache-2.0
# case: 37
# AuthType Catalog with Require lines, in any Location, and in a mount.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Tools qw(setting);

my $key = key_path;
my @places = (
    # path, its directives, who has access: nobody, user (ann), editor (bob), admin (eve), confirmed (cat)
    ['/anyone', 'Require all granted', qw(200 200 200 200 200)],
    ['/valid', 'Require valid-user', qw(401 200 200 200 200)],
    ['/one', 'Require user ann', qw(401 200 403 403 403)], ['/two', 'Require user ann bob', qw(401 200 200 403 403)],
    ['/user', 'Require catalog-role user', qw(401 200 200 200 200)],
    ['/editor', 'Require catalog-role editor', qw(401 403 200 200 403)],
    ['/admin', 'Require catalog-role admin', qw(401 403 403 200 403)],
    ['/either', 'Require catalog-role admin editor', qw(401 403 200 200 403)],
    ['/verified', 'Require catalog-verified', qw(401 403 403 403 200)],
    ['/lines', "Require user ann\nRequire catalog-role admin", qw(401 200 403 200 403)],
    ['/all', "<RequireAll>\nRequire valid-user\nRequire not user ann\n</RequireAll>", qw(401 403 200 200 200)],
    ['/both', "<RequireAll>\nRequire catalog-verified\nRequire catalog-role editor\n</RequireAll>",
        qw(401 403 403 403 403)],
    ['/denied', 'Require all denied', qw(403 403 403 403 403)],
    ['/or-host', "<RequireAny>\nRequire ip 192.0.2.1\nRequire catalog-role admin\n</RequireAny>",
        qw(401 403 403 200 403)],
    ['/local', "<RequireAny>\nRequire local\nRequire catalog-role admin\n</RequireAny>", qw(200 200 200 200 200)],
    ['/get', "<LimitExcept GET>\nRequire catalog-role admin\n</LimitExcept>\n<Limit GET>\nRequire valid-user\n</Limit>",
        qw(401 200 200 200 200)],
    ['/method', "<RequireAll>\nRequire method GET\nRequire valid-user\n</RequireAll>", qw(401 200 200 200 200)],
    ['/env', "SetEnvIf Request_URI . asked\n<RequireAll>\nRequire env asked\nRequire valid-user\n</RequireAll>",
        qw(401 200 200 200 200)],
);
# The line of docs/directives.md that means a person, by the id that ann has.
my ($person, $ann) = slurp(setting('top') . '/docs/directives.md') =~ /^ *(Require expr .*CATALOG_USER_ID.*'([0-9a-f-]{36})'.*)$/m;
push @places, ['/person', $person, qw(401 200 403 403 403)];
my @sections = (@places, ['/mount', "CatalogEnable On\nRequire catalog-role editor"]);
my $server = server(conf => join '', map { my ($path, $rules) = @$_; <<"END" } @sections);
<Location "$path">
    AuthType        Catalog
    AuthName        "the site"
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    $rules
</Location>
END
for (@places) {
    mkdir my $dir = $server->dir . "/htdocs$_->[0]";
    $server->write("$dir/index.html", "behind $_->[0]\n");
}
$server->start;

my %token = map { my ($name, @claims) = @$_; $name => forge(claims => claims(username => $name, @claims)) }
    ['ann', role => 'user', sub => $ann], ['bob', role => 'editor'], ['eve', role => 'admin'],
        ['cat', role => 'user', email_verified => true];
my @who = (undef, qw(ann bob eve cat));
sub ask { my ($path, $token, %o) = @_; return $server->api(GET => "$path/", mount => '', token => $token, %o) }

my %challenge = (401 => qr/^Bearer realm="the site"$/,
    403 => qr/^Bearer realm="the site", error="insufficient_scope"(?:, error_description="[^"\\]+")?$/);
for (@places) {
    my ($path, $rules, @status) = @$_;
    for my $i (0 .. $#who) {
        my $name = "$path: " . ($who[$i] // 'a client without a token');
        my $r = ask($path, $who[$i] && $token{ $who[$i] });
        is($r->{status}, $status[$i], "$name gets $status[$i]");
        is($r->{body}, "behind $path\n", "$name gets the page") if $status[$i] == 200;
        like($r->{headers}{'www-authenticate'} // '', $challenge{ $status[$i] }, "$name gets the challenge")
            if $status[$i] == 401 || $status[$i] == 403 && $rules !~ /denied/;
        unlike($r->{body}, qr/behind/, "$name does not get the page") if $status[$i] != 200;
    }
}

# An invalid token is refused with the reason.
my $invalid = qr/^Bearer realm="the site", error="invalid_token", error_description="[^"\\]+"$/;
my @bad = (['expired', forge(claims => claims(exp => time - 60))],
    ['signed with another key', forge(key => 'another key of thirty-two bytes!!')],
    ['for another audience', forge(claims => claims(aud => 'else'))], ['malformed', 'nonsense']);
for (@bad) {
    my $r = ask('/valid', $_->[1]);
    is("$r->{status} " . match($r->{headers}{'www-authenticate'}, $invalid), '401 ', "a token that is $_->[0] is refused");
}
my $r = ask('/valid', undef, headers => { Authorization => 'Bearer "quoted"' });
is("$r->{status} " . match($r->{headers}{'www-authenticate'}, qr/error="invalid_request"/), '400 ',
    'a malformed Authorization header gets 400');
is(ask('/valid', undef, headers => { Authorization => $_ })->{status}, 401, "$_ is no token")
    for 'Basic YW5uOng=', 'Bearer', 'Digest username="ann"';
is($server->api(POST => '/get/', 'x', mount => '', token => $token{ann})->{status}, 403,
    'another method has other rules');

# In a mount, the same lines restrict open routes; the answer is JSON.
my %product = (name => 'x', price => 1);
for ([GET => '/products'], [POST => '/products', \%product]) {
    my $asked = sub { $server->api(@$_, mount => '/mount', @_) };
    answers($asked->(), 401, undef, "a mount: $_->[0] without a token is refused");
    answers($asked->(token => $token{ann}), 403, undef, "a mount: $_->[0] by a user is refused");
    answers($asked->(token => $token{bob}), $_->[0] eq 'GET' ? 200 : 201, undef, "a mount: $_->[0] by an editor is served");
}

# A session that has ended opens nothing.
my $user = register($server);
is(ask('/valid', $user->{token})->{status}, 200, 'a registered user\'s token is accepted');
my ($name, $id) = @{ $user->{user} }{qw(username id)};
ok(wait_until(5, sub { $server->access_text =~ m{^GET /valid/\S* 200 user=\Q$name\E id=\Q$id\E }m }),
    'the log has the user\'s name and id');
$server->api(POST => '/auth/logout', token => $user->{token});
$r = ask('/valid', $user->{token});
is("$r->{status} " . match($r->{headers}{'www-authenticate'}, $invalid), '401 ', 'after the logout the token is refused');
is(ask('/anyone', $user->{token})->{status}, 200, 'a path without authentication stays open');

# Lines that make no sense.
my @wrong = (['catalog-role', 'requires a role'], ['catalog-role root', 'not a role'],
    ['catalog-role editor,admin', 'not a role'], ['catalog-verified yes', 'no argument']);
for (@wrong) {
    my ($line, $words) = @$_;
    my ($status, $said) = server(conf => "<Location /x>\nAuthType Catalog\nRequire $line\n</Location>\n")->configtest;
    ok($status != 0 && $said =~ /$words/, "Require $line: httpd -t refuses it") or diag $said;
}
my $keyless = server(mount => undef,
    conf => "<Location /x>\nAuthType Catalog\nAuthName x\nRequire valid-user\n</Location>\n")->start;
is($keyless->api(GET => '/x/', mount => '', token => $token{eve})->{status}, 500, 'without a key the server answers 500');

expect_log(qr/CAT042: /);
allow_log(qr/AH01630: client denied|AH01797|AH01631|AH01629|AH01617|AH01618|AH00035/);
done_testing;
