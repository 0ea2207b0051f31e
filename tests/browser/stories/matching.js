/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of all that match, which the server makes, Undo of all that is changed, and possible duplicates. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ask } from '../server.js';
import { SILENCE_BAR, stopClock, story, storyAtNight, storyInBoth } from '../visitor.js';
import { inspect } from './looks.js';

const press = (page, name) => page.getByRole('button', { name, exact: true }).click();
const bar = page => page.getByRole('group', { name: 'Selected products' });
const row = (page, name) => page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) });
const cell = (page, name, column) => row(page, name).locator(`[data-name=${column}]`);

export function stories(server) {
    const make = async ({ token }, products) => {
        const operations = products.map(body => ({ op: 'create', body })).reverse();
        const { results } = await server.api('POST', '/products/batch', { operations }, token);
        return results.map(({ data }) => data).reverse();
    };

    /* Many products of a category, as an import has them. */
    async function fill({ token }, category, count, price = 10, url = server.url) {
        const rows = Array.from({ length: count }, (_, i) => `${category} ${i},${price},${category}`);
        const response = await ask(`${url}/api/products/import?atomic=false`, {
            method: 'POST',
            headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${token}` },
            body: `name,price,category\n${rows.join('\n')}\n`,
        });
        assert.equal(response.status, 200, await response.text());
    }

    const count = async (where, url = server.url) => (await server.api('GET', `/products?${where}&count=exact&limit=1`, undefined, undefined, url)).pagination.total;

    async function come(visit, name, url = server.url) {
        const visitor = await visit(url);
        const user = await server.register(name, url);
        await visitor.arrive(user);
        return { visitor, user, page: visitor.page };
    }

    async function selectAll(page, category, text) {
        await page.goto(`/work.html?category=${category}&limit=10`); /* so few that axe is soon through them */
        await page.getByLabel('Select all products on this page').check();
        await bar(page).getByRole('button', { name: text }).click();
        await bar(page).getByText(/^All [\d,]+ products that match$/).waitFor();
    }

    async function changePrice(page, by, unit) {
        await press(bar(page), 'Price …');
        await page.getByLabel('Change by').fill(by);
        await page.getByLabel('Unit').selectOption(unit);
        await press(page, 'Continue');
    }

    story('all that match are changed by the server, which counts first, and an amount can be undone', server, async visit => {
        const { visitor, user, page } = await come(visit, 'counter');
        await fill(user, 'Pile', 1204);
        const [cheap] = await make(user, [{ name: 'Cheap', price: 1, category: 'Pile' }]);
        await selectAll(page, 'Pile', 'Select all 1,205');
        assert.ok(await page.getByLabel('Select Cheap').isChecked());
        await page.getByRole('link', { name: 'Next page' }).click();
        await page.getByText('11–20 of 1,205 products').waitFor();
        assert.ok(await page.locator('tbody [type=checkbox]').first().isChecked(), 'those of other pages, too');

        const asked = [];
        page.on('request', request => request.url().endsWith('/products/batch') && asked.push(request.postDataJSON()));
        await changePrice(page, '-10', 'per cent');
        const dialog = page.getByRole('dialog', { name: 'Change all that match' });
        await dialog.getByText('1,205 products get 10 % off.').waitFor();
        await dialog.getByText('You can undo this for ten minutes here').waitFor();
        await inspect(page, 'all-question');
        await page.setViewportSize({ width: 1280, height: 800 });
        await press(dialog, 'Cancel');
        assert.equal(await count('category=Pile&price=10'), 1204, 'nothing was changed');
        assert.deepEqual(asked, [{ where: 'category=Pile', adjust: { price: { percent: -10, round: 2 } }, atomic: false, dryRun: true }]);

        await changePrice(page, '-5', 'amount');
        await dialog.getByText('1,204 products cost 5.00 less.').waitFor();
        await dialog.getByText('1 is left as it is, because its new value would not be valid.').waitFor();
        await press(dialog, 'Cancel');

        await changePrice(page, '2.5', 'amount');
        await dialog.getByText('1,205 products cost 2.50 more.').waitFor();
        await press(dialog, 'Change 1,205 products');
        await visitor.hears('1,205 products are changed.');
        assert.deepEqual([await count('category=Pile&price=12.5'), await count('category=Pile&price=3.5')], [1204, 1]);
        await make(user, [{ name: 'Later', price: 12.5, category: 'Pile' }]);

        await server.api('PUT', `/products/${cheap.id}`, { category: 'Elsewhere' }, user.token);
        await page.locator('#undo-last').click();
        await visitor.hears('1,204 products are as they were before.');
        const left = page.getByRole('alert').filter({ hasText: '1 product stays as it is:' });
        await left.getByText('Cheap: somebody has changed it since').waitFor();
        await inspect(page, 'all-left');
        await page.setViewportSize({ width: 1280, height: 800 });
        assert.equal(await count('category=Pile&price=10'), 1204, 'exactly');
        assert.equal(await count('category=Pile&price=12.5'), 1, 'one that was added later stays');
        assert.equal(await count('category=Elsewhere&price=3.5'), 1);

        await page.reload();
        await page.locator('#history-choice summary').click();
        await press(page.locator('#history'), 'Undo');
        await visitor.hears('1,204 products are as they were before.');
        assert.equal(await count('category=Pile&price=12.5'), 1205, 'the undo is undone');
    });

    story('a value is given back, also to products whose values differ; deleted products come back with their ids', server, async visit => {
        const { visitor, user, page } = await come(visit, 'mover');
        await fill(user, 'Shelf', 1100);
        const before = await make(user, [{ name: 'There before', price: 1, category: 'Drawer' }]);
        const dialog = page.getByRole('dialog', { name: 'Change all that match' });
        await selectAll(page, 'Shelf', 'Select all 1,100');
        await press(bar(page), 'Category …');
        await page.getByRole('dialog').getByLabel('Category').fill('Drawer');
        await press(page, 'Continue');
        await dialog.getByText('1,100 products get the category “Drawer”.').waitFor();
        await press(dialog, 'Change 1,100 products');
        await visitor.hears('1,100 products are changed.');
        assert.equal(await count('category=Drawer'), 1101);
        await page.locator('#history-choice summary').click();
        await page.locator('#history').getByText('1,100 products get the category “Drawer”.').waitFor();
        await inspect(page, 'history');
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.locator('#history-choice summary').click();
        await press(page.locator('#history'), 'Undo');
        await visitor.hears('1,100 products are as they were before.');
        assert.deepEqual([await count('category=Shelf'), await count('category=Drawer')], [1100, 1]);

        await server.api('GET', `/products/${before[0].id}`);
        await selectAll(page, 'Shelf', 'Select all 1,100');
        await press(bar(page), 'Delete');
        const removal = page.getByRole('dialog', { name: 'Delete all that match' });
        await removal.getByText('You can undo this for ten minutes here').waitFor();
        const { data } = await server.api('GET', '/products?category=Shelf&limit=1');
        await press(removal, 'Delete 1,100 products');
        await visitor.hears('1,100 products are deleted.');
        await page.locator('#undo-last').click();
        await visitor.hears('1,100 products are as they were before.');
        assert.deepEqual((await server.api('GET', `/products/${data[0].id}`)).data, data[0]);
    });

    story('without a history, a change of all that match cannot be undone, and the page saves the values', server, async visit => {
        const { visitor, user, page } = await come(visit, 'keeper');
        await fill(user, 'Chest', 1100);
        visitor.expect('GET /api/changes/batches 404');
        await page.route('**/api/changes/batches?*', route => route.fulfill({ status: 404, json: { success: false, message: 'Not found' } }));
        await page.route('**/api/products/batch', async route => {
            const response = await route.fetch();
            const { 'catalog-batch': batch, ...headers } = response.headers();
            await route.fulfill({ response, headers });
        });
        const dialog = page.getByRole('dialog', { name: 'Change all that match' });
        await selectAll(page, 'Chest', 'Select all 1,100');
        await press(bar(page), 'Category …');
        await page.getByRole('dialog').getByLabel('Category').fill('Trunk');
        await press(page, 'Continue');
        await dialog.getByText('This cannot be undone, because the catalogue keeps no history.').waitFor();
        await inspect(page, 'all-final');
        await page.setViewportSize({ width: 1280, height: 800 });
        const saved = page.waitForEvent('download');
        await press(dialog, 'Save the present values');
        const file = readFileSync(await (await saved).path());
        await press(dialog, 'Change 1,100 products');
        await visitor.hears('1,100 products are changed.');
        await page.locator('#history-choice summary').click();
        await page.locator('#history').getByText('Cannot be undone.').waitFor();

        await page.goto('/import.html');
        await page.getByRole('button', { name: 'Choose a file' }).waitFor();
        await page.locator('#file').setInputFiles({ name: 'before-the-change.csv', mimeType: 'text/csv', buffer: file });
        await press(page, 'Check the file');
        await press(page, 'Import 1,100 rows');
        await page.getByRole('heading', { name: '1,100 rows are imported' }).waitFor();
        assert.deepEqual([await count('category=Chest'), await count('category=Trunk')], [1100, 0], 'the file brings them back');
    });

    storyInBoth('a large change shows how far it is, goes on by itself after an outage and a reload, and can be stopped', server, async visit => {
        const { visitor, user, page } = await come(visit, 'patient');
        visitor.forgive(/^(GET|POST|DELETE) \S+ (failed|503)$/);
        await fill(user, 'Heap', 30_000);
        const dialog = page.getByRole('dialog', { name: 'Change all that match' });
        await selectAll(page, 'Heap', 'Select all 30,000');
        await changePrice(page, '1', 'amount');
        await dialog.getByText('30,000 products cost 1.00 more.').waitFor();
        await press(dialog, 'Change 30,000 products');
        const progress = page.locator('#progress');
        await progress.getByText(/^[\d,]+ of 30,000$/).waitFor();
        const other = await visitor.tab();
        await other.goto('/work.html');
        await other.locator('#progress').getByText(/^[\d,]+ of 30,000$/).waitFor();
        await page.reload();
        await progress.getByText('30,000 products cost 1.00 more.').waitFor();
        await progress.getByText(/^[\d,]+ of 30,000$/).waitFor();
        await server.pause();
        await page.getByText(SILENCE_BAR).waitFor();
        await server.resume();
        assert.ok((await count('category=Heap&price=11')) < 30_000, 'not all were changed before the outage');
        await visitor.hears('30,000 products are changed.');
        await progress.waitFor({ state: 'hidden' });
        assert.equal(await count('category=Heap&price=11'), 30_000, 'each once');
        await other.locator('#progress').waitFor({ state: 'hidden' });
        assert.ok(await page.locator('#history-choice').isVisible());
        assert.ok(await other.locator('#history-choice').isHidden(), 'the other tab would take it back once more');
        await other.close();

        await selectAll(page, 'Heap', 'Select all 30,000');
        await changePrice(page, '1', 'amount');
        await dialog.getByText('30,000 products cost 1.00 more.').waitFor();
        await press(dialog, 'Change 30,000 products');
        await press(progress, 'Stop');
        await visitor.hears(/^Stopped\. [\d,]+ products were changed\.$/);
        const [changed, others] = [await count('category=Heap&price=12'), await count('category=Heap&price=11')];
        assert.equal(changed + others, 30_000);
        assert.ok(others > 0, 'some are as they were');
    });

    story('any field is changed of all that match and of those that are selected, as its type has it', server, async visit => {
        const url = server.shopUrl;
        const { visitor, user, page } = await come(visit, 'dyer', url);
        await page.setViewportSize({ width: 1280, height: 800 });
        await fill(user, 'Vat', 1001, 10, url);
        const how = page.getByLabel('How');
        const dialog = page.getByRole('dialog', { name: 'Change all that match' });
        const choose = async field => {
            await press(bar(page), 'Another field …');
            await page.getByRole('dialog', { name: 'Change another field' }).getByLabel('Field').selectOption(field);
            await press(page, 'Continue');
        };
        const apply = async sentence => {
            await press(page, 'Continue');
            await dialog.getByText(sentence, { exact: true }).waitFor();
            await dialog.getByText('You can undo this').waitFor();
            await press(dialog, 'Change 1,001 products');
            await visitor.hears('1,001 products are changed.');
        };
        const select = () => selectAll(page, 'Vat', 'Select all 1,001');
        await select();
        await press(bar(page), 'Another field …');
        const offered = await page.getByLabel('Field').locator('option').allTextContents();
        assert.ok(!['Name', 'Price', 'Category', 'Article number', 'Last changed'].some(name => offered.includes(name)), 'nor what is unique, or the server’s');
        await inspect(page, 'all-field');
        await page.setViewportSize({ width: 1280, height: 800 });
        await press(page, 'Cancel');

        await choose('Colour');
        await page.getByRole('dialog').getByLabel('Colour').selectOption('green');
        await apply('Colour of 1,001 products becomes “green”.');
        assert.equal(await count('category=Vat&color=green', url), 1001);
        await select();
        await choose('Weight');
        await page.locator('#bulk-by').fill('x');
        await press(page, 'Continue');
        await page.getByText('Value must be a number such as').waitFor();
        await page.locator('#bulk-by').fill('1.25');
        await apply('Weight of 1,001 products becomes “1.25”.');
        await select();
        await choose('Weight');
        await how.selectOption('Change by an amount');
        await page.locator('#bulk-by').fill('0.5');
        await page.getByText('Vat 1000: 1.25 → 1.75').waitFor();
        await apply('Weight of 1,001 products rises by 0.5.');
        await page.locator('#undo-last').click();
        await visitor.hears('1,001 products are as they were before.');
        assert.equal(await count('category=Vat&weight=1.25', url), 1001);
        await select();
        await choose('Weight');
        await how.selectOption('Change by per cent');
        await page.locator('#bulk-by').fill('-10');
        await apply('Weight of 1,001 products falls by 10 %.');
        assert.equal(await count('category=Vat&weight=1.125', url), 1001);
        await select();
        await choose('Tags');
        await page.locator('#bulk-value input').fill('dyed');
        await page.locator('#bulk-value input').press('Enter');
        await inspect(page, 'all-tags');
        await page.setViewportSize({ width: 1280, height: 800 });
        await apply('Tags of 1,001 products becomes “dyed”.');
        assert.equal(await count('category=Vat&tags=dyed', url), 1001);
        await select();
        await choose('Tags');
        await apply('Tags is removed from 1,001 products.');
        assert.equal(await count('category=Vat&tags[exists]=false', url), 1001);

        /* Of those that are selected; lists lack the first one. */
        await page.goto('/work.html?category=Vat&limit=10');
        await page.getByLabel('Select all products on this page').check();
        await choose('Description');
        await page.getByRole('dialog').getByLabel('Description').fill('Dyed by hand.');
        await press(page, 'Change them');
        await visitor.hears('10 products are changed.');
        const texts = async () => (await server.api('GET', '/products?category=Vat&fields=description&limit=11', undefined, undefined, url)).data.map(({ description }) => description);
        assert.deepEqual(await texts(), [...Array(10).fill('Dyed by hand.'), undefined]);
        await page.locator('#undo-last').click();
        await visitor.hears('10 products are as they were before.');
        assert.deepEqual(await texts(), Array(11).fill(undefined));
        await choose('Quantity');
        await how.selectOption('Set to');
        await page.locator('#bulk-by').fill('7');
        await press(page, 'Change them');
        await visitor.hears('10 products are changed.');
        await choose('Quantity');
        await how.selectOption('Change by an amount');
        await page.locator('#bulk-by').fill('0.5');
        await press(page, 'Change them');
        await page.getByText('Value must be a whole number.').waitFor();
        await how.selectOption('Change by per cent');
        await page.locator('#bulk-by').fill('50');
        const answer = page.waitForResponse('**/products/batch'); /* the page says again what it has said of the change before */
        await press(page, 'Change them');
        await answer;
        assert.equal(await count('category=Vat&quantity=11', url), 10, '10.5, rounded');
    });

    storyInBoth('a large change is that of the user who has begun it, whoever signs in in another tab', server, async visit => {
        const { visitor, user, page } = await come(visit, 'beginner');
        const second = await server.register('successor');
        await fill(user, 'Stack', 1001);
        const [note] = await make(user, [{ name: 'Note', price: 1, category: 'Notes' }]);
        const dialog = page.getByRole('dialog', { name: 'Change all that match' });
        await selectAll(page, 'Stack', 'Select all 1,001');
        await changePrice(page, '1', 'amount');
        await dialog.getByText('1,001 products cost 1.00 more.').waitFor();
        const job = { id: 'x', state: 'running', matched: 0, changed: 0, unchanged: 0, failed: 0, errors: [] };
        await page.route('**/api/products/batch', route => route.fulfill({ status: 202, json: { success: true, data: job } }));
        await page.route('**/api/products/batch/x', route => route.fulfill({ json: { success: true, data: job } }));
        await press(dialog, 'Change 1,001 products');
        await page.locator('#progress').getByText('0 of 1,001').waitFor();
        await page.evaluate(id => history.pushState(null, '', `/work.html?product=${id}`), note.id);
        await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
        await page.locator('#product').getByLabel('Name').fill('Half written'); /* or the page would be loaded anew */

        await visitor.replaceUser(second);
        await visitor.hears('another user has signed in');
        const kept = await page.evaluate(id => localStorage.getItem(`catalog.change.${id}./api`), user.id);
        assert.match(kept, /Stack/, 'who has begun it can go on');
        const others = await page.evaluate(id => localStorage.getItem(`catalog.change.${id}./api`), second.id);
        assert.equal(others, null);
    });

    storyAtNight('the bars of a selection and of a large change are accessible, and leave room on a phone', server, async visit => {
        const { visitor, user, page } = await come(visit, 'onlooker');
        await fill(user, 'Mound', 1001);
        const job = { id: 'x', state: 'running', matched: 700, changed: 700, unchanged: 0, failed: 0, errors: [] };
        await selectAll(page, 'Mound', 'Select all 1,001');
        await page.setViewportSize({ width: 360, height: 740 });
        const { height } = await page.locator('#dock').boundingBox();
        assert.ok(height < 100, `the bar is ${height} pixels high`);
        await press(bar(page), 'Change …');
        await inspect(page, 'bulk-phone');
        await page.setViewportSize({ width: 1280, height: 800 });

        let state = 'running';
        await page.route('**/api/products/batch', route => route.fulfill({ status: 202, json: { success: true, data: job } }));
        await page.route('**/api/products/batch/*', route => {
            state = route.request().method() === 'DELETE' ? 'stopped' : state;
            return route.fulfill({ json: { success: true, data: { ...job, state } } });
        });
        await changePrice(page, '1', 'amount');
        await page.getByText('Counting: 700 products …').waitFor();
        const ended = page.waitForResponse(async response => response.url().endsWith('/batch/x') && (await response.json()).data.state === 'stopped' && response.request().method() === 'GET');
        await press(page, 'Cancel');
        await ended; /* nobody waits for the number, but the next job would */
        await page.unroute('**/api/products/batch');
        await page.unroute('**/api/products/batch/*');
        await changePrice(page, '1', 'amount');
        await page.getByText('1,001 products cost 1.00 more.').waitFor();
        await page.route('**/api/products/batch', route => route.fulfill({ status: 202, json: { success: true, data: job } }));
        await page.route('**/api/products/batch/*', route => route.fulfill({ json: { success: true, data: job } }));
        await press(page, 'Change 1,001 products');
        await page.locator('#progress').getByText('700 of 1,001').waitFor();
        await inspect(page, 'progress');
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.route('**/api/products/batch/*', route => route.fulfill({ json: { success: true, data: { ...job, state: 'failed' } } }));
        await visitor.hears('The catalogue had to give up. 700 products were changed.');
        await page.locator('#history-choice summary').click();
        await page.locator('#history').getByText('Cannot be undone.').waitFor(); /* it would take the amount from the others, too */
        const kept = () => page.evaluate(() => sessionStorage.getItem('catalog.history./api'));
        assert.match(await kept(), /700/);
        await visitor.signOut();
        await visitor.hears('You have signed out.');
        assert.equal(await kept(), null, 'nobody who uses the tab after that sees it');
    });

    story('all that match are deleted after a question that says how many these are', server, async visit => {
        const { visitor, user, page } = await come(visit, 'clearer');
        await fill(user, 'Rubbish', 1300);
        await selectAll(page, 'Rubbish', 'Select all 1,300');
        await press(page, 'Filters');
        await press(page, 'Possible duplicates');
        await bar(page).waitFor({ state: 'hidden' }); /* the list shows others now */
        await selectAll(page, 'Rubbish', 'Select all 1,300');
        await press(bar(page), 'Delete');
        const dialog = page.getByRole('dialog', { name: 'Delete all that match' });
        await dialog.getByText('1,300 products are deleted.').waitFor();
        await dialog.getByText('You can undo this').waitFor();
        const [other] = await make(user, [{ name: 'In the meantime', price: 1, category: 'Rubbish' }]);
        visitor.expect('POST /api/products/batch 409');
        await press(dialog, 'Delete 1,300 products');
        await visitor.hears('The number of products that match has changed in the meantime.');
        assert.equal(await count('category=Rubbish'), 1301);
        await server.api('DELETE', `/products/${other.id}`, undefined, user.token);
        await selectAll(page, 'Rubbish', 'Select all 1,300');
        await press(bar(page), 'Delete');
        await press(dialog, 'Delete 1,300 products');
        await visitor.hears('1,300 products are deleted.');
        await page.getByText('Nothing found with these filters').waitFor();
        assert.equal(await count('category=Rubbish'), 0);
    });

    storyInBoth('each change of products that the page knows can be undone for ten minutes', server, async visit => {
        const { visitor, user, page } = await come(visit, 'undoer');
        const made = await make(user, ['One', 'Two', 'Three', 'Four'].map((name, i) => ({ name, price: 10 + i, category: 'Undo' })));
        const prices = async () => (await server.api('GET', '/products?category=Undo')).data.map(({ price }) => price);
        await stopClock(page);
        await page.goto('/work.html?category=Undo');
        await cell(page, 'One', 'price').click();
        await page.locator('#cell-price').fill('99');
        await page.locator('#cell-price').press('Enter');
        await visitor.hears('The product is saved.');
        assert.deepEqual(await prices(), [99, 11, 12, 13]);
        await page.locator('#undo-last').click();
        await visitor.hears('1 product is as it was before.');
        assert.deepEqual(await prices(), [10, 11, 12, 13]);

        await page.getByLabel('Select all products on this page').check();
        await press(page, 'Price …');
        await page.getByLabel('Change by').fill('10');
        await press(page, 'Change them');
        await visitor.hears('4 products are changed.');
        await server.api('PUT', `/products/${made[2].id}`, { price: 50 }, user.token);
        await page.reload();
        await page.locator('#history-choice summary').click();
        const entry = page.locator('#history li').filter({ hasText: '4 products are changed.' });
        await press(entry, 'Undo');
        await visitor.hears('3 products are as they were before.');
        await page.getByRole('alert').getByText('Three: somebody has changed it since').waitFor();
        assert.deepEqual(await prices(), [10, 11, 50, 13]);

        await page.keyboard.press('n');
        await page.getByRole('dialog', { name: 'Add a product' }).getByLabel('Name').fill('Five');
        await page.getByRole('dialog').getByLabel('Price').fill('5');
        await page.getByRole('dialog').getByLabel('Category').fill('Undo');
        await press(page, 'Save');
        await row(page, 'Five').waitFor();
        await page.keyboard.press('u');
        await row(page, 'Five').waitFor({ state: 'detached' });
        assert.equal((await prices()).length, 4);

        await page.getByRole('button', { name: 'Two', exact: true }).focus();
        await page.keyboard.press('Delete');
        await page.getByText('10 seconds').waitFor();
        await page.mouse.move(0, 0);
        await page.clock.runFor(10_500);
        await visitor.hears('1 product is deleted.');
        await page.locator('#undo-last').click();
        await visitor.hears('1 product is as it was before.');
        assert.deepEqual(await prices(), [10, 11, 50, 13], 'where it was');

        await page.clock.runFor(606_000);
        await page.locator('#history-choice').waitFor({ state: 'hidden' });
    });

    story('products of the same name are found, whatever its case and marks', server, async visit => {
        const { visitor, user, page } = await come(visit, 'matcher');
        const names = ['Blue mug', 'Plate', 'BLUE  MUG!', 'Café au lait', 'Bowl', 'cafe-au-lait', 'Blue mug, large'];
        await make(user, names.map(name => ({ name, price: 1, category: 'Twins' })));
        await page.goto('/work.html?category=Twins');
        await press(page, 'Filters');
        await press(page, 'Possible duplicates');
        await visitor.hears('4 products');
        const shown = () => page.locator('tbody tr [data-name=name] bdi').allTextContents();
        assert.deepEqual(await shown(), ['Blue mug', 'BLUE  MUG!', 'Café au lait', 'cafe-au-lait']);
        await inspect(page, 'twins');
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.getByRole('button', { name: 'BLUE MUG!' }).focus();
        await page.keyboard.press('Delete');
        await row(page, 'BLUE MUG!').waitFor({ state: 'detached' });
        await page.goto('/work.html?category=Twins&twins=1&q=plate');
        await page.getByText('No two of these products have the same name.').waitFor();
        await press(page, 'Show all products');
        await page.locator('tbody tr').nth(6).waitFor();
    });
}
