/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shell of every page, which has no more of it than <header class="top"> with the brand: skip link, search, menu, account, footer with the
 * language, and the bar while the server cannot be reached. config.js says what the shop has of its own: name, logo, icon, colour, style
 * sheets and links. Until all of that is there, style.css keeps the place of the header, and hides the texts.
 */
import * as config from '../../own/config.js';
import { connection, currentUser } from './api.js';
import { bdi, byId, each, el, follow, recall, remember, state } from './dom.js';
import { chooseLanguage, inLanguage, language, LANGUAGES, t } from './text.js';

const { ACCENT = '#28587f', FOOTER = [], ICON, LOGO, STYLES = [] } = config;
const PROFILE = 'profile'; /* of the user, as the last page read it */
const PATIENCE = 3000; /* ms for style sheets of the shop's own */

/* Shows the text in the page's status line, which screen readers read out. */
export function say(text) {
    byId('status').textContent = text;
}

/* ---- where links lead ---- */

const home = new URL('../../', import.meta.url).href; /* of the pages; those of the shop's own are in a directory below */

/* The address of one of the pages, from wherever this one is. */
export const at = href => new URL(href, home).href;

/* The file name and query of this page, to return to. */
function here() {
    const url = location.origin + location.pathname;
    return (url.startsWith(home) ? url.slice(home.length) : url.replace(/.*\//, '')) + location.search;
}

/* The pages through which users come into their accounts, which pass on where the user wants to go; those to which mails lead. */
const ENTRIES = ['login.html', 'register.html', 'forgot.html'].map(at);
const MAILED = ['confirm.html', 'reset.html'].map(at);

/*
 * Where the user wants to go after signing in: the address says it, or, on a page to which a mail has led, this browser, which has kept it for
 * an hour since the user asked for the mail. Only pages of this site: an attacker may have made the link.
 */
const NEXT = 'next';
const HOUR = 3_600_000;
const asked = new URLSearchParams(location.search).get('next') ?? '';
const next = /^(own\/)?[a-z]+\.html(\?[\w=&.%+-]*)?(#\w*)?$/.test(asked) ? asked : keptNext();

function keptNext() {
    const { page, until } = JSON.parse(recall('localStorage', NEXT) ?? '{}');
    return MAILED.includes(location.origin + location.pathname) && until > Date.now() ? page : '';
}

/* For the page to which the mail leads. */
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

/* The address of such a page. */
export const entry = page => passNext(el('a', { href: at(page) })).href;

/* fragment: of this page, to return to as well; those of other pages are tokens. */
export function signInLink(fragment = '') {
    return at(`login.html?next=${encodeURIComponent(here() + fragment)}`);
}

/* ---- the shop's own face ---- */

/* Resolves when the style sheets of the shop's own are there, or cannot be read, or take too long. */
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
 * THE MENU: who sees which page. who: 'writer', who may write products; or a role. An item whose page is the present one is marked.
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

/* The menu of the last page has its place from the beginning; the page itself asks the server what the user may do. */
const profile = state(JSON.parse(recall('localStorage', PROFILE) ?? 'null'));

/* found: of readProfile(). */
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
    const isOther = new URLSearchParams(location.search).has('id'); /* to edit a product is not to add one */
    made.pathname === path && !isOther && made.setAttribute('aria-current', 'page');
    return made;
}

/* Shows and hides the panel by a button before it; hides it when the focus leaves the item, which has both, and by Escape. */
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

export const isKnown = state(false); /* whether there is a session */

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

/* What helps with the search is loaded when somebody begins one, which may be before this script has come. */
function helpSearch() {
    const field = document.querySelector('#search input');
    const help = async () => {
        const before = field.value;
        if (connection.value === 'up') {
            field.removeEventListener('focus', help);
            const module = await import('../shop/suggest.js').catch(() => undefined); /* the search works without it */
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
    document.querySelector('[type=search]') ?? top.append(searchForm()); /* a page with a search of its own has no other; the catalogue's is in its HTML */
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

/* leave: signs out. */
export async function showShell(leave) {
    showHeader(leave);
    document.body.append(footer(), bar());
    await Promise.all([STYLES.length > 0 && addStyles(), config.ACCENT && addAccent()]);
    document.documentElement.dataset.ready = '';
}
