# SPDX-License-Identifier: Apache-2.0
package Httpd;

# httpd with mod_catalog and, in the same server, what it is compared with: static files and a handler that writes a constant.
# Options: mpm; more, directives for the server's scope; driver and params, if the database is not SQLite. No other server has
# indexes for conditions and search, so this one has them only with ALL_INDEXES as a directive.

use strict;
use warnings FATAL => 'all';

use parent 'Contestant';

use FindBin ();

use CatalogTest::Tools qw(setting slurp spew);

use constant ALL_INDEXES => 'CatalogIndex category price name rating search';

sub prepare {
    my ($self) = @_;
    mkdir "$self->{dir}/htdocs" or die "$self->{dir}/htdocs: $!\n";
    $self->{mpm} //= 'event';
    $self->fill(
        "$FindBin::RealBin/httpd.conf.in", "$self->{dir}/httpd.conf",
        dir => $self->{dir}, port => $self->{port}, mpm => $self->{mpm}, driver => $self->{driver} // 'sqlite3',
        params => $self->{params} // $self->file, more => $self->{more} // '',
        map { $_ => setting($_) } qw(user group modules module constant));
    spew("$self->{dir}/constants.conf", '');
}

sub command {
    my ($self) = @_;
    return (setting('httpd'), '-d', $self->{dir}, '-f', "$self->{dir}/httpd.conf", '-DFOREGROUND');
}

# From the next start on, serves the body of one of its own answers as a static file and a constant of this name.
sub offer {
    my ($self, $name, $path) = @_;
    my $file = "$self->{dir}/htdocs/$name.json";
    spew($file, $self->get($path)->{body});
    spew("$self->{dir}/constants.conf", slurp("$self->{dir}/constants.conf"), qq(ConstantFile $name "$file"\n));
}

# The prefork server that PHP's module needs. counter: 1 if the database keeps one.
package Httpd::Php;

use parent -norequire, 'Httpd';

use FindBin ();

use CatalogTest::Tools qw(setting);
use Engine ();

sub prepare {
    my ($self) = @_;
    my $peers = "$FindBin::RealBin/peers/php";
    system('cp', '-R', $peers, "$self->{dir}/htdocs") == 0 or die "$peers cannot be copied\n";
    $self->fill(
        "$peers/httpd.conf.in", "$self->{dir}/httpd.conf",
        dir => $self->{dir}, port => $self->{port}, key => Catalogue::TOKEN_KEY, counter => $self->{counter} // '',
        dsn => $self->{engine} ? $self->{engine}->dsn : 'sqlite:' . $self->file, user_name => Engine::USER,
        password => $CatalogTest::Engine::PASSWORD,
        map { $_ => setting($_) } qw(user group modules));
}

1;
