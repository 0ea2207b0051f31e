#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Lints /openapi.json, makes types of it, and compiles and runs a client with them: tests/openapi/run.pl MODULE DIRECTORY
# DIRECTORY has the sources of this folder and their npm packages.
use strict;
use warnings FATAL => 'all';

use File::Temp ();
use HTTP::Tiny ();
use IO::Socket::INET ();
use Time::HiRes ();

my ($module, $directory) = @ARGV;
my $home = File::Temp->newdir('catalog-openapi.XXXXXX', TMPDIR => 1);
my $port = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1)->sockport;
my $url = "http://127.0.0.1:$port/api";
my $server;

sub run {
    my (@command) = @_;
    print "@command\n";
    system(@command) == 0 or die "failed: @command\n";
}

# Redocly's command reports warnings without failing.
sub lint {
    my ($file) = @_;
    my $said = qx(REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true node_modules/.bin/redocly lint --max-problems=20 $file 2>&1);
    die $said if $? || $said =~ /You have \d+ warning/;
    print "the description passes redocly lint without a warning\n";
}

sub start {
    @ENV{qw(PORT DATA MPM DBD DBD_PARAMS SMTP INCLUDE)} = ($port, "$home/data", $ENV{MPM} || 'event', 'sqlite3', '', '', '');
    $server = fork // die "fork: $!\n";
    if (!$server) {
        open STDOUT, '>', "$home/console";
        exec 'setpriv', '--pdeathsig', 'TERM', 'tools/run', $module or exit 127;
    }
    for (1 .. 600) {
        my $r = HTTP::Tiny->new->get("$url/openapi.json");
        return $r->{content} if $r->{status} == 200;
        waitpid($server, 1) and die "the server did not start\n";
        Time::HiRes::sleep(0.1);
    }
    die "the server does not answer\n";
}

END {
    local $?;
    if ($server) {
        kill TERM => $server;
        waitpid $server, 0;
    }
}

chmod 0755, "$home";
my $description = start();
chdir $directory or die "$directory: $!\n";
open my $out, '>', 'openapi.json' or die "openapi.json: $!\n";
print {$out} $description;
close $out or die "openapi.json: $!\n";

lint('openapi.json');
run('node_modules/.bin/openapi-typescript', 'openapi.json', '--default-non-nullable', 'false', '-o', 'catalog.d.ts');
run('node_modules/.bin/tsc');
run('node', 'out/client.js', $url);
