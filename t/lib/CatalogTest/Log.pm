# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Log;

# Checks error logs: a line at level warn or above, one that httpd's logger did not write, and the notice that a child crashed are
# faults unless the test declared them.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
our @EXPORT_OK = qw(expect_log allow_log allow_kills);

# httpd's event MPM may log the first if it is stopped while it closes a connection. libpq writes the second to stderr if a test ends
# a session that apr_dbd_pgsql is still opening.
my @allowed = (qr/AH03092: process_lingering_close: apr_pollset_add failure/,
    qr/^FATAL:  terminating connection due to administrator command$/);
my (@expected, %seen);

# For each pattern, some server of the test file must log a line that matches.
sub expect_log { push @expected, @_ }

# Servers may log lines that match.
sub allow_log { push @allowed, @_ }

# Allows what httpd logs when a test kills its children.
sub allow_kills { allow_log(qr/AH00052: child pid \d+ exit signal Killed/, qr/AH00050|AH00051|AH10392|AH10393/) }

# The lines that the test did not declare.
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

# Call it after faults has seen all lines.
sub missing {
    return map { "never logged: $_" } grep { !$seen{$_} } @expected;
}

# The lines of a log that need a declaration.
sub noteworthy { grep { is_noteworthy($_) } split /\n/, $_[0] }

sub is_noteworthy {
    my ($line) = @_;
    return 1 if $line =~ /AH0005[12]: child pid \d+ exit signal/;
    return $line !~ /^\[\w{3} \w{3} [ \d]\d [\d:.]+ \d{4}\] \[\w*:(?:notice|info|debug|trace\d)\] /;
}

1;
