# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Tools;

# Helpers that the suite's modules share, and the settings of the run.

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

# The settings that t/TEST stores for all test files. CATALOG_TEST: the directory of the run.
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

# A new directory, readable by all users and named after the test file. t/TEST deletes it at the end.
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

# Does httpd run under ThreadSanitizer? It makes everything slower and keeps memory for each thread.
sub is_under_tsan { return defined $ENV{TSAN_OPTIONS} }

# Under AddressSanitizer? It notes all variables of a module each time that httpd loads it, and never forgets them.
sub is_under_asan { return defined $ENV{ASAN_OPTIONS} }

# How much slower than on an idle machine of today: the longer of what a loop takes now, which lasts a tenth of a second there, and of
# how many processes shared a processor in the last minute, up to ten.
sub slowness {
    my ($time, $turns) = (Time::HiRes::time(), 0);
    1 while ++$turns < 4_000_000;
    my ($load) = split ' ', slurp('/proc/loadavg');
    my $processors = () = slurp('/proc/stat') =~ /^cpu\d/mg;
    return max(1, (Time::HiRes::time() - $time) / 0.1, min(10, $load / $processors));
}

# Calls $done until it returns something true; returns that, or what $done returned last when the time is over. The seconds are
# those of an idle machine: one under load is given more, and who waits for 10 seconds anyway waits for 60. The longer it has waited, the more rarely it asks: from 50 to 10 times a second.
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

# A free port. The kernel gives higher ones to clients, and a UDP socket, open until this process ends, reserves the number against
# other test files of any run.
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
