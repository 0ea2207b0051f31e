# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Pooler;

# PgBouncer in front of an engine's databases. `settings` are settings of PgBouncer, such as pool_mode => 'transaction'.

use strict;
use warnings FATAL => 'all';

use parent 'CatalogTest::Process';

use IO::Socket::INET ();

use CatalogTest::Engine ();
use CatalogTest::Tools qw(new_dir hand_over spew free_port);

sub new {
    my ($class, $engine, %settings) = @_;
    my $self = bless { dir => new_dir(), port => free_port() }, $class;
    my %all = (listen_addr => '127.0.0.1', listen_port => $self->{port}, unix_socket_dir => '', auth_type => 'any', admin_users => 'catalog',
        ignore_startup_parameters => 'extra_float_digits', %settings);

    hand_over($self->{dir});
    spew("$self->{dir}/pgbouncer.ini", "[databases]\n* = host=127.0.0.1 port=$engine->{port} user=catalog\n[pgbouncer]\n",
        map { "$_ = $all{$_}\n" } sort keys %all);
    return $self->start;
}

sub as { CatalogTest::Engine::as() }
sub command { ('/usr/sbin/pgbouncer', '-q', "$_[0]{dir}/pgbouncer.ini") }
sub console { "$_[0]{dir}/console" }
sub is_up { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $_[0]{port}) }

# Returns the value of DBDParams, without `options`, which PgBouncer refuses.
sub params { "host=127.0.0.1 port=$_[0]{port} user=catalog dbname=$_[1] connect_timeout=2" }

# Sends a command to the administrator's console, such as RECONNECT.
sub order {
    my ($self, $command) = @_;
    my $db = CatalogTest::Engine::open_dbi("dbi:Pg:host=127.0.0.1;port=$self->{port};dbname=pgbouncer", 'catalog', '');
    $db->do($command);
}

1;
