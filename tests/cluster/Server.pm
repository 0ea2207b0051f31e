# SPDX-License-Identifier: Apache-2.0
package Server;

# An httpd with one of the configurations in conf/examples: a node's or the front's.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Http ();
use CatalogTest::Tools qw(free_port slurp spew wait_until);
use Process ();

my $PATIENCE = 30; # seconds until it answers
my $USER = 'www-data';
my @NODE = qw(dbd remoteip reqtimeout unique_id);
my @FRONT = qw(headers proxy proxy_http proxy_balancer lbmethod_bybusyness slotmem_shm proxy_hcheck);

my %apxs = map { $_ => apxs($_) } qw(LIBEXECDIR SBINDIR PROGNAME);

sub apxs {
    chomp(my $value = qx(apxs -q $_[0]));
    return $value;
}

# All servers have the same.
sub make_key {
    my ($class, $site) = @_;
    my $key = "$site->{dir}/keys/1.key";
    mkdir "$site->{dir}/keys" or die "$site->{dir}/keys: $!\n";
    spew($key, join('', map { sprintf '%02x', rand 256 } 1 .. 32), "\n");
    chmod 0640, $key;
    chown 0, (getpwnam $USER)[3], $key if $> == 0;
}

# site: dir, examples (where the configurations are), mpm, module (the file), conf (text for a node's server).
sub node {
    my ($class, $site, $name, $node) = @_;
    my $self = $class->new($site, $name);
    mkdir "$self->{dir}/mail" or die "$self->{dir}/mail: $!\n";
    chown +(getpwnam $USER)[2, 3], "$self->{dir}/mail" if $> == 0;
    spew("$self->{dir}/my.cnf", "[catalog]\nconnect-timeout=2\n");
    my %define = (
        LISTEN => "127.0.0.1:$self->{port}", FRONT => '127.0.0.1', ETC => $site->{dir}, URL => 'http://shop.test',
        MAIL => "file:$self->{dir}/mail", FROM => 'Shop <shop@shop.test>',
        DBD => "host=127.0.0.1,port=@{[ $node->port ]},user=catalog,pass=secret,dbname=catalog");
    return $self->configure($site, 'cluster-node.conf', \%define, modules(@NODE),
        "LoadModule catalog_module \"$site->{module}\"\n", $site->{conf});
}

sub front {
    my ($class, $site, @members) = @_;
    my $self = $class->new($site, 'front');
    my %define = map { ("NODE$_" => '127.0.0.1:' . $members[$_ - 1]->port) } 1 .. @members;
    return $self->configure($site, 'cluster-front.conf', \%define, modules(@FRONT), "Listen 127.0.0.1:$self->{port}\n");
}

sub new {
    my ($class, $site, $name) = @_;
    my $self = bless { dir => "$site->{dir}/$name", port => free_port() }, $class;
    mkdir $self->{dir} or die "$self->{dir}: $!\n";
    return $self;
}

sub modules { map { "LoadModule ${_}_module \"$apxs{LIBEXECDIR}/mod_$_.so\"\n" } @_ }

sub configure {
    my ($self, $site, $example, $define, @more) = @_;
    spew(
        "$self->{dir}/httpd.conf",
        "Define CATALOG_SITE\n", (map { "Define CATALOG_$_ \"$define->{$_}\"\n" } sort keys %$define),
        modules("mpm_$site->{mpm}", 'authz_core'), "User $USER\nGroup $USER\nServerName 127.0.0.1:$self->{port}\n",
        "DefaultRuntimeDir \"$self->{dir}\"\nPidFile \"$self->{dir}/pid\"\nErrorLog \"$self->{dir}/error_log\"\n", @more,
        "Include \"$site->{examples}/$example\"\n");
    return $self;
}

sub port { $_[0]{port} }
sub log_text { slurp("$_[0]{dir}/error_log") }
sub mails { map { slurp($_) } glob "$_[0]{dir}/mail/*.eml" }

sub launch {
    my ($self) = @_;
    $self->{process} = Process->spawn(
        log => "$self->{dir}/console", dies_by => 'TERM', env => { MYSQL_HOME => $self->{dir} },
        command => ["$apxs{SBINDIR}/$apxs{PROGNAME}", '-d', $self->{dir}, '-f', "$self->{dir}/httpd.conf", '-DFOREGROUND']);
    return $self;
}

sub wait_up {
    my ($self) = @_;
    wait_until($PATIENCE, sub { $self->is_ready || !$self->{process}->is_alive });
    $self->is_ready or die "$self->{dir}: not ready\n" . slurp("$self->{dir}/console") . $self->log_text;
}

sub is_ready { $_[0]->api(GET => '/health/ready')->{status} == 200 }
sub crash { $_[0]{process}->crash }
sub stop { $_[0]{process}->stop }
sub stop_gracefully { $_[0]{process}->stop('WINCH') }

# An answer of CatalogTest::Http; its status is 599 if no server listens.
sub api {
    my ($self, $method, $path, @more) = @_;
    my $body = @more % 2 ? shift @more : undef;
    return CatalogTest::Http::request($self->{port}, $method, "/api$path", $body, @more);
}

1;
