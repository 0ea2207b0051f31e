# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Server;

# A test's own httpd with its own directory, port, databases and logs.

use strict;
use warnings FATAL => 'all';

use parent 'CatalogTest::Process';

use POSIX ();

use CatalogTest::Database ();
use CatalogTest::Exchange ();
use CatalogTest::Http ();
use CatalogTest::Log ();
use CatalogTest::Tools qw(setting new_dir hand_over slurp spew wait_until free_port);

my @all;

# Creates a server. The arguments are:
#     conf     directives in the server's scope
#     mount    directives within <Location "/api">; undef for no such section
#     engine   the engine of its databases, if not the suite's
#     load     modules besides those of every server
#     first    true to load mod_catalog before all other modules instead of after them
#     build    a directory with another mod_catalog.so and catalogctl
# conf and mount may have the placeholders of write. Files that httpd's children write belong in @dir@/data.
sub new {
    my ($class, %o) = @_;
    %o = (conf => '', mount => '', engine => CatalogTest::Engine->shared, %o);
    my $dir = new_dir();
    my $self = bless { dir => $dir, logs => "$dir/logs", port => free_port(), engine => $o{engine}, databases => {}, build => $o{build} }, $class;

    mkdir $_ or die "$_: $!\n" for map { "$dir/$_" } qw(logs htdocs data data/mail);
    hand_over(map { "$dir/$_" } qw(data data/mail));
    $self->write("$dir/httpd.conf", head(%o), template(), mount($o{mount}), $o{conf});
    push @all, $self;
    return $self;
}

sub key_path { setting('home') . '/conf/token.key' }

# Returns directives for a server with one child, under any MPM.
sub one_child { return <<'END' }
<IfModule mpm_prefork_module>
    StartServers        1
    MinSpareServers     1
    MaxRequestWorkers   1
</IfModule>
<IfModule !mpm_prefork_module>
    StartServers        1
    ServerLimit         1
    ThreadsPerChild     8
    MinSpareThreads     1
    MaxSpareThreads     8
    MaxRequestWorkers   8
</IfModule>
END

# Returns the LoadModule lines of every server.
sub modules { slurp(setting('home') . '/conf/modules-' . mpm() . '.conf') }

