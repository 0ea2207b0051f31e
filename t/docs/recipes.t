# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event
# Runs the configurations of docs/operations.md for the rest of the server as they are, except for addresses, paths and keys.
use CatalogTest;
use CatalogAccounts;

use CatalogTest::Ctl ();
use CatalogTest::Document ();
use CatalogTest::Tools qw(setting free_port);

my @blocks = CatalogTest::Document::blocks(setting('top') . '/docs/operations.md');
sub block { my ($line) = @_; my ($block) = grep { /^\s*\Q$line\E/m } @blocks; return $block // die "operations.md has no $line\n" }
sub load { my $modules = setting('modules'); return join '', map { qq(LoadModule ${_}_module "$modules/mod_$_.so"\n) } @_ }

# ---- an application behind the catalogue's tokens, and the log with users and ids ----

my $port = free_port();
my $key = 'CatalogKeyFile "' . key_path . qq("\nCatalogIssuer https://catalog.test\nCatalogAudience catalog-test);
my $server = server(conf => block('ProxyPass "http://127.0.0.1:9000/"') =~ s{CatalogKeyDir .*}{$key}r =~ s/:9000/:$port/r
    . block('LogFormat "%h %u') =~ s/\$\{APACHE_LOG_DIR\}/logs/r . <<"END");
Listen 127.0.0.1:$port
LogFormat "%U %{X-User}i %{X-User-Id}i %{X-Role}i %{Authorization}i" application
<VirtualHost 127.0.0.1:$port>
    DocumentRoot "\@dir\@/application"
    CustomLog    "\@dir\@/logs/application" application
</VirtualHost>
END
mkdir $server->dir . '/application';
$server->write($server->dir . '/application/page', "the application\n");
$server->start;

sub has_line {
    my ($file, $line, $what) = @_;
    ok(wait_until(5, sub { slurp($server->dir . "/logs/$file") =~ $line }), $what) or diag slurp($server->dir . "/logs/$file");
}

my $user = register($server);
my ($id, $name) = @{ $user->{user} }{qw(id username)};
is($server->api(GET => '/page', mount => '/app')->{status}, 401, 'a request without a token does not reach the application');
is($server->api(GET => '/page', mount => '/app', token => $user->{token}, headers => { 'X-User' => 'root', 'X-Role' => 'admin' })->{body},
    "the application\n", 'a request with a token reaches the application');
has_line(application => qr{^/page \Q$name\E $id user -$}m, 'it has the user, the id and the role, instead of what the client sent');

my $request = $server->api(GET => '/auth/me', token => $user->{token})->{headers}{'x-request-id'};
has_line('catalog.log' => qr{ \Q$name\E \[.*\] "GET /api/auth/me HTTP/1\.1" 200 .* \Q$request\E $id user \d+$}m,
    'the log of requests has the user, the request\'s id, the user\'s id and the role');

# ---- PHP in the same site ----

my $dir = scratch();
my $socket = "$dir/php.sock";
spew("$dir/fpm.conf", <<"END");
[global]
error_log = $dir/fpm.log
daemonize = no
[www]
user = @{[setting('user')]}
group = @{[setting('group')]}
listen = $socket
listen.mode = 0666
pm = static
pm.max_children = 1
END
my ($fpm) = glob '/usr/sbin/php-fpm*' or die "php-fpm is missing\n";
my $pid = fork() // die "fork: $!\n";
END { local $?; if ($pid) { kill TERM => $pid; waitpid $pid, 0 } }
exec $fpm, '--nodaemonize', '--fpm-config', "$dir/fpm.conf" if !$pid;

my $site = server(conf => load('proxy_fcgi') . block('SetHandler "proxy:unix:') =~ s{/run/php/php-fpm\.sock}{$socket}r
    . qq(DocumentRoot "\@dir\@/site"\n));
mkdir $site->dir . '/site';
mkdir $site->dir . '/site/api';
$site->write($site->dir . "/site/$_", '<?php echo 6 * 7, " ", $_SERVER["REQUEST_URI"];') for qw(page.php api/page.php);
$site->start;
ok(wait_until(10, sub { -S $socket }), 'php-fpm listens');
is($site->api(GET => '/page.php', mount => '')->{body}, '42 /page.php', 'PHP serves the site');
answers($site->api(GET => '/page.php'), 404, refusal(message => 'Not found'), 'a script below the mount is a 404 of the API');
is($site->api(GET => '/products')->{status}, 200, 'the API answers beside it');

# ---- fail2ban ----

my $guarded = server(conf => "LogLevel catalog:debug\n")->start;
$guarded->api(POST => '/auth/login', { login => 'nobody', password => 'wrong horse' }) for 1 .. 3;
$guarded->api(GET => '/auth/me');
spew("$dir/catalog.conf", block('failregex = '));
my $found = CatalogTest::Ctl::run({}, 'fail2ban-regex', '--print-all-matched', $guarded->dir . '/logs/error_log', "$dir/catalog.conf");
is($found->{status}, 0, 'fail2ban reads the filter') or diag $found->{out}, $found->{err};
like($found->{out}, qr/Failregex: 3 total/, 'it finds the three refused passwords, and nothing else') or diag $found->{out};

# The jail, in a copy of Debian's configuration without its jail for SSH, whose log this machine may not have.
my $jails = "$dir/fail2ban";
system('cp', '-R', '/etc/fail2ban', $jails) == 0 or die "/etc/fail2ban cannot be copied\n";
unlink glob "$jails/jail.d/*";
spew("$jails/filter.d/catalog.conf", block('failregex = '));
spew("$jails/jail.d/catalog.conf", block('[catalog]') =~ s{^logpath\s*= \K.*}{$guarded->dir . '/logs/error_log'}mer);
my $jail = CatalogTest::Ctl::run({}, 'fail2ban-client', '-c', $jails, '-d');
is($jail->{status}, 0, 'fail2ban reads the jail') or diag $jail->{out}, $jail->{err};
like($jail->{out}, qr/^\['set', 'catalog', '$_->[0]', \Q$_->[1]\E/m, "the jail's $_->[0]")
    for [maxretry => '20'], [findtime => "'10m'"], [bantime => "'1h'"], [addlogpath => "'" . $guarded->dir], [addfailregex => "'"];

done_testing;
