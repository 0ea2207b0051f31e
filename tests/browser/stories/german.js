/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each page once in German, on a narrow screen: checked with axe, for texts that are too long, and for English that does not say so. BRIEF=1
 * leaves axe to make nightly, as looks.js has checked the same elements in English.
 */
import assert from 'node:assert/strict';
import { adminPages, isBrief, story, trustLinks } from '../visitor.js';
import { COLOURS, findFaults } from './looks.js';

const OF_TEXTS = { rules: Object.fromEntries(COLOURS.map(rule => [rule, { enabled: false }])) }; /* looks.js has checked the colours */

/* The pages that anyone may see, with what tells that the page is there. */
const OPEN = {
    '/': '.card',
    '/?view=table': 'tbody tr',
    '/?q=nichts': '.nothing button',
    '/nirgends.html': 'h1',
    '/login.html': 'form button',
    '/register.html': 'form button',
    '/forgot.html': 'form button',
    '/reset.html#token=AAAA': 'form button',
    '/confirm.html#token=AAAA': 'form button',
    '/api.html': '#groups a',
    '/api.html#createProduct': '#operation form',
};

/* In the page: visible texts in the page's language that are English, or that leave what they are in. */
async function judgeTexts() {
    const read = async tag => {
        const files = await Promise.all(['', 'desk/'].map(part => import(`/assets/texts/${part}${tag}.js`)));
        return Object.assign({}, ...files.map(file => file.default));
    };
    const [en, de] = await Promise.all(['en', 'de'].map(read));
    const english = new Set(Object.keys(en).filter(key => en[key] !== de[key]).map(key => en[key]));
    const isEnglish = text => english.has(text) || /\b(and|must|not|of|the|this|with)\b/.test(text);
    const isGerman = element => element.closest('[lang]').lang === 'de';
    const faults = [];

    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
        const texts = ['aria-label', 'placeholder', 'title'].map(name => element.getAttribute(name) ?? '');
        isGerman(element) && faults.push(...texts.filter(isEnglish).map(text => `English: ${text}`));
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { currentNode: node } = walker;
        const { parentElement: parent } = node;
        const text = node.data.trim();
        if (text === '' || !parent.checkVisibility({ visibilityProperty: true }) || parent.closest('.visually-hidden, .skip, option, .top .toggle')) {
            continue;
        }
        const range = document.createRange();
        range.selectNodeContents(node);
        const [inner, outer] = [range, parent.closest('.btn, .badge, .card, .nav-link, td, th, dd, label, dialog, main, body')].map(item =>
            item.getBoundingClientRect(),
        );
        isGerman(parent) && isEnglish(text) && faults.push(`English: ${text}`);
        (inner.left < outer.left - 1 || inner.right > outer.right + 1) && faults.push(`too long: ${text}`);
    }
    return faults;
}

/* Resolves to what is wrong. */
async function check(page, pages) {
    const found = [];
    for (const [address, content] of Object.entries(pages)) {
        await page.goto(address);
        await page.locator(content).first().waitFor();
        await page.locator('#account > li').first().waitFor();
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        const faults = [...(await page.evaluate(judgeTexts)), ...(isBrief ? [] : await findFaults(page, OF_TEXTS))];
        found.push(...(excess > 0 ? [`${excess} pixels too wide`, ...faults] : faults).map(fault => `${address}: ${fault}`));
    }
    return found;
}

export function stories(server) {
    story('every page is accessible in German, and its texts fit the width of a phone', server, async visit => {
        const visitor = await visit(server.url, { locale: 'de-DE', reducedMotion: 'reduce', viewport: { width: 320, height: 640 } });
        const user = await server.register('betrachterin');
        const made = { name: 'Teekanne aus Porzellan', price: 129.95, category: 'Haushaltswaren', rating: 4.5, inStock: false };
        const { data: product } = await server.api('POST', '/products', made, user.token);
        visitor.expect('GET /nirgends.html 404');
        await trustLinks(visitor.page);
        const faults = await check(visitor.page, OPEN);

        server.promote(user); /* which withdraws the links in mails */
        server.bury(user, `No such file or directory: /srv/${'a-long-path/'.repeat(17)}`); /* about as long as it gets */
        await visitor.page.goto('/login.html');
        await visitor.page.locator('#login').fill(user.username);
        await visitor.page.locator('#password').fill(user.password);
        await visitor.page.locator('form button').click();
        await visitor.hears('Sie sind angemeldet.');
        faults.push(...(await check(visitor.page, adminPages(product.id, user.id))));
        assert.deepEqual(faults, []);
    });
}
