# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Log;

# An error log holds no line at level warn or above, and none that is not httpd's own, but those that a test declared.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
our @EXPORT_OK = qw(expect_log allow_log);

my (@expected, @allowed, %seen);

# A line like each of these must be logged by some server of the test file.
sub expect_log { push @expected, @_ }

# Lines like these may be.
sub allow_log { push @allowed, @_ }

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

# The noteworthy lines that were added since the last call, by whichever process.
sub unread {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    seek $in, offset($file), 0;
    my @lines = grep { is_noteworthy($_) } <$in>;
    offset($file, tell $in);
    chomp @lines;
    return @lines;
}

sub is_noteworthy {
    my ($line) = @_;
    return $line !~ /^\[\w{3} \w{3} [ \d]\d [\d:.]+ \d{4}\] \[\w*:(?:notice|info|debug|trace\d)\] /;
}

# How far a log has been read is kept beside it: the next test file goes on from there.
sub offset {
    my ($file, $new) = @_;
    my $mark = "$file.read";
    if (defined $new) {
        open my $out, '>', $mark or die "$mark: $!\n";
        print {$out} $new;
        close $out or die "$mark: $!\n";
        return $new;
    }
    open my $in, '<', $mark or return 0;
    return scalar <$in>;
}

1;
