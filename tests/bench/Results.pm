# SPDX-License-Identifier: Apache-2.0
package Results;

# The figures of a run, compared with the targets: as JSON for programs, as Markdown for docs/benchmarks.md.

use strict;
use warnings FATAL => 'all';

use JSON::PP ();
use POSIX ();

use CatalogTest::Tools qw(spew);
use Machine ();
use Targets ();

# Parts whose figures are those of requests.
my @LISTED = qw(reads posts postgresql mariadb https sizes depth depth_postgresql depth_mariadb
    fields fields_postgresql fields_mariadb search search_postgresql search_mariadb inserts
    plain_sqlite plain_postgresql plain_mariadb);

my %HOLDS = ('<=' => sub { $_[0] <= $_[1] }, '<' => sub { $_[0] < $_[1] }, '>=' => sub { $_[0] >= $_[1] });

sub new {
    my ($class, %pace) = @_;
    my $when = POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime);
    return bless { pace => {%pace}, when => $when, machine => Machine::facts(), parts => {} }, $class;
}

sub add {
    my ($self, $part, %figures) = @_;
    $self->{parts}{$part} = \%figures;
}

# The figure of that name; names are unique across parts. undef: the run has not measured it.
sub figure {
    my ($self, $name) = @_;
    my ($found) = grep { $_ } map { $_->{$name} } values %{ $self->{parts} };
    return $found;
}

# The targets whose figures this run has measured; adds value, base_value, ratio and holds to each row.
sub rows {
    my ($self) = @_;
    return grep { $_ } map { $self->judge($_) } Targets::rows();
}

sub judge {
    my ($self, $target) = @_;
    my $figure = $self->figure($target->{figure}) or return;
    my $base = $target->{base} && $self->figure($target->{base});
    return if $target->{base} && !$base;

    my $member = $target->{member};
    my %row = (%$target, value => $figure->{$member});
    $row{base_value} = $base->{$member} if $base;
    $row{ratio} = $base->{$member} ? $row{value} / $base->{$member} : 0 if $base;
    return { %row, holds => undef } unless defined $target->{limit};
    my $measured = sprintf '%.2f', $base ? $row{ratio} : $row{value}; # as it is printed
    my $holds = $HOLDS{ $target->{relation} }->($measured, $target->{limit}) && !$figure->{failed};
    return { %row, holds => $holds ? JSON::PP::true : JSON::PP::false };
}

sub write {
    my ($self, $json, $markdown) = @_;
    spew($json, JSON::PP->new->pretty->canonical->encode({ %$self, rows => [$self->rows] }));
    spew($markdown, $self->markdown);
}

# ---- Markdown ----

sub markdown {
    my ($self) = @_;
    my @rows = $self->rows;
    return join "\n", $self->head, '',
        '| what / base | figure | base | ratio | target | |', '|---|---:|---:|---:|---:|---|', (map { line($_) } @rows), '',
        'All figures:', '',
        '| | CPU, microseconds per request | requests per second | p99, ms | failed |', '|---|---:|---:|---:|---:|', $self->figure_lines, '';
}

sub head {
    my ($self) = @_;
    my ($machine, $pace) = @$self{qw(machine pace)};
    my $versions = join ', ', map { "$_ $machine->{versions}{$_}" } sort keys %{ $machine->{versions} };
    return "Measured on $self->{when}, on $machine->{cores} cores of $machine->{processor}, $machine->{memory_mib} MiB,"
        . " $machine->{system}, Linux $machine->{kernel}; load average before the run $machine->{load}; $versions. $pace->{rounds}"
        . " rounds of $pace->{seconds} s; the large catalogue has $pace->{large} products.";
}

sub line {
    my ($row) = @_;
    my $number = sub { defined $_[0] ? sprintf($_[0] >= 1000 ? '%.0f' : '%.2f', $_[0]) : '' };
    my $target = defined $row->{limit} ? "$row->{relation} $row->{limit}" : '';
    my @numbers = map { $number->($row->{$_}) } qw(value base_value ratio);
    return sprintf '| %s: %s | %s | %s | %s | %s | %s |', @$row{qw(group what)}, @numbers, $target, verdict($row);
}

# Names each peer that costs less, whatever the target.
sub verdict {
    my ($row) = @_;
    my ($peer) = $row->{what} =~ m{/ (Fastify|Express|Bun(?:\.sql)?|mod_php|nginx|json-server|FTS5|pg_trgm|FULLTEXT)(?: with a counter)?$};
    my @words = !defined $row->{holds} ? () : $row->{holds} ? 'met' : '**missed**';
    push @words, "**$peer is ahead**" if $peer && $row->{ratio} > 1;
    return join ', ', @words;
}

sub figure_lines {
    my ($self) = @_;
    my @lines;
    for my $figures (@{ $self->{parts} }{ grep { $self->{parts}{$_} } @LISTED }) {
        for my $name (grep { defined $figures->{$_}{p99} } sort keys %$figures) {
            push @lines, sprintf '| %s | %.1f | %.0f | %.2f | %d |', $name, @{ $figures->{$name} }{qw(cpu rate p99 failed)};
        }
    }
    return @lines;
}

1;
