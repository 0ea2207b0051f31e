/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings each page into its states, and checks them with axe in each colour scheme. With PICTURES=1 it writes a picture of each to build/browser,
 * in two widths and both schemes; that takes as long as all checks. BRIEF=1 leaves dark and forced colours, most widths, all states of a
 * page but the first, and axe for the states that other stories reach, to make nightly. No first state needs another state of a page.
 */
import assert from 'node:assert/strict';
import { axe, isBrief, pictures, SILENCE_BAR, story, trustLinks } from '../visitor.js';

const SIZES = [
    { width: 360, height: 740 },
    { width: 1280, height: 800 },
    { width: 800, height: 1000 },
];

const NARROWEST = { width: 320, height: 640 }; /* as wide as 1280 pixels at 400 % */

const SCHEMES = [
    ['light', 'none'],
    ['dark', 'none'],
    ['light', 'active'],
].slice(0, isBrief ? 1 : 3);

export const COLOURS = ['color-contrast', 'link-in-text-block']; /* axe's rules that a colour scheme can break */

/* What axe finds on the page as it looks now. It need not list what it finds right. */
export async function findFaults(page, options = {}) {
    if (!(await page.evaluate(() => 'axe' in window))) {
        await page.evaluate(axe);
        await page.addInitScript(axe); /* as the next pages of this tab have it, too; the browser keeps what it has compiled */
    }
    const chosen = { resultTypes: ['violations'], preload: false, ...options }; /* it would load the parts of the style sheet inline */
    const { violations } = await page.evaluate(chosen => window.axe.run(chosen), chosen);
    return violations.flatMap(({ id, impact, nodes }) => nodes.map(node => `${impact} ${id}: ${node.html}`));
}

