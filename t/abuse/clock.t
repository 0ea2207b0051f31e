# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /register
# route: POST /auth/confirm/resend
# runs: first
# The clock is set back by an hour while the server runs: no client waits a minute longer for it.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(time);

# A preloaded library that shifts only the time of day, by the seconds in a file.
my $dir = scratch();
chmod 0755, $dir;
spew("$dir/shift", '0');
spew("$dir/shift.c", <<"END");
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long shift(void)
{
    long seconds = 0;
    FILE *file = fopen("$dir/shift", "r");
    if (file) {
        if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
        fclose(file);
    }
    return seconds;
}
int clock_gettime(clockid_t clock, struct timespec *t)
{
    int result = (int)syscall(SYS_clock_gettime, clock, t);
    if (clock == CLOCK_REALTIME) t->tv_sec += shift();
    return result;
}
int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
time_t time(time_t *t)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return t ? *t = now.tv_sec : now.tv_sec;
}
END
system('cc', '-shared', '-fPIC', '-o', "$dir/shift.so", "$dir/shift.c") == 0 or die "cc failed\n";

my $server = server(conf => moderate(), mount => 'CatalogRateLimit login 5/60 register 3/60 mail 1/3600');
{
    local $ENV{LD_PRELOAD} = "$dir/shift.so";
    $server->start;
}
my $count = 0;
sub ask {
    my ($route, $body, $from) = @_;
    return $server->talk(wire(POST => $route, $body, from_network($from // '192.0.2.1')));
}
sub login { ask('/auth/login', { login => $_[0], password => $_[1] }, $_[2]) }
sub registration { my $name = fresh(); return { username => $name, email => "$name\@example.com", password => 'correct horse' } }
sub statuses { join ' ', map { $_->{status} } @_ }
sub resend { ask('/auth/confirm/resend', { email => 'ada@example.com' }) }

my %user = %{ registration() };
is(statuses(ask('/register', \%user), map { ask('/register', registration()) } 1 .. 3), '201 201 201 429',
    'the fourth registration is refused');
is(statuses(map { login(fresh(), 'wrong horse') } 1 .. 6), '401 401 401 401 401 429', 'the sixth sign-in is refused');
is(statuses(resend(), resend()), '202 429', 'the second request for a mail is refused');
is(statuses(login($user{username}, 'wrong horse', '192.0.2.2')), '401', 'a wrong password is refused');
$server->database->do('UPDATE login_failures SET failures = 20, allowed_at = failed_at + 900000');

# By the clock they would have to wait for an hour.
spew("$dir/shift", '-3600');
my $start = time;
my $told = login($user{username}, $user{password}, '192.0.2.2');
answers($told, 200, undef, 'the new time ends a delay of a quarter of an hour');
ok($told->{json}{token} && claims_of($told->{json}{token})->{iat} < $start - 3500, 'the access token\'s iat is an hour earlier');
sub served_within_a_minute {
    my ($what, $ask) = @_;
    ok(wait_until(60, sub { $ask->()->{status} != 429 }), "$what succeeds within a minute");
}
served_within_a_minute('registering', sub { ask('/register', registration()) });
served_within_a_minute('signing in', sub { login(fresh(), 'wrong horse') });
answers(ask($_->[0], $_->[1], '192.0.2.4'), $_->[2], undef, "$_->[0] from another network is not limited")
    for ['/register', registration(), 201], ['/auth/login', { login => fresh(), password => 'y' }, 401];

# Set forward again: no client gets a delay waived, either.
spew("$dir/shift", '0');
answers(resend(), 429, undef, 'a request for a mail is refused until the hour is over', 'retry-after' => qr/^3[45]\d\d$/);

done_testing;
