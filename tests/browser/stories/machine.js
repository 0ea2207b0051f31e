/* SPDX-License-Identifier: Apache-2.0 */
/* The page on the state of the server. */
import assert from 'node:assert/strict';
import { comeAsAdmin, story } from '../visitor.js';
import { findFaults } from './looks.js';

const PERIOD = 15_000; /* ms between the page's looks at the server */

const fact = (page, name) => page.locator('.vitals > div').filter({ has: page.getByText(name, { exact: true }) }).getByRole('definition');
const chart = (page, name) => page.getByRole('figure').filter({ hasText: name });
const amount = (page, name) => chart(page, name).locator('path').first().getAttribute('d');

export function stories(server) {
    story('an administrator sees how the server is, and what it did since', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'watcher');
        const { token } = await server.register('maker');
        await server.api('POST', '/products', { name: 'Cup', price: 1 }, token);
        const { page } = visitor;
        await page.clock.install();
        await page.getByRole('link', { name: 'Server' }).click();
        await fact(page, 'State').filter({ hasText: /^Ready$/ }).waitFor();
        await fact(page, 'Version').filter({ hasText: /^\d+\.\d+\.\d+$/ }).waitFor();
        await fact(page, 'Database').filter({ hasText: /^SQLite 3\.\d+\.\d+$/ }).waitFor();
        await fact(page, 'Schema version').filter({ hasText: /^\d+$/ }).waitFor();
        await fact(page, 'Connections in use').filter({ hasText: /^\d+$/ }).waitFor();
        await fact(page, 'Oldest waiting mail').filter({ hasText: /^(None|.*20\d\d.*)$/ }).waitFor();
        await page.getByText('The charts begin with the second reading.').waitFor();
        assert.equal(await amount(page, 'Requests per minute'), '');

        const login = { login: 'watcher', password: 'not the password' };
        for (let i = 0; i < 6; i++) {
            await server.api('POST', '/auth/login', login).catch(() => {});
        }
        for (let i = 0; i < 20; i++) {
            await server.api('GET', '/products');
        }
        await page.clock.fastForward(PERIOD);
        await chart(page, 'Requests per minute').getByText(/^2\d requests, at most \d+ a minute; none ended in a server error/).waitFor();
        await chart(page, 'Answers from the cache').getByText(/^[1-9][\d.]*% of \d+ cacheable answers\.$/).waitFor();
        await chart(page, 'Refused by limits').getByText(/^1 request: delay after wrong passwords 1\.$/).waitFor();
        assert.match(await amount(page, 'Requests per minute'), /^M3\d\d\.\d 60V\d\.\dH360\.0V60Z$/);

        /* Kept over a reload, and by the user's other tabs, but not for others. */
        await page.reload();
        await chart(page, 'Refused by limits').getByText('1 request:').waitFor();
        await page.getByText(/^Since \d\d:\d\d\./).waitFor();
        await page.evaluate(() => {
            const { samples } = JSON.parse(localStorage.getItem('catalog.metrics'));
            localStorage.setItem('catalog.metrics', JSON.stringify({ user: 'another', samples }));
        });
        await page.reload();
        await page.getByText('The charts begin with the second reading.').waitFor();

        /* Not ready. */
        const body = { title: 'Not ready', detail: 'the database accepts no writes', type: 'about:blank' };
        visitor.expect('GET /api/health/ready 503');
        await page.route('**/api/health/ready', route => route.fulfill({ status: 503, json: body }));
        await page.clock.fastForward(PERIOD);
        await visitor.hears('The server says: Not ready: the database accepts no writes.');
        await fact(page, 'State').filter({ hasText: /^Not ready$/ }).waitFor();
        await page.unroute('**/api/health/ready');
        await page.clock.fastForward(PERIOD);
        await fact(page, 'State').filter({ hasText: /^Ready$/ }).waitFor();
        assert.equal(await page.getByText('The server says').count(), 0);
    });

    story('an administrator sees why mails could not be sent', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'detective');
        const { page } = visitor;
        const user = await server.register('unreachable');
        await server.mailedLink(user.email, 'confirm.html');
        const reason = (name, is) => page.getByRole('row').filter({ hasText: is }).getByRole('cell').filter({ hasText: name });
        const markup = '<img src=x onerror=alert(1)> & more';
        server.bury(user);
        server.putOff(user, markup);
        await page.goto('/server.html');
        await reason(/^Failed\s*Reason: the server answered 550 to the message$/, 'Failed').waitFor();
        await reason(`Last attempt: ${markup}`, 'Waiting').waitFor();
        await page.getByText('Those of all attempts are in the server’s error log').waitFor();
        assert.equal(await page.getByText(markup, { exact: true }).getAttribute('lang'), 'en');

        /* On a small screen it wraps. */
        await page.setViewportSize({ width: 320, height: 640 });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        assert.deepEqual(await findFaults(page), []);

        await page.getByRole('button', { name: 'Send the failed mail again' }).click();
        await visitor.hears('1 mail will be sent again.');
        await server.mailedLink(user.email, 'confirm.html');
        server.ctl(['user', 'delete', 'unreachable']);
        await page.reload();
        await page.getByText('All mails are sent.').waitFor();
        assert.equal(await page.getByText('Reason:').count(), 0);
    });

    story('an administrator sends failed mails again, one and all', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'mailwoman');
        const { page } = visitor;
        const users = await Promise.all(['first', 'second'].map(name => server.register(name)));
        await Promise.all(users.map(({ email }) => server.mailedLink(email, 'confirm.html')));
        await page.goto('/server.html');
        await page.getByText('All mails are sent.').waitFor();
        await page.getByRole('link', { name: 'Failed' }).click();
        await page.getByText('No mail has failed.').waitFor();
        assert.ok(await page.locator('#retry').isHidden());

        users.forEach(user => server.bury(user));
        await page.reload();
        assert.equal(new URL(page.url()).search, '?mails=dead');
        await page.getByRole('row').filter({ hasText: 'first@example.com' }).getByText('Link to confirm the address').waitFor();
        await visitor.hears('1–2 of 2 mails');
        await page.getByRole('button', { name: 'Send again: mail to first@example.com' }).click();
        await visitor.hears('The mail to first@example.com will be sent again.');
        assert.ok(await visitor.isFocused(page.locator('#mails')));
        await page.getByRole('button', { name: 'Send the failed mail again' }).click();
        await visitor.hears('1 mail will be sent again.');
        await Promise.all(users.map(({ email }) => server.mailedLink(email, 'confirm.html')));

        /* A mail that is gone. */
        const gone = server.bury(users[0]);
        await page.reload();
        const button = page.getByRole('button', { name: 'Send again: mail to first@example.com' });
        await button.waitFor();
        server.ctl(['user', 'delete', 'first']);
        visitor.expect(`POST /api/mails/${gone}/retry 404`);
        await button.click();
        await visitor.hears('There is no such mail in the queue. It may have been sent.');
        await page.goBack();
        await page.getByText('All mails are sent.').waitFor();
    });

    story('without metrics the page says what to configure; others than administrators see nothing', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'installer');
        const { page } = visitor;
        visitor.expect('GET /admin/metrics 404');
        await page.route('**/admin/metrics', route => route.fulfill({ status: 404, body: 'no' }), { times: 1 });
        await page.goto('/server.html');
        await visitor.hears('metrics cannot be read at /admin/metrics (status 404).');
        await page.getByText('SetHandler catalog-metrics').waitFor();
        await fact(page, 'State').filter({ hasText: /^Ready$/ }).waitFor();
        assert.ok(await page.locator('#charts').isHidden());
        await page.route('**/admin/metrics', route => route.fulfill({ body: '<!doctype html>' }), { times: 1 });
        await page.getByRole('button', { name: 'Try again' }).click();
        await visitor.hears('something else than the server’s metrics is at /admin/metrics.');
        await page.getByRole('button', { name: 'Try again' }).click();
        await fact(page, 'Database').filter({ hasText: 'SQLite' }).waitFor();
        assert.equal(await page.getByText('SetHandler').count(), 0);

        /* A path that config.js does not name is that of the sources. */
        await page.route('**/config.js', route => route.fulfill({ contentType: 'text/javascript', body: 'export {};' }));
        await page.reload();
        await fact(page, 'Connections in use').filter({ hasText: /\d/ }).waitFor();

        const other = await visit();
        const sent = [];
        other.page.on('request', request => /\/(mails|metrics)(\?|$)/.test(request.url()) && sent.push(request.url()));
        await other.page.goto('/server.html');
        await other.page.waitForURL('/login.html?next=server.html');
        await other.signIn(await server.register('nosy'));
        await other.page.goto('/server.html');
        await other.hears('Only administrators see this page. Your role is: User.');
        assert.equal(await other.page.getByRole('link', { name: 'Server' }).count(), 0);
        assert.deepEqual(sent, []);
    });
}
