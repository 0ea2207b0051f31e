# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: POST /auth/confirm
# route: POST /auth/email/change
# route: POST /auth/password/forgot
# route: POST /auth/password/reset
# CatalogLink and CatalogPagesURL: where the links in mails lead. Their tokens are good.
use CatalogTest;

my $mail = <<'END';
CatalogMail     "file:@dir@/data/mail"
CatalogMailFrom no-reply@x.test
CatalogRateLimit Off
END

sub links_of {
    my ($server) = @_;
    return map { my ($link) = slurp($_) =~ m{(https?://\S+)}; $link // () } glob $server->dir . '/data/mail/*.eml';
}
sub link_to {
    my ($server, $like) = @_;
    my @found;
    wait_until(10, sub { @found = grep { /$like/ } links_of($server) });
    return $found[0];
}

my $app = server(mount => $mail . <<'END')->start;
CatalogLink confirm   https://app.test/verify#%t
CatalogLink new_email https://app.test/new/%t?twice=%t
CatalogLink reset     https://app.test/password#%t
END
my $user = register($app);
my ($token) = (link_to($app, qr/verify/) // '') =~ m{^https://app\.test/verify#([\w-]{43})$};
answers($app->api(POST => '/auth/confirm', { token => $token }), 200, { success => true, message => qr/./ }, 'a link to confirm leads where it is said to');
answers($app->api(POST => '/auth/email/change', { newEmail => 'next@x.test', password => $user->{password} // 'correct horse' }, token => $user->{token}), 202, undef,
    'the address is changed');
my ($one, $two) = (link_to($app, qr/new/) // '') =~ m{^https://app\.test/new/([\w-]{43})\?twice=([\w-]{43})$};
is($one, $two, 'the token is wherever the link has it');
answers($app->api(POST => '/auth/confirm', { token => $one }), 200, { success => true, message => qr/./ }, 'and good');
answers($app->api(POST => '/auth/password/forgot', { email => 'next@x.test' }), 202, undef, 'the password is forgotten');
($token) = (link_to($app, qr/password/) // '') =~ m{^https://app\.test/password#([\w-]{43})$};
answers($app->api(POST => '/auth/password/reset', { token => $token, password => 'battery staple' }), 200, undef, 'a link to set a password is good');
ok(!$app->api(GET => '')->{json}{data}{links}{pages}, 'without an address of pages nothing leads to them');

my $pages = server(mount => $mail . "CatalogBaseURL https://shop.test\nCatalogPagesURL https://pages.test/x/\nCatalogLink reset https://app.test/#%t")->start;
register($pages);
like(link_to($pages, qr/./), qr{^https://pages\.test/x/confirm\.html#token=[\w-]{43}$}, 'a kind without CatalogLink leads to CatalogPagesURL');
is($pages->api(GET => '')->{json}{data}{links}{pages}, 'https://pages.test/x/', 'and so does GET of the mount');

done_testing;
