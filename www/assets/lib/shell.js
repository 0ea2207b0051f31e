/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shell of every page. In HTML a page has only <header class="top"> with the brand. This script adds the skip link,
 * search, menu, account, footer with the language, and the bar that shows while the server cannot be reached. config.js
 * customizes name, logo, icon, colour, style sheets and links. Until these are loaded, style.css reserves the header's
 * space and hides texts.
 */
import * as config from '../../own/config.js';
import { connection, currentUser } from './api.js';
import { bdi, byId, each, el, follow, recall, remember, state } from './dom.js';
import { chooseLanguage, inLanguage, language, LANGUAGES, t } from './text.js';

const { ACCENT = '#28587f', FOOTER = [], ICON, LOGO, STYLES = [] } = config;
const PROFILE = 'profile'; /* the user's profile as the last page read it */
const PATIENCE = 3000; /* ms to wait for the shop's own style sheets */

/* Shows the text in the page's status line, which screen readers announce. */
export function say(text) {
    byId('status').textContent = text;
}

/* ---- addresses ---- */

const home = new URL('../../', import.meta.url).href; /* address of the pages' directory; the shop's own pages are in
                                                       * a directory below */

/* Returns the address of a page, from any page. */
export const at = href => new URL(href, home).href;

/* Returns the file name and query of this page, as a place to return to. */
function here() {
    const url = location.origin + location.pathname;
    return (url.startsWith(home) ? url.slice(home.length) : url.replace(/.*\//, '')) + location.search;
}

/* Pages to sign in or register, which pass on the page that the user wants to open next; and pages that mails link
 * to. */
const ENTRIES = ['login.html', 'register.html', 'forgot.html'].map(at);
const MAILED = ['confirm.html', 'reset.html'].map(at);

/*
 * The page to open after signing in. The address names it. On a page that a mail links to, this browser remembers it
 * for an hour after the user asked for the mail. Only pages of this site are accepted, because an attacker may have
 * made the link.
 */
const NEXT = 'next';
const HOUR = 3_600_000;
const asked = new URLSearchParams(location.search).get('next') ?? '';
const next = /^(own\/)?[a-z]+\.html(\?[\w=&.%+-]*)?(#\w*)?$/.test(asked) ? asked : keptNext();

function keptNext() {
    const { page, until } = JSON.parse(recall('localStorage', NEXT) ?? '{}');
    return MAILED.includes(location.origin + location.pathname) && until > Date.now() ? page : '';
}

/* Remembers the next page for the page that the mail links to. */
export function keepNext() {
    remember('localStorage', NEXT, next ? JSON.stringify({ page: next, until: Date.now() + HOUR }) : null);
}

export function nextPage(usual = 'index.html') {
    return at(next || usual);
}

export function passNext(link) {
    if (next && ENTRIES.includes(link.href)) {
        link.search = new URLSearchParams({ next });
    }
    return link;
}

/* Returns the address of a page for signing in or registering, which passes on the next page. */
export const entry = page => passNext(el('a', { href: at(page) })).href;

/* Returns the address of the sign-in page. `fragment` is that of this page, to return to; fragments of pages that mails
 * link to are tokens and must not be passed. */
export function signInLink(fragment = '') {
    return at(`login.html?next=${encodeURIComponent(here() + fragment)}`);
}

/* ---- the shop's appearance ---- */

/* Resolves when the shop's own style sheets are loaded, cannot be loaded, or take too long. */
function addStyles() {
    const loads = STYLES.map(
        href => new Promise(done => document.head.append(el('link', { rel: 'stylesheet', href: at(href), onload: done, onerror: done }))),
    );
    return Promise.race([Promise.all(loads), new Promise(done => setTimeout(done, PATIENCE))]);
}

async function addAccent() {
    const { setAccent } = await import('./accent.js');
    setAccent(config.ACCENT);
}

function iconOf(color) {
    const box = `<rect width="16" height="16" rx="4" fill="${color}"/>`;
    const lines = '<path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/>';
    return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${box}${lines}</svg>`)}`;
}

function showBrand() {
    const brand = document.querySelector('.brand');
    brand.href = at('index.html');
    if (LOGO) {
        delete brand.dataset.t;
        brand.replaceChildren(el('img', { class: 'logo', src: at(LOGO), alt: t('brand') }));
    }
    document.querySelector('.emblem')?.append(LOGO ? brand.firstChild.cloneNode() : el('span', {}, t('brand')));
    document.head.append(el('link', { rel: 'icon', href: ICON ? at(ICON) : iconOf(ACCENT) }));
}

/* ---- the menu ---- */

/*
 * The menu: pages and the users who see them. `who` is 'writer' for users who may write products, or a role. The item
 * of the current page is marked.
 */
const MENU = [
    { href: 'index.html', text: 'shell.products', who: 'writer' },
    { href: 'edit.html', text: 'shell.add', who: 'writer' },
    { href: 'work.html', text: 'shell.manage', who: 'writer' },
    { href: 'import.html', text: 'shell.import', who: 'writer' },
    { href: 'changes.html', text: 'shell.changes', who: 'writer' },
    { href: 'users.html', text: 'shell.users', who: 'admin' },
    { href: 'server.html', text: 'shell.server', who: 'admin' },
];

/* Shows the menu of the last page at first. Each page then asks the server for the user's rights. */
const profile = state(JSON.parse(recall('localStorage', PROFILE) ?? 'null'));

/* `found` is a result of readProfile(). */
export function setProfile(found) {
    const { role, mayWrite } = found ?? {};
    profile.value = found && { role, mayWrite };
    remember('localStorage', PROFILE, found && JSON.stringify(profile.value));
}

function maySee(who) {
    return (who === 'writer' ? profile.value?.mayWrite : profile.value?.role === who) || false;
}

function link(href, text) {
    const path = location.pathname.replace(/\/$/, '/index.html');
    const made = passNext(el('a', { class: 'nav-link', href: at(href) }, text));
    const isOther = new URLSearchParams(location.search).has('id'); /* editing a product is not adding one */
    made.pathname === path && !isOther && made.setAttribute('aria-current', 'page');
    return made;
}

/* Adds a button that shows and hides the panel. Hides the panel when the focus leaves the item, which contains both,
 * and on Escape. */
function addPanel(item, panel, props, content) {
    const isOpen = state(false);
    const toggle = el(
        'button',
        {
            type: 'button',
            'aria-expanded': () => String(isOpen.value),
            'aria-controls': panel.id,
            onclick: () => (isOpen.value = !isOpen.value),
            ...props,
        },
        content,
    );
    follow(() => panel.classList.toggle('open', isOpen.value));
    item.prepend(toggle);
    item.addEventListener('keydown', event => {
        if (event.key === 'Escape' && isOpen.value) {
            isOpen.value = false;
            toggle.focus();
        }
    });
    item.addEventListener('focusout', ({ relatedTarget }) => {
        if (!item.contains(relatedTarget)) {
            isOpen.value = false;
        }
    });
}

function mainMenu() {
    const menu = el('ul', { class: 'menu', id: 'menu' });
    const item = el('div', { class: 'has-menu', id: 'main-menu', hidden: () => !MENU.some(({ who }) => maySee(who)) }, menu);
    each(
        menu,
        () => MENU.filter(({ who }) => maySee(who)),
        ({ href }) => href,
        ({ value: { href, text } }) => el('li', {}, link(href, t(text))),
    );
    addPanel(item, menu, { class: 'nav-link toggle', id: 'menu-toggle' }, el('span', { class: 'label' }, t('shell.menu')));
    return item;
}

/* ---- the account ---- */

export const isKnown = state(false); /* true once it is known whether there is a session */

function accountMenu(user, leave) {
    const panel = el(
        'div',
        { class: 'menu', id: 'account-menu' },
        link('account.html', t('shell.account')),
        el('button', { type: 'button', class: 'nav-link', onclick: leave }, t('shell.signOut')),
    );
    const item = el('li', { class: 'has-menu' }, panel);
    addPanel(item, panel, { class: 'nav-link toggle account', title: user.username }, bdi(user.username));
    return item;
}

function accountItems(leave) {
    const user = currentUser();
    if (!isKnown.value) {
        return [];
    }
    return user
        ? [accountMenu(user, leave)]
        : [
              el('li', {}, link('login.html', t('shell.signIn'))),
              el('li', { class: 'roomy' }, link('register.html', t('shell.register'))),
          ];
}

/* ---- header and footer ---- */

function searchForm() {
    const field = el('input', {
        class: 'form-control',
        name: 'q',
        type: 'search',
        autocomplete: 'off',
        spellcheck: 'false',
        maxlength: 200,
        'aria-label': t('list.search'),
        placeholder: t('list.search'),
    });
    const search = event => {
        const q = field.value.trim();
        event.preventDefault();
        location.assign(at(q ? `index.html?q=${encodeURIComponent(q)}` : 'index.html'));
    };
    return el('form', { id: 'search', role: 'search', onsubmit: search }, field);
}

/* Loads the search suggestions when the field gets the focus. It may have got the focus, and text, before this script
 * was loaded. */
function helpSearch() {
    const field = document.querySelector('#search input');
    const help = async () => {
        const before = field.value;
        if (connection.value === 'up') {
            field.removeEventListener('focus', help);
            const module = await import('../shop/suggest.js').catch(() => undefined); /* the search works without
                                                                                       * suggestions */
            module?.suggest(field, before);
        }
    };
    field?.addEventListener('focus', help);
    if (field && field === document.activeElement) {
        help();
    }
}

function showHeader(leave) {
    const account = el('ul', { class: 'nav', id: 'account' });
    const top = document.querySelector('.top > .container');
    showBrand();
    document.querySelector('[type=search]') ?? top.append(searchForm()); /* the catalogue has its search in HTML; a
                                                                          * page with a search of its own gets no
                                                                          * other */
    helpSearch();
    top.append(el('nav', { 'aria-label': t('shell.main') }, mainMenu(), account));
    follow(() => account.replaceChildren(...accountItems(leave)));
    document.body.prepend(el('a', { class: 'skip', href: '#main' }, t('shell.skip')));
}

function languageChoice() {
    const change = ({ target }) => {
        chooseLanguage(target.value);
        if (document.querySelector('form[data-edited]')) {
            say(t('shell.languageLater'));
        } else {
            location.reload();
        }
    };
    const options = Object.entries(LANGUAGES).map(([tag, name]) =>
        el('option', { value: tag, lang: tag, selected: tag === language }, name),
    );
    return el('select', { class: 'language', 'aria-label': t('shell.language'), onchange: change }, ...options);
}

function footer() {
    const links = FOOTER.map(({ text, href }) => el('li', {}, link(href, inLanguage(text))));
    const all = [...links, el('li', {}, link('api.html', t('shell.api')))];
    return el('footer', { class: 'foot' }, el('div', { class: 'container' }, el('ul', { class: 'nav' }, all), languageChoice()));
}

const BAR = { down: 'shell.down', offline: 'shell.offline' };
const bar = () =>
    el('div', { class: 'bar', role: 'status' }, () => (connection.value in BAR ? el('p', {}, t(BAR[connection.value])) : undefined));

/* leave() signs the user out. */
export async function showShell(leave) {
    showHeader(leave);
    document.body.append(footer(), bar());
    await Promise.all([STYLES.length > 0 && addStyles(), config.ACCENT && addAccent()]);
    document.documentElement.dataset.ready = '';
}
