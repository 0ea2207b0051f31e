/* SPDX-License-Identifier: Apache-2.0 */
/* The page on the state of the server. */
import assert from 'node:assert/strict';
import { comeAsAdmin, story } from '../visitor.js';
import { findFaults } from './looks.js';

const PERIOD = 15_000; /* ms between the page's looks at the server */

const fact = (page, name) => page.locator('.vitals > div').filter({ has: page.getByText(name, { exact: true }) }).getByRole('definition');
const chart = (page, name) => page.getByRole('figure').filter({ hasText: name });
const amount = (page, name) => chart(page, name).locator('.amount').getAttribute('d');

export function stories(server) {
    story('an administrator sees how the server is, and what it did since', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'watcher');
        const { token } = await server.register('maker');
        await server.api('POST', '/products', { name: 'Cup', price: 1 }, token);
        const { page } = visitor;
        await page.clock.install();
        await page.goto('/server.html');
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
        await chart(page, 'Requests refused by limits').getByText(/^1 request: delay after wrong passwords 1\.$/).waitFor();
        assert.match(await amount(page, 'Requests per minute'), /^M5\d\d\.\d 200V\d\.\dH600\.0V200Z$/);

        const { width, height } = await chart(page, 'Requests per minute').locator('svg').boundingBox();
        assert.ok(width > 600 && height > 140, `large enough to be read: ${width} × ${height}`);
        assert.equal((await chart(page, 'Requests per minute').locator('.marks').innerText()).split('\n').at(-1), '0');

        /* Kept over a reload, and by the user's other tabs, but not for others. */
        await page.reload();
        await chart(page, 'Requests refused by limits').getByText('1 request:').waitFor();
        await page.getByText(/^Since \d\d:\d\d\./).waitFor();
        await page.evaluate(() => {
            const { samples } = JSON.parse(localStorage.getItem('catalog.metrics./api'));
            localStorage.setItem('catalog.metrics./api', JSON.stringify({ user: 'another', samples }));
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

    story('an administrator sees a day, of which the browser keeps what the page has read', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'historian');
        const { page } = visitor;
        await page.goto('/server.html');
        await fact(page, 'Connections in use').filter({ hasText: /^\d+$/ }).waitFor(); /* the first reading */
        await page.evaluate(() => {
            const { user, samples } = JSON.parse(localStorage.getItem('catalog.metrics./api'));
            const [{ limits }] = samples;
            const hour = 3_600_000;
            /* 100 requests in each of 20 hours, read every 15 seconds in the last three of them */
            const at = (hours, requests) => ({ at: Date.now() - hours * hour, requests, errors: 0, hits: 0, misses: 0, limits });
            const old = Array.from({ length: 17 }, (_, i) => at(20 - i, i * 100));
            const dense = Array.from({ length: 720 }, (_, i) => at(3 - i / 240, 1700 + Math.round((i * 100) / 240)));
            localStorage.setItem('catalog.metrics./api', JSON.stringify({ user, samples: [...old, ...dense] }));
        });
        await page.reload();
        await chart(page, 'Requests per minute').getByText(/^(9|10)\d requests/).waitFor();
        await page.getByRole('link', { name: '24 hours' }).click();
        await chart(page, 'Requests per minute').getByText(/^(1,9|2,0)\d\d requests/).waitFor();
        assert.equal(new URL(page.url()).search, '?span=day');
        assert.ok(await visitor.isFocused(page.locator('#charts-title')));
        const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('catalog.metrics./api')).samples.length);
        assert.ok(kept < 330, `of two hours only each fifth minute is kept: ${kept}`);
        await page.getByRole('link', { name: 'Failed', exact: true }).click();
        assert.equal(new URL(page.url()).search, '?span=day&mails=dead');
        await page.goBack();
        await page.getByRole('link', { name: '1 hour' }).click();
        await chart(page, 'Requests per minute').getByText(/^(9|10)\d requests/).waitFor();
    });

    story('an administrator sees failed mails in red, and sends a test mail', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'tester');
        const { page } = visitor;
        const user = await server.register('bounced');
        await server.mailedLink(user.email, 'confirm.html');
        await page.goto('/server.html');
        await fact(page, 'Failed mails').filter({ hasText: /^0$/ }).waitFor();
        assert.equal(await page.locator('.badge.bad').count(), 0);
        server.bury(user);
        await page.reload();
        await fact(page, 'Failed mails').locator('.badge.bad').filter({ hasText: /^1$/ }).waitFor();
        await page.locator('tbody .badge.bad').filter({ hasText: 'Failed' }).waitFor();

        await page.getByRole('button', { name: 'Send me a test mail' }).click();
        await visitor.hears('A test mail to tester@example.com is on its way.');
        assert.match(await server.mailed('tester@example.com', text => /^Subject: Test mail\r$/m.test(text)), /^Hello tester,\r$/m);
        visitor.expect('POST /api/mails/test 429');
        const answer = { status: 429, headers: { 'Retry-After': '60' }, json: { title: 'Too many requests' } };
        await page.route('**/api/mails/test', route => route.fulfill(answer));
        await page.getByRole('button', { name: 'Send me a test mail' }).click();
        await visitor.hears('Too many attempts. Please try again in 60 seconds.');

        visitor.expect('POST /api/mails/test 401', 'POST /api/auth/refresh 401');
        visitor.forgive(/^GET \S+ 401$/);
        await page.route('**/api/mails/test', route => route.fulfill({ status: 401, json: {} }));
        await page.route('**/api/auth/refresh', route => route.fulfill({ status: 401, json: {} }));
        for (let i = 0; i < 2; i++) {
            const refused = page.waitForResponse('**/api/auth/refresh'); /* what is heard may be of the click before */
            await page.getByRole('button', { name: 'Send me a test mail' }).click();
            await refused;
            await visitor.hears('Your session has ended.');
        }
        server.ctl(['user', 'delete', 'bounced']);
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
        await page.getByText('the server’s error log has those of all attempts').waitFor();
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
        await page.getByText('All mails have been sent.').waitFor();
        assert.equal(await page.getByText('Reason:').count(), 0);
    });

    story('an administrator sends failed mails again, one and all', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'mailwoman');
        const { page } = visitor;
        const users = await Promise.all(['first', 'second'].map(name => server.register(name)));
        await Promise.all(users.map(({ email }) => server.mailedLink(email, 'confirm.html')));
        await page.goto('/server.html');
        await page.getByText('All mails have been sent.').waitFor();
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
        await page.getByText('All mails have been sent.').waitFor();
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
        await visitor.hears('something other than the server’s metrics is at /admin/metrics.');
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
        await other.arrive(await server.register('nosy'));
        await other.page.goto('/server.html');
        await other.hears('Only administrators can see this page. Your role is: User.');
        assert.equal(await other.page.getByRole('link', { name: 'Server' }).count(), 0);
        assert.deepEqual(sent, []);
    });
}
