/* SPDX-License-Identifier: Apache-2.0 */
/* The pages on phones, tablets and screens of all widths, with the longest words that users may write. */
import assert from 'node:assert/strict';
import { adminPages, comeAsAdmin, story } from '../visitor.js';

const WIDTHS = [320, 390, 600, 721, 768, 820, 900, 960, 961, 1024, 1280];
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.padEnd(100, 'n');

/* The pages, with what tells that the page is there. */
const pagesWith = (product, user) => ({
    ...adminPages(product, user),
    '/': '.card',
    '/?view=table': 'tbody tr',
    [`/?category=${LONG}`]: '.card',
    [`/?q=x${LONG}`]: '.nothing button',
    [`/work.html?category=${LONG}`]: 'tbody tr',
    '/api.html': '#groups a',
    '/api.html#createProduct': '#operation form',
});

const excess = page => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

export function stories(server) {
    story('no page scrolls sideways, however wide the screen and however long the words', server, async visit => {
        const { page } = await comeAsAdmin(server, visit, 'a'.repeat(30));
        const user = await server.register('b'.repeat(30));
        const faults = [];
        server.bury(user, `No such file or directory: /srv/${'a-long-path-'.repeat(17)}`);
        await server.api('POST', '/products', { name: 'Cup', price: 3, category: 'a'.repeat(52) }, user.token);
        const made = { name: LONG.repeat(2), price: 123456789.25, category: LONG, rating: 4.25 };
        const { data } = await server.api('POST', '/products', made, user.token);
        for (const [address, content] of Object.entries(pagesWith(data.id, user.id))) {
            await page.goto('about:blank');
            await page.goto(address);
            await page.locator(content).first().waitFor();
            await page.locator('#account > li').first().waitFor();
            for (const width of WIDTHS) {
                await page.setViewportSize({ width, height: 800 });
                const pixels = await excess(page);
                pixels > 0 && faults.push(`${address.slice(0, 30)} is ${pixels} pixels wider than ${width}`);
            }
        }
        assert.deepEqual(faults, []);
    });

    story('names have room in the table of products, on a screen of any width', server, async visit => {
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
