/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that act without Ctrl or Alt, the dialog that lists them, and arrow keys in a table. */
import { byId, el, recall, remember } from '../lib/dom.js';
import { hasText, t } from '../lib/text.js';

const OFF = 'keysOff'; /* users who control the computer by speech, or hit keys by accident, can switch the keys off */

const isTyping = ({ target }) => target.matches('textarea, select, input:not([type=checkbox], [type=radio])');

/* Keys of the table, which are listed here but handled below. */
const OTHERS = [
    ['↑ ↓ ← →', 'keys.arrows'],
    ['PageUp', 'keys.pages'],
    ['Enter', 'keys.enter'],
    ['Space', 'keys.select'],
    ['Shift', 'keys.range'],
    ['CtrlA', 'keys.all'],
    ['F2', 'keys.edit'],
    ['Escape', 'keys.escape'],
];

const nameOf = key => (hasText(`key.${key}`) ? t(`key.${key}`) : key);
const line = (key, text) => [el('dt', {}, el('kbd', {}, nameOf(key))), el('dd', {}, t(text))];

/* Handles keys: { key: { text, run } }. The key ? shows the dialog #keys. */
export function listenToKeys(keys) {
    const all = { ...keys, '?': { text: 'keys.help', run: () => byId('keys').showModal() } };
    byId('key-list').append(
        ...Object.entries(all).flatMap(([key, { text }]) => line(key, text)),
        ...OTHERS.flatMap(([key, text]) => line(key, text)),
    );
    byId('show-keys').onclick = all['?'].run;
    byId('keys-on').checked = recall('localStorage', OFF) === null;
    byId('keys-on').onchange = ({ target }) => remember('localStorage', OFF, target.checked ? null : '1');
    addEventListener('keydown', event => {
        const { key, ctrlKey, metaKey, altKey } = event;
        const isFree = !event.defaultPrevented && !ctrlKey && !metaKey && !altKey && !isTyping(event);
        if (Object.hasOwn(all, key) && isFree && byId('keys-on').checked && !document.querySelector('dialog:modal')) {
            event.preventDefault();
            all[key].run();
        }
    });
}

/* ---- a table with arrow keys, like a spreadsheet ---- */

/* Returns the element of a cell that gets the focus: its control, or the cell itself. */
const targetOf = cell => cell.querySelector('button, input[type=checkbox]') ?? cell;
const cellOf = element => element.closest('tbody [data-name]');

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -Infinity], End: [0, Infinity] };

/* Returns the number of rows that fit on the screen, by which PageUp and PageDown move. */
function pageOf({ height }) {
    const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
    const room = innerHeight - (parseFloat(scrollPaddingTop) || 0) - (parseFloat(scrollPaddingBottom) || 0);
    return Math.max(1, Math.floor(room / height) - 1);
}

/* Returns [rows down, columns right], or undefined. */
function stepFor({ key, ctrlKey, metaKey }, row) {
    if (ctrlKey || metaKey) {
        return { Home: [-Infinity, -Infinity], End: [Infinity, Infinity] }[key];
    }
    const page = { PageUp: -1, PageDown: 1 }[key];
    return page ? [page * pageOf(row.getBoundingClientRect()), 0] : STEPS[key];
}

const clamp = (number, most) => Math.min(Math.max(number, 0), most);

function neighbour(cell, [down, right]) {
    const rows = [...cell.closest('tbody').rows];
    const cellsOf = row => [...row.cells].filter(({ hidden }) => !hidden);
    const line = clamp(rows.indexOf(cell.parentElement) + down, rows.length - 1);
    const column = cellsOf(cell.parentElement).indexOf(cell) + right;
    const cells = cellsOf(rows[line]);
    return cells[clamp(column, cells.length - 1)];
}

/*
 * Connects keys to a table. Its cells have data-name, the name of their column, and its rows data-id. Tab reaches one
 * cell of the table, the one that had the focus last. Enter on a cell with the class writable, and F2, call edit(id,
 * name); Space calls toggle(id, isRange), isRange true with Shift; Ctrl+A calls all(). Returns { focus(id, name),
 * current() }; current() returns the id of the row with the focus, or undefined.
 */
export function connectGrid(table, { edit, toggle, all }) {
    const body = table.tBodies[0];

    function makeStop(target) {
        body.querySelectorAll('[tabindex="0"]').forEach(element => (element.tabIndex = -1));
        target.tabIndex = 0;
    }

    /* Makes another cell reachable by Tab if that cell was removed. */
    function keepStop() {
        const first = body.querySelector('[data-name=name]');
        if (first && !body.querySelector('[tabindex="0"]')) {
            targetOf(first).tabIndex = 0;
        }
    }

    function move(cell) {
        makeStop(targetOf(cell));
        targetOf(cell).focus();
    }

    function press(event) {
        const cell = cellOf(event.target);
        if (!cell || event.target.closest('form') || event.altKey) {
            return;
        }
        const step = stepFor(event, cell.parentElement);
        if (step) {
            event.preventDefault();
            move(neighbour(cell, step));
        } else if (event.ctrlKey || event.metaKey) {
            if (event.key === 'a') {
                event.preventDefault();
                all();
            }
        } else if (event.key === ' ' && !event.target.matches('[type=checkbox]')) {
            event.preventDefault();
            toggle(cell.parentElement.dataset.id, event.shiftKey);
        } else if (cell.classList.contains('writable') && (event.key === 'F2' || (event.key === 'Enter' && event.target === cell))) {
            event.preventDefault();
            edit(cell.parentElement.dataset.id, cell.dataset.name);
        }
    }

    body.addEventListener('keydown', press);
    body.addEventListener('focusin', ({ target }) => {
        const cell = cellOf(target);
        if (cell && !target.closest('form')) {
            makeStop(targetOf(cell));
        }
    });
    new MutationObserver(keepStop).observe(body, { childList: true, subtree: true });

    return {
        current: () => document.activeElement.closest?.('tbody [data-id]')?.dataset.id,
        focus(id, name) {
            const row = [...body.rows].find(({ dataset }) => dataset.id === id) ?? body.rows[0];
            const cell = row?.querySelector(`[data-name="${name}"]`);
            cell ? move(cell) : byId('title').focus();
        },
    };
}
