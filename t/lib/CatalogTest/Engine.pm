# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Engine;

# The suite's own MariaDB or PostgreSQL, on 127.0.0.1 only: the engine that t/TEST starts for all test files, or another
# engine that a test starts in order to break it. Methods besides those of CatalogTest::Process:
#     cut                  ends all sessions of httpd's user or of the named user
#     read_only            makes the engine read-only (1) or writable (0)
#     sessions_read_only   makes new sessions of a database read-only (1) until they end
#     add_user             creates a user with the rights of httpd's user
#     lock_out, let_in     end a user's sessions and refuse new ones; accept new ones
#     lock_waits           counts the sessions of a handle's database that wait for a lock
# The names of databases begin with cat_.

use strict;
use warnings FATAL => 'all';

use parent 'CatalogTest::Process';

use DBI ();
use Time::HiRes ();

use CatalogTest::Tools qw(setting hand_over free_port);

my %CLASS = (mysql => 'CatalogTest::Engine::MariaDB', pgsql => 'CatalogTest::Engine::PostgreSQL');
our $PASSWORD = 'catalog-test';

# Creates an engine. With galera => 1 it is a cluster of one node. From refuse(1) to refuse(0), such a node refuses all
# statements, like a node without a quorum.
sub new {
    my ($class, $dir, %more) = @_;
    my $self = bless { dir => $dir, port => free_port(), %more }, $CLASS{ setting('db') };
    hand_over($dir);
    $self->run('cp', '-R', $self->pristine, "$dir/data");
    return $self;
}

# Returns the data directory that every engine starts with. The suite's engine creates it before any test runs.
sub pristine {
    my ($self) = @_;
    my $dir = setting('home') . '/pristine-' . setting('db');
    return "$dir/data" if -d $dir;
    mkdir $dir or die "$dir: $!\n";
    hand_over($dir);
    $self->run($self->install("$dir/data"));
    return "$dir/data";
}

# Starts the engine and creates a user for httpd and the tests, with rights on the suite's databases only.
sub start {
    my ($self) = @_;
    $self->SUPER::start;
    $self->make_user unless $self->{has_user}++;
    return $self;
}

# Returns the engine that t/TEST has started. Returns false with SQLite.
sub shared {
    my $engine = setting('engine');
    return $engine && bless { %$engine, shared => 1 }, $CLASS{ setting('db') };
}

# The engine runs as another user, because neither engine starts as root.
sub as { $> == 0 ? ('--reuid', setting('user'), '--regid', setting('group'), '--clear-groups') : () }
sub console { "$_[0]{dir}/console" }
sub is_up { my ($self) = @_; return eval { $self->admin } }

sub run {
    my ($self, @command) = @_;
    my $words = join ' ', map { "'$_'" } 'setpriv', '--pdeathsig', 'TERM', $self->as, @command;
    system("cd '$self->{dir}' && $words >>console 2>&1 </dev/null") == 0 or die "@command:\n", $self->complaints;
}

sub open_dbi {
    my ($dsn, $user, $password) = @_;
    return DBI->connect($dsn, $user, $password, { RaiseError => 1, PrintError => 0, PrintWarn => 0, AutoInactiveDestroy => 1 });
}

package CatalogTest::Engine::MariaDB;

use parent -norequire, 'CatalogTest::Engine';

my $LOG_SIZE = '--innodb-log-file-size=16M';

sub install {
    return ('mariadb-install-db', '--no-defaults', "--datadir=$_[1]", "--tmpdir=$_[1]", '--skip-test-db', $LOG_SIZE,
        '--auth-root-authentication-method=normal');
}

# Commits survive a crash of the engine, but need not survive a crash of the machine. Tests fill tables with recursive
# statements, hence the limit on recursion. The engine has a tmpdir of its own, because at its start it deletes all
# temporary tables there, even those of other engines.
sub command {
    my ($self) = @_;
    return ('/usr/sbin/mariadbd', '--no-defaults', "--datadir=$self->{dir}/data", "--tmpdir=$self->{dir}", "--socket=$self->{dir}/socket",
        "--port=$self->{port}", qw(--bind-address=127.0.0.1 --skip-name-resolve --skip-log-bin --innodb-flush-log-at-trx-commit=2
        --innodb-buffer-pool-size=160M --innodb-flush-method=nosync --max-connections=1000 --max-recursive-iterations=1000000), $LOG_SIZE,
        $self->{galera} ? $self->node : ());
}

