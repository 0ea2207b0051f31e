/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users with a browser. Any error in the browser that the test did not expect fails the test. Chromium is Debian's build without windows,
 * which takes a fraction of the processor time. BROWSER=firefox is Debian's Firefox as it is, which Playwright drives by WebDriver BiDi;
 * that lacks some of what it has for Chromium.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/* The packages are outside the source tree. */
const require = createRequire(new URL('../../build/browser/', import.meta.url));
const { chromium, firefox } = require('playwright-core');

export const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
export const pictures = fileURLToPath(new URL('../../build/browser/', import.meta.url));

const FLAGS =
    '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking' +
    ' --disable-component-update --disable-sync';

/* ms in which anything comes, on a machine that does ten other things too. On an idle one most of it comes in less than one second. */
export const PATIENCE = 90_000;

/* The bar while the server cannot be reached. On a machine without a network every browser is offline. */
export const SILENCE_BAR = /(The catalogue is not responding|You are offline)\. The page will carry on/;

export const isFirefox = process.env.BROWSER === 'firefox';

/* Whether stories leave out what is not about every change, as in make check. */
export const isBrief = Boolean(process.env.BRIEF);

/*
 * What Playwright sets in Chromium for each profile is a setting of a whole Firefox. Pages are not kept for Back, as Playwright has it in Chromium
 * too: it would wait for their load.
 */
function preferences({ javaScriptEnabled = true }) {
    return {
        'browser.sessionhistory.max_total_viewers': 0,
        'javascript.enabled': javaScriptEnabled,
    };
}

const browsers = new Map(); /* by their preferences */

function browserFor(options) {
    const firefoxUserPrefs = isFirefox ? preferences(options) : {};
    const key = JSON.stringify(firefoxUserPrefs);
    if (!browsers.has(key)) {
        const browser = isFirefox
            ? firefox.launch({ channel: 'moz-firefox', executablePath: '/usr/bin/firefox-esr', firefoxUserPrefs })
            : chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: FLAGS.split(' ') });
        browsers.set(key, browser);
    }
    return browsers.get(key);
}

export async function closeBrowsers() {
    await Promise.all([...browsers.values()].map(async browser => (await browser).close()));
}

class Visitor {
    #surprises = [];
    #expected = [];
    #forgiven = /^$/;

    async come(server, options) {
        const browser = await browserFor(options);
        this.context = await browser.newContext({ baseURL: server, locale: 'en-GB', timezoneId: 'UTC', ...options });
        this.context.setDefaultTimeout(PATIENCE);
        this.page = await this.tab(options);
    }

    async tab(options = {}) {
        const page = await this.context.newPage();
        page.on('pageerror', error => this.#surprises.push(`exception: ${error.message}`));
        page.on('console', message => {
            /* the status of responses is checked below */
            if (
                ['error', 'warning'].includes(message.type()) &&
                !message.text().startsWith('Failed to load resource')
            ) {
                this.#surprises.push(`console: ${message.text().replace(/(blocked by CORS policy).*/s, '$1')}`);
            }
        });
        page.on('response', response => {
            if (response.status() >= 400) {
                this.#note(response.request(), response.status());
            }
        });
        page.on('requestfailed', request => {
            /* aborted: the user left the page */
            /* A page asks at any time whether the server is back; a browser that runs no scripts gives up preloading them. */
            const isExpected =
                request.url().endsWith('/api/health/live') ||
                (options.javaScriptEnabled === false && request.url().endsWith('.js'));
            if (!['net::ERR_ABORTED', 'NS_BINDING_ABORTED'].includes(request.failure().errorText) && !isExpected) {
                this.#note(request, 'failed');
            }
        });
        return page;
    }

    #note(request, outcome) {
        this.#surprises.push(`${request.method()} ${new URL(request.url()).pathname} ${outcome}`);
    }

    /* 'POST /api/register 409': must happen at least once. */
    expect(...surprises) {
        this.#expected.push(...surprises);
    }

    /* What matches the pattern may happen. */
    forgive(pattern) {
        this.#forgiven = pattern;
    }

    /* Paths of the API whose responses the browser keeps from a page of this origin. */
    expectBlocked(api, origin, ...paths) {
        this.expect(
            ...paths.map(
                path => `console: Access to fetch at '${api}${path}' from origin '${origin}' has been blocked by CORS policy`,
            ),
        );
    }

    /* What routes have begun for a page that is left fails, which would count as a failure of the story that runs next. */
    async leave() {
        await Promise.all((this.context?.pages() ?? []).map(page => page.unrouteAll({ behavior: 'ignoreErrors' })));
        await this.context?.close();
    }

