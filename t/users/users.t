# SPDX-License-Identifier: Apache-2.0
# route: POST /users
use CatalogTest;
use POSIX ();

my $name = fresh();
my %user = (username => $name, email => "$name\@example.com", password => 'correct horse');

my $r = api(POST => '/users', \%user);
answers($r, 201, { id => $ID, username => $name, email => "$name\@example.com", createdAt => $TIME },
    'the answer has id, username, email and createdAt, and no other field');
like($r->{json}{createdAt}, qr/^@{[ join '|', map { POSIX::strftime('%Y-%m-%dT%H:%M', gmtime $_) } time - 10, time ]}/,
    'createdAt is now, in UTC');

answers(api(POST => '/users', \%user), 409, {
    success => false, message => qr/exists/i, error => qr/./,
    errors => [{ field => 'email', code => 'taken', message => qr/./ },
        { field => 'username', code => 'taken', message => qr/./ }],
}, 'an existing user is refused');
answers(api(POST => '/register', \%user), 409, undef, '/register refuses the user, too');
answers(api(POST => '/users', { username => 'x' }), 400,
    invalid(email => 'required', password => 'required', username => 'too_short'), 'invalid fields are refused');
answers(api(POST => '/users', { %user, username => fresh(), colour => 1 }, headers => { Prefer => 'handling=strict' }),
    400,
    invalid(colour => 'unknown'), 'Prefer: handling=strict refuses an unknown field');

my $sent = wait_until(10, sub { grep { slurp($_) =~ /^To: .*\Q$user{email}\E/m } glob main->dir . '/data/mail/*.eml' });
is($sent, 1, 'a confirmation mail is sent to this user, too');

done_testing;
