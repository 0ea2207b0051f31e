# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: GET /products
# db: sqlite3
# runs: first
# moves: catalog_database_write_refusals_total
# A slow disk: it is no outage if the children of one server wait for each other.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Metrics qw(location scrape moved_since);

my $dir = scratch();
chmod 0755, $dir;

# A preloaded library that slows each fsync to 0.4 s, or to 5 s while there is a file of that name, or pauses a process that finds no write-ahead log.
my $very_slow = "$dir/very-slow";
sub library {
    my ($name, $functions) = @_;
    spew("$dir/$name.c", <<"END");
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define VERY_SLOW "$very_slow"
static void pause_for(int milliseconds)
{
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&t, NULL);
}
$functions
END
    system('cc', '-shared', '-fPIC', '-o', "$dir/$name.so", "$dir/$name.c") == 0 or die "cc failed\n";
    return "$dir/$name.so";
}

my $fsync = library('fsync', <<'END');
static int sync_slowly(long call, int file)
{
    pause_for(access(VERY_SLOW, F_OK) == 0 ? 5000 : 400);
    return (int)syscall(call, file);
}
int fsync(int file) { return sync_slowly(SYS_fsync, file); }
int fdatasync(int file) { return sync_slowly(SYS_fdatasync, file); }
END

my $stat = library('stat', <<'END');
struct statx;
int statx(int directory, const char *restrict path, int flags, unsigned mask, struct statx *restrict info)
{
    static int looks;
    int result = (int)syscall(SYS_statx, directory, path, flags, mask, info), error = errno;
    size_t length = strlen(path);
    if (result != 0 && length > 4 && !strcmp(path + length - 4, "-wal")) {
        pause_for(200 + 100 * (__atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED) % 10));
        errno = error;
    }
    return result;
}
END

sub start_with {
    my ($library, $server) = @_;
    local $ENV{LD_PRELOAD} = $library;
    return $server->start;
}

sub requests {
    return map { my $name = fresh();
        (wire(POST => '/register', { username => $name, email => "$name\@example.com", password => 'correct horse' }),
            wire(GET => '/products')) } 1 .. 8;
}

sub is_no_outage {
    my ($why, @answers) = @_;
    my %statuses;
    $statuses{ $_->{status} }++ for @answers;
    is(join(' ', grep { !/^(?:20[01]|503)$/ } sort keys %statuses), '',
        "$why: each request succeeds or gets a 503") or diag explain \%statuses;
    is(scalar(grep { $_->{status} == 503 && !$_->{headers}{'retry-after'} } @answers), 0, "$why: each 503 has Retry-After");
}

# Sends eight registrations and eight reads, and again those that were refused, until none is.
sub are_served_in_the_end {
    my ($why, $server) = @_;
    my @left = requests();
    my @refusals;
    wait_until(30, sub {
        my @answers = $server->burst(@left);
        my @again = grep { $answers[$_]{status} !~ /^20[01]$/ } 0 .. $#left;
        @refusals = map { $_->{status} } @answers[@again];
        @left = @left[@again];
        return !@left;
    });
    is("@refusals", '', $why);
}

# case: the first request takes seconds to create the schema; those of all children wait, three seconds at most
my $server = start_with($fsync, server(conf => location()));
is_no_outage('a new database', $server->burst(requests()));
are_served_in_the_end('all requests are served in the end', $server);

# case: a write takes longer than others wait for their turn: they are refused, and counted
my $before = scrape($server);
spew($very_slow, '');
my @sockets = map { my $socket = $server->connection; print {$socket} $_; $socket } (requests())[0, 2, 4, 6];
my @statuses = sort map { join('', readline $_) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 } @sockets;
unlink $very_slow;
like("@statuses", qr/^201(?: 201| 503)* 503$/, 'of several writes at once the first is stored, and later ones are refused');
my $refusals = grep { $_ eq '503' } @statuses;
moved_since($server, $before, { catalog_database_write_refusals_total => $refusals }, 'the metrics count the refused writes');
$server->stop;

# case: children open the database at once: one creates the write-ahead log while another one looks for it
$server = server();
$server->make_databases;
is(ctl_for($server, 'migrate')->{status}, 0, 'catalogctl migrate creates a database');
start_with($stat, $server);
is_no_outage('opened at once', $server->burst(requests()));
are_served_in_the_end('every child serves all requests in the end', $server);

allow_log(qr/CAT001: /, qr/CAT008: /, qr/CAT011: /);
done_testing;
