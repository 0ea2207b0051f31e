# SPDX-License-Identifier: Apache-2.0
# Requests outside the mount are untouched; those below it never reach the file system.
use CatalogTest;

my $server = server(conf => <<'END');
Alias /api/static "@dir@/htdocs"
<Directory "@dir@/htdocs">
    Options +Includes +Indexes
    AddOutputFilter INCLUDES .shtml
    AddType text/html .shtml
    Require all granted
    AllowOverride All
</Directory>
RewriteEngine On
RewriteRule ^/rewritten$ /api/products [PT]
RewriteRule ^/away$ /index.html [PT]
RewriteRule ^/api/moved$ /index.html [R=302,L]
END
mkdir $server->dir . '/htdocs/api' or die;
$server->write($server->dir . "/htdocs/$_->[0]", $_->[1]) for
    ['index.html', "outside\n"], ['api/products', "a file\n"], ['api/.htaccess', "Require all denied\n"],
    ['api-docs.html', "docs\n"],
    ['page.shtml', 'before <!--#include virtual="/api/products" --> after'],
    ['denied.shtml', 'before <!--#include virtual="/api/nothing" --> after'];
$server->start;

sub outside { $server->api($_[0], $_[1], mount => '') }

is(outside(GET => '/index.html')->{body}, "outside\n", 'a file outside the mount is served');
is(outside(GET => '/api-docs.html')->{body}, "docs\n", 'a file whose name begins like the mount is served');
is(outside(GET => '/apix')->{status}, 404, 'a path that only begins like the mount gets 404');
unlike(outside(GET => '/apix')->{headers}{'content-type'}, qr/json/, 'that 404 is not JSON');
is(outside(GET => '/nothing')->{status}, 404, 'a missing file gets 404');
unlike(outside(GET => '/nothing')->{headers}{'content-type'}, qr/json/, 'that 404 is httpd\'s own');
unlike(outside(GET => '/nothing')->{body}, qr/^\{/, 'that 404 has no JSON body');
is(outside(POST => '/index.html')->{status} =~ /^(?:200|405)$/, 1, 'POST to a file is left to httpd');

answers($server->api(GET => '/products'), 200, undef, 'a file of the same name and its .htaccess do not affect the mount');
answers($server->api(GET => '/static/index.html'), 404, refusal(), 'an Alias below the mount does not apply');
answers(outside(GET => '/rewritten'), 200, undef, 'mod_rewrite can lead into the mount');
is(outside(GET => '/away')->{body}, "outside\n", 'mod_rewrite can lead to a file outside the mount');
is(outside(GET => '/api/moved')->{status}, 302, 'mod_rewrite can redirect out of the mount');

# A sub-request.
like(outside(GET => '/page.shtml')->{body}, qr/^before \{"success":true,.*\} after$/s, 'a page can include a list');
like(outside(GET => '/denied.shtml')->{body}, qr/^before .* after$/s, 'a failed include leaves the page whole');

allow_log(qr/AH01372: unable to include|AH01366|unable to include/);
done_testing;
