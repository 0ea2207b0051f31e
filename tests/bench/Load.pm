# SPDX-License-Identifier: Apache-2.0
package Load;

# One run of wrk, or for HTTP/2 of h2load, against one server.

use strict;
use warnings FATAL => 'all';

use FindBin ();
use JSON::PP ();
use List::Util qw(shuffle);

use CatalogTest::Tools qw(slurp spew);
use Catalogue ();
use Machine ();

# server; url, unless it is HTTP; requests: as load.lua takes them; count, size, header: likewise; connections, seconds; timeout:
# seconds until wrk counts a request as failed; streams: so many requests at a time on each connection, which is HTTP/2. The result:
# requests, rate (a second), cpu (microseconds a request), p50 and p99 (milliseconds), failed.
sub run {
    my (%o) = (connections => 48, count => 1, size => 1, header => '-', timeout => 5, @_);
    $o{url} //= 'http://127.0.0.1:' . $o{server}->port;
    $o{threads} = $o{connections} > 1 ? 2 : 1;
    my $command = $o{streams} ? h2load(%o) : wrk(%o);
    my @processes = $o{server}->processes;

    my $before = Machine::cpu(@processes);
    my $text = Catalogue::capture(@$command);
    my $cpu = Machine::cpu(@processes) - $before;

    my $result = $o{streams} ? h2load_result($text, %o) : wrk_result($text);
    die $o{server}->name . " answered nothing\n" unless $result->{requests};
    return { %$result, cpu => 1e6 * $cpu / $result->{requests}, rate => $result->{requests} / $result->{seconds} };
}

# ---- HTTP/1.1 ----

sub wrk {
    my (%o) = @_;
    return ['wrk', "-t$o{threads}", "-c$o{connections}", "-d$o{seconds}s", '--timeout', "$o{timeout}s", '-s', "$FindBin::RealBin/load.lua",
        $o{url}, '--', @o{qw(count size header)}, @{ $o{requests} }];
}

sub wrk_result {
    my ($text) = @_;
    my ($line) = $text =~ /^(\{"requests".*\})$/m or die "wrk tells nothing:\n$text";
    return JSON::PP::decode_json($line);
}

# ---- HTTP/2 ----

# Only GET, without another header. Each connection requests the same paths in the same order.
sub h2load {
    my (%o) = @_;
    my ($path) = $o{requests}[0] =~ /^\d+ GET (\S+)$/ or die "h2load: $o{requests}[0]\n";
    my @ids = map { Catalogue::id(int($_ * $o{size} / $o{count})) } 0 .. $o{count} - 1;
    spew("$o{server}{dir}/paths", map { $path =~ s/\{id\}/$_/r . "\n" } shuffle @ids);
    unlink "$o{server}{dir}/answers";
    return ['h2load', "-t$o{threads}", "-c$o{connections}", "-m$o{streams}", "-D$o{seconds}", '-B', $o{url},
        '-i', "$o{server}{dir}/paths", "--log-file=$o{server}{dir}/answers"];
}

sub h2load_result {
    my ($text, %o) = @_;
    my ($seconds) = $text =~ /^finished in ([\d.]+)s/m or die "h2load tells nothing:\n$text";
    my ($requests, $lost) = $text =~ /^requests: .* (\d+) done, .* (\d+) errored/m or die "h2load tells nothing:\n$text";
    my ($good) = $text =~ /^status codes: (\d+) 2xx/m;
    die "$o{url} does not speak HTTP/2:\n$text" unless $text =~ /^Application protocol: h2$/m;

    my @times = sort { $a <=> $b } map { (split)[2] } split /\n/, slurp("$o{server}{dir}/answers");
    my ($p50, $p99) = map { @times ? $times[$_ * $#times] / 1e3 : 0 } 0.50, 0.99;
    my $status = $requests - $good;
    return {
        requests => $requests, seconds => $seconds, p50 => $p50, p99 => $p99, failed => $status + $lost, status => $status };
}

1;
