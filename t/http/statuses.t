# SPDX-License-Identifier: Apache-2.0
# Below a mount, other modules' refusals keep their status and become JSON with that status's message.
use CatalogTest;

my %phrase = (
    401 => 'Unauthorized', 402 => 'Payment Required', 403 => 'Forbidden', 404 => 'Not found', 409 => 'Conflict',
    410 => 'Gone', 415 => 'Unsupported Media Type', 422 => 'Unprocessable Entity',
    423 => 'Locked', 429 => 'Too Many Requests', 451 => 'Unavailable For Legal Reasons',
    500 => 'Internal server error', 503 => 'Service Unavailable', 507 => 'Insufficient Storage',
);
my $server = server(conf => join "\n", 'RewriteEngine On',
    'Header always set Retry-After 3600 "expr=%{REQUEST_STATUS} == 503"',
    map { ("RewriteRule ^/(?:api|site)/refuse/$_\$ - [R=$_]", "ErrorDocument $_ /document.html") } sort keys %phrase);
$server->write($server->dir . '/htdocs/document.html', "the site's document\n");
$server->start;

for my $status (sort keys %phrase) {
    my %body = (success => false, message => $phrase{$status});
    $body{error} = qr/./ if $status == 403 || $status == 500;
    answers($server->api(GET => "/refuse/$status"), $status, \%body, "another module's $status becomes JSON",
        'retry-after' => $status == 503 ? 3600 : undef);
    my $r = $server->api(GET => "/refuse/$status", mount => '/site');
    is("$r->{status} $r->{body}", "$status the site's document\n", "outside the mount the $status has the site's ErrorDocument");
}

# This module's refusals have its own messages.
my %product = (name => 'x', price => 1);
answers($server->api(POST => '/products', \%product), 401, refusal(error => 'no access token was sent; sign in and send one'),
    'the module\'s own 401 has its own message');
answers($server->api(POST => '/products', '{}', token => register($server)->{token}, headers => { 'Content-Type' => 'text/plain' }),
    415, refusal(error => qr/application\/json/), 'the module\'s own 415 has its own message');

done_testing;
