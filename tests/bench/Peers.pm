# SPDX-License-Identifier: Apache-2.0
package Peers;

# The alternatives to mod_catalog, each as its documentation recommends for production: see peers/. mod_php is in Httpd.pm.

use strict;
use warnings FATAL => 'all';

use Httpd ();

# All peers, each with a copy of the database. packages: the directory where npm has installed their packages.
sub all {
    my ($file, $packages) = @_;
    my @node = (database => $file, packages => $packages);
    return (
        Peers::Node->new('Fastify', @node, program => 'fastify'),
        Peers::Node->new('Express', @node, program => 'express'),
        Peers::Bun->new('Bun', @node),
        Httpd::Php->new('mod_php', database => $file),
        Peers::Nginx->new('nginx', database => $file),
    );
}

# environment: additional variables. counter: 1 if the database keeps one.
package Peers::Node;

use parent 'Contestant';

use CatalogTest::Tools qw(setting);

sub as { $> == 0 ? ('--reuid', setting('user'), '--regid', setting('group'), '--clear-groups') : () }
sub warm_up { 3 } # V8 optimizes only after some thousand requests

sub command {
    my ($self) = @_;
    my %set = (NODE_ENV => 'production', PORT => $self->port, KEY => Catalogue::TOKEN_KEY, COUNTER => $self->{counter} // '',
        DRIVER => $self->driver, DATABASE => $self->{engine} ? $self->{engine}->url : $self->file, %{ $self->{environment} // {} });
    return ('env', (map { "$_=$set{$_}" } sort keys %set), $self->program);
}

# The module that has the statements.
sub driver { my ($self) = @_; return $self->{engine} ? $self->{engine}->driver : 'sqlite' }
sub program { my ($self) = @_; return ('node', "$self->{packages}/cluster.js", $self->{program}) }

# statements: the module that has them, if it is another one than the database's. script: the server, if it is another one than bun.js.
package Peers::Bun;

use parent -norequire, 'Peers::Node';

sub driver { my ($self) = @_; return $self->{statements} // ($self->{engine} ? 'bun-sql' : 'bun-sqlite') }
sub program { my ($self) = @_; return ("$self->{packages}/node_modules/.bin/bun", "$self->{packages}/" . ($self->{script} // 'bun.js')) }

# json: the file that it serves, and would write to.
package Peers::JsonServer;

use parent -norequire, 'Contestant';

sub start { my ($self) = @_; return $self->CatalogTest::Process::start }
sub is_up { my ($self) = @_; return eval { $self->get('/api/products?_limit=1')->{status} == 200 } }

sub command {
    my ($self) = @_;
    return ('env', 'NODE_ENV=production', 'PORT=' . $self->port, "DATABASE=$self->{json}", 'node', "$self->{packages}/json-server.js");
}

package Peers::Nginx;

use parent -norequire, 'Contestant';

use FindBin ();

use CatalogTest::Tools qw(setting);

sub prepare {
    my ($self) = @_;
    my $own = "$FindBin::RealBin/peers/nginx";
    mkdir "$self->{dir}/htdocs" or die "$self->{dir}/htdocs: $!\n";
    system('cp', "$own/catalogue.lua", $self->{dir}) == 0 or die "$own/catalogue.lua cannot be copied\n";
    $self->fill("$own/nginx.conf.in", "$self->{dir}/nginx.conf", dir => $self->{dir}, port => $self->port,
        user_line => $> == 0 ? 'user ' . setting('user') . ' ' . setting('group') . ';' : '');
}

sub command {
    my ($self) = @_;
    return ('env', 'CATALOG_FILE=' . $self->file, '/usr/sbin/nginx', '-c', "$self->{dir}/nginx.conf");
}

1;
