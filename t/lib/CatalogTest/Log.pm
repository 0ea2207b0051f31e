# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Log;

# Checks error logs: a line at level warn or above, one that httpd's logger did not write, and the notice that a child crashed are
# faults unless the test declared them.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use CatalogTest::Tools qw(setting slowness);

our @EXPORT_OK = qw(expect_log allow_log allow_kills);

# httpd's event MPM may log the first if it is stopped while it closes a connection or keeps one open. libpq writes the second to stderr
# if a test ends a session that apr_dbd_pgsql is still opening.
my @allowed = (qr/AH0309[23]: process_\w+: apr_pollset_add failure/,
    qr/^FATAL:  terminating connection due to administrator command$/);
# What httpd logs of a stop that takes longer than three seconds.
my $LATE = qr/AH00045: child process \d+ still did not exit, sending a SIGTERM/;
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
        push @faults, "unexpected: $line" unless @known || (grep { $line =~ $_ } @allowed) || ($line =~ $LATE && slowness() > 2);
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

# When httpd's event and worker MPMs stop, a child may crash in code of theirs, in one of some hundred stops. The main thread closes the
# sockets of its workers, which may be closing them too. And SIGTERM ends a new child, which does not yet wait for it, inside the handler,
# just_die(): it then runs exit handlers, though it may have been in malloc() or in the loader, and glibc says that these are inconsistent;
# so does APR of its list of connections, if a thread is using one of them.
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
