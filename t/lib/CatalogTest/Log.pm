# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Log;

# Checks error logs: a line at level warn or above, one that httpd's logger did not write, and the notice that a child crashed are
# faults unless the test declared them.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use CatalogTest::Tools qw(setting);

our @EXPORT_OK = qw(expect_log allow_log allow_kills);

# httpd's event MPM may log the first if it is stopped while it closes a connection or keeps one open. libpq writes the second to stderr
# if a test ends a session that apr_dbd_pgsql is still opening.
my @allowed = (qr/AH0309[23]: process_\w+: apr_pollset_add failure/,
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

# The lines of a log that need a declaration. stops: how long the log was when the test stopped the server.
sub noteworthy {
    my ($text, @stops) = @_;
    for my $from (sort { $b <=> $a } @stops) {
        $text = forgive_crash($text, $from) if setting('mpm') ne 'prefork';
    }
    return grep { is_noteworthy($_) } split /\n/, $text;
}

# When httpd stops, the main thread of its event and worker MPMs closes the sockets of its workers, which may be closing them too: of some
# hundred stops that meet a request, one ends in a crash in close_worker_sockets().
sub forgive_crash {
    my ($text, $from) = @_;
    my ($stop, $rest) = substr($text, $from) =~ /\A(.*?)( caught SIGTERM,.*)/s or return $text;
    return substr($text, 0, $from) . $stop =~ s/^.* AH00052: child pid \d+ exit signal Segmentation fault \(11\)\n//mgr . $rest;
}

sub is_noteworthy {
    my ($line) = @_;
    return 1 if $line =~ /AH0005[12]: child pid \d+ exit signal/;
    return $line !~ /^\[\w{3} \w{3} [ \d]\d [\d:.]+ \d{4}\] \[\w*:(?:notice|info|debug|trace\d)\] /;
}

1;
