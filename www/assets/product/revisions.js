/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a product, loaded when the user opens it: the effect of each change, and a button to restore the state
 * before it. */
import { call } from '../lib/api.js';
import { bdi, el } from '../lib/dom.js';
import { say, showError } from '../lib/page.js';
import { formatTime, formatWhole, t } from '../lib/text.js';
import { ask } from './editor.js';
import { FIELDS } from './fields.js';
import { pathOf } from './store.js';

const LIMIT = 20; /* changes per request */

const OPERATIONS = { create: 'past.created', update: 'past.updated', delete: 'past.deleted' };
const LEFT_OUT = ['createdAt'];

const labelOf = name => (name === 'images' ? t('product.pictures') : (FIELDS[name]?.label ?? name));

function textOf(name, value) {
    if (value === undefined || value === null) {
        return t('compare.nothing');
    }
    if (name === 'images') {
        return formatWhole(value.length);
    }
    return (FIELDS[name] ? FIELDS[name].show(value) : JSON.stringify(value)) || t('compare.nothing');
}

function changeLine([name, { from, to }]) {
    const now = bdi(textOf(name, to));
    return el('li', {}, bdi(labelOf(name)), ': ', from === undefined ? now : [bdi(textOf(name, from)), ' → ', now]);
}

function askRestore({ at }) {
    const button = (value, key, look = '') => el('button', { class: `btn ${look}`, value, autofocus: value === '' }, t(key));
    return ask(
        el(
            'dialog',
            { 'aria-labelledby': 'restore-title' },
            el('h2', { id: 'restore-title' }, t('past.question')),
            el('p', {}, t('past.questionText', { time: formatTime(at) })),
            el('form', { method: 'dialog', class: 'actions' }, button('yes', 'past.restore', 'btn-primary'), button('', 'edit.cancel')),
        ),
    );
}

/* Returns the section. `id` is that of the product. restored() is called after the user has restored a state. */
export function makeRevisions(id, restored) {
    const trouble = el('div');
    const list = el('ol', { class: 'list-group past' });
    const more = el('button', { type: 'button', class: 'btn', hidden: true }, t('past.more'));
    const section = el('details', { id: 'past' }, el('summary', {}, t('past.title')), trouble, list, el('p', {}, more));

    async function restore(entry) {
        if ((await askRestore(entry)) !== 'yes') {
            return;
        }
        try {
            await call('POST', `${pathOf(id)}/restore`, { seq: entry.seq });
            await restored();
            await load(1);
            say(t('past.restored'));
        } catch (error) {
            showError(trouble, error, () => restore(entry)).focus();
        }
    }

    function item(entry) {
        const { at, by, op, changes, seq } = entry;
        const lines = Object.entries(changes).filter(([name]) => !LEFT_OUT.includes(name)).map(changeLine);
        const label = t('past.restoreOf', { time: formatTime(at) });
        const button = op !== 'create' && seq && el('button', { type: 'button', class: 'btn', 'aria-label': label, onclick: () => restore(entry) }, t('past.restore'));
        return el(
            'li',
            { class: 'list-group-item' },
            el('p', {}, el('strong', {}, el('time', { datetime: at }, formatTime(at))), ' · ', bdi(by?.username ?? by?.id ?? t('audit.ctl')), ' · ', t(OPERATIONS[op])),
            el('ul', { class: 'reasons' }, lines),
            button,
        );
    }

    async function load(page) {
        try {
            trouble.replaceChildren();
            const { data, pagination } = await call('GET', `${pathOf(id)}/history?limit=${LIMIT}&page=${page}`);
            page === 1 && list.replaceChildren();
            list.append(...data.map(item));
            more.hidden = page >= pagination.pages;
            more.onclick = () => load(page + 1);
        } catch (error) {
            showError(trouble, error, () => load(page), true);
        }
    }

    section.addEventListener('toggle', () => section.open && load(1));
    return section;
}
