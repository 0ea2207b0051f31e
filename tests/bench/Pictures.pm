# SPDX-License-Identifier: Apache-2.0
package Pictures;

# Draws three pictures of a run with gnuplot.

use strict;
use warnings FATAL => 'all';

my @CONTESTANTS = qw(event worker Fastify Express Bun mod_php nginx);
my %LABEL = (
    event => 'mod_catalog\nevent', worker => 'mod_catalog\nworker', nginx => 'nginx + Lua');
my @COLOURS = ('#1b6ca8', '#e08a1e', '#5b9e4d');

# Draws the pictures whose figures the run has.
sub draw {
    my ($results, $dir) = @_;
    costs($results, $dir) if $results->{parts}{reads};
    sizes($results, $dir) if $results->{parts}{sizes};
    inserts($results, $dir) if $results->{parts}{inserts};
}

sub costs {
    my ($results, $dir) = @_;
    my @rows = (
        ['static file\nevent', map { cost($results, "event: static $_") } qw(one page none)],
        map { my $who = $_; [$LABEL{$who} // $who, map { cost($results, "$who: $_") } qw(one page post)] } @CONTESTANTS);
    bars("$dir/costs.png", 'Server CPU per request, microseconds (less is better)',
        ['one product', 'a page of 10', 'POST with a token'], @rows);
}

sub sizes {
    my ($results, $dir) = @_;
    my @what = (
        'one', 'page 1', 'one, no cache', 'one, no cache, spread', 'page 1, no cache', 'next page by cursor', 'pages in the middle',
        'last pages');
    my @rows = map { my $what = $_; [label($what), map { cost($results, "$_: $what") } qw(small large)] } @what;
    bars("$dir/sizes.png", 'Server CPU per request, microseconds, by the size of the catalogue',
        ['1000 products', "$results->{pace}{large} products"], @rows);
}

# In as many lines as there are things to say.
sub label { $_[0] =~ s/(,| by| in) /$1\\n/gr }

sub inserts {
    my ($results, $dir) = @_;
    my @mpms = qw(event worker prefork);
    my @title = ('event', 'worker', 'one transaction a request (prefork)');
    my @rows = map { my $at = $_; [$at, map { sprintf '%.0f', $results->figure("$_: inserts at $at")->{rate} } @mpms] } 1, 8, 32;
    my $line = '$data using 1:%d with linespoints lw 2 pt 7 lc rgb "%s" title "%s"';
    my @lines = map { sprintf $line, $_ + 2, $COLOURS[$_], $title[$_] } 0 .. 2;
    plot("$dir/inserts.png", 'Products inserted a second, each safe on the disk (more is better)',
        \@rows, 'set logscale x 2', 'set xtics (1, 8, 32)', 'set xlabel "connections"', \@lines);
}

# "?" if the run has no such figure.
sub cost {
    my ($results, $name) = @_;
    my $figure = $results->figure($name);
    return $figure ? sprintf '%.2f', $figure->{cpu} : '?';
}

# A group of bars for each row: its label, and a value for each title.
sub bars {
    my ($file, $title, $titles, @rows) = @_;
    my @bars = map { sprintf '$data using %d:xtic(1) lc rgb "%s" title "%s"', $_ + 2, $COLOURS[$_], $titles->[$_] } 0 .. $#$titles;
    plot($file, $title, \@rows, 'set style data histogram', 'set style histogram clustered gap 1',
        'set style fill solid noborder', 'set boxwidth 0.9', \@bars);
}

sub plot {
    my ($file, $title, $rows, @more) = @_;
    my $plot = 'plot ' . join ', ', @{ pop @more };
    open my $gnuplot, '|-', 'gnuplot' or die "gnuplot: $!\n";
    print {$gnuplot} map { "$_\n" }
        'set terminal pngcairo noenhanced size 1100,560 font "sans,11"', qq(set output "$file"), qq(set title "$title"),
        '$data << END', (map { join ' ', map { /^(?:[\d.]+|\?)$/ ? $_ : qq("$_") } @$_ } @$rows), 'END', 'set datafile missing "?"',
        'set grid ytics back lc rgb "#cccccc"', 'set border 3', 'set tics nomirror', 'set xtics scale 0', 'set bmargin 4',
        'set yrange [0:*]', 'set key above', @more, $plot;
    close $gnuplot or die "gnuplot failed\n";
}

1;
