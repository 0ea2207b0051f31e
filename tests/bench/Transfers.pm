# SPDX-License-Identifier: Apache-2.0
package Transfers;

# Files of products over HTTP, on SQLite, under the worker MPM: an import into an empty catalogue, with all indexes and without words
# for searches, beside a writer of single products; then exports of what it stored. Each figure is of one run. Fields.pm imports a file with
# the fields of Own.pm.

use strict;
use warnings FATAL => 'all';

use HTTP::Tiny ();
use POSIX ();
use Time::HiRes ();

use CatalogTest::Tools qw(hand_over setting slurp);
use Catalogue ();
use Httpd ();
use Machine ();
use Own ();
use Varied ();

my %INDEXES = (
    'all indexes' => Httpd::ALL_INDEXES, 'without search' => Httpd::ALL_INDEXES =~ s/ search//r, 'no indexes' => 'CatalogIndex none');
my $PAUSE = 0.05; # seconds between two products of the writer
my $PATIENCE = 3600; # seconds

sub run {
    my ($c) = @_;
    my $file = file("$c->{dir}/data", $c->{transferred});
    my %figures;
    for my $indexes ('no indexes', 'without search', 'all indexes') {
        my $server = start($c, $indexes, $INDEXES{$indexes});
        %figures = (%figures, import_beside_writer($server, $file, $c->{transferred}, $indexes));
        %figures = (%figures, map { export($server, $_) } qw(csv ndjson)) if $indexes eq 'all indexes';
        $server->stop;
    }
    print_figures(%figures);
    $c->{results}->add(transfers => %figures);
}

# With an empty catalogue.
sub start {
    my ($c, $name, $directives) = @_;
    return Httpd->new("transfers, $name", mpm => 'worker', database => empty_database("$c->{dir}/data"), more => $directives)->start;
}

sub print_figures {
    my (%figures) = @_;
    for my $name (sort keys %figures) {
        my $f = $figures{$name};
        printf "%-32s %s\n", $name, join ', ', map { sprintf '%s %.2f', $_, $f->{$_} } sort keys %$f;
    }
}

# ---- the data ----

# A CSV file of varied products, made once. own: whether they have the fields of Own.pm.
sub file {
    my ($dir, $rows, $own) = @_;
    my $file = $own ? "$dir/varied-own-$rows.csv" : "$dir/varied-$rows.csv";
    return $file if -e $file;
    open my $out, '>', "$file.new" or die "$file.new: $!\n";
    print {$out} join(',', qw(name price category inStock rating), $own ? Own::csv_columns() : ()), "\n";
    srand 20;
    for my $n (0 .. $rows - 1) {
        my ($row) = Varied::product($n, $rows, $own);
        print {$out} join(',', @$row{qw(name price category)}, $row->{in_stock} ? 'true' : 'false', $row->{rating} // '',
            $own ? Own::csv_cells($row->{own}) : ()), "\n";
    }
    close $out or die "$file.new: $!\n";
    rename "$file.new", $file or die "$file: $!\n";
    return $file;
}

# With the one product that Contestant changes.
sub empty_database {
    my ($dir) = @_;
    my $file = "$dir/transfers.db";
    unlink glob "$file*";
    Catalogue::import_into(setting('ctl'), 'sqlite3', $file, 1);
    Catalogue::settle_file($file);
    hand_over($file);
    return $file;
}

# ---- what the server did ----

# Peak of the memory that a process of the server has resident, in MiB.
sub peak {
    my ($server) = @_;
    my ($most) = sort { $b <=> $a } map { slurp("/proc/$_/status") =~ /^VmHWM:\s+(\d+)/m } $server->children;
    return $most / 1024;
}

# GiB that its processes have sent to the disk.
sub written {
    my ($server) = @_;
    my $bytes = 0;
    $bytes += $_ for map { slurp("/proc/$_/io") =~ /^write_bytes: (\d+)/m } $server->children;
    return $bytes / 1024**3;
}

# What $act took and cost; it returns what else there is to say.
sub measure {
    my ($server, $act) = @_;
    my ($cpu, $begin) = (Machine::cpu($server->pid), Time::HiRes::time());
    my %more = $act->();
    return {
        seconds => Time::HiRes::time() - $begin, cpu_seconds => Machine::cpu($server->pid) - $cpu, mib => peak($server),
        written_gib => written($server), %more
    };
}

sub client { return HTTP::Tiny->new(timeout => $PATIENCE, default_headers => { Authorization => 'Bearer ' . Contestant::token() }) }

# ---- imports ----

sub import_beside_writer {
    my ($server, $file, $rows, $indexes) = @_;
    my $waited = begin_writer($server);
    my $import = measure($server, sub { send_file($server, $file, $rows) });
    my @waits = $waited->();
    return (
        "import, $indexes" => $import,
        "writer beside an import, $indexes" => { seconds => $waits[-1], median => $waits[$#waits / 2], requests => scalar @waits });
}

sub send_file {
    my ($server, $file, $rows) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    my $answer = client()->post('http://127.0.0.1:' . $server->port . '/api/products/import?atomic=false', {
        headers => { 'Content-Type' => 'text/csv', 'Content-Length' => -s $file },
        content => sub { read $in, my ($piece), 65_536; return $piece },
    });
    die "import: $answer->{status} $answer->{content}\n" unless $answer->{content} =~ /"stored":$rows\b/;
    return ();
}

# Another process stores one product after the other. Returns a function that ends it and returns the seconds each took, sorted.
sub begin_writer {
    my ($server) = @_;
    my $pid = open(my $in, '-|') // die "fork: $!\n";
    if (!$pid) {
        my $ended = 0;
        local $SIG{TERM} = sub { $ended = 1 };
        my $client = client();
        $| = 1;
        until ($ended) {
            my $begin = Time::HiRes::time();
            my $answer = $client->post('http://127.0.0.1:' . $server->port . '/api/products',
                { headers => { 'Content-Type' => 'application/json' }, content => '{"name":"Between","price":1}' });
            print $answer->{status} == 201 ? Time::HiRes::time() - $begin : $PATIENCE, "\n";
            Time::HiRes::sleep($PAUSE);
        }
        POSIX::_exit(0);
    }
    return sub {
        kill TERM => $pid;
        chomp(my @waits = <$in>);
        close $in;
        return sort { $a <=> $b } @waits;
    };
}

# ---- exports ----

# Of a server that has not done anything else.
sub export {
    my ($server, $format) = @_;
    $server->stop;
    $server->start;
    return ("export, $format" => measure($server, sub {
        my $octets = 0;
        my $answer = client()->get('http://127.0.0.1:' . $server->port . "/api/products/export?format=$format",
            { data_callback => sub { $octets += length $_[0] } });
        die "export: $answer->{status}\n" unless $answer->{success};
        return (mb => $octets / 1e6);
    }));
}

1;
