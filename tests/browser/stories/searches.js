/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue: search, filters, order, the way back, languages, and what happens when the server does not play along. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { SILENCE_BAR, stopClock, story, storyInBoth } from '../visitor.js';
import { inspect } from './looks.js';

let filled = null;

/* 45 lamps and 3 kettles, once for all stories. */
function fill(server) {
    filled ??= (async () => {
        const { token } = await server.register('shopkeeper');
        const lamps = Array.from({ length: 45 }, (_, i) => ({
            name: `Lamp ${i + 1}`,
            price: 1000 + i + 0.5,
            category: 'Lights',
            rating: (i % 10) / 2,
            inStock: i % 3 > 0,
        }));
        const kettles = ['Red kettle', 'Blue kettle', 'غلاية'].map((name, i) => ({ name, price: 20 + i, category: 'Pots' }));
        const operations = [...kettles, ...lamps].map(body => ({ op: 'create', body }));
        await server.api('POST', '/products/batch', { operations }, token);
    })();
    return filled;
}

const names = page => page.locator('.product-link').allTextContents();
const link = (page, name) => page.getByRole('link', { name, exact: true });
const category = (page, name) => page.getByRole('radio', { name });

/* Keeps back what the next request for that address gets, until the function is called that this resolves to. */
async function hold(page, url) {
    let release;
    const isReleased = new Promise(resolve => (release = resolve));
    await page.route(url, async route => {
        await isReleased;
        await route.continue().catch(() => {}); /* the page may be gone */
    });
    return release;
}

