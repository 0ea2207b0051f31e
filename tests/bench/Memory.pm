# SPDX-License-Identifier: Apache-2.0
package Memory;

# The memory of a server after many requests of all kinds, and the share of its cache.

use strict;
use warnings FATAL => 'all';

use List::Util qw(sum);

use CatalogTest::Tools qw(setting);
use Catalogue ();
use Httpd ();
use Load ();
use Machine ();

my $COUNT = 10_000;
my $CACHE = 2_097_152; # bytes: less than all products need
my $GENERATIONS = 262_144; # bytes: the generations of one database (src/shm/generations.h)
my $CONNECTIONS = 16;
my @READS = ('90 GET /api/products/{id}', '6 GET /api/products?page={n}', '1 GET /api/products/none');
my @WRITES = ('1 POST /api/products {"name":"A new product","price":{n}.25}', '1 POST /api/products {"name":""}',
    '1 PUT /api/products/{id} {"price":{n}.25}');

sub run {
    my ($c) = @_;
    my $file = Catalogue::file("$c->{dir}/data", setting('ctl'), $COUNT);
    my %figures = (flat($c, $file), bounded($file));
    printf "%-32s %8.1f MiB\n", $_, $figures{$_}{mib} for sort keys %figures;
    $c->{results}->add(memory => %figures);
}

sub load {
    my ($server, $seconds, @requests) = @_;
    my %o = (server => $server, seconds => $seconds, connections => $CONNECTIONS, count => $COUNT, size => $COUNT);
    return Load::run(%o, header => 'Authorization: Bearer ' . Contestant::token(), requests => \@requests)->{requests};
}

sub mib { $_[0] / 1024 / 1024 }

# Compares the second fifth of the requests with the last; in the first, pools, caches and connections still grow. Averages readings,
# because they vary by 4 %. Few threads, each with a database connection, reach their final size soon.
sub flat {
    my ($c, $file) = @_;
    my $few = "ThreadsPerChild 8\nMaxSpareThreads $CONNECTIONS\nMaxRequestWorkers $CONNECTIONS";
    my $server = Httpd->new('memory', database => $file, more => "CatalogCacheSize $CACHE\n$few")->start;
    my %held;
    for my $part (1 .. 5) {
        do {
            $server->{requests} += load($server, 2, @READS, @WRITES);
            push @{ $held{$part} }, Machine::memory($server->pid, qw(Anon Shmem));
        } while ($server->{requests} < $c->{requests} * $part / 5);
    }
    $server->stop;
    my ($warm, $end) = map { mib(sum(@$_) / @$_) } @held{ 2, 5 };
    return ('memory, warm' => { mib => $warm }, 'memory, at the end' => { mib => $end, requests => $server->{requests} });
}

sub bounded {
    my ($file) = @_;
    my %shared;
    for my $size (0, $CACHE) {
        my $server = Httpd->new("cache of $size", database => $file, more => "CatalogCacheSize $size")->start;
        load($server, 2, @READS);
        $shared{$size} = Machine::memory($server->pid, 'Shmem');
        $server->stop;
    }
    return ('cache, allowed' => { mib => mib($CACHE + $GENERATIONS) }, 'cache, held' => { mib => mib($shared{$CACHE} - $shared{0}) });
}

1;