    judge() {
        const surprises = this.#surprises.filter(surprise => !this.#forgiven.test(surprise));
        assert.deepEqual([...new Set(surprises)].sort(), this.#expected.sort());
    }

    /* The page's announcements to a screen reader. */
    async hears(text) {
        await this.page
            .locator('[role=status], [role=alert], [aria-live]')
            .filter({ hasText: text })
            .first()
            .waitFor();
    }

    async signIn({ username, password }, page = this.page) {
        await page.goto('/login.html');
        await page.getByLabel('User name or e-mail address').fill(username);
        await page.getByLabel('Password', { exact: true }).fill(password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('status').filter({ hasText: 'You are signed in.' }).waitFor();
    }

    /*
     * Is signed in, as a browser is that has been closed since: for stories that are about something else, as the pages for signing in, and the
     * catalogue that they lead to, take as long as a short story. The next page is up to the story.
     */
    async arrive({ username, password }) {
        const answer = await this.context.request.post('/api/auth/login', { data: { login: username, password, cookie: true } });
        assert.equal(answer.status(), 200, await answer.text());
        const { user } = await answer.json();
        await this.page.goto('/own/config.js'); /* of the same origin, and next to nothing */
        await this.page.evaluate(id => localStorage.setItem('catalog.user./api', id), user.id);
    }

    /* Signs out in another tab, and signs in as that user there. Returns the tab. */
    async replaceUser(user) {
        const page = await this.tab();
        await page.goto('/account.html');
        await this.signOut(page);
        await page.getByRole('status').filter({ hasText: 'You have signed out.' }).waitFor();
        await this.signIn(user, page);
        return page;
    }

    /* Opens the menu of the account. */
    async openMenu(page = this.page) {
        await page.locator('.account').click();
    }

    async signOut(page = this.page) {
        await this.openMenu(page);
        await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    }

    isFocused(locator) {
        return locator.evaluate(element => element === document.activeElement);
    }
}

/* BiDi tells nothing of the bodies of requests. */
export function checkBody(request, expected) {
    if (!isFirefox) {
        assert.deepEqual(request.postDataJSON(), expected);
    }
}

/* A test in which visit() opens a new browser profile, in both browsers. */
export function storyInBoth(name, server, body) {
    test(name, async () => {
        const visitors = [];
        const visit = async (url = server.url, options = {}) => {
            const visitor = new Visitor();
            visitors.push(visitor);
            await visitor.come(url, options);
            return visitor;
        };
        try {
            await body(visit);
        } catch (error) {
            for (const [i, { page }] of visitors.entries()) {
                const path = `${pictures}failed ${isFirefox ? 'firefox ' : ''}${name} ${i + 1}.png`;
                await page?.screenshot({ path }).catch(() => {}); /* what failed counts, also where the browser is gone */
            }
            throw error;
        } finally {
            await Promise.all(visitors.map(visitor => visitor.leave()));
        }
        visitors.forEach(visitor => visitor.judge());
    });
}

/* The same in Chromium only: what is alike in all browsers, or requires what Playwright has for Chromium only. */
export function story(...parts) {
    if (!isFirefox) {
        storyInBoth(...parts);
    }
}

/* The same, which make check leaves out. */
export function storyAtNight(...parts) {
    if (!isBrief) {
        story(...parts);
    }
}

/* Has the page take the link of any mail for one that is valid, until somebody uses it. */
export async function trustLinks(page) {
    for (const path of ['confirm', 'password/reset']) {
        await page.route(`**/api/auth/${path}`, route =>
            route.request().method() === 'GET' ? route.fulfill({ json: { success: true, message: 'The link is valid' } }) : route.continue(),
        );
    }
}

/* Stops the clock of the page and of those that follow it, so that what counts seconds shows each one until page.clock.runFor() goes on. */
export async function stopClock(page) {
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1000);
}

/* A visitor who is signed in as an administrator of that name. */
export async function comeAsAdmin(server, visit, name) {
    const visitor = await visit();
    const user = await server.register(name);
    server.promote(user);
    await visitor.arrive(user);
    return visitor;
}

/* The pages that an administrator may see, of a product and a user, with what tells that the page is there. */
export const adminPages = (product, user) => ({
    [`/product.html?id=${product}`]: '#remove',
    [`/compare.html?id=${product}`]: 'tbody tr',
    [`/edit.html?id=${product}`]: 'form button',
    '/work.html': 'tbody tr',
    [`/work.html?product=${product}`]: '[open] form button',
    '/import.html': '.drop button',
    '/account.html': '.session',
    '/changes.html': 'tbody tr',
    '/users.html': 'tbody tr',
    [`/users.html?user=${user}`]: '[open] .list-group-item',
    '/users.html?view=audit': 'tbody tr',
    '/server.html': 'body:has(.chart p) #list .reason',
});
