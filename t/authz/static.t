# SPDX-License-Identifier: Apache-2.0
# The same tokens in front of files, with the user in the environment.
use CatalogTest;
use CatalogAccounts;

my $key = key_path;
my $server = server(conf => <<"END");
CatalogKeyFile  "$key"
CatalogIssuer   https://catalog.test
CatalogAudience catalog-test
ErrorDocument 401 "please sign in"
<Location "/files">
    AuthType Catalog
    AuthName files
    Require  valid-user
</Location>
<Location "/files/editors">
    Require  catalog-role editor
</Location>
<Directory "\@dir\@/htdocs/directory">
    AuthType Catalog
    AuthName directory
    Require  valid-user
    <Files "open.txt">
        Require all granted
    </Files>
</Directory>
<Location "/who">
    AuthType Catalog
    AuthName who
    Require  valid-user
    Options  +Includes
    SetOutputFilter INCLUDES
</Location>
<Location "/guests">
    Options  +Includes
    SetOutputFilter INCLUDES
</Location>
END
my $root = $server->dir . '/htdocs';
mkdir "$root/$_" or die "$_: $!\n" for qw(files files/editors directory who guests);
$server->write("$root/files/report.txt", "0123456789\n");
$server->write("$root/files/editors/plan.txt", "the plan\n");
$server->write("$root/directory/$_.txt", "$_\n") for qw(open closed);
$server->write("$root/$_/page.html", join '|',
    map { "<!--#echo var=\"$_\" -->" } qw(REMOTE_USER AUTH_TYPE CATALOG_USER_ID CATALOG_ROLE CATALOG_VERIFIED))
    for qw(who guests);
$server->start;

my $user = register($server);
my ($id, $name) = @{ $user->{user} }{qw(id username)};
sub ask {
    my ($path, $token, %o) = @_;
    return $server->api($o{method} // 'GET', $path, mount => '', token => $token, %o);
}
sub is_answered { my ($r, $status, $body, $what) = @_; is("$r->{status} $r->{body}", "$status $body", $what) }

is_answered(ask('/files/report.txt', $user->{token}), 200, "0123456789\n", 'a user gets a file');
is_answered(ask('/files/report.txt', $user->{token}, headers => { Range => 'bytes=2-4' }), 206, '234', 'a user gets a range of it');
is_answered(ask('/files/report.txt', $user->{token}, method => 'HEAD'), 200, '', 'HEAD gets no body');
is(ask('/files/none.txt', $user->{token})->{status}, 404, 'a missing file gets 404');
my $r = ask('/files/report.txt');
is_answered($r, 401, 'please sign in', 'a request without a token gets the site\'s ErrorDocument');
is($r->{headers}{'www-authenticate'}, 'Bearer realm="files"', 'the refusal has the challenge');
is(ask('/files/none.txt')->{status}, 401, 'without a token a missing file gets 401');
is(ask("/files/$_")->{status}, 401, "/files/$_ gets 401")
    for './report.txt', '../files/report.txt', '/report.txt', 'report.txt/', 'report.txt?x', '%72eport.txt';
is($server->talk("GET //files/report.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")->{status}, 401,
    '//files gets 401');

is(ask('/files/editors/plan.txt', $user->{token})->{status}, 403, 'a section below can require a role');
is_answered(ask('/files/editors/plan.txt', forge(claims => claims(role => 'editor'))), 200, "the plan\n",
    'an editor gets the file there');
is(ask('/directory/closed.txt')->{status}, 401, 'in <Directory>: a request without a token is refused');
is_answered(ask('/directory/closed.txt', $user->{token}), 200, "closed\n", 'in <Directory>: a user gets the file');
is_answered(ask('/directory/open.txt'), 200, "open\n", 'in <Directory>: <Files> can open a file');

# The user in the environment.
is_answered(ask('/who/page.html', $user->{token}), 200, "$name|Catalog|$id|user|0",
    'the environment has the user\'s name, id and role');
my $eve = forge(claims => claims(sub => $id, username => 'eve', role => 'admin', email_verified => true));
is_answered(ask('/who/page.html', $eve), 200, "eve|Catalog|$id|admin|1",
    'the environment has another user\'s role and confirmed address');
my %forged = (headers => {
    map { $_ => 'admin' } qw(Catalog-Role CATALOG_ROLE Catalog-User-Id Remote-User X-Remote-User) });
is_answered(ask('/who/page.html', $user->{token}, %forged), 200, "$name|Catalog|$id|user|0",
    'request headers do not change the environment');
is_answered(ask('/guests/page.html', $user->{token}), 200, join('|', ('(none)') x 5),
    'without authentication the environment has no user');

# Many requests with one token, to all children, until it is revoked.
my @bytes = (CatalogTest::request_bytes(GET => '/files/report.txt', undef, token => $user->{token})) x 40;
is(scalar(grep { $_->{status} != 200 } $server->burst(@bytes)), 0, 'forty requests are served');
$server->api(POST => '/auth/logout', token => $user->{token});
is(scalar(grep { $_->{status} != 401 } $server->burst(@bytes)), 0, 'after the logout all are refused');

allow_log(qr/AH01631|AH01629|AH01630|AH01617/);
done_testing;