sub head {
    my (%o) = @_;
    my ($conf, $modules) = (setting('home') . '/conf', setting('modules'));
    my ($own, @others) = reverse split /^/, modules();
    $own = qq(LoadModule catalog_module "$o{build}/mod_catalog.so"\n) if $o{build};
    my @load = (reverse(@others), map { qq(LoadModule ${_}_module "$modules/mod_$_.so"\n) } @{ $o{load} // [] });
    return sprintf qq(User %s\nGroup %s\n%sTypesConfig "$conf/mime.types"\n), setting('user'), setting('group'),
        join '', $o{first} ? ($own, @load) : (@load, $own);
}

sub template {
    open my $in, '<', setting('home') . '/conf/httpd.conf.in' or die "httpd.conf.in: $!\n";
    return <$in>;
}

sub mount {
    my ($more) = @_;
    return '' unless defined $more;
    return <<"END";
<Location "/api">
    CatalogEnable   On
    CatalogKeyFile  "\@key\@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    $more
</Location>
END
}

# Writes a file with the values of placeholders: @dir@, @port@, @key@, and for DBDriver, DBDParams and CatalogDatabase
# @driver@, @params@, @params:NAME@ for another database, and @nowhere@ for a database that does not exist, which httpd
# -t does not notice.
sub write {
    my ($self, $file, @text) = @_;
    my %token = (dir => $self->{dir}, port => $self->{port}, key => key_path(), driver => CatalogTest::Database::driver(),
        nowhere => $self->{engine} ? $self->{engine}->params('cat_nowhere') : "file:$self->{dir}/nowhere/catalog.db");
    my $text = join '', @text;
    $text =~ s/\@params(?::(\w+))?\@/$self->params($1)/ge;
    $text =~ s/@(\w+)@/$token{$1} \/\/ "\@$1\@"/ge;
    spew($file, $text);
}

sub mpm { setting('mpm') }
sub catalogctl { $_[0]{build} ? "$_[0]{build}/catalogctl" : setting('ctl') }
sub dir { $_[0]{dir} }
sub port { $_[0]{port} }
sub console { "$_[0]{logs}/console" }
sub complaints { my ($self) = @_; return $self->SUPER::complaints . $self->log_text }
sub is_up { my ($self) = @_; return eval { $self->connection } }

# Starts the server. Waits until the database has its schema, which can take longer than a first request waits on a busy
# machine, or until the log says why it has none.
sub start {
    my ($self) = @_;
    $self->start_unready;
    wait_until(20, sub { $self->is_ready || $self->log_text =~ /\[catalog:error\]/ })
        or die "$self->{dir}: the server is not ready and does not say why\n", $self->complaints;
    $self->wait_for_fields;
    return $self;
}

# Returns true if the server answers without 5xx. A path that does not exist is also answered without 5xx.
sub is_ready { $_[0]->api(GET => '/health/ready')->{status} !~ /^5/ }

# Waits until the index keys of new fields are complete. On databases where several transactions write at once, this
# takes some seconds after a product was written, even if that product is deleted.
sub wait_for_fields {
    my ($self) = @_;
    my $conf = slurp("$self->{dir}/httpd.conf");
    my %names = map { $_ => 1 } $conf =~ /^\s*CatalogField\s+(\w+)\s.*\b(?:index|unique|facet|search)\b/mg;
    return if CatalogTest::Database::driver() eq 'sqlite3' || !%names || $conf =~ /CatalogDatabase/;
    my $db = $self->database;
    return if !grep({ /\bproducts\b/ } $db->tables) || $db->selectrow_array('SELECT 1 FROM products LIMIT 1');
    wait_until(30, sub {
        my $complete = grep { $names{$_} } @{ $db->selectcol_arrayref('SELECT name FROM catalog_fields WHERE complete = 1') };
        return $complete == keys %names || $self->log_text =~ /CAT088/;
    });
    $db->disconnect;
}

# Starts a server whose database does not answer, or that has to wait for its schema.
sub start_unready { $_[0]->SUPER::start }

sub httpd { (setting('apache'), '-d', $_[0]{dir}, '-f', "$_[0]{dir}/httpd.conf") }

sub command {
    my ($self) = @_;
    my $libraries = setting('preload');
    return ($libraries ? ('env', 'LD_PRELOAD=' . join ' ', $ENV{LD_PRELOAD} // (), $libraries) : (), $self->httpd, '-DFOREGROUND');
}

sub launch {
    my ($self) = @_;
    $self->make_databases;
    return $self->SUPER::launch;
}

# Runs httpd -t. Returns its exit status and its output.
sub configtest {
    my ($self) = @_;
    my $pid = open my $out, '-|';
    defined $pid or die "fork: $!\n";
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        exec $self->httpd, '-t' or POSIX::_exit(127);
    }
    my $text = join '', <$out>;
    close $out;
    return ($? >> 8, $text);
}

sub graceful {
    my ($self) = @_;
    $self->close_record;
    kill USR1 => $self->{pid};
}

# Under prefork, waits for children to start, because a child that is stopped while it starts may crash in httpd's own
# code (docs/decisions/0059).
sub ask_to_stop {
    my ($self) = @_;
    wait_until(5, sub { !grep { is_starting($_) } $self->children }) if mpm() eq 'prefork';
    $self->{stops}{ $self->{pid} } //= -s "$self->{logs}/error_log" || 0;
    return $self->SUPER::ask_to_stop;
}

# Returns true if the child is starting: it is younger than 0.5 s or still runs as root. A spare child may end during
# the call.
sub is_starting {
    my ($pid) = @_;
    my $owner = (CORE::stat("/proc/$pid"))[4] // return 0;
    my $stat = slurp("/proc/$pid/stat") or return 0;
    my $begun = (split ' ', $stat =~ s/^.*\) //sr)[19] / POSIX::sysconf(POSIX::_SC_CLK_TCK());
    my ($now) = split ' ', slurp('/proc/uptime');
    return $now - $begun < 0.5 || ($> == 0 && $owner == 0);
}

sub stop {
    my ($self) = @_;
    $self->close_record;
    return $self->SUPER::stop;
}

# ---- recording requests and answers ----

# Names this configuration of the server.
sub record_name { "$_[0]{dir}:" . ($_[0]{epoch} //= 1) }

# Ends the record, because the next requests may meet another configuration.
sub close_record {
    my ($self) = @_;
    CatalogTest::Exchange::describe($self->record_name, $self->{port}) if $self->is_alive;
    $self->{epoch}++;
}

# Records a request that was sent as bytes, if the request is complete.
sub record_bytes {
    my ($self, $bytes, $answer) = @_;
    return $answer if ref $bytes || length($answer->{rest} // '') || $bytes !~ m{^([A-Z]+) /api(\S*) HTTP/1\.1\r\n(.*?)\r\n\r\n(.*)}s;
    my ($method, $path, $lines, $body) = ($1, $2, $3, $4);
    my %headers = map { /^([^:\s]+):[ \t]*(.*)/ ? (lc $1 => $2) : () } split /\r\n/, $lines;
    return $answer if ($headers{host} // '') !~ /^127\.0\.0\.1/; # another virtual host has another configuration
    return $answer if ($headers{'content-length'} // 0) ne length $body || $headers{'transfer-encoding'};
    my $request = { method => $method, path => $path, headers => \%headers, length $body ? (body => $body) : () };
    CatalogTest::Exchange::add($self->record_name, '/api', $request, $answer);
    return $answer;
}

sub connection { CatalogTest::Http::connection($_[0]{port}) }

# Sends a request and returns the answer: api(GET => '/products'), api(POST => '/products', { ... }, token => $t). mount
# => '' is for a path outside /api.
sub api {
    my ($self, $method, $path, @more) = @_;
    my $body = @more % 2 ? shift @more : undef;
    my %o = (mount => '/api', @more);
    my $answer = CatalogTest::Http::request($self->{port}, $method, "$o{mount}$path", $body, %o);
    my $sent = CatalogTest::Http::sent($body, %o);
    CatalogTest::Exchange::add($self->record_name, $o{mount}, { method => $method, path => $path, %$sent }, $answer) if $o{mount};
    return $answer;
}

sub talk {
    my ($self, $bytes, @more) = @_;
    return $self->record_bytes($bytes, CatalogTest::Http::talk($self->{port}, $bytes, @more));
}

sub burst {
    my ($self, @requests) = @_;
    my @answers = CatalogTest::Http::burst($self->{port}, @requests);
    return map { $self->record_bytes($requests[$_], $answers[$_]) } 0 .. $#requests;
}

sub log_text { slurp("$_[0]{logs}/error_log") }
sub access_text { slurp("$_[0]{logs}/access_log") }

# ---- databases: the default one, which DBDParams names, and others by name ----

sub database_named {
    my ($self, $name) = @_;
    $name //= 'catalog';
    return $self->{databases}{$name} //= CatalogTest::Database->new($self->{dir}, $name, $self->{engine});
}

sub params { my ($self, $name) = @_; return $self->database_named($name)->params }
sub make_databases { $_->make for values %{ $_[0]{databases} } }

# Returns a connection for the test itself.
sub database { my ($self, $name) = @_; return $self->database_named($name)->make->connect }
sub dump { $_[0]->database_named->dump }

# Stops the servers of this test file. Returns what is wrong with them and their logs.
sub faults {
    my @faults;
    $_->close_record for @all;
    CatalogTest::Process::stop_all(@all);
    for my $self (@all) {
        push @faults, "httpd had to be killed ($self->{dir})" if $self->{stuck};
        push @faults, CatalogTest::Log::faults(CatalogTest::Log::noteworthy($self->log_text, values %{ $self->{stops} }));
        push @faults, map { "httpd said: $_" } split /\n/, slurp($self->console);
        $_->drop for values %{ $self->{databases} };
    }
    return (@faults, CatalogTest::Log::missing());
}

1;
