# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Database;

# An empty database on the engine of the DB= setting, for httpd and for queries of the test.

use strict;
use warnings FATAL => 'all';

use DBI ();

use CatalogTest::Engine ();
use CatalogTest::Tools qw(setting new_dir wait_until);

sub driver { setting('db') }

# Starts a second engine, which a test may stop or break. `more` are arguments of CatalogTest::Engine.
sub engine {
    my (%more) = @_;
    return CatalogTest::Engine->new(new_dir(), %more)->start;
}

# Creates an object; make creates the database. `dir` is the server's directory, which also contains the file of a
# SQLite database. `name` is unique in the server and consists of letters, digits and _.
sub new {
    my ($class, $dir, $name, $engine) = @_;
    my ($server) = $dir =~ m{([^/]+)$};
    return bless { file => "$dir/data/$name.db", name => "cat_${server}_$name" =~ tr/-/_/r, engine => $engine }, $class;
}

# Creates the database before its first use. With SQLite, httpd's children create the file, because they could not write
# a file of another user.
sub make {
    my ($self) = @_;
    $self->{engine}->make($self->{name}) if $self->{engine} && !$self->{made}++;
    return $self;
}

# Drops the database. The engine of a single test is deleted with its databases.
sub drop {
    my ($self) = @_;
    $self->{engine}->drop($self->{name}) if $self->{made} && $self->{engine}{shared};
}

# Returns the value of DBDParams.
sub params {
    my ($self) = @_;
    return $self->{engine} ? $self->{engine}->params($self->{name}) : $self->{file};
}

# Returns a connection for the test itself. Waits for SQLite's file, because on a busy machine a server may accept
# connections before a child has created it. The test's own transactions need not survive a crash of the machine.
sub connect {
    my ($self) = @_;
    return $self->{engine}->connect($self->{name}) if $self->{engine};
    wait_until(10, sub { -s $self->{file} });
    my $db = DBI->connect("dbi:SQLite:dbname=$self->{file}", '', '',
        { RaiseError => 1, PrintError => 0, AutoInactiveDestroy => 1, sqlite_use_immediate_transaction => 0 });
    $db->do("PRAGMA $_") for 'synchronous = OFF', 'cache_size = -65536'; # KiB
    return $db;
}

sub dump {
    my ($self) = @_;
    my $db = $self->connect;
    my @tables = grep { !/^information_schema\b/ } $db->tables(undef, undef, undef, 'TABLE');
    my @rows = map { @{ $db->selectall_arrayref("SELECT * FROM $_") } } @tables;
    return join "\n", map { join '|', map { $_ // '' } @$_ } @rows;
}

1;
