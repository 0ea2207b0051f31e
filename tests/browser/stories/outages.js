/* SPDX-License-Identifier: Apache-2.0 */
import assert from 'node:assert/strict';
import { SILENCE_BAR, stopClock, story } from '../visitor.js';

const HTML = { 'Content-Type': 'text/html' };
const JSON = '{"success":false,"message":"No"}';
const cases = [
    [500, { 'Retry-After': '5' }, JSON, 'has a problem at the moment. Please try again in 5 seconds.'],
    [503, { 'Retry-After': '120' }, JSON, 'is busy. Please try again in 2 minutes.'],
    [429, { 'Retry-After': '7' }, JSON, 'Too many attempts. Please try again in 7 seconds.'],
    [502, HTML, '<h1>Bad gateway</h1>', 'is busy. Please try again in a while.'],
    [200, HTML, '<h1>Welcome to the hotel</h1>', 'is not responding. Check your connection'],
];

async function refuseOneRefresh(visitor) {
    visitor.expect('POST /api/auth/refresh 503');
    await visitor.page.route('**/api/auth/refresh', route => route.fulfill({ status: 503, body: '' }), { times: 1 });
}

export function stories(server) {
    for (const [status, headers, body, words] of cases) {
        const what = `${status}${headers === HTML ? ' in HTML' : ''}`;
        story(`the page explains an answer of ${what} and can repeat the request`, server, async visit => {
            const visitor = await visit();
            const { page } = visitor;
            if (status >= 400) {
                visitor.expect(`GET /api/products ${status}`);
            }
            await page.route('**/api/products?*', route => route.fulfill({ status, headers, body }), {
                times: 1,
            });
            await stopClock(page);
            await page.goto('/');
            await visitor.hears(words);
            await page.getByRole('button', { name: 'Try again' }).click();
            await visitor.hears(/of \d+ products|No products/);
            assert.equal(await page.getByRole('alert').count(), 0);
        });
    }

    story('the pages recover when the API is stopped and started again', server, async visit => {
        const user = await server.register('patient');
        const [reader, writer] = [await visit(), await visit()];
        const keeper = await writer.tab();
        for (let i = 0; i < 20; i++) {
            await server.api('POST', '/products', { name: `Still there ${i}`, price: 1 }, user.token);
        }
        const { data } = await server.api('GET', '/products?limit=1');
        await reader.page.goto('/?limit=10');
        await reader.page.getByRole('link', { name: 'Next page' }).waitFor();
        await writer.arrive(user);
        await writer.page.goto('/edit.html');
        await writer.page.getByLabel('Name').fill('Made after the outage');
        await writer.page.getByLabel('Price').fill('5');
        await keeper.goto('/work.html?limit=10');
        await keeper.locator('[data-name=price]').first().click();
        await keeper.locator('#cell-price').fill('7');

        await server.pause();
        reader.expect('GET /api/products failed');
        await reader.page.getByRole('link', { name: 'Next page' }).click();
        await reader.hears('The catalogue is not responding. Check');
        await reader.hears(SILENCE_BAR);
        assert.equal(await reader.page.locator('.card').count(), 0, 'the list before is not the answer');
        assert.equal(await reader.page.locator('#count').textContent(), '');
        assert.ok(await reader.page.locator('#pages').isHidden());
        writer.expect('POST /api/products failed');
        await writer.page.getByRole('button', { name: 'Save' }).click();
        await writer.hears('The catalogue is not responding.');
        assert.equal(await writer.page.getByLabel('Name').inputValue(), 'Made after the outage');

        writer.expect(`GET /api/products/${data[0].id} failed`);
        await keeper.locator('#cell-price').press('Enter');
        await keeper.getByRole('alert').getByText('The catalogue is not responding.').waitFor();

        await server.resume();
        await reader.hears(/^11–20 of 20/); /* by itself */
        assert.equal(await reader.page.getByText(SILENCE_BAR).count(), 0);
        assert.equal(await reader.page.getByRole('alert').count(), 0);
        await writer.page.getByRole('button', { name: 'Save' }).click();
        await writer.hears('The product is added.');
        await keeper.locator('#cell-price').press('Enter');
        await keeper.getByText('The product is saved.').waitFor();
        await keeper.locator('[data-name=price]').getByText('7.00').waitFor();
    });

    story('the public list is shown if the session cannot be resumed', server, async visit => {
        const user = await server.register('browsing');
        await server.api('POST', '/products', { name: 'For everybody', price: 1 }, user.token);
        const visitor = await visit();
        const { page } = visitor;
        await visitor.arrive(user);
        await refuseOneRefresh(visitor);
        await page.goto('/');
        await page.getByRole('link', { name: 'For everybody' }).first().waitFor();
        await visitor.hears('is busy');
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('link', { name: 'Add a product' }).waitFor();
        assert.equal(await page.getByRole('alert').count(), 0);
    });

    story('a user stays signed in if the session cannot be resumed at once', server, async visit => {
        const user = await server.register('loyal');
        const visitor = await visit();
        const { page } = visitor;
        await visitor.arrive(user);
        await refuseOneRefresh(visitor);
        await page.goto('/account.html');
        await visitor.hears('is busy');
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByText('Member since').waitFor();
        await page.getByRole('button', { name: user.username }).waitFor();
    });

    story('a body that is too large, or sent with a used key, is said so and can be sent once it is changed', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        await visitor.arrive(await server.register('verbose'));
        await page.goto('/edit.html');
        await page.getByLabel('Name').fill('Verbose teapot');
        await page.getByLabel('Price').fill('1');
        const keys = [];
        await page.route('**/api/products', async route => {
            const { name } = route.request().postDataJSON();
            const [status, problem] = /teapot/.test(name) ? [413, 'body-too-large'] : [422, 'idempotency-key-reused'];
            keys.push(route.request().headers()['idempotency-key']);
            keys.length < 3
                ? await route.fulfill({ status, contentType: 'application/problem+json', body: `{"type":"/problems/${problem}","status":${status}}` })
                : await route.continue();
        });
        visitor.expect('POST /api/products 413', 'POST /api/products 422');
        await page.getByRole('button', { name: 'Save' }).click();
        await visitor.hears('This is more than the catalogue accepts at once.');
        await page.getByLabel('Name').fill('Terse cup');
        await page.getByRole('button', { name: 'Save' }).click();
        await visitor.hears('This was sent before with other values.');
        await page.getByRole('button', { name: 'Save' }).click();
        await visitor.hears('The product is added.');
        await page.getByRole('heading', { name: 'Terse cup' }).waitFor();
        assert.equal(new Set(keys).size, 3, 'each attempt has a key of its own');
    });
}
