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
my ($FEW, $MANY) = (100, 600); # requests; the difference of both runs excludes start, connection and stop
my $RUNS = 3;
my $ATTEMPTS = 4;
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
    my (@names, %counted);

    $server{cache}->start;
    $server{cache}->offer(one => "$PAGE/" . Catalogue::id($SOME));
    my $tag = $server{cache}->get($PAGE)->{headers}{etag};
    $server{cache}->stop;
    for my $row (constant(), (map { requests($tag, $_) } qw(cache database)), map { reads("own, $_") } qw(cache database)) {
        my ($name, $from, @request) = @$row;
        push @names, $name;
        $counted{$name} = undisturbed($name, $server{$from}, @request);
    }
    return write_file(\@names, \%counted) if $ENV{UPDATE};
    compare(\@names, \%counted);
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

# A background job that has the server's connection while a request arrives makes it open another one, once in a run: 1.5 million
# instructions with SQLite. So what is above the file's is counted again.
sub undisturbed {
    my ($name, @row) = @_;
    my $known = $ENV{UPDATE} ? undef : known()->{$name};
    my $least;
    for (1 .. $ATTEMPTS) {
        $least = min grep { defined } $least, per_request(@row);
        last if !defined $known || $least <= $MOST * $known;
    }
    return $least;
}

sub per_request {
    my ($server, $status, @request) = @_;
    my @counts = map { least($server, $_, $status, @request) } $FEW, $MANY;
    return ($counts[1] - $counts[0]) / ($MANY - $FEW);
}

# A disturbed start, on a busy machine for example, takes up to a million instructions more.
sub least { my @run = @_; return min map { count(@run) } 1 .. $RUNS }

# Counts a whole run of the server, but only its main thread, which answers all requests; jobs run in other threads.
sub count {
    my ($server, $number, $status, @request) = @_;
    unlink glob "$server->{dir}/data/callgrind.*";
    $server->start;
    my $pid = $server->pid;
    send_all($server, $number, $status, @request);
    $server->stop;
    my $report = "$server->{dir}/data/callgrind.$pid-01";
    return slurp($report) =~ /^(?:summary|totals): (\d+)$/m ? $1 : die "$report has no total\n", $server->complaints;
}

# On one connection, because the server's only process serves one connection at a time.
sub send_all {
    my ($server, $number, $status, @request) = @_;
    my $bytes = CatalogTest::Http::request_bytes(@request) =~ s/^Connection: close\r\n//mr;
    my $socket = CatalogTest::Http::connection($server->port);
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

# httpd as a single process (httpd -X).
package Instructions::Httpd;

use parent -norequire, 'Httpd';

sub prepare { my ($self) = @_; $self->{mpm} = 'prefork'; return $self->SUPER::prepare }

sub command {
    my ($self) = @_;
    return (qw(valgrind --tool=callgrind --separate-threads=yes), "--callgrind-out-file=$self->{dir}/data/callgrind.%p",
        "--log-file=$self->{dir}/valgrind", map { $_ eq '-DFOREGROUND' ? '-X' : $_ } $self->SUPER::command);
}

1;
