/* SPDX-License-Identifier: Apache-2.0 */
import { ApiError } from './api.js';
import { byId, el } from './dom.js';
import { currentUser, restore, signOut, watch, watchOtherTabs } from './session.js';
import { recall, remember } from './store.js';

const FLASH = 'catalog.flash';

/* Shows the text in the page's status line, which screen readers read out. */
export function say(text) {
    byId('status').textContent = text;
}

/* Hides a finished element and says so; moves the focus, which would vanish with it. */
export function finish(element, text) {
    element.hidden = true;
    say(text);
    byId('main').focus();
}

/* Opens another page, which shows the text. Never resolves: a form that awaits it stays busy until the page unloads. */
export function go(href, text) {
    if (text) {
        remember('sessionStorage', FLASH, text);
    }
    location.assign(href);
    return new Promise(() => {});
}

function sayFlash() {
    const text = recall('sessionStorage', FLASH);
    remember('sessionStorage', FLASH, null);
    if (text) {
        say(text);
    }
}

export function setTitle(text) {
    document.title = `${text} · Catalogue`;
}

/* The file name and query of this page, to return to. */
function here() {
    return location.pathname.replace(/.*\//, '') + location.search;
}

/* Returns only to our own pages: an attacker may have made the link. */
export function nextPage() {
    const next = new URLSearchParams(location.search).get('next') ?? '';
    return /^[a-z]+\.html(\?[\w=&.-]*)?$/.test(next) ? next : 'index.html';
}

export function signInLink() {
    return `login.html?next=${encodeURIComponent(here())}`;
}

async function leave() {
    try {
        await signOut();
        await go('index.html', 'You have signed out.');
    } catch (error) {
        showError(byId('trouble'), error);
    }
}

function menuLink(href, text) {
    const current = location.pathname.endsWith(`/${href}`);
    return el(
        'li',
        { class: 'nav-item' },
        el('a', { class: 'nav-link', href, 'aria-current': current && 'page' }, text),
    );
}

function showMenu(user) {
    const items = user
        ? [
              menuLink('account.html', user.username),
              el(
                  'li',
                  { class: 'nav-item' },
                  el('button', { type: 'button', class: 'nav-link', onclick: leave }, 'Sign out'),
              ),
          ]
        : [menuLink('login.html', 'Sign in'), menuLink('register.html', 'Register')];
    byId('menu').replaceChildren(...items);
}

/* Replaces the element's content with an ApiError. again: the action of "Try again", if a retry may succeed. */
export function showError(element, error, again) {
    if (!(error instanceof ApiError)) {
        throw error;
    }
    const alert = el(
        'div',
        { class: 'alert alert-danger', role: 'alert', tabindex: '-1' },
        el('p', {}, error.message),
    );
    if (error.ended) {
        alert.append(el('p', {}, el('a', { class: 'alert-link', href: signInLink() }, 'Sign in')));
    } else if (again && (error.status === 0 || error.status >= 429)) {
        alert.append(
            el('button', { type: 'button', class: 'btn btn-outline-danger', onclick: again }, 'Try again'),
        );
    }
    element.replaceChildren(alert);
    return alert;
}

async function begin(run, needsUser) {
    let unknown; /* the error that left unknown whether there is a session */
    const user = await restore().catch(error => {
        unknown = error;
        return null;
    });
    if (needsUser && !user) {
        if (unknown) {
            throw unknown;
        }
        location.replace(signInLink());
        return;
    }
    await run(user);
    sayFlash();
    if (unknown) {
        throw unknown;
    }
}

/*
 * Restores the session, then runs the page: run(user or null). Shows an ApiError that run throws. A page that needs no
 * user runs even if the session cannot be restored now.
 */
export async function start(run, { needsUser = false } = {}) {
    const again = () => {
        byId('trouble').replaceChildren();
        return start(run, { needsUser });
    };
    try {
        await begin(run, needsUser);
    } catch (error) {
        showError(byId('trouble'), error, again);
    } finally {
        showMenu(currentUser());
    }
}

watch(showMenu);

/* The page still shows the previous user's content, so reload it, unless that would lose what the user has typed. */
watchOtherTabs(async () => {
    if (!document.querySelector('form[data-edited]')) {
        location.reload();
        return;
    }
    const user = await restore().catch(() => null);
    showMenu(user);
    say(user ? `In another tab ${user.username} has signed in.` : 'You have signed out in another tab.');
});

/* A page that the browser kept for its Back button may belong to a user who has signed out since. */
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
