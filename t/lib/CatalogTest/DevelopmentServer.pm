# SPDX-License-Identifier: Apache-2.0
package CatalogTest::DevelopmentServer;

# The server that `make run` starts, without make. The arguments are variables of tools/run.

use strict;
use warnings FATAL => 'all';

use parent 'CatalogTest::Process';

use CatalogTest::Log ();
use CatalogTest::Tools qw(free_port new_dir setting slurp);

sub new {
    my ($class, %variables) = @_;
    return bless { dir => new_dir(), port => free_port(), variables => \%variables }, $class;
}

sub command {
    my ($self) = @_;
    my %with = (PORT => $self->{port}, DATA => "$self->{dir}/data", MPM => CatalogTest::mpm(), DBD => 'sqlite3', DBD_PARAMS => '', SMTP => '',
        INCLUDE => '', HTTPD => setting('apache'), %{ $self->{variables} });
    return ('env', (map { "$_=$with{$_}" } sort keys %with), setting('top') . '/tools/run', setting('source_module'));
}

sub ask_to_stop {
    my ($self) = @_;
    push @{ $self->{stops} }, -s $self->error_log || 0;
    return $self->SUPER::ask_to_stop;
}

sub error_log { "$_[0]{dir}/data/logs/error_log" }
sub noteworthy { join "\n", CatalogTest::Log::noteworthy(slurp($_[0]->error_log), @{ $_[0]{stops} }) }
sub console { "$_[0]{dir}/console" }
sub is_up { slurp($_[0]->console) =~ /^mod_catalog serves / }

1;
