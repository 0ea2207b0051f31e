# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: GET /products
# case: 64
# db: sqlite3
# mpm: event
# runs: last
# hashes: real
# Two hundred registrations at once: the server hashes one password at a time, as configured, and readers do not notice.
use CatalogLoad;
use CatalogTest;
use List::Util qw(sum0);
use POSIX ();
use Time::HiRes qw(sleep time);

my $server = server(conf => 'CatalogHashConcurrency 1')->start;
register($server);

sub user {
    my $name = fresh();
    return { username => $name, email => "$name\@example.com", password => 'correct horse' };
}

# ---- two hundred at once ----

my $done = $server->dir . '/done';
my $readers = clients($server, 2, sub {
    my ($client) = @_;
    my @answers;
    do { push @answers, $client->ask(GET => '/products') } until -e $done;
    return [map { [@$_{qw(status took)}] } @answers];
});
my @answers = $server->burst(map { wire(POST => '/register', user()) } 1 .. 200);
$server->write($done);
my @reads = map { @$_ } $readers->results;

my @made = grep { $_->{status} == 201 } @answers;
my @later = grep { $_->{status} == 503 } @answers;
my @took = sort { $a <=> $b } map { $_->{took} } @answers;
note sprintf '%d made, %d told to come back, %.2f s', scalar @made, scalar @later, $took[-1];
is(@made + @later, 200, 'each gets a 201 or a 503');
cmp_ok(scalar @made, '>=', 5 / slowness(), 'at least five registrations succeed, or as many as a slow machine can hash');
cmp_ok(scalar @later, '>=', 100, 'at least half of the registrations get a 503');
is(scalar(grep { ($_->{headers}{'retry-after'} // '') !~ /^[1-9]\d*$/ } @later), 0, 'each 503 has Retry-After');
takes_less($took[-1], 4, 'no request waits long');
my ($users) = $server->database->selectrow_array('SELECT COUNT(*) FROM users');
is($users, 1 + @made, 'the database has exactly the acknowledged users');

@took = sort { $a <=> $b } map { $_->[1] } @reads;
my $p99 = $took[$#took * 0.99];
note sprintf '%d reads meanwhile, p99 %.3f s, longest %.3f s', scalar @took, $p99, $took[-1];
is(scalar(grep { $_->[0] != 200 } @reads), 0, 'all reads are served meanwhile');
takes_less($p99, 1, '99 % of the reads take less than a second');

# ---- never two ----

# Seconds of CPU time that the children have used.
sub cpu {
    my $ticks = sum0(map { (split ' ', slurp("/proc/$_/stat") =~ s/.*\) //sr)[11, 12] } $server->children);
    return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# Fewer than the queue allows.
sub registrars {
    my ($seconds) = @_;
    my $end = time + $seconds;
    return clients($server, 4, sub {
        my ($client) = @_;
        my @statuses;
        push @statuses, $client->ask_once(POST => '/register', user())->{status} while time < $end;
        return \@statuses;
    });
}

sub count { my %n; $n{$_}++ for map { @$_ } @_; return %n }

# The statuses. On a slow machine the last of four may wait for longer than the queue allows.
sub served { my (%statuses) = @_; delete $statuses{503} if slowness() > 2; return sort keys %statuses }

my $registrars = registrars(3);
sleep 0.3; # until all are hashing or waiting
my ($start, $used) = (time, cpu());
sleep 2.4;
$used = (cpu() - $used) / (time - $start);
my %statuses = count($registrars->results);
note sprintf '%.0f registrations a second, %.2f cores busy', ($statuses{201} // 0) / 3, $used;
is(join(' ', served(%statuses)), '201', 'all registrations of four clients succeed');
cmp_ok($used, '<', 1.5, 'hashing uses one core');

my @memory = map { slurp("/proc/$_/status") =~ /^VmRSS:\s+(\d+) kB/m } $server->children;
note "the children's memory in KiB: @memory";
is(scalar(grep { $_ > 100_000 } @memory), 0, 'the children release the memory for hashing');

# ---- a place is free again when its holder is killed ----

$registrars = registrars(3);
for (1 .. 4) {
    sleep 0.5;
    kill KILL => $server->children;
}
%statuses = count($registrars->results);
note join ', ', map { "$statuses{$_} answers $_" } sort keys %statuses;
is(join(' ', served(%statuses)), '0 201', 'each registration succeeds or is cut off by the kill');
answers($server->api(POST => '/register', user()), 201, undef, 'a registration succeeds afterwards');

expect_log(qr/CAT011: /);
allow_kills();
done_testing;
