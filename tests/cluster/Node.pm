# SPDX-License-Identifier: Apache-2.0
package Node;

# A MariaDB server, a node of a Galera cluster, with the settings of conf/examples/galera.cnf except for ports and directories.

use strict;
use warnings FATAL => 'all';

use DBI ();
use File::Path ();

use CatalogTest::Tools qw(free_port slurp wait_until);
use Process ();

my $PATIENCE = 120; # seconds until a node is part of the cluster

# Creates nodes that know each other. cnf: the file with their settings; dir: the parent of their directories.
sub cluster {
    my ($class, %o) = @_;
    my @nodes = map { $class->new("$o{dir}/node$_", $o{cnf}) } 1 .. $o{count};
    my $address = 'gcomm://' . join ',', map { "127.0.0.1:$_->{group_port}" } @nodes;
    $_->{address} = $address for @nodes;
    return @nodes;
}

sub new {
    my ($class, $dir, $cnf) = @_;
    my ($port, $group, $state, $copy) = map { free_port() } 1 .. 4;

    mkdir $dir or die "$dir: $!\n";
    chown +(getpwnam 'nobody')[2, 3], $dir if $> == 0;
    my $self = bless {
        dir => $dir, cnf => $cnf, port => $port, group_port => $group, state_port => $state, copy_port => $copy,
    }, $class;
    $self->install;
    return $self;
}

# Creates an empty data directory, as before joining a cluster.
sub install {
    my ($self) = @_;
    Process->run(
        user => 'nobody', log => "$self->{dir}.log",
        command => ['mariadb-install-db', '--no-defaults', "--datadir=$self->{dir}/data", '--skip-test-db', '--skip-log-bin',
            '--auth-root-authentication-method=normal']);
}

sub port { $_[0]{port} }

# MariaDB sets this string only as a whole: the file's options, with a smaller gcache and this node's addresses.
sub provider_options {
    my ($self) = @_;
    my ($options) = slurp($self->{cnf}) =~ /^wsrep_provider_options *= *"(.*)"$/m
        or die "$self->{cnf}: no wsrep_provider_options\n";
    return join ';', $options, 'gcache.size=32M', "gmcast.listen_addr=tcp://127.0.0.1:$self->{group_port}", 'base_host=127.0.0.1',
        "base_port=$self->{group_port}", "ist.recv_addr=127.0.0.1:$self->{state_port}";
}

# more: further options; --wsrep-new-cluster for the first node.
sub launch {
    my ($self, @more) = @_;
    my $dir = $self->{dir};
    $self->{process} = Process->spawn(
        user => 'nobody', log => "$dir.log",
        command => ['mariadbd', "--defaults-file=$self->{cnf}", "--datadir=$dir/data", "--socket=$dir/socket",
            "--pid-file=$dir/pid", "--port=$self->{port}", "--wsrep-cluster-address=$self->{address}",
            "--wsrep-node-address=127.0.0.1:$self->{group_port}", '--wsrep-node-name=' . $dir =~ s{.*/}{}r,
            "--wsrep-sst-receive-address=127.0.0.1:$self->{copy_port}",
            '--wsrep-provider-options=' . $self->provider_options, '--innodb-buffer-pool-size=64M',
            '--innodb-log-file-size=16M', @more]);
    return $self;
}

# Waits until the node is part of the cluster.
sub wait_up {
    my ($self) = @_;
    wait_until($PATIENCE, sub { $self->is_synced || !$self->{process}->is_alive });
    $self->is_synced or die "$self->{dir}: not part of the cluster\n" . slurp("$self->{dir}.log");
}

sub is_synced { ($_[0]->status('wsrep_local_state_comment') // '') eq 'Synced' && $_[0]->status('wsrep_ready') eq 'ON' }

# undef if the node cannot be queried.
sub status {
    my ($self, $name) = @_;
    return eval { ($self->database->selectrow_array('SHOW GLOBAL STATUS LIKE ?', undef, $name))[1] };
}

# Deletes all data of the node.
sub forget {
    my ($self) = @_;
    File::Path::remove_tree("$self->{dir}/data");
    $self->install;
}

sub crash { $_[0]{process}->crash }
sub stop { $_[0]{process}->stop }
sub suspend { $_[0]{process}->suspend }
sub resume { $_[0]{process}->resume }

# isolate cuts the connections to all other nodes, heal reconnects them.
sub isolate { $_[0]->set_isolated(1) }
sub heal { $_[0]->set_isolated(0) }

sub set_isolated {
    my ($self, $isolated) = @_;
    $self->database->do("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=$isolated'");
}

# A new connection as the administrator.
sub database {
    my ($self, $name) = @_;
    return DBI->connect("dbi:MariaDB:mariadb_socket=$self->{dir}/socket;database=" . ($name // ''), 'root', '',
        { RaiseError => 1, PrintError => 0 });
}

1;
