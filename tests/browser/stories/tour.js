/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With PICTURES=1: the pictures of the tour in docs/pages.md, in build/browser, to be looked at and copied to docs/pictures. They show the shop of
 * `make demo`, of whose products some have got pictures here.
 */
import { pictures, storyAtNight } from '../visitor.js';
import { keepHour } from './looks.js';

const WIDE = { width: 1120, height: 720 };
const PHONE = { width: 360, height: 720 };

const SHEET = 'Artikelnummer;Bezeichnung;Warengruppe;Preis\nA-17;"Teekanne, Porzellan";Tee;129,95\nA-18;Schale;Küche;14,5\nA-19;Löffel;Küche;3\n';

async function picture(page, name) {
    if (process.env.PICTURES) {
        await page.mouse.move(0, 0);
        await page.screenshot({ path: `${pictures}tour-${name}.png`, animations: 'disabled' });
    }
}

const SHAPES = [[1200, 900], [900, 1200], [1200, 900]];
const HUES = { red: 0, blue: 120, green: 240, yellow: 300 };

/* Of the newest products those of a colour get a picture, one of them three. Returns that one. */
async function addPictures(server, { url, admin }) {
    const { token } = await server.api('POST', '/auth/login', { login: admin.username, password: admin.password }, undefined, url);
    const { data } = await server.api('GET', '/products?limit=20', undefined, undefined, url);
    const coloured = data.filter(({ color }) => color in HUES);
    const add = (product, i, alt = product.name) => {
        const [width, height] = SHAPES[i % SHAPES.length];
        return server.addPicture(product, { width, height, hue: HUES[product.color] + 8 * i, alt }, token, url);
    };
    for (const [i, product] of coloured.entries()) {
        await add(product, i);
    }
    await add(coloured[0], 1, 'From above');
    await add(coloured[0], 2, 'From the side');
    return coloured[0];
}

const loaded = page => page.waitForLoadState('networkidle');

async function showShop({ id }, demo, visit) {
    const { page } = await visit(demo.url);
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
    await page.setViewportSize(WIDE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/?stock=1&rating=3&f.tags=gift&sort=price&view=table');
    await page.locator('.chip').nth(2).waitFor();
    await loaded(page);
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
    storyAtNight('a tour of the pages', server, async visit => {
        const demo = await server.startDemo();
        try {
            await showShop(await addPictures(server, demo), demo, visit);
            const visitor = await visit(demo.url);
            await visitor.arrive(demo.admin);
            await showWork(visitor.page);
            await showServer(visitor.page);
            await showImport(visitor.page);
        } finally {
            await demo.stop();
        }
    });
}
