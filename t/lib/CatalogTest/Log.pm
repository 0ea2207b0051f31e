# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Log;

# Checks error logs. Three kinds of lines are faults unless the test declared them: lines at level warn or above, lines
# that httpd's logger did not write, and the notice that a child crashed.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use CatalogTest::Tools qw(setting slowness);

our @EXPORT_OK = qw(expect_log allow_log allow_kills);

# The event MPM may log the first pattern if it is stopped while it closes a connection or keeps one open. libpq writes
# the second to stderr if a test ends a session that apr_dbd_pgsql is still opening.
my @allowed = (qr/AH0309[23]: process_\w+: apr_pollset_add failure/,
    qr/^FATAL:  terminating connection due to administrator command$/);
# httpd logs this line if stopping takes longer than three seconds.
my $LATE = qr/AH00045: child process \d+ still did not exit, sending a SIGTERM/;
my (@expected, %seen);

# Declares patterns. For each, some server of the test file must log a line that matches.
sub expect_log { push @expected, @_ }

# Declares patterns of lines that servers may log.
sub allow_log { push @allowed, @_ }

# Declares the lines that httpd logs when a test kills its children.
sub allow_kills { allow_log(qr/AH00052: child pid \d+ exit signal Killed/, qr/AH00050|AH00051|AH10392|AH10393/) }

# Returns the lines that the test did not declare.
sub faults {
    my (@lines) = @_;
    my @faults;
    for my $line (@lines) {
        my @known = grep { $line =~ $_ } @expected;
        $seen{$_}++ for @known;
        push @faults, "unexpected: $line" unless @known || (grep { $line =~ $_ } @allowed) || ($line =~ $LATE && slowness() > 2);
    }
    return @faults;
}

# Returns the expected patterns that no line matched. Must be called after faults has seen all lines.
sub missing {
    return map { "never logged: $_" } grep { !$seen{$_} } @expected;
}

# Returns the lines of a log that must be declared. @stops are the lengths of the log when the test stopped the server.
sub noteworthy {
    my ($text, @stops) = @_;
    for my $from (sort { $b <=> $a } @stops) {
        $text = forgive_crash($text, $from) if setting('mpm') ne 'prefork';
    }
    return grep { is_noteworthy($_) } split /\n/, $text;
}

# When the event and worker MPMs stop, a child may crash in their code, about once in a hundred stops. The main thread
# closes the sockets of its workers while these may be closing them too. And if SIGTERM arrives before a new child waits
# for it, the handler just_die() runs exit handlers, although the child may be inside malloc() or the loader. glibc then
# reports inconsistencies, and so does APR about its list of connections if a thread is using one of them.
my $CRASH = qr/^.* AH00052: child pid \d+ exit signal (?:Segmentation fault \(11\)|Abort \(6\))\n/m;
my $INCONSISTENT = qr/^(?:corrupted |double free |(?:free|malloc|munmap_chunk)\(\): |Inconsistency detected by ld\.so: |\S+: \S*apr_reslist\.c:\d+: reslist_cleanup: Assertion ).*\n/m;

sub forgive_crash {
    my ($text, $from) = @_;
    my ($stop, $rest) = substr($text, $from) =~ /\A(.*?)( caught SIGTERM,.*)/s or return $text;
    return substr($text, 0, $from) . $stop =~ s/$CRASH|$INCONSISTENT//gr . $rest;
}

sub is_noteworthy {
    my ($line) = @_;
    return 1 if $line =~ /AH0005[12]: child pid \d+ exit signal/;
    return $line !~ /^\[\w{3} \w{3} [ \d]\d [\d:.]+ \d{4}\] \[\w*:(?:notice|info|debug|trace\d)\] /;
}

1;
