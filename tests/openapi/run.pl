#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Lints /openapi.json, makes types and a client of it, compiles and runs them, and runs the code of docs/front-ends.md, with the
# configuration that is there and fields of the shop's own: tests/openapi/run.pl MODULE DIRECTORY
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

my $fields = <<'END';
<Location "/api">
    CatalogField sku      string  unique max=40 pattern="[A-Z]+-\d+( \w+)?" label="Article number"
    CatalogField link     url
    CatalogField weight   number  index min=0
    CatalogField quantity integer index
    CatalogField used     boolean index
    CatalogField color    choice  values="red|green|dark blue" facet
    CatalogField seen     time    index
    CatalogField born     date
    CatalogField tags     strings index facet
    CatalogField box      json
    CatalogField about    text    detail
</Location>
END

sub run {
    my (@command) = @_;
    print "@command\n";
    system(@command) == 0 or die "failed: @command\n";
}

sub write_file {
    my ($file, @text) = @_;
    open my $out, '>', $file or die "$file: $!\n";
    print {$out} @text;
    close $out or die "$file: $!\n";
}

# The blocks of docs/front-ends.md that are marked so.
sub blocks {
    my ($kind) = @_;
    open my $in, '<', 'docs/front-ends.md' or die "docs/front-ends.md: $!\n";
    my $text = do { local $/; <$in> };
    my @blocks = $text =~ /^```\Q$kind\E\n(.*?)^```$/msg or die "docs/front-ends.md has no $kind\n";
    return @blocks;
}

sub start {
    write_file("$home/front-end.conf", blocks('apache'), $fields);
    @ENV{qw(PORT DATA MPM DBD DBD_PARAMS SMTP INCLUDE)} = ($port, "$home/data", $ENV{MPM} || 'event', 'sqlite3', '', '', "$home/front-end.conf");
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
my $recipe = join '', blocks('js');
$recipe =~ s{^const API = '\K[^']+}{$url}m or die "docs/front-ends.md names no API\n";
write_file("$directory/front-ends.js", $recipe);
chdir $directory or die "$directory: $!\n";
write_file('openapi.json', $description);

run('node', 'lint.js');
run('node_modules/.bin/openapi-typescript', 'openapi.json', '--default-non-nullable', 'false', '-o', 'catalog.d.ts');
run('node', 'generate.js');
run('node_modules/.bin/tsc', '-p', $_) for 'tsconfig.json', 'generated.json'; # what hey-api writes is not as strict as we are
run('node', 'out/client.js', $url);
run('node', 'out/generated.js', $url);
run('node', 'recipes.js', $url);
