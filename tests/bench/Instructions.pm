# SPDX-License-Identifier: Apache-2.0
package Instructions;

# Instructions that httpd runs for a request, in user mode. They hardly vary from run to run, so a small loss shows that a measured
# time would hide. They are compared with tests/bench/instructions.txt, which is written anew when UPDATE=1 is in the environment.

use strict;
use warnings FATAL => 'all';

use FindBin ();
use IPC::Open2 ();

use CatalogTest::Http ();
use CatalogTest::Tools qw(setting slurp spew);
use Catalogue ();
use Httpd ();

my $COUNT = 10_000;
my $SOME = 5001;
my $RUNS = 3;
my ($FEW, $MANY) = (200, 1200); # their difference leaves out what a connection costs
my $MOST = 1.02;
my $FILE = "$FindBin::RealBin/instructions.txt";
my $NEW = '{"name":"Product number 00000000","price":10.25,"category":"category 1","inStock":true,"rating":4.5}';

sub run {
    my ($c) = @_;
    my $file = Catalogue::file("$c->{dir}/data", setting('ctl'), $COUNT);
    my %server = (
        cache => Instructions::Httpd->new('instructions', database => $file),
        database => Instructions::Httpd->new('instructions, no cache', database => $file, more => 'CatalogCacheSize 0'));
    my (@names, %counted);

    $_->start for values %server;
    $server{cache}->offer(one => '/api/products/' . Catalogue::id($SOME));
    $server{cache}->stop;
    $server{cache}->start;
    for my $row (constant(), map { requests($server{$_}, $_) } qw(cache database)) {
        my ($name, $from, @request) = @$row;
        push @names, $name;
        $counted{$name} = median(map { per_request($server{$from}, @request) } 1 .. $RUNS);
    }
    $_->stop for values %server;
    return write_file(\@names, \%counted) if $ENV{UPDATE};
    compare(\@names, \%counted);
}

# Rows of name, server, expected status, method, path, body and what CatalogTest::Http takes.
sub constant { ['constant', 'cache', 200, 'GET', '/constant/one'] }

sub requests {
    my ($server, $from) = @_;
    my ($one, $page) = ('/api/products/' . Catalogue::id($SOME), '/api/products');
    my $tag = $server->get($page)->{headers}{etag};
    return (
        ["one, $from", $from, 200, 'GET', $one],
        ["page, $from", $from, 200, 'GET', $page],
        ["304, $from", $from, 304, 'GET', $page, undef, headers => { 'If-None-Match' => $tag }],
        ["POST, $from", $from, 201, 'POST', $page, $NEW, token => Contestant::token()]);
}

sub per_request {
    my ($server, $status, @request) = @_;
    my @counts = map { count($server, $_, $status, @request) } $FEW, $MANY;
    return ($counts[1] - $counts[0]) / ($MANY - $FEW);
}

# What the server's main thread, which answers all requests, runs meanwhile.
sub count {
    my ($server, $number, $status, @request) = @_;
    my $report = "$server->{dir}/perf";
    # cat echoes a line once perf counts, and ends perf by its own end.
    my $perf = IPC::Open2::open2(my $from, my $to, qw(perf stat -x; -e instructions:u -o), $report, '-t', $server->pid, 'cat');
    print {$to} "ready\n";
    $to->flush;
    defined readline $from or die "perf does not run:\n", slurp($report);

    send_all($server, $number, $status, @request);
    close $to;
    waitpid $perf, 0;
    return slurp($report) =~ /^(\d+);[^;]*;instructions/m ? $1
        : die "perf counts no instructions: the machine, or its hypervisor, does not let it\n", slurp($report);
}

# On one connection: the server has a single process, which takes one after the other.
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

sub median { return (sort { $a <=> $b } @_)[@_ / 2] }

sub write_file {
    my ($names, $counted) = @_;
    spew($FILE, "# Instructions a request, as make bench PARTS=instructions UPDATE=1 counted them\n",
        map { sprintf "%-16s %8.0f\n", $_, $counted->{$_} } @$names);
    print slurp($FILE);
}

# Dies when a row is above what the file has for it.
sub compare {
    my ($names, $counted) = @_;
    my %known = slurp($FILE) =~ /^([^#\n]*\S) +(\d+)$/mg;
    my @above;
    for my $name (@$names) {
        my $known = $known{$name} // die "$FILE has no row $name: count with UPDATE=1\n";
        printf "%-16s %8.0f, %+.1f %%\n", $name, $counted->{$name}, 100 * ($counted->{$name} / $known - 1);
        push @above, $name if $counted->{$name} > $MOST * $known;
    }
    die 'more than ', sprintf('%.0f', 100 * ($MOST - 1)), ' % above instructions.txt: ', join('; ', @above), "\n" if @above;
}

# A single process without a parent.
package Instructions::Httpd;

use parent -norequire, 'Httpd';

sub prepare { my ($self) = @_; $self->{mpm} = 'prefork'; return $self->SUPER::prepare }

sub command { my ($self) = @_; return map { $_ eq '-DFOREGROUND' ? '-X' : $_ } $self->SUPER::command }

1;