export function stories(server) {
    storyInBoth('the search follows the typing after a pause, and a late answer is dropped', server, async visit => {
        await fill(server);
        const { page } = await visit();
        const asked = [];
        let release;
        const isReleased = new Promise(resolve => (release = resolve));
        await page.goto('/');
        await page.locator('.card').first().waitFor();
        await page.route(/\/api\/products\?/, async route => {
            const q = new URL(route.request().url()).searchParams.get('q');
            asked.push(q);
            await (q === 'la' && isReleased);
            await route.continue().catch(() => {}); /* the page no longer waits for it */
        });
        const first = page.waitForRequest(/products\?q=la/);
        await page.getByLabel('Search products').focus();
        await page.getByLabel('Search products').evaluate(input => {
            for (const text of ['l', 'la']) { /* at once, as quick as a user on any machine */
                input.value = text;
                input.dispatchEvent(new InputEvent('input', { bubbles: true }));
            }
        });
        await first;
        await page.getByLabel('Search products').fill('kettle');
        await link(page, 'Red kettle').waitFor();
        assert.deepEqual(await names(page), ['Blue kettle', 'Red kettle']);
        release();
        await page.waitForTimeout(100);
        assert.deepEqual(await names(page), ['Blue kettle', 'Red kettle']);
        assert.deepEqual(asked, ['la', 'kettle']);
        assert.match(page.url(), /\/\?q=kettle$/);
        assert.ok(await page.getByLabel('Search products').evaluate(input => input === document.activeElement));
        await page.goBack(); /* all of the typing is one step */
        await page.waitForURL(/\/$/);
        assert.equal(await page.getByLabel('Search products').inputValue(), '');
    });

    story('what is searched for comes with the most relevant first, or with the newest if that is chosen', server, async visit => {
        const { token } = await server.register('whistler');
        for (const [name, category] of [['Tin whistle', 'Relevant'], ['Whistler', 'Relevant'], ['Flute', 'Whistle']]) {
            await server.api('POST', '/products', { name, category, price: 5 }, token);
        }
        const visitor = await visit();
        const { page } = visitor;
        const order = page.getByLabel('Sort by');
        const shown = () => order.locator('option:not([hidden])').allTextContents();
        const found = async wanted => {
            await page.waitForFunction(text => [...document.querySelectorAll('.product-link')].map(one => one.textContent).join() === text, wanted.join());
        };
        await page.goto('/');
        await page.locator('.card').first().waitFor();
        assert.deepEqual((await shown()).slice(0, 2), ['Newest first', 'Cheapest first']);
        await page.getByRole('searchbox').fill('whistle');
        await found(['Tin whistle', 'Flute', 'Whistler']);
        assert.deepEqual((await shown()).slice(0, 3), ['Most relevant first', 'Newest first', 'Cheapest first']);
        assert.equal(new URL(page.url()).search, '?q=whistle');
        await order.selectOption('Newest first');
        await found(['Flute', 'Whistler', 'Tin whistle']);
        assert.equal(new URL(page.url()).search, '?q=whistle&sort=-createdAt');
        await page.reload();
        await found(['Flute', 'Whistler', 'Tin whistle']);
        assert.equal(await order.inputValue(), '-createdAt');
        await order.selectOption('Most relevant first');
        await found(['Tin whistle', 'Flute', 'Whistler']);
        await page.goto('/?sort=-createdAt');
        await page.locator('.card').first().waitFor();
        assert.equal(await order.inputValue(), '', 'without words the newest are first anyway');
        assert.deepEqual((await shown()).slice(0, 2), ['Newest first', 'Cheapest first']);
    });

    story('what is typed before the script has come is searched for', server, async visit => {
        await fill(server);
        const { page } = await visit();
        const search = page.getByLabel('Search products');
        const asked = [];
        page.on('request', request => {
            const { pathname, searchParams } = new URL(request.url());
            pathname === '/api/products' && asked.push(searchParams.get('q'));
        });
        await page.goto('/?category=Lights');
        await link(page, 'Lamp 45').waitFor();

        let release = await hold(page, '**/pages/index.js');
        await page.goto('/?q=lamp&page=2', { waitUntil: 'commit' });
        await search.pressSequentially(' blue');
        asked.length = 0;
        release();
        await link(page, 'Blue kettle').waitFor();
        assert.deepEqual(await names(page), ['Blue kettle']);
        assert.deepEqual(asked.splice(0), ['blue'], 'the list of the address is not asked for');
        assert.match(page.url(), /\/\?q=blue$/);
        assert.equal(await search.inputValue(), ' blue', 'the field stays as it is');
        await search.fill('kettle');
        await link(page, 'Red kettle').waitFor();
        await page.goBack(); /* all of the typing is one step */
        await page.waitForURL(/\/\?category=Lights$/);
        await link(page, 'Lamp 45').waitFor();
        assert.equal(await search.inputValue(), '');

        await page.goto('/?q=lamp');
        await link(page, 'Lamp 45').waitFor();
        release = await hold(page, '**/pages/index.js');
        const reloaded = page.waitForRequest('**/pages/index.js');
        await search.evaluate(input => {
            input.value = 'kettle'; /* no event, so this is what a browser would have kept */
            location.reload();
        });
        await reloaded;
        asked.length = 0;
        release();
        await link(page, 'Lamp 45').waitFor();
        assert.deepEqual(asked, ['lamp'], 'after a reload the address counts');
        assert.equal(await search.inputValue(), 'lamp');
    });

    storyInBoth('what is chosen before the script has come is what the list shows', server, async visit => {
        await fill(server);
        const visitor = await visit();
        const { page } = visitor;
        const price = name => page.locator(`input[name=${name}]`);
        let release = await hold(page, '**/pages/index.js');
        await page.goto('/?category=Lights&page=2', { waitUntil: 'commit' });
        await price('min').fill('1010,00');
        await page.locator('input[name=stock]').check();
        await page.locator('input[name=rating][value="4"]').check();
        await page.locator('#sort').selectOption('price');
        await price('max').pressSequentially('10');
        release();
        await visitor.hears(/^1–4 of 4 products$/);
        assert.equal(new URL(page.url()).search, '?category=Lights&min=1010&stock=1&rating=4&sort=price');
        assert.equal(await price('max').inputValue(), '10', 'a price that is still being typed stays');
        await price('max').pressSequentially('30');
        await price('max').press('Tab');
        await visitor.hears(/^1–3 of 3 products$/);

        await page.reload();
        await visitor.hears(/^1–3 of 3 products$/);
        release = await hold(page, '**/pages/index.js');
        await page.goto('/?category=Lights', { waitUntil: 'commit' });
        await price('min').fill('1.010,00');
        await page.locator('#sort').focus();
        release();
        await visitor.hears(/^1–20 of 45 products$/);
        assert.equal(await price('min').inputValue(), '1.010,00');
        await visitor.hears('Enter prices such as 1999 or 19.99.');
        await category(page, 'Pots').check();
        await visitor.hears(/^1–3 of 3 products$/);
        assert.equal(await price('min').inputValue(), '1.010,00', 'what the message is about stays');
        await page.getByRole('button', { name: 'Clear the filters' }).click();
        await visitor.hears(/^1–20 of \d+ products$/);
        assert.equal(await price('min').inputValue(), '');
        assert.equal(await page.getByText('Enter prices such as').count(), 0);
    });

    story('no other page shows a field before its script has come', server, async visit => {
        const { page } = await visit();
        await page.route('**/assets/pages/*.js', route => route.fulfill({ contentType: 'text/javascript', body: '' }));
        for (const name of readdirSync(new URL('../../../www/', import.meta.url)).filter(file => /(?<!index)\.html$/.test(file))) {
            await page.goto(`/${name}`, { waitUntil: 'domcontentloaded' });
            assert.equal(await page.locator(':is(input, select, textarea):visible').count(), 0, name);
        }
    });

    storyInBoth('category, price, stock and rating filter the list, and the address has them all', server, async visit => {
        await fill(server);
        const visitor = await visit();
        const { page } = visitor;
        await page.goto('/?q=lamp');
        await visitor.hears(/^1–20 of 45 products$/);
        assert.match(await page.locator('.option', { hasText: 'Lights' }).textContent(), /45\s*$/);
        await category(page, 'Lights').check();
        await visitor.hears(/^1–20 of 45 products$/);
        await page.getByLabel('In stock only').check();
        await visitor.hears(/^1–20 of 30 products$/);
        await page.getByLabel('4 and more').check();
        await visitor.hears(/^1–5 of 5 products$/);
        await page.getByLabel('from', { exact: true }).fill('1.020,00');
        await page.getByLabel('to', { exact: true }).focus();
        await page.getByText('Enter prices such as 1999 or 19.99.').waitFor();
        await page.getByLabel('from', { exact: true }).fill('1020,00');
        await page.getByLabel('to', { exact: true }).fill('1040');
        await page.getByLabel('to', { exact: true }).press('Tab');
        await visitor.hears(/^1–3 of 3 products$/);
        assert.deepEqual(await names(page), ['Lamp 39', 'Lamp 30', 'Lamp 29']);
        const shared = page.url();
        assert.equal(new URL(shared).search, '?q=lamp&category=Lights&min=1020&max=1040&stock=1&rating=4');

        const other = await visitor.tab();
        await other.goto(shared);
        await link(other, 'Lamp 39').waitFor();
        assert.deepEqual(await names(other), ['Lamp 39', 'Lamp 30', 'Lamp 29']);
        assert.equal(await other.getByLabel('from', { exact: true }).inputValue(), '1020');
        assert.ok(await category(other, 'Lights').isChecked());
        assert.equal(await other.getByLabel('Search products').inputValue(), 'lamp');
        await page.goBack();
        assert.ok(await page.getByLabel('4 and more').isChecked());

        await page.getByLabel('Search products').fill('no such thing');
        await page.getByRole('heading', { name: 'Nothing found for “no such thing” with these filters' }).waitFor();
        await page.getByRole('button', { name: 'Show all products' }).click();
        await visitor.hears(/^1–20 of \d+ products$/);
        assert.match(page.url(), /\/$/);
        assert.ok(await page.getByRole('button', { name: 'Clear the filters' }).isDisabled());
    });

    story('order, number on a page and table are chosen and kept', server, async visit => {
        await fill(server);
        const visitor = await visit();
        const { page } = visitor;
        await page.goto('/?category=Lights');
        await link(page, 'Lamp 45').waitFor();
        await page.getByLabel('Sort by').selectOption('Most expensive first');
        await page.getByLabel('Sort by').selectOption('Cheapest first');
        await link(page, 'Lamp 1').waitFor();
        await page.getByRole('link', { name: 'Next page' }).click();
        await link(page, 'Lamp 21').waitFor();
        await page.getByLabel('Products per page').selectOption('10');
        await visitor.hears(/^21–30 of 45 products$/);
        assert.equal((await names(page))[0], 'Lamp 21', 'the first product stays');
        await page.getByRole('button', { name: 'Table' }).click();
        await page.getByRole('row').nth(10).waitFor();
        assert.equal(await page.getByRole('button', { name: 'Table' }).getAttribute('aria-pressed'), 'true');
        assert.match(page.url(), /\?category=Lights&sort=price&limit=10&page=3&view=table$/);
        await page.reload();
        await page.getByRole('row').nth(10).waitFor();
        assert.equal((await names(page))[0], 'Lamp 21');
    });

    storyInBoth('Back returns to the same place in the list', server, async visit => {
        await fill(server);
        const { page } = await visit(server.url, { viewport: { width: 800, height: 600 } });
        for (const back of [() => page.goBack(), () => page.getByRole('link', { name: 'All products' }).click()]) {
            await page.goto('/?category=Lights&sort=price');
            await link(page, 'Lamp 17').scrollIntoViewIfNeeded();
            const place = await page.evaluate(() => scrollY);
            assert.ok(place > 300, `${place}`);
            await link(page, 'Lamp 17').click();
            await page.getByRole('heading', { name: 'Lamp 17' }).waitFor();
            await back();
            await link(page, 'Lamp 17').waitFor();
            await page.waitForFunction(y => Math.abs(scrollY - y) < 2, place);
            assert.ok(await link(page, 'Lamp 17').evaluate(element => element === document.activeElement));
        }
    });

    story('the last list stays while the next one loads', server, async visit => {
        await fill(server);
        const { page } = await visit();
        let release;
        let released = new Promise(resolve => { release = resolve; });
        await page.route('**/api/products?*', async route => {
            await released;
            await route.continue();
        });
        await page.goto('/?category=Lights');
        await page.locator('.skeleton .card').nth(7).waitFor();
        assert.equal(await page.locator('.skeleton .card').count(), 8);
        assert.equal(await page.locator('#list').getAttribute('aria-busy'), 'true');
        release();
        await link(page, 'Lamp 45').waitFor();
        assert.equal(await page.locator('.skeleton').count(), 0);
        released = new Promise(resolve => { release = resolve; });
        await page.getByLabel('Sort by').selectOption('Cheapest first');
        await page.locator('#list[aria-busy=true]').waitFor();
        assert.equal((await names(page)).length, 20);
        release();
        await link(page, 'Lamp 1').waitFor();
        assert.equal(await page.locator('#list').getAttribute('aria-busy'), 'false');
    });

    story('what a server has no index of is not offered', server, async visit => {
        const { token } = await server.register('plain', server.plainUrl);
        const operations = Array.from({ length: 25 }, (_, i) => ({ op: 'create', body: { name: `Plain ${i}`, price: i } }));
        await server.api('POST', '/products/batch', { operations }, token, server.plainUrl);
        const visitor = await visit(server.plainUrl);
        const { page } = visitor;
        visitor.expect('GET /api/products 400');
        await page.goto('/?q=lamp&category=Lights&min=5&rating=4&sort=price');
        await visitor.hears(/^1–20 of 25 products$/);
        assert.ok(await page.locator('#search').isHidden());
        assert.ok(await page.getByText('Price', { exact: true }).isHidden());
        assert.ok(await page.getByText('4 and more').isHidden());
        assert.ok(await page.locator('#by-category').isHidden());
        assert.ok(await page.getByLabel('In stock only').isVisible());
        await page.getByLabel('Sort by').selectOption('By name');
        await page.locator('#by-sort option[value=name]:disabled').waitFor({ state: 'attached' });
        assert.equal(await page.getByRole('alert').count(), 0);

        const answers = [];
        page.on('response', response => answers.push(response.status()));
        await page.reload(); /* it remembers */
        await visitor.hears(/^1–20 of 25 products$/);
        assert.ok(!answers.includes(400));
    });

    storyInBoth('on a phone the filters are in a drawer', server, async visit => {
        await fill(server);
        const visitor = await visit(server.url, { viewport: { width: 360, height: 740 } });
        const { page } = visitor;
        await page.goto('/');
        await page.locator('.card').first().waitFor();
        assert.ok(await category(page, 'Lights').isHidden());
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByRole('dialog', { name: 'Filters' }).waitFor();
        await category(page, 'Lights').check();
        await page.getByRole('button', { name: 'Show the products' }).click();
        await visitor.hears(/^1–20 of 45 products$/);
        assert.ok(await visitor.isFocused(page.getByRole('button', { name: /^Filters/ })));
        assert.match(await page.getByRole('button', { name: /^Filters/ }).textContent(), /1/);
        const [order, button] = await Promise.all(['#sort', '#open-filters'].map(name => page.locator(name).boundingBox()));
        assert.ok(Math.abs(order.y - button.y) < 5, 'the number leaves the button beside the order');
        await page.setViewportSize({ width: 1280, height: 740 });
        await category(page, 'Lights').waitFor();
        assert.ok(await category(page, 'Lights').isChecked());
    });

    story('the pages speak the language of the browser, or the one that is chosen', server, async visit => {
        await fill(server);
        const visitor = await visit(server.installedUrl, { locale: 'de-DE' });
        const { page } = visitor;
        await page.goto('/catalogue/?q=lamp&sort=price');
        await visitor.hears(/^1–20 von 45 Produkten$/);
        assert.equal(await page.title(), 'Produkte · Katalog');
        assert.equal(await page.locator('html').getAttribute('lang'), 'de');
        assert.equal(await page.locator('.price').first().textContent(), '1.000,50\u00a0€');
        await page.getByRole('link', { name: 'Anmelden' }).waitFor();
        await page.getByLabel('Sprache').selectOption('English');
        await visitor.hears(/^1–20 of 45 products$/);
        assert.equal(await page.locator('.price').first().textContent(), '€1,000.50');
        await page.goto('/catalogue/login.html');
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();

        visitor.expect('POST /api/auth/login 401');
        await page.getByLabel('Language').selectOption('Deutsch');
        await page.getByLabel('Benutzername oder E-Mail-Adresse').fill('niemand');
        await page.getByLabel('Passwort', { exact: true }).fill('nichts');
        await page.getByRole('button', { name: 'Anmelden' }).click();
        await visitor.hears('unbekannter Benutzer oder falsches Passwort');
        await page.goto('/catalogue/register.html');
        await page.getByLabel('Benutzername').fill('a b c');
        await page.getByLabel('E-Mail-Adresse').fill('abc@example.com');
        await page.getByLabel('Passwort', { exact: true }).fill('lang genug');
        await page.getByLabel('Passwort wiederholen').fill('lang genug');
        await page.getByRole('button', { name: 'Registrieren' }).click();
        await visitor.hears('Benutzername: nur Buchstaben von a bis z, Ziffern');
    });

    story('a name keeps its own direction', server, async visit => {
        await fill(server);
        const { page } = await visit();
        await page.goto('/?category=Pots');
        await link(page, 'غلاية').click();
        const name = page.getByRole('heading', { name: 'غلاية' }).locator('bdi');
        assert.equal(await name.evaluate(element => getComputedStyle(element).unicodeBidi), 'isolate');
    });

    storyInBoth('without JavaScript the pages say what is missing', server, async visit => {
        const { page } = await visit(server.url, { javaScriptEnabled: false });
        for (const address of ['/', '/product.html?id=x', '/login.html', '/account.html']) {
            await page.goto(address);
            await page.locator('noscript').getByRole('heading', { name: 'This page needs JavaScript.' }).waitFor();
            assert.ok(await page.getByRole('heading').first().isVisible());
            assert.equal(await page.getByRole('link', { name: 'the products' }).getAttribute('href'), '/api/products');
        }
        assert.ok(await page.locator('.skeleton').isHidden());
        await page.setViewportSize({ width: 360, height: 640 });
        assert.ok(await page.locator('#menu').isHidden(), 'no empty menu on a phone');
    });

    story('after a countdown the list comes by itself', server, async visit => {
        await fill(server);
        const visitor = await visit();
        const { page } = visitor;
        visitor.expect('GET /api/products 429');
        await page.route(
            '**/api/products?*',
            route => route.fulfill({ status: 429, headers: { 'Retry-After': '3' }, body: '{}' }),
            { times: 1 },
        );
        await stopClock(page);
        await page.goto('/');
        await page.getByText('Please try again in 3 seconds.').waitFor();
        assert.ok(await page.locator('#by-category').isHidden(), 'no title without categories');
        await page.clock.runFor(2000);
        await page.getByText('Please try again in a second.').waitFor();
        await page.clock.runFor(1000);
        await visitor.hears(/^1–20 of \d+ products$/);
        await category(page, 'Pots').waitFor();
        assert.equal(await page.getByRole('alert').count(), 0);
    });

    storyInBoth('a page that is offline goes on when the connection is back', server, async visit => {
        await fill(server);
        const visitor = await visit();
        const { page } = visitor;
        await page.goto('/');
        await page.locator('.card').first().waitFor();
        visitor.expect('GET /api/products failed');
        const comesOffline = () => page.evaluate(() => dispatchEvent(new Event('offline'))); /* a machine without a network is offline all the time */
        const isAsked = page.waitForResponse('**/api/health/live');
        await comesOffline();
        assert.equal(await page.locator('.bar').textContent(), '', 'the server has not been asked');
        await isAsked;
        assert.equal(await page.locator('.bar').textContent(), '', 'the server answers');
        await visitor.context.setOffline(true);
        await comesOffline();
        await visitor.hears('You are offline.');
        await page.getByLabel('Search products').fill('kettle');
        await visitor.hears('Check your connection');
        assert.equal((await names(page)).length, 0, 'the list before is not the answer');
        await visitor.context.setOffline(false);
        await link(page, 'Red kettle').waitFor();
        assert.equal(await page.getByText(SILENCE_BAR).count(), 0);
    });

    storyInBoth('what is typed in the search goes on', server, async visit => {
        await fill(server);
        const visitor = await visit();
        const { page } = visitor;
        const field = page.getByRole('combobox', { name: 'Search products' });
        const options = page.getByRole('listbox').getByRole('option');
        await page.goto('/');
        await page.locator('.card').first().waitFor();
        await page.getByLabel('Search products').focus();
        await field.waitFor();
        await field.pressSequentially('blue kett');
        await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();
        assert.deepEqual(await options.allTextContents(), ['blue kettle', 'Blue kettle']);
        assert.equal(await field.getAttribute('aria-expanded'), 'true');
        await inspect(page, 'suggestions');
        await field.fill('');
        await field.fill('blue kett');
        await options.first().waitFor();
        await field.press('ArrowDown');
        assert.equal(await page.locator('#' + (await field.getAttribute('aria-activedescendant'))).textContent(), 'blue kettle');
        await field.press('Enter');
        assert.equal(await field.inputValue(), 'blue kettle');
        await page.waitForURL(/\/\?q=blue\+kettle$/);
        assert.equal(await options.count(), 0, 'the list is closed');

        await field.fill('kett');
        await options.first().waitFor();
        await field.press('Escape');
        assert.equal(await options.count(), 0);
        assert.equal(await field.inputValue(), 'kett', 'Escape closes the list alone');
        await field.press('ArrowDown');
        await options.first().waitFor();
        await field.press('Escape');
        await field.fill('red kett');
        await page.getByRole('option', { name: 'Red kettle' }).last().click();
        await page.getByRole('heading', { name: 'Red kettle' }).waitFor();
        await page.getByLabel('Search products').fill('lam');
        await page.getByRole('option', { name: 'lamp', exact: true }).click();
        await page.waitForURL(/index\.html\?q=lamp$/);
    });

    storyInBoth('suggestions are those of what was typed last', server, async visit => {
        await fill(server);
        const { page } = await visit();
        const field = page.getByRole('combobox', { name: 'Search products' });
        const options = page.getByRole('listbox').getByRole('option');
        const held = [];
        await page.goto('/');
        await page.locator('.card').first().waitFor();
        await page.getByLabel('Search products').focus();
        await field.waitFor();
        await field.pressSequentially('lam');
        await options.first().waitFor();
        await page.route('**/products/suggest?q=kett&*', route => void held.push(route));
        await Promise.all([page.waitForRequest('**/products/suggest?q=kett&*'), field.fill('kett')]);
        await field.fill('blue kett');
        await page.getByRole('option', { name: 'Blue kettle', exact: true }).waitFor();
        await Promise.all([page.waitForResponse('**/products/suggest?q=kett&*'), ...held.map(route => route.continue())]);
        await page.evaluate(() => new Promise(done => setTimeout(done)));
        assert.deepEqual(await options.allTextContents(), ['blue kettle', 'Blue kettle'], 'an earlier question is answered later');
        await field.press('ArrowDown');
        await page.route('**/products/suggest?*', () => {});
        await field.press('l');
        await field.press('Enter');
        await page.waitForURL(/\/\?q=blue\+kettl$/);
        assert.equal(await options.count(), 0, 'what was chosen for another text is not taken');
    });
}
