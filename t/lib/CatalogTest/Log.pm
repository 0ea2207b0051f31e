# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Log;

# An error log holds no line at level warn or above, and none that is not httpd's own, but those that a test declared.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
our @EXPORT_OK = qw(expect_log allow_log allow_kills);

# What httpd's event MPM says when it is told to stop just as it closes a connection.
my @allowed = (qr/AH03092: process_lingering_close: apr_pollset_add failure/);
my (@expected, %seen);

# A line like each of these must be logged by some server of the test file.
sub expect_log { push @expected, @_ }

# Lines like these may be.
sub allow_log { push @allowed, @_ }

# What httpd says when a test kills its children.
sub allow_kills { allow_log(qr/AH00052: child pid \d+ exit signal Killed/, qr/AH00050|AH00051|AH10392|AH10393/) }

# The lines that nobody declared.
sub faults {
    my (@lines) = @_;
    my @faults;
    for my $line (@lines) {
        my @known = grep { $line =~ $_ } @expected;
        $seen{$_}++ for @known;
        push @faults, "unexpected: $line" unless @known || grep { $line =~ $_ } @allowed;
    }
    return @faults;
}

# Asked after faults has seen all lines.
sub missing {
    return map { "never logged: $_" } grep { !$seen{$_} } @expected;
}

# Those lines of a log that somebody must have declared.
sub noteworthy { grep { is_noteworthy($_) } split /\n/, $_[0] }

sub is_noteworthy {
    my ($line) = @_;
    return $line !~ /^\[\w{3} \w{3} [ \d]\d [\d:.]+ \d{4}\] \[\w*:(?:notice|info|debug|trace\d)\] /;
}

1;