sub node {
    my ($self) = @_;
    my $port = $self->{group_port} //= CatalogTest::Tools::free_port();
    return (qw(--binlog-format=ROW --innodb-autoinc-lock-mode=2 --wsrep-on=ON --wsrep-new-cluster),
        '--wsrep-provider=/usr/lib/galera/libgalera_smm.so', '--wsrep-cluster-address=gcomm://',
        "--wsrep-node-address=127.0.0.1:$port",
        "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:$port;gcache.size=32M");
}

# A Galera node accepts connections before it accepts statements.
sub is_up {
    my ($self) = @_;
    return eval { $self->admin->selectrow_array('SELECT COUNT(*) FROM mysql.db'); 1 };
}

sub refuse { $_[0]->admin->do(q(SET GLOBAL wsrep_reject_queries = ) . ($_[1] ? q('ALL') : q('NONE'))) }

sub admin { CatalogTest::Engine::open_dbi("dbi:MariaDB:mariadb_socket=$_[0]{dir}/socket", 'root', '') }

# Waits first: InnoDB updates its table of transactions only if nobody has read it for 0.1 s.
sub lock_waits {
    my ($self, $db) = @_;
    Time::HiRes::sleep(0.15);
    return $self->admin->selectrow_array(q(SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p
        ON p.id = t.trx_mysql_thread_id WHERE t.trx_state = 'LOCK WAIT' AND p.db = ?), undef, $db->selectrow_array('SELECT DATABASE()'));
}

sub make_user { $_[0]->add_user('catalog') }

sub add_user {
    my ($self, $user) = @_;
    my $admin = $self->admin;
    $admin->do("CREATE USER $user\@'127.0.0.1' IDENTIFIED BY '$PASSWORD'");
    $admin->do("GRANT ALL ON `cat\\_%`.* TO $user\@'127.0.0.1'");
}

sub lock_out {
    my ($self, $user) = @_;
    $self->admin->do("ALTER USER $user\@'127.0.0.1' ACCOUNT LOCK");
    $self->cut($user);
}

sub let_in { $_[0]->admin->do("ALTER USER $_[1]\@'127.0.0.1' ACCOUNT UNLOCK") }

sub make { $_[0]->admin->do("CREATE DATABASE $_[1] CHARACTER SET utf8mb4 COLLATE utf8mb4_bin") }
sub drop { $_[0]->admin->do("DROP DATABASE $_[1]") }

sub params {
    my ($self, $name, $user) = @_;
    $user //= 'catalog';
    return "host=127.0.0.1,port=$self->{port},user=$user,pass=$PASSWORD,dbname=$name,reconnect=0,flags=CLIENT_FOUND_ROWS";
}

# Makes || join texts, as on the other databases.
sub connect {
    my ($self, $name) = @_;
    my $dsn = "dbi:MariaDB:host=127.0.0.1;port=$self->{port};database=$name";
    my $db = CatalogTest::Engine::open_dbi($dsn, 'catalog', $PASSWORD);
    $db->do(q(SET SESSION sql_mode = CONCAT(@@sql_mode, ',PIPES_AS_CONCAT')));
    return $db;
}

