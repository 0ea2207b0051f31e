# SPDX-License-Identifier: Apache-2.0
# mpm: event
# runs: first
# catalogctl import and export of many products lose none and need no more memory than for a few. The MPM does not matter.
use CatalogTest;
use CatalogTest::Ctl qw(command_for);
use CatalogTest::Move qw(product write_file);
use POSIX ();
use Time::HiRes qw(sleep time);

use constant { MANY => $ENV{BRIEF} ? 30_000 : 50_000, FEW => 10_000, NOISE => 3 * 1024 }; # KiB

# FEW products fill SQLite's page cache of 2 MiB, so that MANY do not need more of it.
my $dir = scratch();

# Runs catalogctl with these files as input and output; returns its peak memory in KiB.
sub measured {
    my ($name, $db, $verb, $rows, $in, $out) = @_;
    my ($most, $start) = (0, time);
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDIN, '<', $in;
        open STDOUT, '>', $out;
        exec @$db, $verb or POSIX::_exit(127);
    }
    until (waitpid $pid, POSIX::WNOHANG()) {
        $most = $1 if slurp("/proc/$pid/status") =~ /^VmHWM:\s+(\d+)/m;
        sleep 0.01;
    }
    is($?, 0, "$name: $verb succeeds");
    note sprintf '%s: %s of %d in %.1f s, %d KiB', $name, $verb, $rows, time - $start, $most;
    return $most;
}

sub is_same {
    my ($one, $other, $name) = @_;
    open my $left, '<', $one or die "$one: $!\n";
    open my $right, '<', $other or die "$other: $!\n";
    my ($line, @different) = 0;
    while (defined(my $text = <$left>)) {
        my $same = $text eq (<$right> // '');
        push @different, $line if $line++ && !$same; # the first line has the time
    }
    ok($line && !@different && eof $right, $name) or diag "$line lines, " . scalar @different . ' differ';
}

# Imports and exports; returns the larger peak.
sub move {
    my ($name, $db, $count) = @_;
    my $number = 0;
    write_file("$dir/in", sub { $number < $count ? product($number++) : undef });
    my @most = (measured($name, $db, 'import', $count, "$dir/in", '/dev/null'), measured($name, $db, 'export', $count, '/dev/null', "$dir/out"));
    is_same("$dir/in", "$dir/out", "$name: the export has all of them");
    return $most[0] > $most[1] ? $most[0] : $most[1];
}

sub move_into_new {
    my ($count) = @_;
    my $db = [command_for(server())];
    qx(@$db migrate 2>&1) =~ /^\d+$/m or die "no database\n";
    return move("$count products", $db, $count);
}

my @most = map { move_into_new($_) } FEW, MANY;
cmp_ok($most[1], '<', $most[0] + NOISE, 'many times as many products take no more memory') if !is_under_tsan;

done_testing;
