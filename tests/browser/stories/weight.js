/* SPDX-License-Identifier: Apache-2.0 */
/* What a visit costs, with the pages as make install copies them and as conf/catalog.conf serves them. */
import assert from 'node:assert/strict';
import { comeAsAdmin, story } from '../visitor.js';

const MOST_BYTES = 60_000;
const MOST_REQUESTS = { index: 18, product: 20, login: 12 }; /* a product has fields of the shop's own, which the server lists */
const MOST_SHIFT = 0.05;

/* Counts what comes over the wire until stop() is called. */
async function countTraffic(page) {
    const client = await page.context().newCDPSession(page);
    const requests = new Map();
    await client.send('Network.enable');
    client.on('Network.requestWillBeSent', ({ requestId, request }) =>
        requests.set(requestId, { url: request.url.replace(/.*:\d+/, ''), bytes: 0 }),
    );
    client.on('Network.requestServedFromCache', ({ requestId }) => requests.delete(requestId));
    client.on('Network.responseReceived', ({ requestId, response }) => {
        (requests.get(requestId) ?? {}).isKept = response.fromDiskCache;
    });
    client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        (requests.get(requestId) ?? {}).bytes = encodedDataLength;
    });
    return async () => {
        await client.detach();
        return [...requests.values()].filter(({ url, isKept }) => !url.startsWith('data:') && !isKept);
    };
}

const sum = requests => requests.reduce((bytes, request) => bytes + request.bytes, 0);

/* Adds up how far what is on the page moves without the user's doing. */
function watchShifts(page) {
    return page.addInitScript(() => {
        window.shift = 0;
        new PerformanceObserver(list =>
            list.getEntries().forEach(entry => (window.shift += entry.hadRecentInput ? 0 : entry.value)),
        ).observe({ type: 'layout-shift', buffered: true });
    });
}

async function fill(server, count) {
    const { token } = await server.register('weigher');
    const operations = Array.from({ length: count }, (_, i) => ({
        op: 'create',
        body: { name: `Weighed ${i}`, price: i + 0.5, category: `Shelf ${i % 7}`, rating: (i % 50) / 10 },
    }));
    const { results } = await server.api('POST', '/products/batch', { operations }, token);
    return results[0].data.id;
}

