/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue and a product as a customer sees them: pictures and tiles, filters of own fields, what is found otherwise, comparing. */
import assert from 'node:assert/strict';
import { story, storyAtNight, storyInBoth } from '../visitor.js';
import { inspect } from './looks.js';

const COLORS = ['red', 'green', 'dark blue'];

let filled = null;

/* 60 jars of 20 brands, with tags and colours, once for all stories. */
function fill(server) {
    filled ??= (async () => {
        const { token } = await server.register('jarmaker', server.shopUrl);
        const operations = Array.from({ length: 60 }, (_, i) => ({
            op: 'create',
            body: {
                name: `Jar ${i + 1}`,
                price: 10 + i,
                category: i % 2 ? 'Jars' : 'Preserves',
                brand: i === 59 ? 'Smith, Jones & Co' : `Brand ${String(i % 20).padStart(2, '0')}`,
                tags: [i % 3 ? 'glass' : 'clay', i % 4 ? 'large' : 'small'],
                color: COLORS[i % 3],
                sku: `jar-${i + 1}`,
                description: 'Keeps what is in it.',
                weight: 0.5 + (i % 2),
            },
        }));
        const { results } = await server.api('POST', '/products/batch', { operations }, token, server.shopUrl);
        return results.map(({ data }) => data);
    })();
    return filled;
}

const facet = (page, name) => page.getByRole('group', { name, exact: true });
const option = (page, of, value) => facet(page, of).getByRole('checkbox', { name: value });
const countBeside = (page, of, value) => facet(page, of).locator('.option', { hasText: value }).locator('.option-count');
const chips = page => page.getByRole('list', { name: 'Filters in use' }).getByRole('button');

let pictured = null;

/* Gives Jar 1 to Jar 8 pictures of all shapes: wide, tall, small, a panorama; the first one three. Once for all stories. */
function addPictures(server) {
    pictured ??= (async () => {
        const made = (await fill(server)).slice(0, 8);
        const { token } = await server.register('photographer', server.shopUrl);
        const shapes = [[1600, 1200], [900, 1600], [200, 150], [2000, 500]];
        for (const [i, product] of made.entries()) {
            const [width, height] = shapes[i % shapes.length];
            await server.addPicture(product, { width, height, hue: i * 45, alt: `View 1 of ${product.name}` }, token);
        }
        await server.addPicture(made[0], { width: 900, height: 1600, hue: 200, alt: 'View 2' }, token);
        await server.addPicture(made[0], { width: 200, height: 150, hue: 300 }, token);
        return made;
    })();
    return pictured;
}

/* In the page: the pictures that are there, { src, width: in the page, natural, alt, loading }. */
const picturesIn = page =>
    page.locator('img.tile').evaluateAll(all =>
        all.map(({ currentSrc, width, height, naturalWidth, alt, loading }) => ({ src: currentSrc.replace(/.*-/, ''), width, height, naturalWidth, alt, loading })),
    );

const allLoaded = page => page.waitForFunction(() => [...document.querySelectorAll('img.tile')].every(({ complete, naturalWidth }) => complete && naturalWidth > 0));

/* Adds up how far what is on the page moves without the user's doing. */
const watchShifts = page =>
    page.addInitScript(() => {
        window.shift = 0;
        window.shiftOfCards = 0;
        const isOfCard = ({ node }) => node?.parentElement?.closest('.card');
        new PerformanceObserver(list => {
            for (const { value, sources } of list.getEntries().filter(entry => !entry.hadRecentInput)) {
                window.shift += value;
                window.shiftOfCards += sources.some(isOfCard) ? value : 0;
            }
        }).observe({ type: 'layout-shift', buffered: true });
    });