sub cut {
    my ($self, $user) = @_;
    my $admin = $self->admin;
    my $others = $admin->selectcol_arrayref('SELECT id FROM information_schema.processlist WHERE user = ?', undef,
        $user // 'catalog');
    $admin->do("KILL $_") for @$others;
}

sub read_only { $_[0]->admin->do('SET GLOBAL read_only = ' . ($_[1] ? 1 : 0)) }
sub sessions_read_only { $_[0]->admin->do('SET GLOBAL tx_read_only = ' . ($_[2] ? 1 : 0)) }

package CatalogTest::Engine::PostgreSQL;

use parent -norequire, 'CatalogTest::Engine';

my ($BIN) = sort { $b =~ s/\D//gr <=> $a =~ s/\D//gr } glob '/usr/lib/postgresql/*/bin'; # the newest version that is installed

sub install {
    return ("$BIN/initdb", '-D', $_[1], qw(-U postgres --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync));
}

sub command {
    my ($self) = @_;
    my %set = (
        listen_addresses => '127.0.0.1', unix_socket_directories => $self->{dir}, max_connections => 1000,
        fsync => 'off', full_page_writes => 'off');
    return ("$BIN/postgres", '-D', "$self->{dir}/data", '-p', $self->{port}, map { ('-c', "$_=$set{$_}") } sort keys %set);
}

# Starts a standby of this server. From then on, params names both servers, this one first.
sub add_stand_by {
    my ($self, $dir) = @_;
    my $other = bless { dir => $dir, port => CatalogTest::Tools::free_port(), has_user => 1 }, ref $self;
    CatalogTest::Tools::hand_over($dir);
    $other->run("$BIN/pg_basebackup", '-D', "$dir/data", '-R', '-c', 'fast', '-h', '127.0.0.1', '-p', $self->{port}, '-U', 'postgres');
    return $self->{stand_by} = $other->start;
}

sub promote { $_[0]->admin->do('SELECT pg_promote(true, 30)') }

sub stop_signal { 'INT' } # TERM would wait for all clients to leave

sub admin { CatalogTest::Engine::open_dbi("dbi:Pg:host=$_[0]{dir};port=$_[0]{port};dbname=postgres", 'postgres', '') }

sub lock_waits {
    my ($self, $db) = @_;
    return $self->admin->selectrow_array(q(SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = ?), undef,
        $db->selectrow_array('SELECT current_database()'));
}

# Requires TLS from clients from now on, except on the suite's own socket.
sub require_tls {
    my ($self) = @_;
    my $data = "$self->{dir}/data";
    $self->run(qw(openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout), "$data/server.key", '-out', "$data/server.crt");
    $self->run('chmod', '600', "$data/server.key");
    CatalogTest::Tools::spew("$data/pg_hba.conf", "local all all trust\nhostssl all all 127.0.0.1/32 trust\n");
    my $admin = $self->admin;
    $admin->do('ALTER SYSTEM SET ssl = on');
    $admin->do('SELECT pg_reload_conf()');
}

sub make_user { $_[0]->admin->do('CREATE ROLE catalog LOGIN') }
sub add_user { $_[0]->admin->do("CREATE ROLE $_[1] LOGIN IN ROLE catalog") }

sub lock_out {
    my ($self, $user) = @_;
    $self->admin->do("ALTER ROLE $user NOLOGIN");
    $self->cut($user);
}

sub let_in { $_[0]->admin->do("ALTER ROLE $_[1] LOGIN") }
sub make { $_[0]->admin->do("CREATE DATABASE $_[1] OWNER catalog") }
sub drop { $_[0]->admin->do("DROP DATABASE $_[1] WITH (FORCE)") }

sub params {
    my ($self, $name, $user) = @_;
    $user //= 'catalog';
    my @servers = ($self, $self->{stand_by} // ());
    my ($hosts, $ports) = (join(',', map { '127.0.0.1' } @servers), join(',', map { $_->{port} } @servers));
    my $primary = @servers > 1 ? ' target_session_attrs=read-write tcp_user_timeout=5000' : '';
    return "host=$hosts port=$ports user=$user dbname=$name connect_timeout=2$primary"
        . " options='-c statement_timeout=5000 -c lock_timeout=3000'";
}

sub connect {
    my ($self, $name) = @_;
    return CatalogTest::Engine::open_dbi("dbi:Pg:host=127.0.0.1;port=$self->{port};dbname=$name", 'catalog', '');
}

sub cut {
    my ($self, $user) = @_;
    $self->admin->do('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ?', undef,
        $user // 'catalog');
}

# Changes open sessions as well, because the configuration is reloaded.
sub read_only {
    my ($self, $on) = @_;
    my $admin = $self->admin;
    $admin->do('ALTER SYSTEM SET default_transaction_read_only = ' . ($on ? 'on' : 'off'));
    $admin->do('SELECT pg_reload_conf()');
}

sub sessions_read_only { $_[0]->admin->do("ALTER DATABASE $_[1] SET default_transaction_read_only = " . ($_[2] ? 'on' : 'off')) }

1;
