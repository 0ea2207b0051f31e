# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event
# Runs the documents' transcripts of `make run`, all commands at once; each answer has the shape of the documented one.
# TRANSCRIPT=docs/api.md checks one document only.
use CatalogTest;

use CatalogTest::Tools qw(setting slurp);
use CatalogTest::DevelopmentServer ();
use CatalogTest::Document ();

my $top = setting('top');
my @documents = $ENV{TRANSCRIPT} ? "$top/$ENV{TRANSCRIPT}" : grep { @{ CatalogTest::Document::steps($_) } } "$top/README.md", glob "$top/docs/*.md";
ok(@documents > 0, 'at least one document has a transcript');

for my $document (@documents) {
    my $steps = CatalogTest::Document::steps($document);
    my $server = CatalogTest::DevelopmentServer->new->start;
    my (%recorded, %got);
    mkdir "$server->{dir}/build"; # the documents run commands in the source directory
    symlink setting('ctl'), "$server->{dir}/build/catalogctl";

    $_->{command} =~ s/127\.0\.0\.1:8080/127.0.0.1:$server->{port}/ for @$steps;
    CatalogTest::Document::type_in($steps, $server->{dir});
    $server->stop;
    for (@$steps) {
        is(CatalogTest::Document::shape($_->{got}, \%got), CatalogTest::Document::shape($_->{printed}, \%recorded),
            $document =~ s{^\Q$top\E/}{}r . ":$_->{line}: $_->{command}");
    }
    is($server->noteworthy, '', 'the error log is empty');
}

done_testing;
