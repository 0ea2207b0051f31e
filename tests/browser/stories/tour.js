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

async function fillCatalogue(server) {
    const { token } = await server.register('shopkeeper');
    const { data } = await server.api('GET', '/products?limit=1000');
    const removals = data.map(({ id }) => ({ op: 'delete', id }));
    const operations = Array.from({ length: 130 }, (_, i) => ({ op: 'create', body: productOf(i) }));
    await server.api('POST', '/products/batch', { operations: [...removals, ...operations] }, token);
}

const SHEET = 'Artikelnummer;Bezeichnung;Warengruppe;Preis\nA-17;"Teekanne, Porzellan";Tee;129,95\nA-18;Schale;Küche;14,5\nA-19;Löffel;Küche;3\n';

async function picture(page, name) {
    if (process.env.PICTURES) {
        await page.mouse.move(0, 0);
        await page.screenshot({ path: `${pictures}tour-${name}.png`, animations: 'disabled' });
    }
}

async function showShop(server, visit) {
    const { page } = await visit(server.installedUrl);
    await page.setViewportSize(WIDE);
    await page.goto('/catalogue/');
    await page.locator('.card').nth(5).waitFor();
    await picture(page, 'catalogue');
    await page.setViewportSize(PHONE);
    await picture(page, 'phone');
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
    await page.evaluate(() => localStorage.setItem('catalog.language', 'de'));
    await page.reload();
    await page.locator('#choose').waitFor();
    await page.locator('#file').setInputFiles({ name: 'sortiment.csv', mimeType: 'text/csv', buffer: Buffer.from(SHEET) });
    await page.getByText('Teekanne, Porzellan').waitFor();
    await picture(page, 'import-german');
}

export function stories(server) {
    story('a tour of the pages', server, async visit => {
        await fillCatalogue(server);
        await showShop(server, visit);
        const { page } = await comeAsAdmin(server, visit, 'ada');
        await showWork(page);
        await showServer(page);
        await showImport(page);
    });
}
