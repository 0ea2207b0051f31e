/* SPDX-License-Identifier: Apache-2.0 */
/* The page on which writers work on products, and what editing a product is elsewhere. */
import assert from 'node:assert/strict';
import { checkBody, SILENCE_BAR, stopClock, story, storyInBoth } from '../visitor.js';

/* Creates products of that category, the last one first in lists, and returns them in the order of lists. */
async function make(server, { token }, category, names) {
    const operations = names.map((name, i) => ({ op: 'create', body: { name, price: 10 + i, category } })).reverse();
    const { results } = await server.api('POST', '/products/batch', { operations }, token);
    return results.map(({ data }) => data).reverse();
}

const open = (page, category, more = '') => page.goto(`/work.html?category=${category}${more}`);
const row = (page, name) => page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) });
const cell = (page, name, column) => row(page, name).locator(`[data-name=${column}]`);
const read = async (server, { id }) => (await server.api('GET', `/products/${id}`)).data;
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();

/* Numbers from 0 to 1, the same ones for a seed. */
function random(seed) {
    let at = seed;
    return () => {
        at = (at * 1_103_515_245 + 12_345) % 2 ** 31;
        return at / 2 ** 31;
    };
}

/* [price, by, isPercent]: usual ones, many of which end in a half, and numbers of all sizes. */
function makePriceCases(seed) {
    const next = random(seed);
    const whole = most => Math.floor(next() * most);
    const usual = Array.from({ length: 3000 }, () => [whole(1e7) / 100, (whole(4001) - 2000) / 10 ** whole(4), whole(2) === 0]);
    const any = () => Number(`${whole(2 ** 31)}${whole(2 ** 20)}e${whole(60) - 40}`);
    return [...usual, ...Array.from({ length: 1000 }, (_, i) => [any(), i % 2 ? any() : -any(), whole(2) === 0])];
}

/* The same as changePrice(), with long columns of digits. */
function exactly(price, by, isPercent) {
    const PLACES = 400;
    const columns = number => {
        const [mantissa, power = '0'] = String(number).split('e');
        const [whole, part = ''] = mantissa.split('.');
        return BigInt(whole + part + '0'.repeat(PLACES - part.length + Number(power)));
    };
    const placesOf = number => /0*$/.exec(columns(number).toString().padStart(PLACES + 1, '0').slice(-PLACES)).index;
    const kept = Math.max(2, placesOf(price), isPercent ? 0 : placesOf(by));
    const unit = 10n ** BigInt(PLACES);
    const sum = isPercent ? columns(price) * (100n * unit + columns(by)) : (columns(price) + columns(by)) * 100n * unit;
    const size = sum < 0n ? -sum : sum;
    const step = 100n * unit * 10n ** BigInt(PLACES - kept);
    const rounded = size / step + ((size % step) * 2n >= step ? 1n : 0n);
    return Number(`${sum < 0n ? '-' : ''}${rounded}e-${kept}`) + 0;
}

