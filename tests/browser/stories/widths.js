/* SPDX-License-Identifier: Apache-2.0 */
/* The pages on phones, tablets and screens of all widths, with the longest words that users may write. */
import assert from 'node:assert/strict';
import { adminPages, comeAsAdmin, isBrief, story, storyAtNight, trustLinks } from '../visitor.js';

const WIDTHS = isBrief ? [320, 820, 1280] : [320, 390, 600, 721, 768, 820, 900, 960, 961, 1024, 1280, 1920, 2560];
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.padEnd(100, 'n');

/* The pages, with what tells that the page is there. */
const pagesWith = (product, user) => ({
    ...adminPages(product, user),
    '/': '.card',
    '/?view=table': 'tbody tr',
    [`/?category=${LONG}`]: '.card',
    [`/?q=x${LONG}`]: '.nothing button',
    [`/work.html?category=${LONG}`]: 'tbody tr',
    '/nowhere.html': 'h1',
    '/api.html': '#groups a',
    '/api.html#createProduct': '#operation form',
});

/* Those of a shop with fields of its own, of a product and another one. */
const shopPagesWith = (product, other) => ({
    '/': '.card',
    [`/?f.tags=${LONG}&f.brand=${LONG.repeat(2)}`]: '#own-facets .option',
    [`/product.html?id=${product}`]: '#similar .card',
    [`/compare.html?id=${product}&id=${other}`]: 'tbody tr',
    [`/edit.html?id=${product}`]: 'main form button',
    '/work.html': 'tbody tr',
});

/* Those of users who are not signed in. */
const OPEN = {
    '/login.html': '#form button',
    '/register.html': '#form button',
    '/forgot.html': 'main form button',
    '/reset.html#token=AAAA': 'main form button',
    '/confirm.html#token=AAAA': 'main form button',
};

/* Resolves to the pixels that the page is wider than the screen, after it has had a frame to do what it does at that width. */
async function excess(page) {
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))));
    return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/* Resolves to the widths at which the page, as it is now, is wider than the screen. */
async function findExcess(page) {
    const faults = [];
    for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const pixels = await excess(page);
        pixels > 0 && faults.push(`${pixels} pixels wider than ${width}`);
    }
    return faults;
}

/* Resolves to what is wider than the screen. */
async function findWide(page, pages) {
    const faults = [];
    for (const [address, content] of Object.entries(pages)) {
        await page.goto('about:blank');
        await page.goto(address);
        await page.locator(content).first().waitFor();
        await page.locator('#account > li').first().waitFor();
        faults.push(...(await findExcess(page)).map(fault => `${address.slice(0, 30)} is ${fault}`));
    }
    return faults;
}

