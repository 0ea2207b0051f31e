use CatalogLoad;
use CatalogTest;
use Time::HiRes qw(sleep time);
use List::Util qw(sum0);
sub user {
    my $name = fresh();
    return { username => $name, email => "$name\@example.com", password => 'correct horse' };
}
for my $n (2) {
my $server = server(conf => "CatalogHashConcurrency $n")->start;
register($server);
sub cpu {
    my $ticks = sum0(map { (split ' ', slurp("/proc/$_/stat") =~ s/.*\) //sr)[11, 12] } $_[0]->children);
    return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}
for my $c (1, 4) {
    my $end = time + 2;
    my $u = cpu($server);
    my $r= clients($server, $c, sub {
        my ($client) = @_;
        my $n = 0;
        while (time < $end) { $n++ if $client->ask(POST => '/register', user())->{status} == 201 }
        return [$n];
    });
    my $sum = sum0(map { $_->[0] } $r->results);
    diag sprintf "N=%d clients=%d: %.1f/s cpu %.2f rss %s", $n, $c, $sum / 2, (cpu($server) - $u) / 2, join ' ', map { slurp("/proc/$_/status") =~ /VmRSS:\s+(\d+)/ } $server->children;
}
}
allow_log(qr/./);
done_testing;
