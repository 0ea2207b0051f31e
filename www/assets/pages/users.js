/* SPDX-License-Identifier: Apache-2.0 */
/* For administrators: the users and the audit trail. The page's address has the list, the filters, the page of the list
 * and the user. */
import { call, currentUser, forget } from '../lib/api.js';
import { bdi, byId, el, follow, state } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { connectFilters, hasNext, isOpenEnded, setPageLink, table } from '../lib/list.js';
import { go, loader, say, setTitle, showError, start } from '../lib/page.js';
import { formatTime, hasText, pieces, t } from '../lib/text.js';

const LIMIT = 20; /* rows per page */

/* ---- rows of both lists ---- */

function badges({ emailVerified, locked }) {
    return [
        el('span', { class: emailVerified ? 'badge' : 'badge warn' }, t(emailVerified ? 'users.confirmed' : 'users.unconfirmed')),
        locked && [' ', el('span', { class: 'badge warn' }, t('users.locked'))],
    ];
}

const lastSignIn = ({ lastSignInAt: time }) => (time ? formatTime(time) : t('users.never'));

function userCells(user) {
    const open = () => visit({ ...address.value, user: user.value.id }, { opened: true });
    return [
        el(
            'th',
            { scope: 'row' },
            el('button', { type: 'button', class: 'link', onclick: open }, () => bdi(user.value.username)),
            el('span', { class: 'category' }, () => user.value.email),
        ),
        el('td', {}, () => t(`role.${user.value.role}`)),
        el('td', {}, () => badges(user.value)),
        el('td', {}, () => lastSignIn(user.value)),
        el('td', {}, () => formatTime(user.value.createdAt)),
    ];
}

/* Texts for the fields of a change. */
const FIELDS = {
    role: 'account.role',
    locked: 'users.locked',
    emailVerified: 'users.confirmed',
    email: 'form.email',
    username: 'form.username',
    name: 'key.name',
    expiresAt: 'key.expiry',
};

/* Returns the text of a value. A new account had no value before. */
function changeValue(field, value) {
    if (value === undefined) {
        return '';
    }
    if (typeof value === 'boolean') {
        return t(value ? 'audit.yes' : 'audit.no');
    }
    if (field === 'expiresAt') {
        return formatTime(value);
    }
    return field === 'role' ? t(`role.${value}`) : String(value);
}

function changeText([name, { from, to }]) {
    const field = name in FIELDS ? t(FIELDS[name]) : name;
    const [was, is] = [from, to].map(value => value !== undefined && changeValue(name, value));
    const key = was === false || is === false ? 'audit.set' : 'audit.change'; /* if something has ended, only one
                                                                               * value is known, too */
    return el('div', { class: 'form-text' }, t(key, { field, from: was, to: is === false ? was : is }));
}

function auditCells(entry) {
    const { createdAt, actor, address: client, source, action, target, changes } = entry.value;
    const key = `action.${action}`;
    return [
        el('td', {}, formatTime(createdAt)),
        el(
            'td',
            {},
            bdi(actor),
            el('div', { class: 'form-text' }, source === 'http' ? t('audit.from', { address: client }) : t('audit.ctl')),
        ),
        el('td', {}, hasText(key) ? t(key) : action, Object.entries(changes ?? {}).map(changeText)),
        el('td', {}, bdi(target ?? '')),
    ];
}

/* ---- empty lists ---- */

function noUsers({ q, role }) {
    const key = q && role ? 'users.noneBoth' : q ? 'users.noneText' : 'users.noneRole';
    return pieces(key, { text: bdi(q), role: role && t(`role.${role}`) });
}

function noChanges({ actor, target, action, since }) {
    const names = [actor, target].filter(Boolean);
    if (names.length > 0) {
        return pieces('audit.noneOf', { names: bdi(names.join(', ')) });
    }
    return t(action || since ? 'audit.noneSuch' : 'audit.noneYet');
}

/* ---- the lists ---- */

/* `filters` are the names of the form's controls, and of parameters of the page and of the route. */
const VIEWS = {
    users: {
        path: '/users',
        title: 'shell.users',
        filters: ['q', 'role', 'sort'],
        columns: ['users.user', 'account.role', 'users.state', 'users.lastSignIn', 'account.since'],
        cells: userCells,
        range: 'users.range',
        none: noUsers,
    },
    audit: {
        path: '/audit',
        title: 'audit.title',
        filters: ['actor', 'target', 'action', 'since'],
        columns: ['audit.when', 'audit.who', 'audit.what', 'audit.whom'],
        cells: auditCells,
        range: 'audit.range',
        none: noChanges,
    },
};

