# SPDX-License-Identifier: Apache-2.0
package Instructions;

# Instructions that httpd runs for a request, in user mode. Callgrind counts them, because machines may deny access to their own
# counters. The counts hardly vary from run to run, so they show small regressions that times would hide. Compares them with
# tests/bench/instructions.txt, or writes that file if UPDATE=1 is in the environment. Of a catalogue with the fields of Own.pm, too.

use strict;
use warnings FATAL => 'all';

use FindBin ();
use List::Util qw(min);

use CatalogTest::Http ();
use CatalogTest::Tools qw(setting slurp spew);
use Catalogue ();
use Httpd ();
use Own ();
use Varied ();

my $COUNT = 10_000;
my $SOME = 5001;
my $PAGE = '/api/products';
my $WARM = 50;
my $ROUNDS = 4; # of which the least counts: a connection that a background job makes the server open takes 1.5 million instructions
my $REQUESTS = 600; # a round's, in which what a creation costs differs with the pages of the tables that fill
my @MARK = (200, 'GET', '/mark');
my $MOST = 1.02;
my $FILE = "$FindBin::RealBin/instructions.txt";
my $NEW = '{"name":"Product number 00000000","price":10.25,"category":"category 1","inStock":true,"rating":4.5}';

sub run {
    my ($c) = @_;
    my $file = Catalogue::file("$c->{dir}/data", setting('ctl'), $COUNT);
    my ($own) = Varied::file("$c->{dir}/data", setting('ctl'), $COUNT, 1);
    my @fields = (Httpd::ALL_INDEXES, Own::LINES);
    my %server = (
        cache => Instructions::Httpd->new('instructions', database => $file),
        database => Instructions::Httpd->new('instructions, no cache', database => $file, more => 'CatalogCacheSize 0'),
        'own, cache' => Instructions::Httpd->new('instructions, own fields', database => $own, more => join "\n", @fields),
        'own, database' =>
            Instructions::Httpd->new('instructions, own fields, no cache', database => $own, more => join "\n", 'CatalogCacheSize 0', @fields));
    my (@rows, %counted);

    $server{cache}->start;
    $server{cache}->offer(one => "$PAGE/" . Catalogue::id($SOME));
    my $tag = $server{cache}->get($PAGE)->{headers}{etag};
    $server{cache}->stop;
    @rows = (constant(), (map { requests($tag, $_) } qw(cache database)), map { reads("own, $_") } qw(cache database));
    for my $from (sort keys %server) {
        my @from = grep { $_->[1] eq $from } @rows;
        @counted{map { $_->[0] } @from} = count($server{$from}, @from);
    }
    return write_file([map { $_->[0] } @rows], \%counted) if $ENV{UPDATE};
    compare([map { $_->[0] } @rows], \%counted);
}

# Rows of name, server, expected status, method, path, body and what CatalogTest::Http takes.
sub constant { ['constant', 'cache', 200, 'GET', '/constant/one'] }

sub requests {
    my ($tag, $from) = @_;
    return (
        reads($from),
        ["304, $from", $from, 304, 'GET', $PAGE, undef, headers => { 'If-None-Match' => $tag }],
        ["POST, $from", $from, 201, 'POST', $PAGE, $NEW, token => Contestant::token()]);
}

sub reads {
    my ($from) = @_;
    return (["one, $from", $from, 200, 'GET', "$PAGE/" . Catalogue::id($SOME)], ["page, $from", $from, 200, 'GET', $PAGE]);
}

# Returns the instructions of a request of each row. Counts only the server's main thread, which answers all requests; jobs run in other
# threads. When a marking request arrives, callgrind writes a report and counts from 0 again. So the second report of a row is of a marking
# request alone, and the others have its cost, too.
sub count {
    my ($server, @rows) = @_;
    unlink glob "$server->{dir}/data/callgrind.*";
    spew("$server->{dir}/htdocs/mark", '');
    $server->start;
    my ($pid, $socket) = ($server->pid, CatalogTest::Http::connection($server->port));
    for my $row (@rows) {
        my ($name, $from, @request) = @$row;
        send_all($socket, $WARM, @request);
        send_all($socket, 2, @MARK);
        for (1 .. $ROUNDS) {
            send_all($socket, $REQUESTS, @request);
            send_all($socket, 1, @MARK);
        }
    }
    $server->stop;
    my @totals = map { total($server, $pid, $_) } 1 .. @rows * (2 + $ROUNDS);
    return map {
        my ($warm, $mark, @rounds) = splice @totals, 0, 2 + $ROUNDS;
        (min(@rounds) - $mark) / $REQUESTS;
    } @rows;
}

sub total {
    my ($server, $pid, $number) = @_;
    my $report = "$server->{dir}/data/callgrind.$pid.$number-01";
    return slurp($report) =~ /^(?:summary|totals): (\d+)$/m ? $1 : die "$report has no total\n", $server->complaints;
}

# On one connection, because the server's only process serves one connection at a time.
sub send_all {
    my ($socket, $number, $status, @request) = @_;
    my $bytes = CatalogTest::Http::request_bytes(@request) =~ s/^Connection: close\r\n//mr;
    local $/ = "\r\n\r\n";
    for (1 .. $number) {
        print {$socket} $bytes;
        my $head = readline $socket // die "the server closed the connection\n";
        $head =~ m{^HTTP/1\.1 $status } or die "@request[0, 1]: $head";
        my ($length) = $status == 304 ? () : $head =~ /^Content-Length: (\d+)/mi;
        read($socket, my $body, $length) == $length or die "@request[0, 1]: a body was cut\n" if $length;
    }
}

sub write_file {
    my ($names, $counted) = @_;
    spew($FILE, "# Instructions a request, as make bench PARTS=instructions UPDATE=1 counted them\n",
        map { sprintf "%-18s %8.0f\n", $_, $counted->{$_} } @$names);
    print slurp($FILE);
}

sub known { return { slurp($FILE) =~ /^([^#\n]*\S) +(\d+)$/mg } }

# Dies if a count is too far above the file's.
sub compare {
    my ($names, $counted) = @_;
    my $known_of = known();
    my @above;
    for my $name (@$names) {
        my $known = $known_of->{$name};
        printf "%-18s %8.0f, not in instructions.txt yet\n", $name, $counted->{$name} unless $known;
        next unless $known;
        printf "%-18s %8.0f, %+.1f %%\n", $name, $counted->{$name}, 100 * ($counted->{$name} / $known - 1);
        push @above, $name if $counted->{$name} > $MOST * $known;
    }
    die 'more than ', sprintf('%.0f', 100 * ($MOST - 1)), ' % above instructions.txt: ', join('; ', @above), "\n" if @above;
}

# httpd as a single process (httpd -X). Of all requests here, only those for a file reach httpd's TRACE: a constant and the API are mapped
# before, so this function marks.
package Instructions::Httpd;

use parent -norequire, 'Httpd';

sub prepare { my ($self) = @_; $self->{mpm} = 'prefork'; return $self->SUPER::prepare }

sub command {
    my ($self) = @_;
    return (qw(valgrind --tool=callgrind --separate-threads=yes --dump-before=ap_send_http_trace),
        "--callgrind-out-file=$self->{dir}/data/callgrind.%p",
        "--log-file=$self->{dir}/valgrind", map { $_ eq '-DFOREGROUND' ? '-X' : $_ } $self->SUPER::command);
}

1;