export function stories(server) {
    storyAtNight('no page scrolls sideways, however wide the screen and however long the words', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'a'.repeat(30));
        const { page } = visitor;
        const user = await server.register('b'.repeat(30));
        visitor.expect('GET /nowhere.html 404');
        server.bury(user, `No such file or directory: /srv/${'a-long-path-'.repeat(17)}`);
        await server.api('POST', '/products', { name: 'Cup', price: 3, category: 'a'.repeat(52) }, user.token);
        const made = { name: LONG.repeat(2), price: 123456789.25, category: LONG, rating: 4.25 };
        const { data } = await server.api('POST', '/products', made, user.token);
        const stranger = await visit();
        assert.deepEqual(await findWide(page, pagesWith(data.id, user.id)), []);
        await trustLinks(stranger.page);
        assert.deepEqual(await findWide(stranger.page, OPEN), []);
    });

    story('no page of a shop with fields of its own scrolls sideways, whatever they have', server, async visit => {
        const user = await server.register('c'.repeat(30), server.shopUrl);
        const lists = Array.from({ length: 12 }, (_, i) => `${i}${LONG}`.slice(0, 100));
        const texts = { brand: LONG.repeat(2), status: LONG, constructor: LONG.slice(0, 20), homepage: `https://example.com/${LONG}` };
        const made = { ...texts, name: LONG.repeat(2), price: 1e12, category: LONG, tags: [LONG, ...lists], description: LONG.repeat(20), specs: { [LONG]: LONG } };
        const ids = [];
        for (const sku of ['long-1', 'long-2']) {
            const { data } = await server.api('POST', '/products', { ...made, sku }, user.token, server.shopUrl);
            ids.push(data.id);
        }
        const visitor = await visit(server.shopUrl);
        await visitor.arrive(user);
        assert.deepEqual(await findWide(visitor.page, shopPagesWith(...ids)), []);
    });

    storyAtNight('what opens over the table of products fits each screen, however long the words', server, async visit => {
        const user = await server.register('f'.repeat(30), server.shopUrl);
        const brand = `Other ${LONG}`;
        const make = i => ({ op: 'create', body: { name: `${LONG.repeat(2).slice(0, 190)}${i}`, price: 1, category: LONG, brand, tags: [LONG] } });
        const operations = Array.from({ length: 1000 }, (_, i) => make(i));
        await server.api('POST', '/products/batch', { operations }, user.token, server.shopUrl);
        await server.api('POST', '/products/batch', { operations: operations.slice(0, 2) }, user.token, server.shopUrl);
        const visitor = await visit(server.shopUrl, { viewport: { width: 1280, height: 800 } });
        const { page } = visitor;
        const faults = [];
        const measure = async name => {
            for (const width of WIDTHS) {
                await page.setViewportSize({ width, height: 800 });
                const wide = await page.evaluate(() =>
                    [...document.querySelectorAll('dialog[open], #filter-panel, #history, #progress, #bulk, #trouble, .pictures, catalog-chips')]
                        .filter(element => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1)
                        .map(({ id, tagName }) => id || tagName),
                );
                (await excess(page)) > 0 && wide.push('the page');
                faults.push(...wide.map(part => `${name}: ${part} at ${width}`));
            }
            await page.setViewportSize({ width: 1280, height: 800 });
        };
        await visitor.arrive(user);
        await page.goto(`/work.html?f.brand=${brand}`);
        await page.locator('tbody tr').nth(9).waitFor();
        await page.getByRole('button', { name: 'Filters (1)' }).click();
        await measure('filters');
        await page.getByLabel('Select all products on this page').check();
        await page.getByRole('button', { name: 'Select all that match' }).click();
        await page.getByText('All 1,002 products that match').waitFor();
        await page.getByRole('button', { name: 'Category …' }).click();
        await page.getByRole('dialog').getByLabel('Category').fill(LONG.replace('D', 'E'));
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('button', { name: 'Change 1,002 products' }).waitFor();
        await measure('question');
        await page.getByRole('button', { name: 'Change 1,002 products' }).click();
        await visitor.hears('1,002 products are changed.');
        await page.locator('[data-name=price]').nth(3).click();
        await page.locator('#cell-price').fill('2');
        await page.locator('#cell-price').press('Enter');
        await visitor.hears('The product is saved.');
        await page.locator('#history-choice summary').click();
        await page.locator('#history li').nth(1).waitFor();
        await measure('history');
        await page.keyboard.press('Escape');
        await page.locator('[data-name=tags]').nth(3).click();
        await page.locator('catalog-chips input').fill('x'.repeat(100));
        await page.locator('catalog-chips input').press('Enter');
        await page.getByText('new', { exact: true }).waitFor();
        await measure('chips');
        assert.deepEqual(faults, []);
    });

    storyAtNight('no state of the import, of the filters or of a dialog scrolls sideways, whatever is in it', server, async visit => {
        const user = await server.register('d'.repeat(30), server.shopUrl);
        const made = { name: LONG.repeat(2), price: 1, category: LONG, brand: LONG.repeat(2), tags: [LONG] };
        const { data } = await server.api('POST', '/products', made, user.token, server.shopUrl);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        visitor.expect('POST /api/products/import 400');
        await visitor.arrive(user);
        const check = async state => assert.deepEqual(await findExcess(page), [], state);

        await page.goto('/import.html');
        await page.getByRole('button', { name: 'Choose a file' }).waitFor();
        const lines = [`name,price,brand,tags,${LONG}`, `${LONG},1,${LONG},${LONG}|x${LONG.slice(1)},${LONG}`, `${LONG},${LONG},,,`, `${LONG},-1,${LONG.repeat(3)},,`];
        await page.locator('#file').setInputFiles({ name: `${LONG}.csv`, mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) });
        await page.getByRole('region', { name: 'What will be stored' }).getByRole('row').nth(1).waitFor();
        await page.locator('#lines > summary').click();
        await check('the columns of a file');
        await page.getByRole('button', { name: 'Check the file' }).click();
        await page.getByRole('heading', { name: '2 faulty rows' }).waitFor();
        await check('faulty rows');
        await page.getByRole('button', { name: 'Import 1 row' }).click();
        await page.getByRole('button', { name: 'Take the import back' }).click();
        await page.getByRole('dialog').waitFor();
        await check('the import is to be taken back');

        await page.goto(`/?q=${LONG}&category=${LONG}&f.tags=${LONG}`);
        await page.setViewportSize({ width: 320, height: 800 });
        await page.locator('.card').first().waitFor();
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByRole('dialog').getByText(LONG).first().waitFor();
        await check('the filters');
        await page.goto(`/product.html?id=${data.id}`);
        await page.getByRole('button', { name: 'Compare' }).first().click();
        await page.getByText('1 product to compare').waitFor();
        await page.getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('dialog').waitFor();
        await check('a product is to be deleted');
    });

    storyAtNight('names have room in the table of products, on a screen of any width', server, async visit => {
        const { page } = await comeAsAdmin(server, visit, 'roomy');
        const user = await server.register('roomier');
        const made = { name: 'Porcelain teapot for two', price: 129.95, category: 'Household goods', rating: 4.5 };
        await server.api('POST', '/products', made, user.token);
        await page.goto('/work.html?category=Household+goods');
        await page.locator('tbody tr').first().waitFor();
        for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 800 });
            const room = await page.locator('tbody [data-name=name]').first().evaluate(cell => cell.clientWidth);
            assert.ok(room >= 150, `${room} pixels where the page has ${width}`);
            await page.locator('tbody [data-name=rating]').first().click();
            await page.locator('#cell-rating').waitFor();
            assert.ok((await excess(page)) <= 0, `editing in place, at ${width}`);
            await page.keyboard.press('Escape');
        }
    });
}
