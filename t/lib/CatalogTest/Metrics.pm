# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Metrics;

# What a Location with SetHandler catalog-metrics says, and how it changes.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IPC::Open3 ();
use Test::More ();

use CatalogTest::Tools qw(wait_until);

our @EXPORT_OK = qw(location series scrape moves moved judge);

# Where scrape reads them.
sub location { return qq(<Location "/metrics">\n    SetHandler catalog-metrics\n</Location>\n) }

# Each series of the text with its value: 'catalog_requests_total{route="/products",method="GET",code="2xx"}' => 1.
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

# The changes from one reading to a later one, without those that are 0.
sub moves {
    my ($before, $after) = @_;
    my %by = map { $_ => $after->{$_} - ($before->{$_} // 0) } keys %$after;
    return { map { $_ => $by{$_} } grep { $by{$_} } keys %by };
}

# One test: what is done moves each series as wanted. want: series => by how much, or ['>=', least]. A request is counted after its answer
# was sent, so this waits for it.
sub moved {
    my ($server, $what, $want, $name) = @_;
    my $before = scrape($server);
    $what->();
    my $moves;
    my $is_good = wait_until(12, sub {
        $moves = moves($before, scrape($server));
        return !grep { !is_wanted($moves->{$_} // 0, $want->{$_}) } keys %$want;
    });
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return Test::More::ok($is_good, $name) || Test::More::diag(join "\n", map { "$_ moved by " . ($moves->{$_} // 0) } sort keys %$want);
}

sub is_wanted {
    my ($by, $want) = @_;
    return ref $want ? $by >= $want->[1] : $by == $want;
}

# What a program says about the text, with its exit status; '' if it has nothing against it.
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
