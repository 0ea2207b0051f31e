#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Compares the command table of src/ctl/main.c with docs/catalogctl.8. Each command has a line in the synopsis with the
# options and the number of operands of its row, and an entry under "Commands". The page has no other commands.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $page = 'docs/catalogctl.8';
my $quoted = qr/"((?:[^"\\]|\\.)*)"/;
my %option = map { $_->{letter} => $_->{name} } rows('src/ctl/main.c', qr/^    \{"(?<name>[\w-]+)", '(?<letter>\w)', [01],/m);
my %wanted = map {
    $_->{noun} . ($_->{verb} ? " $_->{verb}" : '') => describe([map { $option{$_} // "-$_" } split //, $_->{options}], $_->{operands} =~ tr/[]<>//dr)
} rows('src/ctl/main.c', qr/^    \{"(?<noun>\w+)", (?:NULL|"(?<verb>\w+)"), "(?<options>\w*)", "(?<operands>[^"]*)",/m);

my ($synopsis, $commands) = text($page) =~ /^\.Sh SYNOPSIS\n(.*?)^\.Sh DESCRIPTION\n.*?^\.Ss Commands\n(.*?)^\.S[hs] /ms
    or die "$0: $page has no synopsis\n";
my %found;
for my $use (grep { /^\.Cm / } map { s/^\.Op Ar option \.\.\.\n//r } split /^\.Nm\n/m, $synopsis) {
    my ($names, @rest) = split /\n/, $use =~ s/^\.Cm //r;
    my ($noun, @verbs) = split / (?:\| )?/, $names;
    my @options = map { /^\.Op Fl -([\w-]+)/ } @rest;
    my $operands = join ' ', map { /^\.(?:Op )?Ar (.*)/ } @rest;
    $found{$_} = describe(\@options, $operands) for @verbs ? map { "$noun $_" } @verbs : $noun;
}
my %entry = map { $_ => 1 } $commands =~ /^\.It Cm ([a-z]+(?: [a-z]+)?)(?= (?:Op )?Ar |$)/mg;

for my $command (sort keys %wanted) {
    my $as = $found{$command} // 'missing';
    fault($page, "the synopsis of $command is $as; THE COMMAND TABLE has $wanted{$command}") if $as ne $wanted{$command};
    fault($page, "no entry: .It Cm $command") if !$entry{$command};
}
fault($page, "there is no command $_") for grep { !$wanted{$_} } sort keys %{ { %found, %entry } };

sub describe {
    my ($options, $operands) = @_;
    return join(' ', map { "--$_" } sort @$options) . ' and ' . scalar(() = $operands =~ /[\w-]+/g) . ' operands';
}
