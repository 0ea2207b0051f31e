/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a product, and the batches of changes, which writers undo. */
import assert from 'node:assert/strict';
import { ask } from '../server.js';
import { story } from '../visitor.js';
import { inspect } from './looks.js';

const press = (page, name) => page.getByRole('button', { name, exact: true }).click();
const LARGE = 10_050; /* changes that only a job takes back */

export function stories(server) {
    async function come(visit, name) {
        const visitor = await visit();
        const user = await server.register(name);
        await visitor.arrive(user);
        return { visitor, user, page: visitor.page };
    }

    const add = async ({ token }, body) => (await server.api('POST', '/products', body, token)).data;
    const prices = async category => (await server.api('GET', `/products?category=${category}`)).data.map(({ price }) => price);
    const count = async where => (await server.api('GET', `/products?${where}&count=exact&limit=1`)).pagination.total;

    async function fill({ token }, category, n) {
        const rows = Array.from({ length: n }, (_, i) => `${category} ${i},10,${category}`);
        const headers = { 'Content-Type': 'text/csv', Authorization: `Bearer ${token}` };
        const response = await ask(`${server.url}/api/products/import?atomic=false`, { method: 'POST', headers, body: `name,price,category\n${rows.join('\n')}\n` });
        assert.equal(response.status, 200, await response.text());
    }

    story('the history of a product says who changed what and when, and gives back what was', server, async visit => {
        const { visitor, user, page } = await come(visit, 'historian');
        const cup = await add(user, { name: 'Cup', price: 3, category: 'Past' });
        await server.api('PUT', `/products/${cup.id}`, { price: 4 }, user.token);
        await server.api('PUT', `/products/${cup.id}`, { price: 5, category: 'Present' }, user.token);
        const asked = [];
        page.on('request', request => request.url().includes('/history?') && asked.push(request.url()));
        await page.goto(`/edit.html?id=${cup.id}`);
        const past = page.locator('#past');
        await past.getByText('History').waitFor();
        assert.equal(asked.length, 0, 'it is read when it is opened');
        await past.locator('summary').focus();
        await page.keyboard.press('Enter');
        const items = past.locator('.list-group-item');
        await items.nth(2).waitFor();
        const texts = await items.allTextContents();
        assert.match(texts[0], /historian · changed.*Price: 4\.00 → 5\.00.*Category: Past → Present/);
        assert.match(texts[1], /historian · changed.*Price: 3\.00 → 4\.00/);
        assert.match(texts[2], /historian · created.*Name: Cup/);
        assert.equal(await items.nth(2).getByRole('button').count(), 0, 'before it there was nothing');
        await inspect(page, 'past');
        await page.setViewportSize({ width: 1280, height: 800 });

        await items.nth(0).getByRole('button').click();
        const dialog = page.getByRole('dialog', { name: 'Restore what was before this change?' });
        await inspect(page, 'past-question');
        await page.setViewportSize({ width: 1280, height: 800 });
        await press(dialog, 'Cancel');
        assert.deepEqual(await prices('Present'), [5]);
        await items.nth(0).getByRole('button').click();
        await press(dialog, 'Restore');
        await visitor.hears('The product is what it was before that change.');
        assert.deepEqual(await prices('Past'), [4]);
        assert.equal(await page.getByLabel('Price').inputValue(), '4');
        await items.nth(3).waitFor();
    });

    story('changes are listed with who made them, and undone with what was deleted; what somebody changed since is named', server, async visit => {
        const { visitor, user, page } = await come(visit, 'changer');
        const made = await Promise.all(['One', 'Two', 'Three'].map(name => add(user, { name, price: 1, category: 'Batches' })));
        const operations = [
            ...made.slice(0, 2).map(({ id }) => ({ op: 'update', id, body: { price: 2 } })),
            { op: 'delete', id: made[2].id },
        ];
        await server.api('POST', '/products/batch', { operations }, user.token);
        await page.goto('/changes.html');
        const row = page.getByRole('row').filter({ hasText: 'Several products at once' }).first();
        await row.getByText('changer').waitFor();
        assert.match(await row.textContent(), /3/);
        await inspect(page, 'changes');
        await page.setViewportSize({ width: 1280, height: 800 });
        await server.api('PUT', `/products/${made[1].id}`, { price: 9 }, user.token);
        await page.reload();
        await row.getByRole('button', { name: /^Undo 3 changes of / }).click();
        const dialog = page.getByRole('dialog', { name: 'Undo 3 changes?' });
        await dialog.getByText('Made by changer').waitFor();
        await inspect(page, 'changes-question');
        await page.setViewportSize({ width: 1280, height: 800 });
        await press(dialog, 'Undo');
        await visitor.hears('2 products are as they were before.');
        await page.getByRole('alert').getByText('Two: somebody has changed it since').waitFor();
        await row.getByText('Undone').waitFor();
        assert.equal((await server.api('GET', `/products/${made[2].id}`)).data.name, 'Three');
        assert.deepEqual((await prices('Batches')).sort(), [1, 1, 9]);
        await inspect(page, 'changes-left');
        await page.setViewportSize({ width: 1280, height: 800 });

        await page.reload();
        await page.getByRole('row').filter({ hasText: 'Undo of earlier changes' }).first().getByRole('button').click();
        await press(page.getByRole('dialog', { name: 'Undo 2 changes?' }), 'Undo');
        await visitor.hears('2 products are as they were before.');
        assert.deepEqual((await prices('Batches')).sort(), [2, 9], 'the undo is undone');
    });

    story('a large undo shows how far it is, also after a reload and on another page, and the list has pages', server, async visit => {
        const { visitor, user, page } = await come(visit, 'flooder');
        await fill(user, 'Flood', LARGE);
        await page.goto('/changes.html');
        await page.getByRole('row').filter({ hasText: 'Import' }).first().getByRole('button', { name: /^Undo 10,050 / }).click();
        await press(page.getByRole('dialog', { name: 'Undo 10,050 changes?' }), 'Undo');
        await page.locator('#running').getByText('10,050 changes are being undone').waitFor();
        await page.getByRole('button', { name: 'Stop' }).waitFor();
        await page.reload();
        await page.locator('#running').getByText('10,050 changes are being undone').waitFor();
        await page.locator('#running').getByText(/^[\d,]+ of 10,050$/).waitFor();
        const other = await visitor.tab();
        await other.goto('/work.html');
        await other.locator('#progress').getByText('10,050 changes are being undone').waitFor();
        await other.close();
        await visitor.hears('10,050 products are as they were before.');
        assert.equal(await count('category=Flood'), 0);
        for (let i = 0; i < 21; i++) {
            await add(user, { name: `Page ${i}`, price: 1, category: 'Pages' });
        }
        await page.reload();
        await page.getByRole('link', { name: 'Next page' }).click();
        await page.getByText('Page 2').waitFor();
        await page.waitForURL('**/changes.html?page=2');
        await page.getByRole('link', { name: 'Previous page' }).click();
        await page.locator('tbody tr').nth(19).waitFor();
    });

    story('a page of a list that is too long to be counted leads to those beside it', server, async visit => {
        const { page } = await come(visit, 'counter');
        const data = Array.from({ length: 20 }, (_, i) => ({ batch: 2000 - i, at: '2026-11-26T09:30:00.000Z', source: 'request', rows: 1, undone: false }));
        const pagination = { page: 60, limit: 20, total: 1000, pages: 50, totalRelation: 'gte' };
        await page.route('**/api/changes/batches?*', route => route.fulfill({ json: { success: true, data, pagination } }));
        await page.goto('/changes.html?page=60');
        await page.getByText('1,181–1,200 of more than 1,000 changes').waitFor();
        for (const [name, number] of [['Previous page', 59], ['Next page', 61]]) {
            assert.match(await page.getByRole('link', { name }).getAttribute('href'), new RegExp(`page=${number}$`));
        }
    });

    story('in German, the page says in German why changes cannot be undone', server, async visit => {
        const visitor = await visit(server.url, { locale: 'de-DE' });
        const user = await server.register('sprachig');
        const { page } = visitor;
        await page.goto('/login.html');
        await page.locator('#login').fill(user.username);
        await page.locator('#password').fill(user.password);
        await page.locator('form button').click();
        await visitor.hears('Sie sind angemeldet.');
        await add(user, { name: 'Tasse', price: 1, category: 'Deutsch' });
        await page.goto('/changes.html');
        const row = page.getByRole('row').filter({ hasText: 'sprachig' }).first();
        const { data } = await server.api('GET', '/changes/batches?limit=1', undefined, user.token);
        await row.getByRole('button', { name: /^Rückgängig: 1 / }).click();
        await server.api('POST', `/changes/batches/${data[0].batch}/undo`, undefined, user.token);
        visitor.expect(`POST /api/changes/batches/${data[0].batch}/undo 409`);
        await press(page.getByRole('dialog'), 'Rückgängig');
        await page.getByText('Diese Änderungen sind schon rückgängig gemacht oder werden es gerade.').waitFor();
    });

    story('without a history there is none to be seen', server, async visit => {
        const { visitor, user, page } = await come(visit, 'forgetful');
        const cup = await add(user, { name: 'Cup', price: 3 });
        visitor.expect('GET /api/changes/batches 404');
        await page.route('**/api/changes/batches?*', route => route.fulfill({ status: 404, json: { success: false, message: 'Not found' } }));
        await page.goto('/changes.html');
        await page.getByText('This catalogue keeps no history of changes.').waitFor();
        await page.goto(`/edit.html?id=${cup.id}`);
        await page.getByLabel('Name').waitFor();
        assert.equal(await page.locator('#past').count(), 0);
    });
}
