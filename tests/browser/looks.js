/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a picture of each page to build/browser, in two widths and both colour schemes, and checks it with axe. */
import assert from 'node:assert/strict';
import { axe, pictures, story } from './visitor.js';

const SIZES = [
    { width: 360, height: 740 },
    { width: 1280, height: 800 },
];

const SCHEMES = [
    ['light', 'none'],
    ['dark', 'none'],
    ['light', 'active'],
];

async function inspect(page, name) {
    await page.evaluate(axe);
    for (const [colorScheme, forcedColors] of SCHEMES) {
        await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' });
        for (const size of forcedColors === 'active' ? [] : SIZES) {
            await page.setViewportSize(size);
            await page.screenshot({
                path: `${pictures}${name}-${size.width}-${colorScheme}.png`,
                fullPage: true,
            });
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(overflow <= 0, `${name} is ${overflow} pixels wider than ${size.width}`);
        }
        await page.setViewportSize(forcedColors === 'active' ? SIZES[1] : SIZES[0]);
        const { violations } = await page.evaluate(() => window.axe.run());
        const faults = violations.flatMap(({ id, impact, nodes }) =>
            nodes.map(node => `${impact} ${id}: ${node.html}`),
        );
        assert.deepEqual(faults, [], `${name}, ${colorScheme}, forced colours ${forcedColors}`);
    }
    await page.setViewportSize({ width: 320, height: 640 }); /* as wide as 1280 pixels at 400 % */
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name} is ${overflow} pixels wider than 320`);
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' });
    await tabThrough(page, name);
}

/* Tabs through the page once. Each element that gets the keyboard focus must show it. */
async function tabThrough(page, name) {
    const seen = new Set();
    let last;
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 200; i++) {
        await page.keyboard.press('Tab');
        const focus = await page.evaluate(() => {
            const element = document.activeElement;
            const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
            const html = element === document.body ? '' : element.outerHTML;
            const place = [...document.querySelectorAll('*')].indexOf(element);
            return { html, place, outlineStyle, outlineWidth, outlineColor };
        });
        if (focus.html && focus.place === last) {
            continue; /* within a date, Tab goes from the day to the month */
        }
        last = focus.place;
        if (seen.has(focus.place)) {
            break;
        }
        if (!focus.html) {
            continue; /* from the last element to the first, it goes through the browser's own controls */
        }
        seen.add(focus.place);
        assert.equal(focus.outlineStyle, 'solid', `${name}: the outline of ${focus.html}`);
        assert.ok(parseFloat(focus.outlineWidth) >= 2, `${name}: the outline of ${focus.html}`);
    }
    assert.ok(seen.size > 0, `${name}: the keyboard reaches nothing`);
}

function answerOnce(page, url, status, headers) {
    return page.route(url, route => route.fulfill({ status, headers, body: '{}' }), { times: 1 });
}

/* Brings each page into the state of interest. */
const states = {
    async index(page) {
        await page.goto('/?page=2');
        await page.locator('.card').nth(5).waitFor();
        await page.getByRole('link', { name: 'Add a product' }).waitFor();
    },
    async 'index-table'(page) {
        await page.getByRole('button', { name: 'Table' }).click();
        await page.getByRole('row').nth(5).waitFor();
    },
    async 'index-drawer'(page) {
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByRole('dialog').getByLabel('Kitchen').check();
        await page.getByLabel('from', { exact: true }).fill('x');
        await page.getByLabel('to', { exact: true }).focus();
        await page.getByText('Write prices as').waitFor();
    },
    async 'index-nothing'(page) {
        await page.goto('/?q=nosuchthing&stock=1');
        await page.getByRole('button', { name: 'Show all products' }).waitFor();
    },
    async 'index-busy'(page) {
        await answerOnce(page, '**/api/products?*', 429, { 'Retry-After': '3000' });
        await page.goto('/');
        await page.getByText('Too many tries. Please try again in 50 minutes.').waitFor();
    },
    async 'index-broken'(page) {
        await answerOnce(page, '**/api/products?*', 500, {});
        await page.goto('/');
        await page.getByText('has a problem just now').waitFor();
    },
    async 'index-down'(page) {
        await page.route('**/api/products?*', route => route.abort());
        await page.route('**/api/health/live', route => route.abort());
        await page.goto('/');
        await page.getByText('This page goes on when it is back.').waitFor();
    },
    async missing(page) {
        await page.unroute('**/api/products?*');
        await page.unroute('**/api/health/live');
        await page.goto('/nowhere/at/all');
        await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
        await page.getByRole('link', { name: 'To the products' }).click();
        await page.locator('.card').nth(5).waitFor();
        await page.goto('/nowhere.html');
        await page.getByRole('button', { name: 'looker' }).click();
    },
    async product(page, { product }) {
        await page.goto(`/product.html?id=${product.id}`);
        await page.getByRole('button', { name: 'Delete' }).waitFor();
    },
    async 'product-delete'(page) {
        await page.getByRole('button', { name: 'Delete' }).click();
    },
    async edit(page, { product }) {
        await page.goto(`/edit.html?id=${product.id}`);
        await page.getByLabel('Rating').fill('6');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('must be from 0 to 5').waitFor();
    },
    async account(page) {
        await page.goto('/account.html');
        await page.getByText('This one').waitFor();
    },
    async 'account-delete'(page) {
        await page.getByRole('button', { name: 'Delete the account' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the account' }).click();
        await page.getByText('Your password must be filled in.').waitFor();
    },
    async users(page) {
        await page.goto('/users.html?q=look');
        await page.getByRole('row', { name: 'looker' }).waitFor();
    },
    async 'users-user'(page) {
        await page.getByRole('button', { name: 'lookedat' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Confirm the address' }).click();
        await page.getByText('is confirmed').waitFor();
    },
    async 'users-delete'(page) {
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the user' }).click();
        await page.getByRole('dialog', { name: /^Delete / }).waitFor();
    },
    async 'users-none'(page) {
        await page.goto('/users.html?q=nosuchuser');
        await page.getByRole('button', { name: 'Clear the filters' }).waitFor();
    },
    async audit(page) {
        await page.goto('/users.html?view=audit');
        await page.getByText('Address confirmed: no → yes').waitFor();
    },
    async api(page) {
        await page.setViewportSize(SIZES[1]);
        await page.goto('/api.html');
        await page.getByRole('heading', { name: /^mod_catalog/ }).waitFor();
    },
    async 'api-refused'(page) {
        await page.goto('/api.html#createProduct');
        await page.getByLabel('Body', { exact: true }).fill('{"price": -1}');
        await page.getByRole('button', { name: 'Send the POST request' }).click();
        await page.locator('#answered').filter({ hasText: '400' }).waitFor();
        for (const summary of await page.locator('details > summary:visible').all()) {
            await summary.click();
        }
    },
    async 'signed-out'(page, { visitor }) {
        await visitor.signOut();
        await page.getByText('You have signed out.').waitFor();
        await page.locator('.card').nth(5).waitFor();
    },
    async login(page) {
        await page.goto('/login.html');
        await page.getByLabel('User name or e-mail address').fill('nobody');
        await page.getByLabel('Password', { exact: true }).fill('nothing');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').waitFor();
    },
    async register(page) {
        await page.goto('/register.html');
        await page.getByRole('button', { name: 'Register' }).waitFor();
    },
    async 'register-faults'(page) {
        await page.getByLabel('User name').fill('ab');
        await page.getByRole('button', { name: 'Register' }).click();
    },
    async forgot(page) {
        await page.goto('/forgot.html');
        await page.getByRole('button', { name: 'Send the mail' }).waitFor();
    },
    async reset(page) {
        await page.goto('/reset.html#token=AAAA');
        await page.getByRole('button').waitFor();
    },
    async confirm(page) {
        await page.goto('/confirm.html#token=AAAA');
        await page.getByRole('button', { name: 'Confirm' }).click();
        await page.getByLabel('E-mail address').waitFor();
    },
    async trouble(page) {
        await page.route('**/api/products/x', route => route.abort());
        await page.goto('/product.html?id=x');
        await page.getByRole('button', { name: 'Try again' }).waitFor();
    },
};

export function looks(server) {
    story('every page is accessible and fits the width of a phone', server, async visit => {
        const visitor = await visit();
        const user = await server.register('looker');
        const name =
            'Porcelain teapot for two with a long name, and a-word-that-does-not-want-to-be-broken-anywhere';
        const made = { name, price: 129.95, category: 'Kitchen', rating: 4.5, inStock: false };
        for (let i = 0; i < 22; i++) {
            await server.api('POST', '/products', { ...made, name: `Cup ${i}`, price: i * 11.5 }, user.token);
        }
        await server.api(
            'POST',
            '/products',
            { ...made, name: 'Moon', price: 123456789012345.6 },
            user.token,
        );
        await server.api('POST', '/products', { ...made, name: 'Stars', price: 1.5e300 }, user.token);
        const { data: product } = await server.api('POST', '/products', made, user.token);
        await server.register('lookedat');
        server.promote(user);
        await visitor.signIn(user);
        visitor.expect(
            'POST /api/auth/login 401',
            'POST /api/products 400',
            'POST /api/auth/confirm 400',
            'GET /api/products/x failed',
            'GET /api/products 429',
            'GET /api/products 500',
            'GET /api/products failed',
            'GET /nowhere/at/all 404',
            'GET /nowhere.html 404',
        );
        for (const [state, prepare] of Object.entries(states)) {
            await prepare(visitor.page, { product, visitor });
            await inspect(visitor.page, state);
        }
    });
}
