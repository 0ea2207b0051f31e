/* SPDX-License-Identifier: Apache-2.0 */
/* The pages on paper: what they say, black on white, without what one only clicks on. Pictures go to build/browser. */
import assert from 'node:assert/strict';
import { comeAsAdmin, pictures, story } from '../visitor.js';

const A4 = { width: 718, height: 1047 }; /* in pixels of CSS, within margins of a centimetre */

/* In the page: what should not be on paper, and texts that are cut off or faint. */
function judgePaper() {
    const isShown = element => element.checkVisibility({ visibilityProperty: true });
    const controls = 'nav, .btn, input, select, textarea, summary, button:not(.link, .sort), [role=search]';
    const faults = [...document.querySelectorAll(controls)].filter(isShown).map(element => `a control: ${element.outerHTML}`);

    const lightness = color => {
        const [r, g, b] = color.match(/[\d.]+/g).map(part => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const isWhite = color => /^rgba\(.*, 0\)$/.test(color) || color === 'rgb(255, 255, 255)';
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { currentNode: node } = walker;
        const text = node.data.trim();
        if (text === '' || !isShown(node.parentElement) || node.parentElement.closest('.visually-hidden')) {
            continue;
        }
        const range = document.createRange();
        range.selectNodeContents(node);
        const { left, right, bottom } = range.getBoundingClientRect();
        const { color } = getComputedStyle(node.parentElement);
        1.05 / (lightness(color) + 0.05) < 7 && faults.push(`faint, ${color}: ${text}`);
        (left < 0 || right > innerWidth + 1) && faults.push(`beside the paper: ${text}`);
        for (let outer = node.parentElement; outer; outer = outer.parentElement) {
            const { backgroundColor, opacity, overflowX, overflowY } = getComputedStyle(outer);
            const edges = outer.getBoundingClientRect();
            isWhite(backgroundColor) || faults.push(`on ${backgroundColor}: ${text}`);
            opacity === '1' || faults.push(`half transparent: ${text}`);
            overflowX !== 'visible' && right > edges.right + 1 && faults.push(`cut off: ${text}`);
            overflowY !== 'visible' && bottom > edges.bottom + 1 && faults.push(`cut off: ${text}`);
        }
    }
    return faults;
}

/* On a screen it is dark. */
async function print(page, name) {
    await page.setViewportSize(A4);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.screenshot({ path: `${pictures}paper-${name}.png`, fullPage: true });
    assert.deepEqual(await page.evaluate(judgePaper), [], name);
}

export function stories(server) {
    story('lists and pages can be printed', server, async visit => {
        const { page } = await comeAsAdmin(server, visit, 'printer');
        const { token } = await server.register('typesetter');
        const name = 'Porcelain teapot for two with a long name, and a-word-that-does-not-want-to-be-broken-anywhere-on-paper';
        const price = i => 3 ** (i * 2);
        const operations = Array.from({ length: 20 }, (_, i) => ({
            op: 'create',
            body: { name: i % 5 ? `Cup ${i}` : name, price: price(i), category: `Shelf ${i % 3}`, rating: (i % 11) / 2, inStock: i % 2 > 0 },
        }));
        const { results } = await server.api('POST', '/products/batch', { operations }, token);

        await page.goto('/?q=cup');
        await page.locator('.card').nth(15).waitFor();
        await print(page, 'catalogue');
        assert.equal(await page.locator('.card:visible').count(), 16);
        assert.ok(await page.locator('#count').isVisible());
        await page.goto('/?view=table');
        await page.getByRole('row').nth(20).waitFor();
        await print(page, 'table');
        await page.goto(`/product.html?id=${results[0].data.id}`);
        await page.getByRole('definition').first().waitFor();
        await print(page, 'product');
        await page.goto('/users.html');
        await page.getByRole('row', { name: 'typesetter' }).waitFor();
        await print(page, 'users');
        assert.ok(await page.getByRole('columnheader', { name: 'Role' }).isVisible(), 'it is a table');
        await page.goto('/users.html?view=audit');
        await page.getByRole('row').nth(1).waitFor();
        await print(page, 'audit');
        await page.goto('/work.html');
        await page.getByRole('row').nth(20).waitFor();
        await print(page, 'work');
        await page.goto('/account.html');
        await page.getByText('This one').waitFor();
        await print(page, 'account');
        assert.deepEqual(await page.getByRole('heading').allTextContents(), ['Account', 'Where you are signed in']);
    });
}