async function fits(page, name, size) {
    await page.setViewportSize(size);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name} is ${overflow} pixels wider than ${size.width}`);
}

/* On a busy machine, a deletion that can be undone for ten seconds is carried out meanwhile; a list that loads again is dimmed. */
const waitForList = page => page.waitForFunction(() => !document.querySelector('#list[aria-busy=true]'));

/* Looks at the page in several widths, in both schemes and with forced colours, and tabs through it. hasAxe: checks it with axe, too. */
export async function inspect(page, name, hasAxe = !isBrief) {
    for (const size of isBrief ? [NARROWEST] : [...SIZES, NARROWEST]) {
        await fits(page, name, size);
    }
    for (const [colorScheme, forcedColors] of SCHEMES) {
        await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' });
        for (const size of process.env.PICTURES && forcedColors === 'none' ? SIZES : []) {
            await page.setViewportSize(size);
            await page.screenshot({ path: `${pictures}${name}-${size.width}-${colorScheme}.png`, fullPage: true });
        }
        await page.setViewportSize(forcedColors === 'active' ? SIZES[1] : SIZES[0]);
        await waitForList(page);
        const options = colorScheme === 'light' && forcedColors === 'none' ? {} : { runOnly: COLOURS };
        const faults = hasAxe ? await findFaults(page, options) : [];
        assert.deepEqual(faults, [], `${name}, ${colorScheme}, forced colours ${forcedColors}`);
    }
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' });
    await page.setViewportSize(SIZES[0]);
    await tabThrough(page, name); /* which also closes menus */
}

/* In the page: notes each element that gets the focus by the keyboard, until one gets it again; titles get it from the page alone. */
function noteFocus() {
    const noted = { elements: new Set(), faults: [], isRound: false };
    document.activeElement.blur();
    document.addEventListener('focusin', ({ target }) => {
        if (target.getAttribute('tabindex') === '-1') {
            return;
        }
        const { outlineStyle, outlineWidth } = getComputedStyle(target);
        const isShown = outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2;
        noted.isRound ||= noted.elements.has(target);
        noted.elements.add(target);
        isShown || noted.faults.push(`${outlineStyle} ${outlineWidth}: ${target.outerHTML.slice(0, 300)}`);
    });
    return noted;
}

/* Tabs through the page once. Each element that gets the keyboard focus must show it. */
async function tabThrough(page, name) {
    const noted = await page.evaluateHandle(noteFocus);
    for (let i = 1; i <= 200; i++) {
        await page.keyboard.press('Tab');
        if (i % 8 === 0 && (await noted.evaluate(({ isRound }) => isRound))) {
            break;
        }
    }
    const [count, faults] = await noted.evaluate(({ elements, faults }) => [elements.size, faults]);
    assert.ok(count > 0, `${name}: the keyboard reaches nothing`);
    assert.deepEqual(faults, [], `${name}: what has the focus does not show it`);
}

function answerOnce(page, url, status, headers) {
    return page.route(url, route => route.fulfill({ status, headers, body: '{}' }), { times: 1 });
}

/* In the page: samples of an hour, with a quiet time in which the page was closed. */
export function keepHour() {
    const count = i => Math.round(400 * i + 900 * Math.sin(i / 9));
    const samples = [];
    for (let i = 3; i < 240; i += i === 90 ? 40 : 1) {
        samples.push({
            at: Date.now() - (240 - i) * 15_000,
            requests: count(i) + 1000,
            errors: i > 180 ? (i - 180) * 9 : 0,
            hits: 300 * i + 6 * Math.max(0, i - 120),
            misses: 30 * i,
            limits: { login: i > 200 ? (i - 200) ** 2 : 0, delay: i > 60 ? 3 : 0 },
        });
    }
    localStorage.setItem('catalog.metrics./api', JSON.stringify({ user: localStorage.getItem('catalog.user./api'), samples }));
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
    async 'index-export'(page) {
        await page.getByText('Save as a file').click();
        await page.getByRole('link', { name: 'NDJSON for programs' }).waitFor();
    },
    async 'index-drawer'(page) {
        await page.getByRole('heading', { name: 'Products' }).click(); /* closes the menu */
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByRole('dialog').getByLabel('Kitchen').check();
        await page.getByLabel('from', { exact: true }).fill('x');
        await page.getByLabel('to', { exact: true }).focus();
        await page.getByText('Enter prices such as').waitFor();
    },
    async 'index-nothing'(page) {
        await page.goto('/?q=nosuchthing&stock=1');
        await page.getByRole('button', { name: 'Show all products' }).waitFor();
    },
    async 'index-busy'(page) {
        await answerOnce(page, '**/api/products?*', 429, { 'Retry-After': '3000' });
        await page.goto('/');
        await page.getByText('Too many attempts. Please try again in 50 minutes.').waitFor();
    },
    async 'index-broken'(page) {
        await answerOnce(page, '**/api/products?*', 500, {});
        await page.goto('/');
        await page.getByText('has a problem at the moment').waitFor();
    },
    async 'index-down'(page) {
        await page.route('**/api/products?*', route => route.abort());
        await page.route('**/api/health/live', route => route.abort());
        await page.goto('/');
        await page.getByText(SILENCE_BAR).waitFor();
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
    async compare(page, { product, moon }) {
        await page.goto(`/compare.html?id=${product.id}&id=${moon.id}`);
        await page.getByRole('table').waitFor();
    },
    async 'compare-none'(page) {
        await page.getByRole('button', { name: 'Remove Moon' }).click();
        await page.getByRole('button', { name: /^Remove / }).click();
        await page.getByText('You have not chosen any').waitFor();
    },
    async edit(page, { product }) {
        await page.goto(`/edit.html?id=${product.id}`);
        await page.getByLabel('Rating').fill('6');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('must be from 0 to 5').waitFor();
    },
    async work(page) {
        await page.goto('/work.html?limit=10');
        await page.getByLabel('Select Cup 20').check();
        await page.getByRole('button', { name: 'Change …' }).click();
        await page.getByRole('group', { name: 'Selected products' }).getByRole('button', { name: 'Delete' }).click();
        await page.getByLabel('Select Moon').check();
        await page.getByText('1 product selected').waitFor();
        await page.getByText('Columns', { exact: true }).click();
        await page.getByText('Cup 20 is deleted.').waitFor();
    },
    async 'work-price'(page) {
        await page.getByRole('button', { name: 'Change …' }).click();
        await page.getByRole('button', { name: 'Price …' }).click();
        await page.getByLabel('Change by').fill('-12.5');
        await page.getByText('Moon: ').waitFor();
    },
    async 'work-faults'(page, { moon, server, other }) {
        await server.api('PUT', `/products/${moon.id}`, { price: 10, rating: 2 }, other.token);
        await page.getByRole('button', { name: 'Change them' }).click();
        await page.getByRole('dialog', { name: '1 product was not changed' }).waitFor();
    },
    async 'work-in-place'(page) {
        await page.goto('/work.html?limit=10');
        await page.locator('[data-name=rating]').nth(2).click();
        await page.locator('#cell-rating').fill('7');
        await page.getByText('must be from 0 to 5').waitFor();
    },
    async 'work-product'(page, { product }) {
        await page.goto(`/work.html?limit=10&product=${product.id}`);
        await page.getByRole('dialog').getByText('not saved').waitFor();
        await page.getByRole('dialog').getByLabel('Rating').fill('4');
    },
    async 'work-conflict'(page, { product, server, other }) {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
        await page.getByRole('button', { name: 'Continue editing' }).click();
        await server.api('PUT', `/products/${product.id}`, { rating: 1, category: 'Garden' }, other.token);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('dialog', { name: 'Somebody else' }).waitFor();
    },
    async 'work-keys'(page) {
        await page.goto('/work.html?limit=10');
        await page.getByRole('row').nth(5).waitFor();
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    },
    async account(page) {
        await page.goto('/account.html');
        await page.getByText('This one').waitFor();
    },
    async 'account-key'(page) {
        await page.getByLabel('Name of the key').fill('ERP');
        await page.locator('#key').getByLabel('Your password').fill('the password of looker');
        await page.getByRole('button', { name: 'Create a key' }).click();
        await page.locator('#keys li').waitFor();
    },
    async 'account-key-end'(page) {
        await page.getByRole('button', { name: 'End the key ERP' }).click();
        await page.getByRole('dialog', { name: 'End the key “ERP”?' }).waitFor();
    },
    async 'account-delete'(page) {
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Delete the account' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the account' }).click();
        await page.getByText('Your password must be filled in.').waitFor();
    },
    async import(page) {
        await page.goto('/import.html');
        await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    },
    async 'import-columns'(page) {
        const lines = ['Artikelnummer,Titel,Lagerort,Preis', 'A-17,"Porcelain teapot for two, with a long name",Shelf 4,129.95', 'A-18,Cup,,x'];
        const buffer = Buffer.from(`${lines.join('\n')}\nA-19-without-a-place-to-break-the-line,Saucer\n`);
        await page.locator('#file').setInputFiles({ name: 'teapots and cups.csv', mimeType: 'text/csv', buffer });
        await page.getByLabel('Field of the column Titel').selectOption('Leave it out');
        await page.getByText('Still without a column: Name.').waitFor();
    },
    async 'import-faulty'(page) {
        await page.getByLabel('Field of the column Titel').selectOption('Name');
        await page.getByRole('button', { name: 'Check the file' }).click();
        await page.getByRole('button', { name: 'Save the 2 faulty rows' }).waitFor();
    },
    async 'import-run'(page) {
        await page.route('**/products/import?*', () => {});
        await page.getByRole('button', { name: 'Import 1 row' }).click();
        await page.getByRole('progressbar').waitFor();
    },
    async 'import-stopped'(page) {
        await page.unroute('**/products/import?*');
        await page.goto('about:blank');
        await page.goto('/import.html');
        await page.getByRole('button', { name: 'Choose a file' }).waitFor();
        await page.locator('#file').setInputFiles({ name: 'one.csv', mimeType: 'text/csv', buffer: Buffer.from('name,price\nPlate,4\n') });
        await page.getByRole('button', { name: 'Check the file' }).click();
        await page.getByRole('button', { name: 'Import 1 row' }).waitFor();
        await answerOnce(page, '**/products/import?*', 500, {});
        await page.getByRole('button', { name: 'Import 1 row' }).click();
        await page.getByText('The last part may be stored').waitFor();
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
        await page.getByRole('row', { name: 'looker' }).first().waitFor();
    },
    async server(page) {
        await page.evaluate(keepHour);
        await page.goto('/server.html');
        await page.getByText('Since').waitFor();
        await page.getByRole('button', { name: 'Send all 2 failed mails again' }).waitFor();
    },
    async 'server-unconfigured'(page) {
        await page.route('**/admin/metrics', route => route.fulfill({ status: 404, body: 'no' }));
        await page.route('**/api/health/ready', route => route.fulfill({ status: 503, json: { message: 'Not ready', error: 'database unavailable' } }));
        await page.evaluate(() => localStorage.removeItem('catalog.metrics./api'));
        await page.goto('/server.html?mails=pending');
        await page.getByText('Require catalog-role admin').waitFor();
        await page.getByText('No mail is waiting.').waitFor();
        await page.unroute('**/api/health/ready');
        await page.unroute('**/admin/metrics');
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
    async guest(page, { visitor }) {
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
        await trustLinks(page);
        await page.goto('/reset.html#token=AAAA');
        await page.getByRole('button', { name: 'Set the password' }).waitFor();
    },
    async 'reset-expired'(page) {
        await page.unroute('**/api/auth/password/reset');
        await page.reload();
        await page.getByRole('alert').filter({ hasText: 'Invalid or expired link.' }).waitFor();
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

/* What the server refuses in the first state of a page, and in the others. */
const FAULTS_OF_FIRST = [
    'POST /api/auth/login 401',
    'POST /api/auth/confirm 400',
    'GET /api/products/x failed',
    'GET /nowhere/at/all 404',
    'GET /nowhere.html 404',
];
const FAULTS_OF_OTHERS = [
    'POST /api/products 400',
    'POST /api/products/import 400',
    'POST /api/products/import 500',
    'GET /api/auth/password/reset 400',
    'GET /api/products 429',
    'GET /api/products 500',
    'GET /api/products failed',
    'GET /admin/metrics 404',
    'GET /api/health/ready 503',
];

export function stories(server) {
    story('every page is accessible and fits the width of a phone', server, async visit => {
        const visitor = await visit();
        const user = await server.register('looker');
        const name =
            'Porcelain teapot for two with a long name, and a-word-that-does-not-want-to-be-broken-anywhere';
        const made = { name, price: 129.95, category: 'Kitchen', rating: 4.5, inStock: false };
        for (let i = 0; i < 24; i++) {
            await server.api('POST', '/products', { ...made, name: `Cup ${i}`, price: i * 11.5 }, user.token);
        }
        const huge = { ...made, name: 'Moon', price: 123456789012345.6 };
        const { data: moon } = await server.api('POST', '/products', huge, user.token);
        await server.api('POST', '/products', { ...made, name: 'Stars', price: 1.5e300 }, user.token);
        const { data: product } = await server.api('POST', '/products', made, user.token);
        const other = await server.register('lookedat');
        server.bury(other, `No such file or directory: /srv/${'a-long-path/'.repeat(17)}`); /* about as long as it gets */
        server.promote(user); /* which withdraws the links in mails */
        server.bury(user);
        await visitor.arrive(user);
        visitor.expect(...FAULTS_OF_FIRST, ...(isBrief ? [] : [...FAULTS_OF_OTHERS, `PATCH /api/products/${product.id} 412`]));
        visitor.forgive(/^GET \/api\/products\/x 404$/); /* tried again while its route is taken away, on a busy machine */
        const isFirst = state => !state.includes('-'); /* of its page */
        for (const state of Object.keys(states).filter(state => isFirst(state) || !isBrief)) {
            await states[state](visitor.page, { product, moon, visitor, server, other });
            await inspect(visitor.page, state, true);
        }
    });
}