export function stories(server) {
    storyInBoth('a writer finds, sorts and opens products with the keyboard alone', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('typist');
        await make(server, user, 'Keyboards', ['Alpha', 'Beta', 'Gamma', ...Array.from({ length: 20 }, (_, i) => `Key ${i}`)]);
        await visitor.arrive(user);
        await page.addInitScript(() => {
            window.shift = 0;
            new PerformanceObserver(list =>
                list.getEntries().forEach(entry => (window.shift += entry.hadRecentInput ? 0 : entry.value)),
            ).observe({ type: 'layout-shift', buffered: true });
        });
        await page.goto('/');
        await page.getByRole('link', { name: 'Manage' }).click();
        await page.waitForURL('**/work.html');
        await open(page, 'Keyboards', '&limit=10');
        await visitor.hears('1–10 of 23 products');
        const shift = await page.evaluate(() => window.shift);
        assert.ok(shift < 0.05, `layout shift ${shift}`);

        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keys' }).getByText('Add a product').waitFor();
        await page.keyboard.press('Escape');

        await page.keyboard.press('/');
        await page.keyboard.type('alp');
        await visitor.hears('1 product');
        await page.getByLabel('Search products').fill('');
        await visitor.hears('1–10 of 23 products');

        await page.getByRole('button', { name: 'Alpha' }).focus();
        await page.keyboard.press('ArrowDown');
        assert.ok(await visitor.isFocused(page.getByRole('button', { name: 'Beta', exact: true })));
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Beta' });
        await dialog.getByLabel('Price').waitFor();
        assert.match(page.url(), /product=/);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'hidden' });
        await page.waitForURL(url => !url.searchParams.has('product'));

        await page.getByRole('columnheader', { name: 'Price' }).getByRole('button').click();
        await page.getByRole('columnheader', { name: 'Price' }).getByRole('button').click();
        await page.locator('tbody tr').first().getByText('Key 19', { exact: true }).waitFor();
        assert.equal(await page.getByRole('columnheader', { name: 'Price' }).getAttribute('aria-sort'), 'descending');
        await page.getByRole('link', { name: 'Next page' }).click();
        await visitor.hears('11–20 of 23 products');
        assert.match(page.url(), /sort=-price.*page=2/);

        await page.getByText('Columns', { exact: true }).click();
        await page.getByLabel('Category', { exact: true }).last().uncheck();
        assert.ok(await page.getByRole('columnheader', { name: 'Category' }).isHidden());
        await page.reload();
        await visitor.hears('11–20 of 23 products');
        assert.ok(await page.getByRole('columnheader', { name: 'Category' }).isHidden());
        await page.mouse.wheel(0, 4000);
        await page.waitForFunction(() => document.querySelector('thead th').getBoundingClientRect().top >= 0 && scrollY > 0);

        await page.keyboard.press('n');
        await page.getByRole('dialog', { name: 'Add a product' }).getByLabel('Name').fill('Delta');
        await page.keyboard.press('Tab');
        await page.keyboard.type('99');
        await page.keyboard.press('Enter');
        await visitor.hears('The product is added.');
    });

    storyInBoth('two writers edit the same product: each chooses field by field', server, async visit => {
        const [ada, bob] = [await visit(), await visit()];
        const users = [await server.register('ada2'), await server.register('bob2')];
        const [product] = await make(server, users[0], 'Shared', ['Contested']);
        await ada.arrive(users[0]);
        await bob.arrive(users[1]);
        await open(ada.page, 'Shared');
        await ada.page.getByRole('button', { name: 'Contested' }).click();
        await ada.page.getByRole('dialog').getByLabel('Price').fill('15');
        await ada.page.getByRole('dialog').getByLabel('Rating').fill('3');
        await bob.page.goto(`/edit.html?id=${product.id}`);
        await bob.page.getByLabel('Price').fill('20');
        await bob.page.getByLabel('Category').fill('Shared more');
        await press(bob.page, 'Save');
        await bob.hears('The product is saved.');

        ada.expect(`PATCH /api/products/${product.id} 412`);
        await press(ada.page, 'Save');
        const choice = ada.page.getByRole('dialog', { name: 'Somebody else has changed Contested' });
        await choice.getByLabel('Price, Yours: 15.00').waitFor();
        assert.ok(await choice.getByLabel('Price, Yours: 15.00').isChecked());
        assert.ok(await choice.getByLabel('Category, Now stored: Shared more').isChecked());
        assert.equal(await choice.getByRole('radio').count(), 6, 'what both have alike is not asked for');
        await ada.page.setViewportSize({ width: 320, height: 640 });
        const heights = await choice.getByRole('rowheader').evaluateAll(heads => heads.map(head => head.getBoundingClientRect().height));
        assert.ok(Math.max(...heights) < 50, `each field's name is in one line: ${heights}`);
        await ada.page.setViewportSize({ width: 1280, height: 720 });
        await choice.getByLabel('Price, Now stored: 20.00').check();
        await press(choice, 'Save the choice');
        await ada.hears('The product is saved.');
        const { price, category, rating } = await read(server, product);
        assert.deepEqual({ price, category, rating }, { price: 20, category: 'Shared more', rating: 3 });
    });

    storyInBoth('edit.html follows another tab: what was typed stays, in the new version too', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('twotabs');
        const [product] = await make(server, user, 'Followed', ['Watched']);
        const here = label => page.getByLabel(label);
        await visitor.arrive(user);
        const other = await visitor.tab();
        await page.goto(`/edit.html?id=${product.id}`);
        await here('Price').waitFor();
        const there = label => other.getByRole('dialog').getByLabel(label);
        const openThere = async () => {
            await other.goto(`/work.html?category=Followed&product=${product.id}`);
            await there('Price').waitFor();
        };

        await openThere();
        await there('Price').fill('11');
        await press(other.getByRole('dialog'), 'Save');
        await visitor.hears('This is the new version.');
        assert.equal(await here('Price').inputValue(), '11', 'nothing was typed, so nothing is asked');

        await openThere(); /* before there is a draft, which it would show */
        await here('Category').fill('Followed here');
        await here('Price').fill('12');
        await there('Price').fill('13');
        await there('Rating').fill('4');
        await press(other.getByRole('dialog'), 'Save');
        await visitor.hears('This product was changed in another tab. What you have typed is kept.');
        await page.bringToFront(); /* a tab behind another one is slow */
        assert.equal(await here('Price').inputValue(), '12');
        assert.equal(await here('Rating').inputValue(), '');

        await press(page, 'Save');
        const choice = page.getByRole('dialog', { name: 'Somebody else has changed Watched' });
        assert.ok(await choice.getByLabel('Rating, Now stored: 4').isChecked());
        await press(choice, 'Back to editing');

        await press(page, 'Load the new version');
        await choice.getByText('Nothing is stored yet.').waitFor();
        assert.equal(await choice.getByRole('radio').count(), 2, 'only the price was changed by both');
        await press(choice, 'Back to editing');
        assert.equal(await here('Rating').inputValue(), '');
        await press(page, 'Load the new version');
        await choice.getByLabel('Price, Now stored: 13.00').check();
        await press(choice, 'Use this choice');
        await visitor.hears('This is the new version.');
        assert.ok(await visitor.isFocused(here('Name')));
        assert.equal(await here('Price').inputValue(), '13');
        assert.equal(await here('Rating').inputValue(), '4');
        assert.equal(await here('Category').inputValue(), 'Followed here');
        await page.reload();
        await page.getByText('This was typed but not saved').waitFor();
        await press(page, 'Save');
        await visitor.hears('The product is saved.');
        const { price, category, rating } = await read(server, product);
        assert.deepEqual({ price, category, rating }, { price: 13, category: 'Followed here', rating: 4 });
    });

    storyInBoth('edit.html says that another tab has deleted the product, which can be added again', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('deletedthere');
        const [product] = await make(server, user, 'Vanishing', ['Vanished']);
        await visitor.arrive(user);
        const other = await visitor.tab();
        await page.goto(`/edit.html?id=${product.id}`);
        await page.getByLabel('Price').fill('21');
        await other.goto(`/product.html?id=${product.id}`);
        visitor.expect(`GET /api/products/${product.id} 404`);
        await press(other, 'Delete');
        await press(other.getByRole('dialog'), 'Delete');
        await visitor.hears('This product was deleted in another tab.');
        await press(page, 'Add it as a new product');
        await page.getByRole('heading', { name: 'Add a product' }).waitFor();
        assert.equal(await page.getByLabel('Price').inputValue(), '21');
        await press(page, 'Save');
        await visitor.hears('The product is added.');
        const { data } = await server.api('GET', '/products?category=Vanishing');
        assert.deepEqual(data.map(({ name, price }) => [name, price]), [['Vanished', 21]]);
    });

    story('an answer that is lost neither creates a product twice nor saves it twice', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('unlucky');
        await visitor.arrive(user);
        await page.goto('/work.html?category=Lost&product=new');
        const dialog = page.getByRole('dialog', { name: 'Add a product' });
        await dialog.getByLabel('Name').fill('Once');
        await dialog.getByLabel('Price').fill('1');
        await dialog.getByLabel('Category').fill('Lost');
        const loseAnswer = path =>
            page.route(
                path,
                async route => {
                    await route.fetch();
                    await route.abort();
                },
                { times: 1 },
            );
        visitor.expect('POST /api/products failed');
        await loseAnswer('**/api/products');
        await press(page, 'Save');
        await visitor.hears('The catalogue is not responding.');
        await dialog.getByLabel('Price').fill('2');
        await press(page, 'Save');
        await visitor.hears('The product is added.');
        const { data } = await server.api('GET', '/products?category=Lost');
        assert.deepEqual(data.map(({ name, price }) => [name, price]), [['Once', 2]]);

        await page.getByRole('button', { name: 'Once' }).click();
        await page.getByRole('dialog').getByLabel('Price').fill('3');
        visitor.expect(`PATCH /api/products/${data[0].id} failed`, `PATCH /api/products/${data[0].id} 412`);
        await loseAnswer(`**/api/products/${data[0].id}`);
        await press(page, 'Save');
        await visitor.hears('The catalogue is not responding.');
        await press(page, 'Save');
        await visitor.hears('The product is saved.');
    });

    storyInBoth('a field is edited in place, and other tabs follow', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('placer');
        const [product] = await make(server, user, 'Placed', ['Here', 'There']);
        await visitor.arrive(user);
        const others = [await visitor.tab(), await visitor.tab()];
        await others[0].goto('/?category=Placed');
        await others[0].getByText('10.00').waitFor();
        await others[1].goto(`/product.html?id=${product.id}`);
        await others[1].getByText('10.00').waitFor();

        await open(page, 'Placed');
        await cell(page, 'Here', 'price').click();
        const input = page.locator('#cell-price');
        await input.fill('-1');
        await input.press('Enter');
        await visitor.hears('Price must be 0 or more.');
        await input.press('Escape');
        await cell(page, 'Here', 'price').getByText('10.00').waitFor();
        assert.ok(await visitor.isFocused(cell(page, 'Here', 'price')));

        await page.keyboard.press('Enter');
        await input.fill('11.5');
        await input.press('Escape'); /* before the form checks what was typed */
        await cell(page, 'Here', 'price').getByText('10.00').waitFor();
        await page.keyboard.press('Enter');
        await input.fill('12.5');
        const patch = page.waitForRequest(request => request.method() === 'PATCH');
        await input.press('Enter');
        assert.match((await patch).headers()['if-match'], /^"\w+(?:-(?:br|gzip))?"$/, 'the tag of what was read, compressed or not');
        checkBody(await patch, { price: 12.5 });
        await visitor.hears('The product is saved.');
        await cell(page, 'Here', 'price').getByText('12.50').waitFor();
        await others[0].getByText('12.50').waitFor();
        await others[1].getByText('12.50').waitFor();

        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('Enter');
        await page.locator('#cell-inStock').uncheck();
        await press(page, 'Save');
        await cell(page, 'Here', 'inStock').getByText('Sold out').waitFor();
        await page.keyboard.press('Home');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('F2');
        await page.locator('#cell-name').fill('Elsewhere');
        await page.keyboard.press('Enter');
        await others[1].getByRole('heading', { name: 'Elsewhere' }).waitFor();
    });

    storyInBoth('what is typed survives a reload, a closed tab and the end of the session; leaving asks', server, async visit => {
        const visitor = await visit();
        let { page } = visitor;
        const user = await server.register('keeper');
        const [product] = await make(server, user, 'Kept', ['Drafted']);
        await visitor.arrive(user);
        await open(page, 'Kept');
        await press(page, 'Drafted');
        const price = () => page.getByRole('dialog').getByLabel('Price');
        await price().fill('77');
        const asked = page.waitForEvent('dialog');
        page.evaluate(() => setTimeout(() => location.assign('index.html')));
        const question = await asked;
        assert.equal(question.type(), 'beforeunload');
        await question.dismiss();
        await page.reload();
        await page.getByText('This was typed but not saved').waitFor();
        assert.equal(await price().inputValue(), '77');

        visitor.page = page = await visitor.tab();
        await visitor.context.pages()[0].close();
        await open(page, 'Kept');
        await page.locator('#drafts').getByRole('button', { name: 'Drafted' }).click();
        assert.equal(await price().inputValue(), '77');
        await page.keyboard.press('Escape');
        await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
        await press(page, 'Continue editing');
        await page.keyboard.press('Escape');
        await press(page, 'Keep it as a draft');
        await row(page, 'Drafted').getByText('Draft', { exact: true }).waitFor();
        const kept = await page.evaluate(id => localStorage.getItem(`catalog.drafts.${id}./api`), user.id);
        assert.match(kept, /77/, 'another catalogue of the site has drafts of its own');
        await press(row(page, 'Drafted'), 'Drafted');

        await server.api('POST', '/auth/logout', { all: true }, user.token);
        visitor.expect(`PATCH /api/products/${product.id} 401`, 'POST /api/auth/refresh 401');
        await press(page, 'Save');
        await visitor.hears('Your session has ended.');
        await page.getByRole('dialog').getByRole('link', { name: 'Sign in' }).click();
        await page.getByLabel('User name or e-mail address').fill(user.username);
        await page.getByLabel('Password', { exact: true }).fill(user.password);
        await press(page, 'Sign in');
        await page.getByText('This was typed but not saved').waitFor();
        await press(page, 'Save');
        await visitor.hears('The product is saved.');
        assert.equal((await read(server, product)).price, 77);
        assert.ok(await page.locator('#drafts').isHidden());

        await page.goto(`/edit.html?id=${product.id}`);
        await page.getByLabel('Price').fill('78');
        await page.reload();
        await press(page, 'Discard it');
        assert.equal(await page.getByLabel('Price').inputValue(), '77');
        await page.reload();
        await page.getByLabel('Price').waitFor();
        assert.equal(await page.getByText('This was typed').count(), 0);
    });

    storyInBoth('a change goes to a selection over pages, and others are not overwritten', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('bulky');
        const made = await make(server, user, 'Bulk', Array.from({ length: 23 }, (_, i) => `Lot ${i}`));
        const readAll = async () => (await server.api('GET', '/products?category=Bulk&limit=100')).data;
        const fill = async by => {
            await press(page, 'Price …');
            await page.getByLabel('Change by').fill(by);
        };
        await visitor.arrive(user);
        await open(page, 'Bulk', '&limit=10');
        await page.getByLabel('Select all products on this page').check();
        await page.getByRole('link', { name: 'Next page' }).click();
        await page.getByRole('button', { name: 'Lot 10', exact: true }).focus();
        await page.keyboard.press('Space');
        await page.getByText('11 products selected').waitFor();

        await fill('-200');
        await press(page, 'Change them');
        await visitor.hears('Change by must not take 11 products below 0.');
        await page.getByLabel('Change by').fill('10');
        await page.getByText('Lot 0: 10.00 → 11.00').waitFor();
        await server.api('PUT', `/products/${made[10].id}`, { price: 50 }, user.token);
        visitor.expect('POST /api/products/batch failed');
        await page.route(
            '**/api/products/batch',
            async route => {
                await route.fetch();
                await route.abort();
            },
            { times: 1 },
        );
        await press(page, 'Change them');
        await visitor.hears('The catalogue is not responding.');
        await press(page, 'Try again');
        await visitor.hears('10 products are changed.');
        const faults = page.getByRole('dialog', { name: '1 product was not changed' });
        await faults.getByRole('row', { name: 'Lot 10' }).getByText('Price: 50.00').waitFor();
        await faults.getByRole('row', { name: 'Lot 10' }).getByText('Price: 55.00').waitFor();
        await faults.getByLabel('Change Lot 10 anyway').check();
        await press(page, 'Change the chosen ones');
        await visitor.hears('1 product is changed.');
        assert.deepEqual(
            (await readAll()).map(({ price }) => price).slice(0, 12),
            [11, 12.1, 13.2, 14.3, 15.4, 16.5, 17.6, 18.7, 19.8, 20.9, 55, 21],
        );

        await page.getByRole('button', { name: 'Select all 23' }).press('Enter'); /* a click is lost if the button moves under it */
        await page.getByText('23 products selected').waitFor();
        await server.api('DELETE', `/products/${made[22].id}`, undefined, user.token);
        await press(page, 'Stock …');
        await page.getByLabel('Stock').last().selectOption('Sold out');
        await press(page, 'Change them');
        await visitor.hears('22 products are changed.');
        await page.getByRole('dialog').getByText('It was deleted by somebody else.').waitFor();
        await page.keyboard.press('Escape');
        assert.ok((await readAll()).every(({ inStock }) => !inStock));
        await press(page, 'Category …');
        await page.getByRole('dialog').getByLabel('Category').fill('Bulk goods');
        await press(page, 'Change them');
        await page.getByText('Nothing found with these filters').waitFor();
        await press(page, 'Clear the selection');
        assert.ok(await page.getByText('selected').isHidden());
    });

    story('many products are read and changed with few requests', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('thrifty');
        const made = await make(server, user, 'Many', Array.from({ length: 250 }, (_, i) => `Piece ${i}`));
        const asked = [];
        page.on('request', request => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
        await visitor.arrive(user);
        await open(page, 'Many');
        await page.getByLabel('Select all products on this page').check();
        await press(page, 'Select all 250');
        await page.getByText('250 products selected').waitFor();
        const changed = made.filter((_, i) => i % 2 === 0).map(({ id }) => ({ op: 'update', id, body: { rating: 5 } }));
        await server.api('POST', '/products/batch', { operations: changed }, user.token);
        await server.api('DELETE', `/products/${made[1].id}`, undefined, user.token);
        await press(page, 'Stock …');
        await page.getByLabel('Stock').last().selectOption('Sold out');
        asked.length = 0;
        await page.route(
            '**/api/products/batch',
            async route => {
                const operations = made.slice(3, 5).map(({ id }) => ({ op: 'update', id, body: { rating: 1 } }));
                await server.api('POST', '/products/batch', { operations }, user.token); /* after the page has read them */
                await route.continue();
            },
            { times: 1 },
        );
        await press(page, 'Change them');
        await visitor.hears('123 products are changed.');
        const faults = page.getByRole('dialog', { name: '127 products were not changed' });
        await faults.getByLabel('Change Piece 3 anyway').waitFor();
        await faults.getByRole('row', { name: 'Piece 1', exact: false }).first().waitFor();
        const sent = asked.filter(request => request.includes('/api/products'));
        assert.deepEqual(sent.filter(request => request.startsWith('POST')).length, 3);
        assert.ok(sent.length <= 3 + 3 + 1 + 1, `reads of portions, of the conflict, and of the list: ${sent.join(', ')}`);
        assert.ok(sent.every(request => /products(\/batch)?$/.test(request)), 'no product is read by itself');
    });

    story('a server without indexes says what it cannot do', server, async visit => {
        const visitor = await visit(server.plainUrl);
        const { page } = visitor;
        const user = await server.register('plainer', server.plainUrl);
        await server.api('POST', '/products', { name: 'Unindexed', price: 1 }, user.token, server.plainUrl);
        await visitor.arrive(user);
        await page.goto('/work.html');
        await row(page, 'Unindexed').waitFor();
        visitor.expect('GET /api/products 400', 'GET /api/categories 400');
        await page.getByRole('columnheader', { name: 'Price' }).getByRole('button').click();
        await visitor.hears('This catalogue cannot search or sort this way.');
        await page.getByRole('columnheader', { name: 'Added' }).getByRole('button').click();
        await page.getByRole('alert').waitFor({ state: 'detached' });
    });

    storyInBoth('a deletion can be undone for ten seconds; leaving the page carries it out', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('eraser');
        const [, second, third, fourth] = await make(server, user, 'Erased', ['One', 'Two', 'Three', 'Four']);
        const ids = async () => (await server.api('GET', '/products?category=Erased')).data.map(({ id }) => id);
        await visitor.arrive(user);
        await stopClock(page);
        await open(page, 'Erased');
        await page.getByRole('button', { name: 'One', exact: true }).focus();
        await page.keyboard.press('Delete');
        await visitor.hears('One is deleted.');
        await row(page, 'One').waitFor({ state: 'detached' });
        assert.equal((await ids()).length, 4);
        await page.keyboard.press('u');
        await visitor.hears('Nothing was deleted.');
        assert.ok(await visitor.isFocused(page.getByRole('button', { name: 'One', exact: true })));

        await page.getByLabel('Select One').check();
        await page.getByLabel('Select Two').check();
        await page.getByRole('group', { name: 'Selected products' }).getByRole('button', { name: 'Delete' }).click();
        await visitor.hears('2 products are deleted.');
        await page.getByText('10 seconds').waitFor();
        await server.api('PUT', `/products/${second.id}`, { price: 5 }, user.token);
        await page.mouse.move(0, 0);
        await page.clock.runFor(10_500);
        await visitor.hears('1 product is deleted.');
        const faults = page.getByRole('dialog', { name: '1 product was not changed' });
        await faults.getByRole('row', { name: 'Two' }).getByText('Price: 5.00').waitFor();
        assert.deepEqual(await ids(), [second.id, third.id, fourth.id]);
        await press(page, 'Leave them all');
        await row(page, 'Two').waitFor();

        await press(page, 'Three');
        await page.getByRole('dialog', { name: 'Three' }).getByRole('button', { name: 'Delete' }).click();
        await visitor.hears('Three is deleted.');
        await page.getByText('10 seconds').waitFor();
        const sent = page.waitForRequest('**/api/products/batch');
        await page.goto('/');
        await sent;
        while ((await ids()).includes(third.id)) {
            await page.waitForTimeout(50);
        }
        assert.deepEqual(await ids(), [second.id, fourth.id]);
    });

    story('prices are changed in decimals, and a half is rounded away from zero', server, async visit => {
        const { page } = await visit();
        await page.goto('/404.html');
        const seed = Number(process.env.CATALOG_SEED) || Date.now() % 1_000_000;
        const cases = makePriceCases(seed);
        const changed = await page.evaluate(async all => {
            const { changePrice } = await import('/assets/work/price.js');
            return all.map(([price, by, isPercent]) => changePrice(price, by, isPercent));
        }, cases);
        cases.forEach(([price, by, isPercent], i) =>
            assert.equal(changed[i], exactly(price, by, isPercent), `seed ${seed}: ${price} and ${by}${isPercent ? ' %' : ''}`),
        );
        const known = [
            [19.9, 5, true, 20.9],
            [1e-7, 5, true, 1e-7],
            [1e-7, 50, true, 2e-7],
            [0.1, 0.2, false, 0.3],
            [1.005, 0, true, 1.005],
            [2.5e21, -10, true, 2.25e21],
            [1234567890123.45, 10, true, 1358024679135.8],
            [1.5e308, 100, true, Infinity],
            [0.01, -150, true, -0.01],
        ];
        known.forEach(([price, by, isPercent, result]) => assert.equal(exactly(price, by, isPercent), result, `${price}`));
    });

    story('the selected prices are shown and stored as they are calculated by hand', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('merchant');
        const [first, second, third] = await make(server, user, 'Rounded', ['Half a cent', 'Tiny', 'Dear']);
        await server.api('PUT', `/products/${third.id}`, { price: 1e5 }, user.token);
        await server.api('PUT', `/products/${first.id}`, { price: 19.9 }, user.token);
        await server.api('PUT', `/products/${second.id}`, { price: 0.0000001 }, user.token);
        await visitor.arrive(user);
        await open(page, 'Rounded');
        await page.getByLabel('Select all products on this page').check();
        await press(page, 'Price …');
        await page.getByLabel('Change by').fill('1e308');
        await page.getByLabel('Unit').selectOption('per cent');
        await press(page, 'Change them');
        await visitor.hears('Change by would make 1 price too large.');
        await page.getByLabel('Change by').fill('5');
        await page.getByText('Half a cent: 19.90 → 20.90').waitFor();
        await page.getByText('Tiny: 0.0000001 → 0.0000001').waitFor();
        await press(page, 'Change them');
        await visitor.hears('3 products are changed.');
        const prices = (await server.api('GET', '/products?category=Rounded')).data.map(({ price }) => price);
        assert.deepEqual(prices, [20.9, 1e-7, 105_000]);
    });

    story('a change of many products that met an outage goes on when the user says so', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('cautious');
        const [product] = await make(server, user, 'Cautious', ['Waiting']);
        let sent = 0;
        page.on('request', request => (sent += request.url().endsWith('/products/batch')));
        await visitor.arrive(user);
        await open(page, 'Cautious');
        await page.getByLabel('Select Waiting').check();
        await press(page, 'Stock …');
        await page.getByLabel('Stock').last().selectOption('Sold out');
        await page.route('**/api/products/batch', route => route.abort(), { times: 1 });
        visitor.expect('POST /api/products/batch failed', 'POST /api/products/batch 503');
        await press(page, 'Change them');
        await visitor.hears('The catalogue is not responding. Check');
        await page.getByText(SILENCE_BAR).waitFor();
        await page.getByText(SILENCE_BAR).waitFor({ state: 'detached' });
        await page.waitForTimeout(200);
        assert.deepEqual([sent, (await read(server, product)).inStock], [1, true], 'nothing happens by itself');

        const busy = { status: 503, headers: { 'Retry-After': '1' }, body: '{}' };
        await page.route('**/api/products/batch', route => route.fulfill(busy), { times: 1 });
        await press(page, 'Try again');
        await page.getByText('Please try again now.').waitFor();
        await page.waitForTimeout(200);
        assert.deepEqual([sent, (await read(server, product)).inStock], [2, true], 'nor after the time that the server asks for');
        await press(page, 'Try again');
        await visitor.hears('1 product is changed.');
        assert.equal((await read(server, product)).inStock, false);
    });

    storyInBoth('the keyboard focus stays in the table, and in view', server, async visit => {
        const visitor = await visit(server.url, { viewport: { width: 1280, height: 500 } });
        const { page } = visitor;
        const user = await server.register('keyboarder');
        const names = Array.from({ length: 23 }, (_, i) => `Row ${i}`);
        const made = await make(server, user, 'Focus', names);
        await visitor.arrive(user);
        await open(page, 'Focus', '&limit=20');
        const isAt = async locator => {
            await locator.waitFor();
            assert.ok(await visitor.isFocused(locator), await page.evaluate(() => document.activeElement.outerHTML.slice(0, 300)));
        };
        const name = text => page.getByRole('button', { name: text, exact: true });

        await name('Row 1').focus();
        await page.keyboard.press('Delete');
        await visitor.hears('Row 1 is deleted.');
        await isAt(name('Row 2'));
        await page.keyboard.press('u');
        await isAt(name('Row 1'));
        await cell(page, 'Row 19', 'price').focus();
        await page.keyboard.press('Delete');
        await visitor.hears('Row 19 is deleted.');
        await isAt(cell(page, 'Row 18', 'price'));
        await page.keyboard.press('u');
        await visitor.hears('Nothing was deleted.');

        await name('Row 0').focus();
        await page.keyboard.press('Space');
        await page.getByText('1 product selected').waitFor();
        for (const key of [...Array(19).fill('ArrowDown'), ...Array(19).fill('ArrowUp')]) {
            await page.keyboard.press(key);
            const [focus, head, dock] = await page.evaluate(() =>
                [document.activeElement, document.querySelector('thead th'), document.getElementById('dock')].map(element => {
                    const { top, bottom } = element.getBoundingClientRect();
                    return { top, bottom };
                }),
            );
            assert.ok(focus.top >= head.bottom && focus.bottom <= dock.top, `${key}: ${JSON.stringify({ focus, head, dock })}`);
        }

        const bar = page.getByRole('group', { name: 'Selected products' });
        await bar.getByRole('button', { name: 'Select all 23' }).focus();
        await page.keyboard.press('Enter');
        await page.getByText('23 products selected').waitFor();
        await isAt(bar.getByRole('button', { name: 'Category …' }));
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').getByLabel('Category').fill('Focus too');
        await page.keyboard.press('Enter');
        await visitor.hears('23 products are changed.');
        await isAt(bar.getByRole('button', { name: 'Category …' }));
        await page.goto('/work.html?category=Focus+too&limit=20');

        await page.getByLabel('Select Row 0').check();
        await page.getByLabel('Select Row 1', { exact: true }).check();
        await bar.getByRole('button', { name: 'Clear the selection' }).focus();
        await page.keyboard.press('Enter');
        await isAt(name('Row 0'));
        await page.keyboard.press('Space');
        await bar.getByRole('button', { name: 'Delete' }).focus();
        await page.keyboard.press('Enter');
        await isAt(name('Row 1'));
        await page.keyboard.press('u');
        await isAt(name('Row 0'));

        await name('Row 3').focus();
        await server.api('PUT', `/products/${made[3].id}`, { price: 77 }, user.token);
        await page.evaluate(() => new BroadcastChannel('catalog.tabs./api').postMessage({ products: true }));
        await cell(page, 'Row 3', 'price').getByText('77.00').waitFor();
        await isAt(name('Row 3'));
        await page.getByLabel('Search products').fill('nosuchrow');
        await press(page, 'Show all products');
        await isAt(page.getByRole('heading', { name: 'Manage products' }));
    });
}
