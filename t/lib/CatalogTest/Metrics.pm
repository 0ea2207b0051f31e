# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Metrics;

# Reads the metrics of a Location with SetHandler catalog-metrics, and tests how they change.
#
# A test file declares the metrics that it moves in lines of its own. tests/lint/metrics.pl uses these lines to check
# that no metric is untested:
#   # moves: catalog_database_connection_wait_seconds
#   # moves: catalog_database_faults_total failed value     these values of its labels, besides the engine
#   # moves: catalog_database_faults_total slow (mysql)     only on these databases and MPMs
# done_testing fails if moved and moved_since have not seen one of these metrics move.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IPC::Open3 ();
use Test::More ();

use CatalogTest::Tools qw(setting slurp wait_until);

our @EXPORT_OK = qw(location series scrape moves moved moved_since judge);

my %moved; # "name", and "name value" for each value of a label

# Returns the Location that scrape reads.
sub location { return qq(<Location "/metrics">\n    SetHandler catalog-metrics\n</Location>\n) }

# Returns a hash of the series in the text: 'catalog_requests_total{route="/products",method="GET",code="2xx"}' => 1.
sub series {
    my ($text) = @_;
    return { map { /^([a-z_]+(?:\{.*\})?) (\S+)$/ ? ($1 => $2) : die "no series: $_\n" } grep { !/^#/ } split /\n/, $text };
}

sub scrape {
    my ($server, $path) = @_;
    my $r = $server->api(GET => $path // '/metrics', mount => '');
    die "no metrics: $r->{status} $r->{body}\n" if $r->{status} != 200;
    return series($r->{body});
}

# Returns the differences between two readings, without those that are 0.
sub moves {
    my ($before, $after) = @_;
    my %by = map { $_ => $after->{$_} - ($before->{$_} // 0) } keys %$after;
    return { map { $_ => $by{$_} } grep { $by{$_} } keys %by };
}

# Runs one test: calling `what` moves each series as wanted. `want` is series => difference, or series => ['>=', least
# difference].
sub moved {
    my ($server, $what, $want, $name) = @_;
    my $before = scrape($server);
    $what->();
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return moved_since($server, $before, $want, $name);
}

# Runs the same test for everything since the reading `before`, which is {} for the server's start. A request is counted
# after its answer was sent, so this waits for the count.
sub moved_since {
    my ($server, $before, $want, $name) = @_;
    my $moves;
    my $is_good = wait_until(12, sub {
        $moves = moves($before, scrape($server));
        return !grep { !is_wanted($moves->{$_} // 0, $want->{$_}) } keys %$want;
    });
    note_move($_) for grep { $moves->{$_} } keys %$want;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return Test::More::ok($is_good, $name) || Test::More::diag(join "\n", map { "$_ moved by " . ($moves->{$_} // 0) } sort keys %$want);
}

sub note_move {
    my ($series) = @_;
    my ($name, $labels) = $series =~ /^(\w+?)(?:_(?:count|sum|bucket))?(?:\{(.*)\})?$/;
    $moved{$_} = 1 for $name, map { "$name $_" } ($labels // '') =~ /="([^"]*)"/g;
}

# Returns the metrics that the file declares for this database and MPM, and that have not moved.
sub unmoved {
    my ($file) = @_;
    my @missing;
    for my $line (slurp($file) =~ /^# moves: (.*)$/mg) {
        my ($name, $values, $places) = $line =~ /^(\w+)((?: \w+)*)(?: \(([\w ]+)\))?$/ or die "$file: # moves: $line\n";
        my @wanted = $values ? map { "$name $_" } split ' ', $values : $name;
        push @missing, grep { !$moved{$_} } @wanted if is_here(split ' ', $places // '');
    }
    return @missing;
}

sub is_here {
    my %place = map { $_ => 1 } @_;
    my @databases = grep { $place{$_} } qw(sqlite3 mysql pgsql);
    my @mpms = grep { $place{$_} } qw(event worker prefork);
    return (!@databases || $place{ setting('db') }) && (!@mpms || $place{ setting('mpm') });
}

sub is_wanted {
    my ($by, $want) = @_;
    return ref $want ? $by >= $want->[1] : $by == $want;
}

# Passes the text to a program that checks it. Returns its exit status and output, or '' if it finds no fault.
sub judge {
    my ($text, @command) = @_;
    my $pid = IPC::Open3::open3(my $in, my $out, undef, @command);
    local $SIG{PIPE} = 'IGNORE';
    print {$in} $text;
    close $in;
    my $said = join '', <$out>;
    waitpid $pid, 0;
    return $? ? "exit status " . ($? >> 8) . ": $said" : $said;
}

1;
