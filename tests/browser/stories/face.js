/* SPDX-License-Identifier: Apache-2.0 */
/* What a shop has of its own in the pages, as config.js says it, and pages of its own beside them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { story, storyAtNight } from '../visitor.js';
import { COLOURS, findFaults, inspect } from './looks.js';

/* The settings, from now on, of the pages that this page opens. */
async function configure(page, lines) {
    await page.unroute('**/own/config.js');
    await page.route('**/own/config.js', route => route.fulfill({ contentType: 'text/javascript', body: lines }));
}

const FACE = `
export const BRAND = { en: 'Fernhill Tea', de: 'Tee vom Farnberg' };
export const LOGO = 'own/logo.svg';
export const ICON = 'own/icon.svg';
export const STYLES = ['own/style.css'];
export const FOOTER = [{ text: { en: 'Legal notice', de: 'Impressum' }, href: 'own/legal.html' }, { text: 'FAQ', href: 'https://example.com/faq' }];
export const TEXTS = {
    en: { 'list.title': 'Our teas', 'list.range': { one: '{n} tea', other: '{from}–{to} of {n} teas' } },
    de: { 'list.title': 'Unsere Tees' },
};`;

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="32"><rect width="120" height="32" fill="#1d6156"/></svg>';

/* The page of the shop's own in docs/pages.md, and its script. */
const guide = readFileSync(new URL('../../../docs/pages.md', import.meta.url), 'utf8').split("### Pages of the shop's own")[1];
const [OWN_PAGE, OWN_SCRIPT] = ['html', 'js'].map(language => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide)[1]);

const style = (locator, name) => locator.evaluate((element, name) => getComputedStyle(element)[name], name);

