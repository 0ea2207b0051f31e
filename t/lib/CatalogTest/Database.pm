# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Database;

# An empty database, of the kind that DB= names, for httpd and for the test's own queries.

use strict;
use warnings FATAL => 'all';

use DBI ();

use CatalogTest::Engine ();
use CatalogTest::Tools qw(setting new_dir wait_until);

sub driver { setting('db') }

# A second engine, which a test may stop or break. more: see CatalogTest::Engine.
sub engine {
    my (%more) = @_;
    return CatalogTest::Engine->new(new_dir(), %more)->start;
}

# dir: the server's directory, which holds the file if the database is SQLite. name: unique in the server; letters, digits and _.
sub new {
    my ($class, $dir, $name, $engine) = @_;
    my ($server) = $dir =~ m{([^/]+)$};
    return bless { file => "$dir/data/$name.db", name => "cat_${server}_$name" =~ tr/-/_/r, engine => $engine }, $class;
}

# Creates the database before its first use. With SQLite, httpd's children create the file: they could not write another user's.
sub make {
    my ($self) = @_;
    $self->{engine}->make($self->{name}) if $self->{engine} && !$self->{made}++;
    return $self;
}

# A test's own engine is deleted with its databases.
sub drop {
    my ($self) = @_;
    $self->{engine}->drop($self->{name}) if $self->{made} && $self->{engine}{shared};
}

# The value of DBDParams.
sub params {
    my ($self) = @_;
    return $self->{engine} ? $self->{engine}->params($self->{name}) : $self->{file};
}

# A connection for the test itself. On a busy machine, a server may accept connections before a child has created SQLite's file. The
# test's own transactions, which may fill tables, need not survive a crash of the machine.
sub connect {
    my ($self) = @_;
    return $self->{engine}->connect($self->{name}) if $self->{engine};
    wait_until(10, sub { -s $self->{file} });
    my $db = DBI->connect("dbi:SQLite:dbname=$self->{file}", '', '',
        { RaiseError => 1, PrintError => 0, AutoInactiveDestroy => 1, sqlite_use_immediate_transaction => 0 });
    $db->do("PRAGMA $_") for 'synchronous = OFF', 'cache_size = -65536'; # KiB
    return $db;
}

# All rows of all tables, as text.
sub dump {
    my ($self) = @_;
    my $db = $self->connect;
    my @tables = grep { !/^information_schema\b/ } $db->tables(undef, undef, undef, 'TABLE');
    my @rows = map { @{ $db->selectall_arrayref("SELECT * FROM $_") } } @tables;
    return join "\n", map { join '|', map { $_ // '' } @$_ } @rows;
}

1;
