/* SPDX-License-Identifier: Apache-2.0 */
/* Lists whose filters and page are part of the page's address: the controls of the filters, the table, and the links to
 * other pages of the list. */
import { byId, each, el, follow, isPlainClick } from './dom.js';
import { t } from './text.js';

const PAUSE = 250; /* ms without a key after which the search begins */

/* An invalid control does not change the list; the user sees the error and corrects it. */
const isFaulty = control => control.hasAttribute('aria-invalid');

function listen(form, names, address, visit) {
    let pause;
    let isTyping = false; /* true while the address has unfinished text, which the next letter replaces */
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
 * Synchronizes the form's controls of these names with the members of the state `address`. Calls visit({ ...values,
 * page: 1 }, { replaces }) after the user has changed a control. `replaces` is true if the new address must not become
 * a separate entry of the browser's history.
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
 * Returns a table of items(), each with an id. `columns` are the keys of the headings. cells(state of the item) returns
 * an element for each column. On narrow screens each cell shows its heading.
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

/* isOpenEnded returns true if a list by page was not counted to its end; hasNext, if another page follows. */
export const isOpenEnded = ({ totalRelation }) => totalRelation === 'gte';
export const hasNext = ({ data, pagination }) => (isOpenEnded(pagination) ? data.length === pagination.limit : pagination.page < pagination.pages);

/* Sets a link to another page of a list. The page shows it without loading: a click calls turn(). */
export function setLink(link, href, turn) {
    link.href = href;
    link.onclick = event => {
        if (isPlainClick(event)) {
            event.preventDefault();
            turn();
        }
    };
}

/* Sets the link with this id to another page of the list. A click calls turn(). */
export function setPageLink(id, exists, href, turn) {
    byId(id).hidden = !exists;
    setLink(byId(id), href, () => {
        turn();
        scrollTo(0, 0);
        byId('title').focus();
    });
}
