/* SPDX-License-Identifier: Apache-2.0 */
/* Lists whose filters and page are in the address of the page: the controls of the filters, the table, and the links to other parts. */
import { byId, each, el, follow, isPlainClick } from './dom.js';
import { t } from './text.js';

const PAUSE = 250; /* ms without a key, after which the search begins */

/* What is wrong in a control is for the user to see and to correct; the list stays as it was asked for before. */
const isFaulty = control => control.hasAttribute('aria-invalid');

function listen(form, names, address, visit) {
    let pause;
    let isTyping = false; /* the address is that of the text so far, which the next letter replaces */
    const apply = replaces => {
        clearTimeout(pause);
        const typed = name => (isFaulty(form.elements.namedItem(name)) ? address.value[name] : form.elements.namedItem(name).value.trim());
        const values = Object.fromEntries(names.map(name => [name, typed(name)]));
        if (names.some(name => values[name] !== address.value[name])) {
            visit({ ...values, page: 1 }, { replaces });
        }
    };
    form.addEventListener('input', ({ target }) => {
        const isText = target.matches('input:not([type=date])');
        const replaces = isText && isTyping;
        clearTimeout(pause);
        isTyping = isText;
        pause = setTimeout(apply, isText ? PAUSE : 0, replaces);
    });
    form.addEventListener('submit', event => {
        event.preventDefault();
        apply(isTyping);
    });
}

/*
 * Keeps the form's controls of these names and the members of the address, a state, in step. What the user chooses is given to
 * visit({ ...values, page: 1 }, { replaces }); replaces: the address is not to be one to return to.
 */
export function connectFilters(form, names, address, visit) {
    listen(form, names, address, visit);
    follow(() =>
        names.forEach(name => {
            const control = form.elements.namedItem(name);
            if (control.value.trim() !== address.value[name] && !isFaulty(control)) {
                control.value = address.value[name];
            }
        }),
    );
}

/*
 * A table of what items() has, each with an id. columns: the texts of their heads. cells(state of the item): an element for each column;
 * where there is no room for columns, each says what it is.
 */
export function table(attributes, columns, items, cells) {
    const rows = el('tbody');
    each(
        rows,
        items,
        ({ id }) => id,
        item => {
            const made = cells(item);
            made.forEach((cell, i) => (cell.dataset.label = t(columns[i])));
            return el('tr', {}, made);
        },
    );
    return el(
        'table',
        { class: 'table people', ...attributes },
        el('thead', {}, el('tr', {}, columns.map(key => el('th', { scope: 'col' }, t(key))))),
        rows,
    );
}

/* Of a list by page: whether it was counted to its end; and whether a page of so many rows follows this one. */
export const isOpenEnded = ({ totalRelation }) => totalRelation === 'gte';
export const hasNext = ({ data, pagination }) => (isOpenEnded(pagination) ? data.length === pagination.limit : pagination.page < pagination.pages);

/* A link to another part of a list, which the page shows by itself: a click calls turn(). */
export function setLink(link, href, turn) {
    link.href = href;
    link.onclick = event => {
        if (isPlainClick(event)) {
            event.preventDefault();
            turn();
        }
    };
}

/* Sets the link with that id to another page of the list, which has that address; a click calls turn(). */
export function setPageLink(id, exists, href, turn) {
    byId(id).hidden = !exists;
    setLink(byId(id), href, () => {
        turn();
        scrollTo(0, 0);
        byId('title').focus();
    });
}
