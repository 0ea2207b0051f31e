/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rates the pages, as make install copies them, with Lighthouse, on a first visit: those for anyone on a phone with a slow line, those for users
 * at a desk. Prints a table, and fails below the bounds: node tests/lighthouse/run.js build/mod_catalog.so [NAME...]
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Server } from '../browser/server.js';

/* The packages are outside the source tree. */
const require = createRequire(new URL('../../build/lighthouse/', import.meta.url));
const { default: lighthouse, desktopConfig } = await import(pathToFileURL(require.resolve('lighthouse')));
const puppeteer = require('puppeteer-core');

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
const BOUND = 95;
const BOUNDS = { index: 100 };
const TRIES = 3; /* what else the machine does only makes pages slower, so the best of these counts */

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/* Each page that anyone may see, then those for users. */
function listPages({ product }) {
    const open = { index: '', product: `product.html?id=${product}`, login: 'login.html', register: 'register.html' };
    const rest = { forgot: 'forgot.html', api: 'api.html', missing: '404.html' };
    const own = { edit: `edit.html?id=${product}`, account: 'account.html' };
    for (const name of ['work', 'import', 'users', 'server']) {
        own[name] = `${name}.html`;
    }
    const rows = (pages, isSignedIn) => Object.entries(pages).map(([name, path]) => ({ name, path, isSignedIn }));
    return [...rows({ ...open, ...rest }, false), ...rows(own, true)];
}

/* Products, and an administrator. */
async function fill(server) {
    const user = await server.register('rater');
    const operations = Array.from({ length: 60 }, (_, i) => ({
        op: 'create',
        body: { name: `Rated ${i}`, price: i + 0.5, category: `Shelf ${i % 7}`, rating: (i % 50) / 10 },
    }));
    const { results } = await server.api('POST', '/products/batch', { operations }, user.token);
    server.promote(user);
    return { user, product: results[0].data.id };
}

async function signIn(page, site, { username, password }) {
    await page.goto(`${site}login.html`);
    await page.locator('#login').fill(username);
    await page.locator('#password').fill(password);
    await Promise.all([page.waitForNavigation(), page.locator('form button').click()]);
    await page.waitForSelector('.account');
}

/* Resolves to { scores, faults }: a score for each category, and what lowers them. */
async function rateOnce(page, url, isSignedIn) {
    const client = await page.createCDPSession();
    await client.send('Network.clearBrowserCache');
    await client.detach();
    const { lhr } = await lighthouse(url, { disableStorageReset: isSignedIn, logLevel: 'error' }, isSignedIn ? desktopConfig : undefined, page);
    const scores = CATEGORIES.map(id => Math.round(lhr.categories[id].score * 100));
    const refs = CATEGORIES.flatMap(id => lhr.categories[id].auditRefs.filter(({ weight }) => weight > 0));
    const faults = refs
        .map(({ id }) => lhr.audits[id])
        .filter(({ score }) => score !== null && score < 1)
        .map(({ id, displayValue }) => [id, displayValue].filter(Boolean).join(' '));
    return { scores, faults };
}

async function rate(page, url, isSignedIn, bound) {
    let best;
    for (let i = 0; i < TRIES && !(best?.scores[0] >= bound); i++) {
        const next = await rateOnce(page, url, isSignedIn);
        best = best?.scores[0] >= next.scores[0] ? best : next;
    }
    return best;
}

async function rateAll(server, browser, names) {
    const { user, product } = await fill(server);
    const page = await browser.newPage();
    const site = `${server.installedUrl}/catalogue/`;
    let isBelow = false;
    let isIn = false;

    console.log(['page'.padEnd(10), ...CATEGORIES.map(name => name.padStart(15))].join(''));
    for (const { name, path, isSignedIn } of listPages({ product }).filter(({ name }) => names.length === 0 || names.includes(name))) {
        if (isSignedIn && !isIn) {
            await signIn(page, site, user);
            isIn = true;
        }
        const bound = BOUNDS[name] ?? BOUND;
        const { scores, faults } = await rate(page, site + path, isSignedIn, bound);
        console.log([name.padEnd(10), ...scores.map(score => String(score).padStart(15))].join(''));
        if (scores.some(score => score < bound)) {
            isBelow = true;
            console.log(`    below ${bound}: ${faults.join(', ')}`);
        }
    }
    return isBelow;
}

const [module, ...names] = process.argv.slice(2);
const server = new Server();
await server.start(module);
const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
try {
    process.exitCode = (await rateAll(server, browser, names)) ? 1 : 0;
} finally {
    await browser.close();
    await server.stop();
}