export function stories(server) {
    const own = (name, text) => writeFileSync(join(server.ownDirectory, name), text);

    story('name, logo, icon, style sheets, links and texts are the shop’s own', server, async visit => {
        await server.api('POST', '/products', { name: 'Cup', price: 3 }, (await server.register('facer')).token);
        own('logo.svg', LOGO);
        own('icon.svg', LOGO);
        own('style.css', 'h1 { text-transform: uppercase }');
        const { page } = await visit(server.installedUrl);
        await configure(page, FACE);
        await page.goto('/catalogue/');
        await page.getByRole('heading', { name: 'Our teas' }).waitFor();
        assert.equal(await page.title(), 'Our teas · Fernhill Tea');
        assert.equal(await style(page.getByRole('heading', { name: 'Our teas' }), 'textTransform'), 'uppercase');
        await page.getByText('1 tea', { exact: true }).waitFor();
        const logo = page.getByRole('link', { name: 'Fernhill Tea' }).getByRole('img');
        assert.ok(await logo.evaluate(image => image.decode().then(() => image.naturalWidth > 0)));
        assert.match(await page.locator('link[rel=icon]').getAttribute('href'), /\/catalogue\/own\/icon\.svg$/);
        const links = page.getByRole('contentinfo').getByRole('link');
        assert.deepEqual(await links.allTextContents(), ['Legal notice', 'FAQ', 'API']);
        assert.equal(await links.nth(1).getAttribute('href'), 'https://example.com/faq');

        await page.getByLabel('Language').selectOption('Deutsch');
        await page.getByRole('heading', { name: 'Unsere Tees' }).waitFor();
        assert.equal(await page.title(), 'Unsere Tees · Tee vom Farnberg');
        await page.getByText('1 Produkt', { exact: true }).waitFor();
    });

    story('faults in the settings are told to the console, and the pages go on', server, async visit => {
        const visitor = await visit(server.installedUrl);
        visitor.expect(
            'console: config.js: TEXTS has list.titel, which no page uses',
            'console: config.js: ACCENT must be #rgb or #rrggbb, not teal',
        );
        visitor.forgive(/missing\.css/); /* browsers tell that in several ways */
        await configure(
            visitor.page,
            "export const ACCENT = 'teal'; export const STYLES = ['own/missing.css']; export const TEXTS = { en: { 'list.titel': 'x' } };",
        );
        await visitor.page.goto('/catalogue/');
        await visitor.page.getByRole('heading', { name: 'Products' }).waitFor();
    });

    storyAtNight('whatever the colour of the shop is, what is written in it and on it can be read in both schemes', server, async visit => {
        const { page } = await visit(server.url);
        const seen = new Set();
        for (const accent of ['#ff0', '#ffffff', '#000000', '#7f7f7f', '#c2185b', '#00e5ff']) {
            await configure(page, `export const ACCENT = '${accent}';`);
            for (const colorScheme of ['light', 'dark']) {
                await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
                await page.goto('/login.html');
                await page.getByRole('button', { name: 'Sign in' }).waitFor();
                seen.add(await style(page.getByRole('button', { name: 'Sign in' }), 'backgroundColor'));
                assert.deepEqual(await findFaults(page, { runOnly: COLOURS }), [], `${accent}, ${colorScheme}`);
                await page.goto('/?view=table');
                await page.getByRole('button', { name: 'Table' }).waitFor();
                assert.deepEqual(await findFaults(page, { runOnly: COLOURS }), [], `${accent}, ${colorScheme}`);
            }
        }
        assert.ok(seen.size >= 8, 'the colours are used');
        await configure(page, "export const ACCENT = '#c2185b';");
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto('/login.html');
        assert.equal(await style(page.getByRole('button', { name: 'Sign in' }), 'backgroundColor'), 'rgb(194, 24, 91)', 'one that can be read stays');
    });

    story('the shop says which fields come first', server, async visit => {
        const user = await server.register('orderer', server.shopUrl);
        const made = { name: 'Ordered', price: 2, sku: 'order-1', brand: 'Fernhill', weight: 2 };
        const { data } = await server.api('POST', '/products', made, user.token, server.shopUrl);
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        await configure(page, "export const FIELDS = ['weight', 'unheard', 'brand'];");
        await page.goto(`/product.html?id=${data.id}`);
        await page.getByRole('heading', { name: 'Ordered' }).waitFor();
        const terms = (await page.locator('dt').allTextContents()).filter(text => ['Weight', 'Brand', 'Article number'].includes(text));
        assert.deepEqual(terms, ['Weight', 'Brand', 'Article number']);
        await visitor.arrive(user);
        await page.goto(`/edit.html?id=${data.id}`);
        await page.getByRole('button', { name: 'Save' }).waitFor();
        const labels = await page.locator('main label').allTextContents();
        assert.deepEqual(labels.slice(0, 3), ['Weight', 'Brand', 'Name']);
    });

    story('a page of the shop’s own has the shell, and the modules at a path that stays', server, async visit => {
        await server.api('POST', '/products', { name: 'Saucer', price: 1 }, (await server.register('owner')).token, server.installedUrl);
        own('visit.html', OWN_PAGE);
        own('visit.js', OWN_SCRIPT);
        const { page } = await visit(server.installedUrl);
        await configure(page, "export const BRAND = 'Fernhill Tea';");
        await page.goto('/catalogue/own/visit.html');
        await page.getByText('From €1.00').waitFor();
        assert.equal(await page.title(), 'Visit us');
        await inspect(page, 'own-page');
        await page.setViewportSize({ width: 1280, height: 800 });
        const [brand, heading] = await Promise.all(['.brand', 'h1'].map(name => page.locator(name).boundingBox()));
        assert.ok(heading.y > brand.y + brand.height && heading.x >= brand.x, 'the shell is laid out');
        await page.getByLabel('Search products').fill('saucer');
        await page.getByLabel('Search products').press('Enter');
        await page.waitForURL('**/catalogue/index.html?q=saucer');
        await page.goBack();
        await page.getByRole('link', { name: 'Sign in' }).click();
        await page.waitForURL('**/catalogue/login.html');
        await page.getByRole('link', { name: 'Fernhill Tea' }).click();
        await page.getByRole('heading', { name: 'Products' }).waitFor();
    });

    story('static pages can be read, and followed, without JavaScript, and are there soon', server, async visit => {
        const { token } = await server.register('exporting');
        const made = { name: 'Teapot of static porcelain', price: 49.5, category: 'Static', rating: 4.5 };
        const { data } = await server.api('POST', '/products', made, token);
        const directory = join(server.home, 'static');
        server.exportPages(directory);
        /* As docs/how-to/search-engines.md has them served. */
        const guide = readFileSync(new URL('../../../docs/how-to/search-engines.md', import.meta.url), 'utf8');
        const [, policy] = /Header set Content-Security-Policy "(.+)"/.exec(guide);
        const serve = page =>
            page.route('**/p/*', route =>
                route.fulfill({
                    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
                    body: readFileSync(join(directory, new URL(route.request().url()).pathname.split('/').at(-1))),
                }),
            );
        const { page } = await visit(server.url);
        await serve(page);
        const cdp = await page.context().newCDPSession(page);
        await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
        await page.addInitScript(() => {
            new PerformanceObserver(list => (window.largest = list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true });
        });
        await page.goto(`/p/${data.id}.html`);
        await page.waitForFunction(() => window.largest > 0);
        const largest = await page.evaluate(() => window.largest);
        console.log(`largest contentful paint of a static page with a processor four times slower: ${Math.round(largest)} ms`);
        await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
        for (const [file, name] of [[`${data.id}.html`, 'static'], ['index.html', 'static-list']]) {
            await page.goto(`/p/${file}`);
            await inspect(page, name);
        }

        const { page: plain } = await visit(server.url, { javaScriptEnabled: false });
        await serve(plain);
        await plain.goto('/p/index.html');
        assert.equal(await plain.title(), 'All products · Fernhill Tea');
        await plain.getByRole('link', { name: made.name }).click();
        await plain.getByRole('heading', { name: made.name }).waitFor();
        assert.match(await plain.locator('.price').textContent(), /^49\.50\b/);
        const live = plain.getByRole('link', { name: 'View it in the shop' });
        assert.equal(await live.getAttribute('href'), `${server.url}/product.html?id=${data.id}`);
        await plain.getByRole('link', { name: 'All products' }).click();
        await plain.getByRole('link', { name: made.name }).waitFor();
        const sitemap = readFileSync(join(directory, 'sitemap_1.xml'), 'utf8');
        assert.ok(sitemap.includes(`<loc>${server.url}/p/${data.id}.html</loc>`));
        await server.api('DELETE', `/products/${data.id}`, undefined, token);
    });

    story('the header has one row on a phone, and nothing in it leaves its place when it comes', server, async visit => {
        const { page } = await visit(server.url, { viewport: { width: 320, height: 640 } });
        await configure(page, `export const BRAND = '${'Fernhill'.repeat(8)}';`);
        await page.goto('/login.html');
        await page.getByRole('link', { name: 'Sign in' }).waitFor();
        const boxes = await Promise.all(['.brand', '#search', '#account'].map(name => page.locator(name).boundingBox()));
        const middles = boxes.map(({ y, height }) => y + height / 2);
        assert.ok(Math.max(...middles) - Math.min(...middles) < 4, `${middles}`);
        assert.ok(boxes.every(({ x, width }) => x >= 0 && x + width <= 320));
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    });
}
