# SPDX-License-Identifier: Apache-2.0
package Load;

# One run of wrk against one server.

use strict;
use warnings FATAL => 'all';

use FindBin ();
use JSON::PP ();

use Machine ();

# server; requests: as load.lua takes them; count, size, header: likewise; connections, seconds. The result: requests, rate (a
# second), cpu (microseconds a request), p50 and p99 (milliseconds), failed.
sub run {
    my (%o) = (connections => 48, count => 1, size => 1, header => '-', @_);
    my $threads = $o{connections} > 1 ? 2 : 1;
    my @processes = $o{server}->processes;
    my @wrk = ('wrk', "-t$threads", "-c$o{connections}", "-d$o{seconds}s", '--timeout', '5s', '-s', "$FindBin::RealBin/load.lua",
        'http://127.0.0.1:' . $o{server}->port, '--', @o{qw(count size header)}, @{ $o{requests} });

    my $before = Machine::cpu(@processes);
    open my $in, '-|', @wrk or die "wrk: $!\n";
    my $text = join '', <$in>;
    close $in or die "wrk failed:\n$text";
    my $cpu = Machine::cpu(@processes) - $before;

    my ($line) = $text =~ /^(\{"requests".*\})$/m or die "wrk tells nothing:\n$text";
    my $result = JSON::PP::decode_json($line);
    die $o{server}->name . " answered nothing\n" unless $result->{requests};
    return { %$result, cpu => 1e6 * $cpu / $result->{requests}, rate => $result->{requests} / $result->{seconds} };
}

1;
