/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that products already have: categories, and values of fields whose values are counted. Suggests them while the
 * user types, and points out a value that no product has, because it may be misspelled.
 */
import { read } from '../lib/api.js';
import { el } from '../lib/dom.js';
import { pieces, t } from '../lib/text.js';
import { FIELDS } from './fields.js';

const PAUSE = 250; /* ms without a key */
const MOST = 20; /* number of suggestions */

export const isCounted = name => name === 'category' || FIELDS[name].isFacet;

const fold = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/* Returns the values that begin with the text, ignoring case and accents, or the most frequent values if there is no
 * text. Returns null if the server cannot tell. */
async function findValues(name, prefix) {
    const query = new URLSearchParams({ limit: MOST, ...(prefix ? { prefix } : { sort: '-count' }) });
    const answer = await read(`/fields/${name}/values?${query}`).catch(() => null);
    return answer && answer.data.map(({ value }) => String(value));
}

/*
 * Resolves to '' if products have the value or if that is not known, to the other spelling if products have one, or
 * else to 'new'.
 */
export async function judgeValue(name, value) {
    const values = value === '' ? null : await findValues(name, value);
    if (!values || values.includes(value)) {
        return '';
    }
    return values.find(other => fold(other) === fold(value)) ?? 'new';
}

let lists = 0;

/* Makes the control suggest values while the user types. Returns an element that must be in the page. */
export function suggestValues(name, control) {
    const list = el('datalist', { id: `known-${(lists += 1)}` });
    let pause;
    let asked;
    const ask = async () => {
        const text = control.value.trim();
        if (text !== asked) {
            asked = text;
            const values = (await findValues(name, text)) ?? [];
            asked === text && list.replaceChildren(...values.map(value => el('option', { value })));
        }
    };
    control.setAttribute('list', list.id);
    control.addEventListener('focus', ask);
    control.addEventListener('input', () => {
        clearTimeout(pause);
        pause = setTimeout(ask, PAUSE);
    });
    return list;
}

/* Returns a line below the control that says whether the typed value is new. It offers another existing spelling. */
export function noteNew(name, control) {
    const note = el('p', { class: 'form-text new-value', role: 'status' });
    let pause;
    const take = other => {
        control.value = other;
        control.dispatchEvent(new Event('input', { bubbles: true }));
        control.focus();
    };
    const offer = other => [...pieces('known.other', { value: other }), ' ', el('button', { type: 'button', class: 'link', onclick: () => take(other) }, t('known.take'))];
    const look = async () => {
        const value = control.value.trim();
        const verdict = await judgeValue(name, value);
        if (value === control.value.trim()) {
            note.replaceChildren(...(verdict === '' ? [] : verdict === 'new' ? [t(name === 'category' ? 'known.newCategory' : 'known.new')] : offer(verdict)));
        }
    };
    control.addEventListener('input', () => {
        clearTimeout(pause);
        note.replaceChildren();
        pause = setTimeout(look, PAUSE);
    });
    return note;
}
