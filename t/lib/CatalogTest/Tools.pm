# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Tools;

# Helpers shared by the modules of the suite, and the settings of the run.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Basename qw(basename dirname);
use IO::Socket::INET ();
use Cpanel::JSON::XS ();
use List::Util qw(max min);
use Time::HiRes ();

our @EXPORT_OK = qw(setting settle new_dir hand_over slurp spew wait_until slowness is_under_tsan is_under_asan free_port children_of);

my $settings;
my $dirs = 0;
my @reserved;

# Stores settings for all test files; t/TEST calls it. CATALOG_TEST is the directory of the run.
sub settle {
    my (%more) = @_;
    $settings = { %{ $settings // {} }, %more };
    spew("$ENV{CATALOG_TEST}/settings.json", Cpanel::JSON::XS::encode_json($settings));
}

sub setting {
    my ($name) = @_;
    return $ENV{MPM} if $name eq 'mpm' && $ENV{MPM}; # some files run under another MPM than the rest
    $settings //= Cpanel::JSON::XS::decode_json(slurp("$ENV{CATALOG_TEST}/settings.json"));
    return $settings->{$name};
}

# Makes a directory that all users can read, named after the test file. t/TEST deletes it at the end.
sub new_dir {
    my $dir = join '-', setting('home') . '/servers/' . basename(dirname($0)), basename($0, '.t'), ++$dirs;
    mkdir $dir or die "$dir: $!\n";
    return $dir;
}

# Gives the files to the user of httpd's children.
sub hand_over {
    return if $> != 0;
    chown scalar getpwnam(setting('user')), scalar getgrnam(setting('group')), @_;
}

sub slurp {
    my ($file) = @_;
    open my $in, '<', $file or return '';
    local $/;
    return <$in> // '';
}

sub spew {
    my ($file, @text) = @_;
    open my $out, '>', $file or die "$file: $!\n";
    print {$out} @text;
    close $out or die "$file: $!\n";
}

# Returns true if httpd runs under ThreadSanitizer, which makes everything slower and uses memory for each thread.
sub is_under_tsan { return defined $ENV{TSAN_OPTIONS} }

# Returns true if httpd runs under AddressSanitizer, which records all variables of a module each time that httpd loads
# it, and never forgets them.
sub is_under_asan { return defined $ENV{ASAN_OPTIONS} }

# Returns how much slower the machine is than an idle one of today, at least 1. This is the larger of two numbers: how
# long a loop takes that lasts 0.1 s on an idle machine, and how many processes shared a processor in the last minute,
# up to ten.
sub slowness {
    my ($time, $turns) = (Time::HiRes::time(), 0);
    1 while ++$turns < 4_000_000;
    my ($load) = split ' ', slurp('/proc/loadavg');
    my $processors = () = slurp('/proc/stat') =~ /^cpu\d/mg;
    return max(1, (Time::HiRes::time() - $time) / 0.1, min(10, $load / $processors));
}

# Calls $done until it returns a true value, and returns that value. Returns the last value of $done when the time is
# over. $seconds is the limit on an idle machine. It is extended on a busy machine, and any limit of 10 seconds or more
# becomes at least 60. Asks 50 times a second at first, and later 10 times a second.
sub wait_until {
    my ($seconds, $done) = @_;
    my $begin = Time::HiRes::time();
    my $limit = ($seconds < 10 ? $seconds : max($seconds, 60)) * (is_under_tsan() ? 5 : 1);
    my $is_extended = 0;
    while (1) {
        my $value = $done->();
        return $value if $value;
        my $waited = Time::HiRes::time() - $begin;
        if ($waited > $limit) {
            return $value if $is_extended++;
            $limit *= slowness();
        }
        Time::HiRes::sleep(min(0.1, 0.02 + $waited / 100));
    }
}

# Returns a free port below those that the kernel gives to clients. A UDP socket, open until this process ends, reserves
# the port against other test files of any run.
sub free_port {
    while (1) {
        my %address = (LocalAddr => '127.0.0.1', LocalPort => 10_000 + int rand 20_000);
        my $mark = IO::Socket::INET->new(%address, Proto => 'udp') or next;
        IO::Socket::INET->new(%address, Proto => 'tcp', Listen => 1) or next;
        push @reserved, $mark;
        return $address{LocalPort};
    }
}

sub children_of {
    my ($parent) = @_;
    return map { /^\d+ \(.*\) \S (\d+)/s && $1 == $parent ? /^(\d+)/ : () } map { slurp($_) } glob '/proc/[0-9]*/stat';
}

1;