const name = new URLSearchParams(location.search).get('view') === 'audit' ? 'audit' : 'users';
const view = VIEWS[name];
const form = byId(name);

const midnight = date => new Date(`${date}T00:00`);

/* Reads the address: { ...filters, page, user }. The texts are '' if not given. `user` is the id of the user in the
 * dialog. */
function readAddress() {
    const query = new URLSearchParams(location.search);
    const given = [...view.filters, 'user'].map(key => [key, (query.get(key) ?? '').trim()]);
    const read = { ...Object.fromEntries(given), page: Math.max(1, Math.floor(Number(query.get('page')) || 1)) };
    return Number.isNaN(midnight(read.since || '2000-01-01').getTime()) ? { ...read, since: '' } : read;
}

function writeAddress({ page, ...texts }) {
    const query = new URLSearchParams(Object.entries(texts).filter(([, text]) => text !== ''));
    if (name !== 'users') {
        query.set('view', name);
    }
    if (page > 1) {
        query.set('page', page);
    }
    return `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
}

function requestPath(asked) {
    const given = view.filters.filter(key => asked[key]).map(key => [key, asked[key]]);
    const query = new URLSearchParams([...given, ['page', asked.page], ['limit', LIMIT]]);
    if (asked.since) {
        query.set('since', midnight(asked.since).toISOString()); /* beginning of the day in the user's time zone */
    }
    return `${view.path}?${query}`;
}

const address = state(readAddress());
const path = state('');
const answer = state(null); /* last answer: { data, pagination } */
const isLoading = state(true);

function visit(next, { replaces = false, opened = false } = {}) {
    history[replaces ? 'replaceState' : 'pushState']({ opened }, '', writeAddress(next));
    address.value = next;
}

/* ---- loading ---- */

const load = loader(
    () => path.value,
    signal => call('GET', path.value, undefined, { signal }),
    found => (answer.value = found && { data: found.data, pagination: found.pagination }),
    isLoading,
    byId('list-trouble'),
);

function withoutFilters() {
    return { ...Object.fromEntries(view.filters.map(key => [key, ''])), user: '', page: 1 };
}

function nothing() {
    const { pagination } = answer.value;
    if (pagination.total > 0) {
        const { page, pages } = pagination;
        const last = () => visit({ ...address.value, page: pages });
        return [
            el('p', {}, t('list.noPage', { page, pages })),
            el('button', { type: 'button', class: 'btn', onclick: last }, t('list.lastPage')),
        ];
    }
    const isFiltered = view.filters.some(key => key !== 'sort' && address.value[key]);
    return [
        el('p', {}, view.none(address.value)),
        isFiltered && el('button', { type: 'button', class: 'btn', onclick: () => visit(withoutFilters()) }, t('list.clear')),
    ];
}

const isEmpty = () => answer.value?.data.length === 0;

function showPosition() {
    if (answer.value === null) {
        byId('pages').hidden = true;
        byId('count').textContent = '';
        return;
    }
    const { data, pagination } = answer.value;
    const { page, pages, total } = pagination;
    const from = (page - 1) * LIMIT + 1;
    byId('pages').hidden = isEmpty() || (pages <= 1 && page <= 1);
    byId('count').textContent = isEmpty() ? '' : t(isOpenEnded(pagination) ? 'audit.rangeOfMore' : view.range, { from, to: from + data.length - 1, n: total });
    byId('position').textContent = t('list.page', { n: page });
    const linkTo = (id, to, exists) => {
        const next = { ...address.value, user: '', page: to };
        setPageLink(id, exists, writeAddress(next), () => visit(next));
    };
    linkTo('previous', page - 1, page > 1);
    linkTo('next', page + 1, hasNext(answer.value));
}

/* ---- choosing a user in the audit trail ---- */

const PAUSE = 200; /* ms without a key after which names are suggested */
const OFFERED = 8;

/* Suggests names of users while the administrator types. Ignores errors. */
function offerNames(input) {
    const names = el('datalist', { id: `${input.name}-names` });
    let pause;
    const offer = async () => {
        const text = input.value.trim();
        const query = new URLSearchParams({ q: text, sort: 'username', limit: OFFERED });
        const { data } = text ? await call('GET', `/users?${query}`).catch(() => ({ data: [] })) : { data: [] };
        if (text === input.value.trim()) {
            names.replaceChildren(...data.map(({ username, email }) => el('option', { value: username }, email)));
        }
    };
    input.after(names);
    input.setAttribute('list', names.id);
    input.addEventListener('input', () => {
        clearTimeout(pause);
        pause = setTimeout(offer, PAUSE);
    });
}

/* ---- the dialog of a user ---- */

const shown = state(null); /* user in the dialog */
const pathOf = ({ id }) => `/users/${encodeURIComponent(id)}`;

async function readUser(id) {
    shown.value = (await call('GET', pathOf({ id }))).data;
}

async function showUser(id) {
    const dialog = byId('user');
    if (!id) {
        dialog.close();
        return;
    }
    try {
        await readUser(id);
        byId('user-status').textContent = '';
        byId('user-trouble').replaceChildren();
        byId('trouble').replaceChildren();
        if (address.value.user === id && !dialog.open) {
            dialog.showModal();
        }
    } catch (error) {
        visit({ ...address.value, user: '' }, { replaces: true });
        showError(byId('trouble'), error).focus(); /* not in the list's place for errors, which the list empties when
                                                    * it has loaded */
    }
}

/* Called after the user has closed the dialog, unless by Back. */
function leaveUser() {
    if (address.value.user && history.state?.opened) {
        history.back();
    } else if (address.value.user) {
        visit({ ...address.value, user: '' }, { replaces: true });
    }
}

const patch = changes => user => call('PATCH', pathOf(user), changes);
const unlock = user => call('POST', `${pathOf(user)}/unlock`);

/* Actions on a user. fits(user) returns true if the action applies. `ends` is true if it ends the user's sessions. */
const ACTIONS = [
    {
        text: 'users.confirm',
        about: 'users.confirmAbout',
        done: 'users.confirmDone',
        fits: user => !user.emailVerified,
        send: patch({ emailVerified: true }),
    },
    {
        text: 'users.unconfirm',
        about: 'users.unconfirmAbout',
        done: 'users.unconfirmDone',
        fits: user => user.emailVerified,
        send: patch({ emailVerified: false }),
        ends: true,
    },
    {
        text: 'users.lock',
        about: 'users.lockAbout',
        done: 'users.lockDone',
        fits: user => !user.locked,
        send: patch({ locked: true }),
        ends: true,
    },
    {
        text: 'users.unlock',
        about: 'users.unlockAbout',
        done: 'users.unlockDone',
        fits: user => user.locked,
        send: unlock,
    },
    {
        text: 'users.lift',
        about: 'users.liftAbout',
        done: 'users.liftDone',
        fits: user => !user.locked,
        send: unlock,
    },
    {
        text: 'users.revoke',
        about: 'users.revokeAbout',
        done: 'users.revokeDone',
        fits: () => true,
        send: user => call('DELETE', `${pathOf(user)}/sessions`),
        ends: true,
    },
];

const isOwn = ({ id }) => id === currentUser()?.id;
let isActing = false; /* prevents a second click from sending again */

async function act({ send, done, ends }) {
    const user = shown.value;
    if (isActing) {
        return;
    }
    isActing = true;
    try {
        await send(user);
        if (ends && isOwn(user)) {
            forget();
            await go('login.html', t('users.ownEnded'));
        }
        await readUser(user.id);
        byId('user-trouble').replaceChildren();
        byId('user-status').textContent = t(done, { name: user.username });
        byId('user-name').focus();
        load();
    } catch (error) {
        byId('user-status').textContent = '';
        showError(byId('user-trouble'), error).focus();
    } finally {
        isActing = false;
    }
}

async function remove() {
    const user = shown.value;
    try {
        await call('DELETE', pathOf(user));
        if (isOwn(user)) {
            forget();
            await go('index.html', t('account.deleted'));
        }
        byId('user').close();
        say(t('users.deleted', { name: user.username }));
        byId('title').focus();
        load();
    } catch (error) {
        byId('user-status').textContent = '';
        showError(byId('user-trouble'), error).focus();
    }
}

function askRemoval() {
    byId('removal-title').replaceChildren(...pieces('users.deleteTitle', { name: bdi(shown.value.username) }));
    byId('removal').returnValue = '';
    byId('removal').showModal();
}

function actionItem({ text, about }, look, run) {
    const id = `${text}-about`;
    return el(
        'li',
        { class: 'list-group-item' },
        el('button', { type: 'button', class: `btn ${look}`, 'aria-describedby': id, onclick: run }, t(text)),
        el('p', { class: 'form-text', id }, t(about)),
    );
}

function facts(user) {
    const { email, createdAt } = user;
    return [
        isOwn(user) && el('p', { class: 'alert alert-warning' }, t('users.own')),
        el(
            'dl',
            {},
            el('dt', {}, t('form.email')),
            el('dd', {}, email),
            el('dt', {}, t('users.state')),
            el('dd', {}, badges(user).flat()),
            el('dt', {}, t('users.lastSignIn')),
            el('dd', {}, lastSignIn(user)),
            el('dt', {}, t('account.since')),
            el('dd', {}, formatTime(createdAt)),
        ),
    ];
}

function fillDialog(user) {
    byId('user-name').replaceChildren(bdi(user.username));
    byId('user-facts').replaceChildren(...facts(user).filter(Boolean));
    byId('new-role').value = user.role;
    byId('change-role').disabled = true;
    byId('history').href = `users.html?view=audit&target=${encodeURIComponent(user.id)}`;
    byId('actions').replaceChildren(
        ...ACTIONS.filter(({ fits }) => fits(user)).map(action => actionItem(action, '', () => act(action))),
        actionItem({ text: 'users.delete', about: 'users.deleteAbout' }, 'btn-outline-danger', askRemoval),
    );
}

function listenToDialog() {
    byId('close').onclick = () => byId('user').close();
    byId('user').onclose = leaveUser;
    byId('removal').onclose = () => byId('removal').returnValue === 'yes' && remove();
    byId('new-role').onchange = ({ target }) => (byId('change-role').disabled = target.value === shown.value.role);
    byId('role').onsubmit = event => {
        event.preventDefault();
        act({ send: patch({ role: byId('new-role').value }), done: 'users.roleDone', ends: true });
    };
    follow(() => shown.value && fillDialog(shown.value));
}

/* ---- invitations ---- */

const inviteChecks = {
    email: rules.email,
    username: (text, ...more) => (text === '' ? '' : rules.username(text, ...more)),
};

/* Invites a user. The server makes a name if none is given. The answer has a link only if the server sends no mails. */
async function invite({ email, username, role }) {
    const body = { email, role, ...(username && { username }) };
    const { data: user, link } = await call('POST', '/users/invite', body);
    byId('invite').reset();
    byId('invited').hidden = !link;
    byId('invite-link').value = link ?? '';
    say(t(link ? 'invite.doneByLink' : 'invite.done', { name: user.username, email: user.email }));
    await load();
}

/* ---- start ---- */

function begin() {
    const rows = table(
        { 'aria-labelledby': 'title', hidden: () => answer.value === null || isEmpty() },
        view.columns,
        () => answer.value?.data ?? [],
        view.cells,
    );
    byId('list').append(rows, el('div', { class: 'nothing', hidden: () => !isEmpty() }, () => isEmpty() && nothing()));
    byId('content').hidden = false;
    form.hidden = false;
    connectFilters(form, view.filters, address, (values, options) => visit({ ...values, user: '' }, options));
    form.querySelectorAll('[data-names]').forEach(offerNames);
    listenToDialog();
    if (name === 'users') {
        byId('inviting').hidden = false;
        manage(byId('invite'), inviteChecks, invite);
    }
    addEventListener('popstate', () => (address.value = readAddress()));
    follow(() => byId('list').setAttribute('aria-busy', isLoading.value));
    follow(showPosition);
    follow(() => (path.value = requestPath(address.value)));
    follow(() => path.value && load());
    follow(() => showUser(address.value.user));
}

byId(`to-${name}`).setAttribute('aria-current', 'page');
byId('title').textContent = t(view.title);
setTitle(t(view.title));
start(begin, { needsAdmin: true });