export function stories(server) {
    story('own fields filter the list, with numbers that follow the other filters', server, async visit => {
        await fill(server);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        await page.goto('/?q=jar');
        await visitor.hears(/^1–20 of 60 products$/);
        await option(page, 'Tags', 'clay').check();
        await visitor.hears(/^1–20 of 20 products$/);
        assert.equal(await countBeside(page, 'Colour', 'red').textContent(), '20');
        assert.equal(await countBeside(page, 'Tags', 'glass').textContent(), '40', 'one facet counts without its own choice');
        assert.equal(await facet(page, 'Colour').locator('.option', { hasText: 'green' }).count(), 0, 'no clay jar is green');
        await option(page, 'Tags', 'glass').check();
        await visitor.hears(/^1–20 of 60 products$/);
        await option(page, 'Colour', 'dark blue').check();
        await visitor.hears(/^1–20 of 20 products$/);
        assert.equal(new URL(page.url()).search, '?q=jar&f.tags=clay&f.tags=glass&f.color=dark+blue');
        await page.reload();
        await visitor.hears(/^1–20 of 20 products$/);
        assert.ok(await option(page, 'Tags', 'glass').isChecked());
        await countBeside(page, 'Tags', 'glass').filter({ hasText: /^20$/ }).waitFor();
        await page.goBack();
        await visitor.hears(/^1–20 of 60 products$/);
        assert.ok(await visitor.isFocused(page.locator('body')) || !(await option(page, 'Colour', 'dark blue').isChecked()));
    });

    storyInBoth('a facet shows few values, more when asked, and is searched within', server, async visit => {
        await fill(server);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        const asked = [];
        page.on('request', request => request.url().includes('/values?') && asked.push(request.url().replace(/.*\/api/, '')));
        await page.goto('/?q=jar');
        await visitor.hears(/^1–20 of 60 products$/);
        const brands = facet(page, 'Brand').getByRole('checkbox');
        await page.waitForFunction(() => document.querySelectorAll('#own-facets fieldset:first-child .option').length === 7);
        assert.ok(await facet(page, 'Brand').getByRole('searchbox').isHidden());
        const more = facet(page, 'Brand').getByRole('button');
        assert.equal(await more.textContent(), '14 more');
        await more.click();
        assert.equal(await brands.count(), 21);
        assert.equal(await more.getAttribute('aria-expanded'), 'true');
        await facet(page, 'Brand').getByRole('searchbox', { name: 'Search in Brand' }).fill('SMITH');
        await page.waitForFunction(() => document.querySelectorAll('#own-facets fieldset:first-child .option').length === 1);
        await option(page, 'Brand', 'Smith, Jones & Co').check();
        await visitor.hears(/^1 product$/);
        await facet(page, 'Brand').getByRole('searchbox').fill('brand 07');
        await option(page, 'Brand', 'Brand 07').check();
        await visitor.hears(/^1–4 of 4 products$/, 'a comma in a value separates nothing');
        await more.click();
        assert.equal(await more.textContent(), '14 more');
        assert.ok(await option(page, 'Brand', 'Smith, Jones & Co').isChecked(), 'what is chosen is shown among few, too');
        assert.deepEqual(asked, [], 'the list’s answer had all values');

        /* Of more values than that, the server is asked. */
        await page.route('**/api/products?*', async route => {
            const response = await route.fetch();
            const json = await response.json();
            if (json.facets?.brand) {
                json.facets.brand = json.facets.brand.slice(0, 8);
                json.facetsMore = ['brand'];
            }
            await route.fulfill({ response, json });
        });
        await page.goto('/?q=jar&f.brand=Brand+01');
        await visitor.hears(/^1–3 of 3 products$/);
        await more.click();
        await facet(page, 'Brand').getByRole('searchbox').fill('smi');
        await option(page, 'Brand', 'Smith, Jones & Co').check();
        await visitor.hears(/^1–4 of 4 products$/);
        assert.deepEqual(asked, ['/fields/brand/values?prefix=smi&limit=30']);
    });

    storyInBoth('filters in use are chips that can be removed, also by keyboard', server, async visit => {
        await fill(server);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        await page.goto('/?q=jar&category=Jars&min=12&max=60&stock=1&f.color=red');
        await page.getByRole('link', { name: 'Jar 4', exact: true }).waitFor();
        await page.waitForFunction(() => document.querySelectorAll('#chips li').length === 5);
        await page.getByRole('button', { name: 'Remove the filter €12.00 to €60.00' }).waitFor();
        assert.deepEqual(await chips(page).allTextContents(), ['“jar”', 'Jars', '€12.00 to €60.00', 'In stock only', 'Colour: red']);
        await page.getByRole('button', { name: 'Remove the filter In stock only' }).press('Enter');
        await page.waitForURL(/max=60&f\.color=red$/);
        assert.ok(await visitor.isFocused(page.getByRole('button', { name: 'Remove the filter Colour: red' })));
        await page.keyboard.press('Enter');
        await page.waitForURL(/max=60$/);
        assert.ok(await visitor.isFocused(page.getByRole('button', { name: 'Remove the filter €12.00 to €60.00' })));
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Remove the filter “jar”' }).click();
        await page.waitForURL(/\?category=Jars$/);
        assert.equal(await page.getByLabel('Search products').inputValue(), '');
        assert.equal(await page.getByLabel('from', { exact: true }).inputValue(), '');
        await chips(page).click();
        await page.waitForURL(/\/$/);
        assert.ok(await page.locator('#chips').isHidden());
        assert.ok(await visitor.isFocused(page.locator('#title')));
    });

    story('prices the wrong way round are told, and nothing is asked for', server, async visit => {
        await fill(server);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        await page.goto('/');
        await page.locator('.card').first().waitFor();
        await page.getByLabel('from', { exact: true }).fill('50');
        await page.getByLabel('to', { exact: true }).fill('20');
        await page.getByLabel('to', { exact: true }).press('Tab');
        await visitor.hears('The first price must not be above the second.');
        assert.match(page.url(), /min=50$/);
        await page.getByLabel('to', { exact: true }).fill('52');
        await page.getByLabel('to', { exact: true }).press('Tab');
        await visitor.hears(/^1–3 of 3 products$/);
        assert.equal(await page.locator('#price-error').textContent(), '');
    });

    story('where nothing is found, the page says what was searched for, what may help, and leads back', server, async visit => {
        await fill(server);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        await page.goto('/?q=jar+zeppelin');
        await page.getByRole('heading', { name: 'Nothing found for “jar zeppelin”' }).waitFor();
        await page.getByText('Check the spelling').waitFor();
        await page.getByRole('button', { name: 'Search for “jar”' }).click();
        await visitor.hears(/^1–20 of 60 products$/);
        assert.match(page.url(), /\?q=jar$/);
        await page.goto('/?q=jar&min=5000');
        await page.getByRole('heading', { name: 'Nothing found for “jar” with these filters' }).waitFor();
        assert.ok(await page.getByText('Save as a file').isHidden());
        await page.getByRole('button', { name: 'Search for “jar” in all products' }).click();
        await visitor.hears(/^1–20 of 60 products$/);
        await page.goto('/?min=5000');
        await page.getByRole('heading', { name: 'Nothing found with these filters' }).waitFor();
        await page.getByRole('button', { name: 'Show all products' }).click();
        await page.waitForURL(/\/$/);
    });

    story('where few products match, the page says which other words it shows, and leads to the list without them', server, async visit => {
        await fill(server);
        const { token } = await server.register('kettlemaker', server.shopUrl);
        const made = [];
        for (const name of ['Copper kettle', 'Green bowl']) {
            made.push((await server.api('POST', '/products', { name, price: 5 }, token, server.shopUrl)).data.id);
        }
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        const note = page.locator('#corrected');
        await page.goto('/?q=ketle');
        await note.getByText('Few or no products match “ketle”. Products with kettle are shown as well.').waitFor();
        await page.getByRole('link', { name: 'Copper kettle' }).waitFor();
        assert.ok(await page.getByText('Save as a file').isHidden(), 'a file would not have them');
        await inspect(page, 'shop-corrected');
        await note.getByRole('link', { name: 'Show only what was asked for' }).click();
        await page.getByRole('heading', { name: 'Nothing found for “ketle”' }).waitFor();
        assert.ok(await note.isHidden());
        assert.match(page.url(), /\?q=ketle&match=prefix$/);
        await page.locator('#q').fill('kettel');
        await note.getByText('Products with kettle are shown as well.').waitFor();
        assert.match(page.url(), /\?q=kettel$/);
        for (const id of made) {
            await server.api('DELETE', `/products/${id}`, undefined, token, server.shopUrl);
        }
    });

    story('a search that fails does not stand under the list before it', server, async visit => {
        await fill(server);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        visitor.expect('GET /api/products 500');
        await page.goto('/?q=jar');
        await page.getByRole('link', { name: 'Jar 60', exact: true }).waitFor();
        await page.route('**/api/products?*', route => route.fulfill({ status: 500, body: '{}' }));
        await page.getByLabel('Search products').fill('lamp');
        await visitor.hears('has a problem at the moment');
        assert.equal(await page.locator('.card').count(), 0);
        assert.equal(await page.locator('#count').textContent(), '');
        assert.ok(await page.locator('#pages').isHidden());
    });

    story('a product has a tile or its pictures, its category as a link, similar ones, and no UUID', server, async visit => {
        const [first] = await fill(server);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        await page.goto(`/product.html?id=${first.id}`);
        await page.getByRole('heading', { name: 'Jar 1', exact: true }).waitFor();
        assert.equal(await page.locator('.stage .tile').textContent(), 'J', 'the number says nothing');
        assert.equal(await page.locator('.stage .tile').getAttribute('aria-hidden'), 'true');
        assert.equal(await page.getByRole('group', { name: 'Pictures' }).count(), 0);
        await page.getByRole('heading', { name: 'Similar products' }).waitFor();
        assert.equal(await page.locator('#similar .card').count(), 4);
        assert.equal(await page.locator('#similar .product-link', { hasText: /^Jar 1$/ }).count(), 0, 'not itself');
        const categories = await page.locator('#similar .category').allTextContents();
        assert.deepEqual(new Set(categories), new Set(['Preserves']), 'those that have most in common come first');
        assert.doesNotMatch(await page.locator('body').innerText(), /[0-9a-f]{8}-[0-9a-f]{4}/);
        await inspect(page, 'shop-product');

        await addPictures(server);
        await page.reload();
        await page.getByRole('img', { name: 'View 1 of Jar 1' }).first().waitFor();
        const pictures = page.getByRole('group', { name: 'Pictures' }).getByRole('button');
        assert.deepEqual(await pictures.evaluateAll(all => all.map(one => one.getAttribute('aria-pressed'))), ['true', 'false', 'false']);
        await pictures.nth(1).press('Enter');
        assert.equal(await page.locator('.stage img').getAttribute('alt'), 'View 2');
        assert.ok(await visitor.isFocused(pictures.nth(1)));
        await inspect(page, 'shop-portrait');
        await pictures.nth(2).press('Enter');
        assert.equal(await page.locator('.stage img').getAttribute('alt'), 'Jar 1', 'a picture without a text has the product’s name');
        await page.getByRole('link', { name: 'Preserves', exact: true }).click();
        await visitor.hears(/^1–20 of 30 products$/);
    });

    story('pictures come in the size that is shown, when they are seen, and nothing moves', server, async visit => {
        const [first] = await addPictures(server);
        for (const [width, dots, most] of [[360, 2, 640], [800, 1, 320], [1280, 1, 320]]) {
            const { page } = await visit(server.shopUrl, { viewport: { width, height: 800 }, deviceScaleFactor: dots });
            await watchShifts(page);
            await page.route('**/api/images/*', route => setTimeout(() => route.continue(), 300));
            await page.goto('/?q=jar&sort=price');
            await page.locator('.card img').nth(7).waitFor();
            const before = await page.evaluate(() => window.shiftOfCards);
            const loading = (await picturesIn(page)).map(picture => picture.loading);
            assert.deepEqual(loading, [...Array(4).fill('auto'), ...Array(4).fill('lazy')]);
            await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
            await allLoaded(page);
            await page.evaluate(() => scrollTo(0, 0));
            for (const picture of await picturesIn(page)) {
                assert.ok(parseInt(picture.src, 10) <= most, `${picture.src} for ${picture.width} pixels, on a screen of ${width}`);
                assert.ok(picture.naturalWidth >= Math.min(200, picture.width * 0.9), JSON.stringify(picture));
                assert.equal(picture.alt, '', 'the name stands beside it');
                assert.ok(Math.abs(picture.width / picture.height - 4 / 3) < 0.05, 'all are of one shape');
            }
            assert.equal(await page.evaluate(() => window.shiftOfCards), before, 'no picture moves the list');
            width === 360 && (await inspect(page, 'shop-list'));

            await page.goto(`/product.html?id=${first.id}`);
            await page.locator('.stage img').waitFor();
            await allLoaded(page);
            const [large, ...small] = await picturesIn(page);
            assert.equal(large.loading, 'auto');
            assert.ok(large.naturalWidth >= Math.min(1280, large.width * 0.9), JSON.stringify(large));
            assert.ok(small.slice(0, 3).every(({ src }) => parseInt(src, 10) <= 320));
            assert.ok((await page.evaluate(() => window.shift)) < 0.05, `the product: ${await page.evaluate(() => window.shift)}`);
        }
    });

    story('the head of a product’s page says what it is, for search engines and for Share', server, async visit => {
        const [{ id }] = await addPictures(server);
        const { page } = await visit(server.shopUrl);
        const inHead = (selector, attribute) => page.locator(`head ${selector}`).getAttribute(attribute);
        const readItem = element => {
            const found = {};
            const add = (name, value) => (found[name] = name in found ? [found[name], value].flat() : value);
            for (const child of element.querySelectorAll(':scope [itemprop]')) {
                if (child.parentElement.closest('[itemscope]') === element) {
                    add(child.getAttribute('itemprop'), child.hasAttribute('itemscope') ? readItem(child) : (child.content ?? child.href));
                }
            }
            return { type: element.getAttribute('itemtype'), ...found };
        };
        const data = () => page.locator('#content').evaluate(new Function('element', `const readItem = ${readItem}; return readItem(element);`));
        await page.goto(`/product.html?id=${id}`);
        await page.getByRole('heading', { name: 'Jar 1', exact: true }).waitFor();
        assert.equal(await page.title(), 'Jar 1 · Catalogue');
        assert.equal(await inHead('meta[name=description]', 'content'), 'Keeps what is in it.');
        assert.equal(await inHead('link[rel=canonical]', 'href'), `${server.shopUrl}/product.html?id=${id}`);
        assert.equal(await inHead('meta[property="og:title"]', 'content'), 'Jar 1');
        assert.match(await inHead('meta[property="og:image"]', 'content'), new RegExp(`^${server.shopUrl}/api/images/[0-9a-f-]{36}-1600\\.webp$`));
        const { image, ...said } = await data();
        assert.equal(image.length, 3);
        assert.deepEqual(said, {
            type: 'https://schema.org/Product',
            name: 'Jar 1',
            description: 'Keeps what is in it.',
            category: 'Preserves',
            sku: 'jar-1',
            color: 'red',
            brand: { type: 'https://schema.org/Brand', name: 'Brand 00' },
            offers: {
                type: 'https://schema.org/Offer',
                url: `${server.shopUrl}/product.html?id=${id}`,
                price: '10',
                priceCurrency: 'EUR',
                availability: 'https://schema.org/InStock',
            },
        });

        /* With static pages, their address counts; a product that is shown again is said once. */
        const settings = "export const API = '/api';\nexport const SNAPSHOT = 'p/';\n";
        await page.route('**/own/config.js', route => route.fulfill({ contentType: 'text/javascript', body: settings }));
        await page.reload();
        await page.getByRole('heading', { name: 'Jar 1', exact: true }).waitFor();
        assert.equal(await inHead('link[rel=canonical]', 'href'), `${server.shopUrl}/p/${id}.html`);
    });

    storyInBoth('controls, cards and heads of dialogs are laid out evenly', server, async visit => {
        await addPictures(server);
        const visitor = await visit(server.shopUrl, { viewport: { width: 1280, height: 800 } });
        const { page } = visitor;
        const box = locator => locator.boundingBox();
        await page.goto('/');
        await page.locator('.card').first().waitFor();
        const heights = await Promise.all([page.locator('#sort'), page.getByRole('button', { name: 'Table' })].map(async one => (await box(one)).height));
        assert.equal(heights[0], heights[1], 'a list of choices and a button beside it');
        await page.locator('.product-link').first().click();
        await page.locator('#similar .card').nth(3).waitFor();
        const [last, main] = await Promise.all([box(page.locator('#similar .card').nth(3)), box(page.locator('.product'))]);
        assert.ok(Math.abs(last.x + last.width - main.x - main.width) <= 1, 'four similar products fill the row');

        await visitor.arrive(await server.register('evenly', server.shopUrl));
        await page.goto('/work.html');
        await page.locator('tbody tr').first().waitFor();
        await page.locator('tbody [data-name=name] button').first().click();
        const [name, close] = await Promise.all([box(page.locator('#product-name')), box(page.locator('#close'))]);
        assert.ok(Math.abs(name.y - close.y) < 12 && close.x > name.x, 'Close is beside the name, however long that is');
        await page.keyboard.press('Escape');
        await page.setViewportSize({ width: 360, height: 740 });
        assert.ok((await box(page.locator('#q'))).width > 300, 'the search has a row on a phone');
        const { id } = (await server.api('GET', '/products?limit=1', undefined, undefined, server.shopUrl)).data[0];
        await page.goto(`/edit.html?id=${id}`);
        await page.locator('#field-tags').waitFor();
        assert.equal(await page.locator('#menu [aria-current]').count(), 0, 'to edit a product is not to add one');
        assert.equal(await page.locator('#field-tags').evaluate(element => getComputedStyle(element).display), 'flex');
    });

    story('up to four products are compared side by side', server, async visit => {
        const made = await fill(server);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        const choose = name => page.getByRole('button', { name: `Compare ${name}`, exact: true });
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto('/?q=jar');
        for (const name of ['Jar 60', 'Jar 59', 'Jar 58', 'Jar 57']) {
            await choose(name).click();
        }
        await page.getByText('4 products to compare').waitFor();
        await choose('Jar 56').click();
        await visitor.hears('Up to 4 products can be compared side by side. Remove one first.');
        assert.equal(await choose('Jar 56').getAttribute('aria-pressed'), 'false');
        await choose('Jar 57').click();
        await page.getByText('3 products to compare').waitFor();
        await page.getByRole('link', { name: 'Compare them' }).click();
        await page.getByRole('table', { name: 'Compare products' }).waitFor();
        const row = name => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) }).getByRole('cell');
        assert.deepEqual(await row('Price').allTextContents(), ['€69.00', '€68.00', '€67.00']);
        assert.deepEqual(await row('Description').allTextContents(), Array(3).fill('Keeps what is in it.'));
        await page.getByLabel('Show only what differs').check();
        assert.equal(await row('Description').count(), 0);
        await page.getByRole('button', { name: 'Remove Jar 59' }).click();
        assert.deepEqual(await row('Price').allTextContents(), ['€69.00', '€67.00']);
        const shared = page.url();
        await inspect(page, 'shop-compare');

        const other = await visit(server.shopUrl);
        await other.page.goto(shared);
        await other.page.getByRole('columnheader').nth(1).waitFor();
        assert.equal(await other.page.getByRole('columnheader').count(), 2);
        await other.page.goto(`/product.html?id=${made[0].id}`);
        await other.page.getByText('2 products to compare').waitFor();
        await other.page.getByRole('button', { name: 'Clear' }).click();
        assert.equal(await other.page.locator('.compare-bar').count(), 0);

        /* One that was deleted is left out. */
        const { token } = await server.register('jarbreaker', server.shopUrl);
        await server.api('DELETE', `/products/${made[57].id}`, undefined, token, server.shopUrl);
        visitor.expect(`GET /api/products/${made[57].id} 404`);
        await page.reload();
        await page.getByRole('columnheader').waitFor();
        assert.deepEqual(await row('Price').allTextContents(), ['€69.00']);
        await page.getByRole('button', { name: 'Remove Jar 60' }).click();
        await visitor.hears('You have not chosen any products to compare yet.');
    });

    storyAtNight('the catalogue with filters, chips and a comparison is accessible and fits a phone', server, async visit => {
        await fill(server);
        const { page } = await visit(server.shopUrl);
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto('/?q=jar&f.color=green&f.tags=glass');
        await page.getByRole('button', { name: 'Remove the filter Tags: glass' }).waitFor();
        await page.locator('.compare').first().click();
        await page.getByText('1 product to compare').waitFor();
        await inspect(page, 'shop-filters');
        await page.getByRole('button', { name: 'Filters' }).click();
        await facet(page, 'Brand').getByRole('button').click();
        await inspect(page, 'shop-drawer');
    });
}