export function stories(server) {
    story('the pages are light on the first visit, and come from the cache on the second', server, async visit => {
        const id = await fill(server, 60);
        const pages = { index: '/catalogue/', product: `/catalogue/product.html?id=${id}`, login: '/catalogue/login.html' };
        for (const [name, address] of Object.entries(pages)) {
            const { page } = await visit(server.installedUrl);
            for (const turn of ['first', 'second']) {
                const stop = await countTraffic(page);
                await page.goto(address, { waitUntil: 'networkidle' });
                const requests = await stop();
                const bytes = sum(requests);
                console.log(`${name}, ${turn} visit: ${requests.length} requests, ${bytes} bytes`);
                assert.ok(requests.length <= MOST_REQUESTS[name], requests.map(({ url }) => url).join(' '));
                assert.ok(bytes <= MOST_BYTES, `${name}: ${bytes} bytes`);
                assert.ok(!requests.some(({ url }) => url.includes('/desk')), 'what only those who work here need is not there');
                if (turn === 'second') {
                    assert.deepEqual(requests.filter(({ url }) => url.includes('/assets-')), []);
                    const checked = requests.filter(({ url }) => !url.startsWith('/api/'));
                    assert.ok(checked.length <= 2 && checked.every(({ bytes }) => bytes < 1000), 'page and settings are checked only');
                }
                await page.goto('about:blank');
            }
        }
    });

    story('nothing moves while a page loads, however long the list takes', server, async visit => {
        const phone = { viewport: { width: 412, height: 823 } };
        const visits = [['/'], ['/?view=table'], ['/?q=weighed&category=Shelf+1'], ['/', phone], ['/login.html', phone]];
        for (const [address, options] of visits) {
            const { page } = await visit(server.url, options);
            await watchShifts(page);
            await page.route('**/api/products?*', async route => {
                await new Promise(resolve => setTimeout(resolve, 300));
                await route.continue();
            });
            await page.goto(address);
            await page.locator('#pages, #form').waitFor();
            await page.waitForTimeout(200);
            const shift = await page.evaluate(() => window.shift);
            console.log(`${address}: layout shift ${shift.toFixed(4)}`);
            assert.ok(shift < MOST_SHIFT, `${address}: ${shift}`);
        }
    });

    story('on a phone nothing moves when the menu of an administrator comes, which opens and closes', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'heavy');
        const { page } = visitor;
        const item = name => page.locator('#menu a', { hasText: name }); /* hidden too */
        await page.setViewportSize({ width: 412, height: 823 });
        await watchShifts(page);
        for (const address of ['/', '/server.html']) {
            await page.goto(address);
            await item('Users').waitFor({ state: 'attached' });
            await page.waitForLoadState('networkidle');
            const shift = await page.evaluate(() => window.shift);
            console.log(`${address} as an administrator: layout shift ${shift.toFixed(4)}`);
            assert.ok(shift < MOST_SHIFT, `${address}: ${shift}`);
        }
        const toggle = page.getByRole('button', { name: 'Menu' });
        assert.ok(await item('Users').isHidden());
        await toggle.focus();
        await page.keyboard.press('Enter');
        assert.equal(await item('Server').getAttribute('aria-current'), 'page');
        await page.keyboard.press('Tab');
        assert.ok(await visitor.isFocused(item('Products')));
        await page.keyboard.press('Escape');
        assert.ok(await item('Products').isHidden());
        assert.ok(await visitor.isFocused(toggle));
        await toggle.click();
        await page.getByRole('heading', { level: 1 }).click();
        assert.ok(await item('Products').isHidden(), 'the focus has left the menu');
        await toggle.click();
        await item('Users').click();
        await page.waitForURL('**/users.html');
        await page.setViewportSize({ width: 1280, height: 800 });
        assert.ok(await toggle.isHidden());
        assert.ok(await item('Users').isVisible());
    });

    story('the heading waits neither for a module after another nor for formats of numbers', server, async visit => {
        const { page } = await visit(server.installedUrl);
        await page.addInitScript(() => {
            window.formats = [];
            for (const name of ['NumberFormat', 'DateTimeFormat', 'PluralRules']) {
                Intl[name] = new Proxy(Intl[name], {
                    construct(target, options) {
                        window.formats.push(name);
                        return new target(...options);
                    },
                });
            }
        });
        let answer;
        const isAsked = new Promise(resolve => (answer = resolve));
        const texts = page.waitForRequest('**/texts/en.js');
        await page.route('**/lib/page.js', async route => {
            await texts;
            await route.continue();
        });
        await page.route('**/api/products?*', async route => {
            await isAsked;
            await route.continue();
        });
        await page.goto('/catalogue/');
        await page.getByRole('heading', { name: 'Products' }).waitFor();
        assert.deepEqual(await page.evaluate(() => window.formats), []);
        answer();
        await page.locator('.price').first().waitFor();
        assert.ok((await page.evaluate(() => window.formats)).length > 0);
    });

    story('something large is painted before the list has come, on a slow processor too', server, async visit => {
        const { page } = await visit(server.installedUrl);
        await page.addInitScript(() => {
            new PerformanceObserver(list => (window.largest = list.getEntries().at(-1).startTime)).observe({
                type: 'largest-contentful-paint',
                buffered: true,
            });
        });
        const client = await page.context().newCDPSession(page);
        await client.send('Emulation.setCPUThrottlingRate', { rate: 4 });
        let answer;
        const isPainted = new Promise(resolve => (answer = resolve));
        await page.route('**/api/products?*', async route => {
            await isPainted;
            await route.continue();
        });
        await page.goto('/catalogue/');
        await page.waitForFunction(() => window.largest > 0); /* how soon depends on what else the machine does */
        answer();
        await page.locator('.price').first().waitFor();
        const largest = await page.evaluate(() => window.largest);
        console.log(`largest contentful paint with a processor four times slower: ${Math.round(largest)} ms`);
    });
}
