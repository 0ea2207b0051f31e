/* SPDX-License-Identifier: Apache-2.0 */
/* With PICTURES=1: the pictures of the tour in docs/pages.md, in build/browser, to be looked at and copied to docs/pictures. */
import { comeAsAdmin, pictures, story } from '../visitor.js';
import { keepHour } from './looks.js';

const WIDE = { width: 1120, height: 720 };
const PHONE = { width: 360, height: 720 };

const CATEGORIES = ['Kitchen', 'Garden', 'Office', 'Books', 'Toys', 'Lighting', 'Outdoor', 'Tea', ''];
const NAMES = [
    'Oak desk lamp',
    'Porcelain teapot',
    'ابريق شاي',
    'Paper knife',
    'Reading light',
    'Ceramic planter',
    'Camping stove',
    'Green tea, loose',
    'Wooden train',
    'Folding chair',
    'Bread board',
    'Rain jacket',
    'Atlas of islands',
];

function productOf(i) {
    const rating = i % 3 === 0 ? {} : { rating: 2.5 + ((i * 7) % 24) / 10 };
    const name = `${NAMES[i % NAMES.length]} ${Math.floor(i / NAMES.length)}`;
    return { name, price: 12.9 + ((i * 37) % 180), category: CATEGORIES[(i * 5) % CATEGORIES.length], inStock: i % 4 !== 1, ...rating };
}

/* What other stories have left, however many products these are. */
const ALL_AWAY = { where: '', delete: true };

async function fillCatalogue(server) {
    const { token } = await server.register('shopkeeper');
    const operations = Array.from({ length: 130 }, (_, i) => ({ op: 'create', body: productOf(i) }));
    await server.api('POST', '/products/batch', ALL_AWAY, token);
    await server.api('POST', '/products/batch', { operations }, token);
}

const SHEET = 'Artikelnummer;Bezeichnung;Warengruppe;Preis\nA-17;"Teekanne, Porzellan";Tee;129,95\nA-18;Schale;Küche;14,5\nA-19;Löffel;Küche;3\n';

async function picture(page, name) {
    if (process.env.PICTURES) {
        await page.mouse.move(0, 0);
        await page.screenshot({ path: `${pictures}tour-${name}.png`, animations: 'disabled' });
    }
}

const BRANDS = ['Fernhill', 'Ostrava Glass', 'Kiln & Co', 'Marlow'];
const KINDS = ['Plates', 'Bowls', 'Serving', 'Bowls', 'Plates', 'Serving', 'Serving'];
const DISHES = ['Dinner plate', 'Soup bowl', 'Serving dish', 'Salad bowl', 'Side plate', 'Cake stand', 'Round tray'];
const GLAZES = ['rose', 'plum', 'midnight', 'moss', 'amber', 'sea'];

/* Fills the shop that has fields of its own; most products have pictures. Returns the newest product. */
async function fillShop(server) {
    const { token } = await server.register('potter', server.shopUrl);
    const bodies = Array.from({ length: 40 }, (_, i) => ({
        ...productOf(i),
        name: `${DISHES[i % DISHES.length]}, ${GLAZES[i % GLAZES.length]}`,
        category: KINDS[i % KINDS.length],
        inStock: true,
        sku: `T-${100 + i}`,
        brand: BRANDS[i % BRANDS.length],
        color: ['red', 'green', 'dark blue'][i % 3],
        tags: [i % 2 ? 'handmade' : 'everyday', i % 3 ? 'glass' : 'stoneware'],
        weight: 0.4 + (i % 5) / 4,
        description: 'Made in small numbers, each a little different from the others.\n\nCan be washed in the machine.',
    }));
    const operations = bodies.map(body => ({ op: 'create', body }));
    await server.api('POST', '/products/batch', ALL_AWAY, token, server.shopUrl);
    const { results } = await server.api('POST', '/products/batch', { operations }, token, server.shopUrl);
    const made = results.map(({ data }) => data).reverse();
    for (const [i, product] of made.slice(0, 16).entries()) {
        const [width, height] = [[1200, 900], [900, 1200], [1200, 900]][i % 3];
        i % 4 === 3 || (await server.addPicture(product, { width, height, hue: i * 67, alt: product.name }, token));
    }
    await server.addPicture(made[0], { width: 1200, height: 900, hue: 120, alt: 'From above' }, token);
    await server.addPicture(made[0], { width: 900, height: 1200, hue: 200, alt: 'From the side' }, token);
    return made[0];
}

const loaded = page => page.waitForLoadState('networkidle');

async function showOwnShop(server, visit) {
    const { id } = await fillShop(server);
    const { page } = await visit(server.shopUrl);
    await page.setViewportSize(WIDE);
    await page.goto('/');
    await page.locator('#own-facets .option').nth(5).waitFor();
    await loaded(page);
    await picture(page, 'catalogue');
    await page.goto(`/product.html?id=${id}`);
    await page.locator('#similar .card').first().waitFor();
    await loaded(page);
    await picture(page, 'product');
    await page.setViewportSize(PHONE);
    await page.goto('/');
    await page.locator('.card').nth(5).waitFor();
    await loaded(page);
    await picture(page, 'phone');
}

async function showShop(server, visit) {
    const { page } = await visit(server.installedUrl);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(WIDE);
    await page.goto('/catalogue/?stock=1&rating=3&sort=price&view=table');
    await page.locator('.chip').first().waitFor();
    await page.waitForLoadState('networkidle');
    await picture(page, 'catalogue-dark');
}

async function showWork(page) {
    await page.setViewportSize(WIDE);
    await page.goto('/work.html');
    for (const row of [2, 3, 5]) {
        await page.getByRole('checkbox', { name: /^Select / }).nth(row).check();
    }
    await page.getByText('3 products selected').waitFor();
    await picture(page, 'work');
}

async function showServer(page) {
    await page.evaluate(keepHour);
    await page.goto('/server.html');
    await page.getByText('Since').waitFor();
    await picture(page, 'server');
}

async function showImport(page) {
    await page.goto('/import.html');
    await page.evaluate(() => localStorage.setItem('catalog.language./api', 'de'));
    await page.reload();
    await page.locator('#choose').waitFor();
    await page.locator('#file').setInputFiles({ name: 'sortiment.csv', mimeType: 'text/csv', buffer: Buffer.from(SHEET) });
    await page.getByRole('region', { name: 'Was gespeichert wird' }).getByRole('row').nth(1).waitFor();
    await page.locator('#by-column').evaluate(columns => columns.scrollIntoView());
    await picture(page, 'import-german');
}

export function stories(server) {
    story('a tour of the pages', server, async visit => {
        await fillCatalogue(server);
        await showOwnShop(server, visit);
        await showShop(server, visit);
        const { page } = await comeAsAdmin(server, visit, 'ada');
        await showWork(page);
        await showServer(page);
        await showImport(page);
    });
}
