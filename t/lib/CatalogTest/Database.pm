# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Database;

# An empty database, of the kind that DB= names, for httpd and for the test's own look into it.

use strict;
use warnings FATAL => 'all';

use DBI ();

use CatalogTest::Engine ();
use CatalogTest::Tools qw(setting new_dir wait_until);

sub driver { setting('db') }

# A second engine, which a test may do harm to. more: see CatalogTest::Engine.
sub engine {
    my (%more) = @_;
    return CatalogTest::Engine->new(new_dir(), %more)->start;
}

# name: of letters, digits and _, among those of a server, whose directory is dir. With SQLite it is a file there.
sub new {
    my ($class, $dir, $name, $engine) = @_;
    my ($server) = $dir =~ m{([^/]+)$};
    return bless { file => "$dir/data/$name.db", name => "cat_${server}_$name" =~ tr/-/_/r, engine => $engine }, $class;
}

# It is there when somebody is about to use it; SQLite's file is made by httpd's children, who could not write another's.
sub make {
    my ($self) = @_;
    $self->{engine}->make($self->{name}) if $self->{engine} && !$self->{made}++;
    return $self;
}

# A test's own engine goes away with its databases.
sub drop {
    my ($self) = @_;
    $self->{engine}->drop($self->{name}) if $self->{made} && $self->{engine}{shared};
}

# The text for DBDParams.
sub params {
    my ($self) = @_;
    return $self->{engine} ? $self->{engine}->params($self->{name}) : $self->{file};
}

# A connection of the test's own. A busy machine's server may answer on its port before a child has made SQLite's file.
sub connect {
    my ($self) = @_;
    return $self->{engine}->connect($self->{name}) if $self->{engine};
    wait_until(10, sub { -s $self->{file} });
    return DBI->connect("dbi:SQLite:dbname=$self->{file}", '', '',
        { RaiseError => 1, PrintError => 0, AutoInactiveDestroy => 1, sqlite_use_immediate_transaction => 0 });
}

# All that its tables hold, as text.
sub dump {
    my ($self) = @_;
    my $db = $self->connect;
    my @tables = grep { !/^information_schema\b/ } $db->tables(undef, undef, undef, 'TABLE');
    my @rows = map { @{ $db->selectall_arrayref("SELECT * FROM $_") } } @tables;
    return join "\n", map { join '|', map { $_ // '' } @$_ } @rows;
}

1;
