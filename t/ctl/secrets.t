# SPDX-License-Identifier: Apache-2.0
# case: 51
# catalogctl exposes no secret, neither in a process list nor on the terminal.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for command_for at_terminal listed);
use IPC::Open2 qw(open2);
use IPC::Open3 qw(open3);
use Time::HiRes qw(sleep);

my $server = server(conf => qq(DBDParams "\@params:s3cret_params\@"\n));
is(ctl_for($server, 'migrate')->{status}, 0, 'migrate succeeds with secret parameters');
my $database = $server->database('s3cret_params');

# PostgreSQL's own processes name the database.
sub command_lines { return grep { !/^postgres: / } map { slurp("$_/cmdline") =~ tr/\0/ /r } glob '/proc/[0-9]*' }

# From its start to its end, including the httpd that it runs.
my $pid = open3(my $in, my $out, undef, command_for($server, qw(user add watched watched@example.com)));
my @seen;
my $wait = sub { push @seen, grep { /catalogctl|CATALOG_DUMP|s3cret/ } command_lines(); $_[0]->() };
wait_until(1, sub { $wait->(sub { 0 }) });
print {$in} "s3cret password\n";
close $in;
wait_until(10, sub { $wait->(sub { waitpid($pid, 1) }) });
is($?, 0, 'user add creates a user');
ok((grep { /user add watched/ } @seen) && (grep { /CATALOG_DUMP/ } @seen), 'the process list has catalogctl and its httpd');
is_deeply([grep { /s3cret/ } @seen], [], 'the process list has neither the password nor the parameters');

# A generated password is only in the output.
my $added = ctl_for($server, qw(user add --generate other other@example.com));
my ($made_up) = $added->{out} =~ /\t(\S+)\n/;
my $dump = join ' ', map { @$_ } @{ $database->selectall_arrayref('SELECT username, password_hash FROM users') };
like($dump, qr/other \$argon2id\$/, 'the database has a hash of the generated password');
unlike($dump, qr/s3cret|\Q$made_up\E/, 'the database does not have the generated password');

# At a terminal, catalogctl asks for it twice and does not show it.
sub type {
    my ($name, @passwords) = @_;
    my $pid = open2(my $screen, my $keyboard, at_terminal(command_for($server, 'user', 'add', $name, "$name\@example.com")));
    my $shown = '';
    for my $prompt ('Password: ', 'Again: ') {
        wait_until(10, sub { sysread $screen, $shown, 4096, length $shown; $shown =~ /\Q$prompt\E$/ });
        sleep 0.2; # catalogctl prints the prompt before it turns echo off
        syswrite $keyboard, shift(@passwords) . "\n";
    }
    1 while sysread $screen, $shown, 4096, length $shown;
    close $keyboard;
    waitpid $pid, 0;
    return ($? >> 8, $shown);
}
my ($status, $shown) = type('typed', 's3cret password', 's3cret password');
is($status, 0, 'user add creates a user at a terminal');
like($shown, qr/^Password: \s*Again: \s*[0-9a-f-]{36}\s*\z/, 'the terminal shows the prompts and the id');
unlike($shown, qr/s3cret/, 'the terminal does not show the password');
($status, $shown) = type('other', 's3cret password', 'another password');
is($status, 1, 'user add refuses two passwords that differ');
like($shown, qr/the passwords differ/, 'the message says that they differ');

$server->start;
answers($server->api(POST => '/auth/login', { login => $_, password => 's3cret password' }), 200, undef, "$_ can sign in") for qw(watched typed);

done_testing;
