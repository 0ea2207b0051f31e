/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that do something without Ctrl or Alt, the dialog that lists them, and the arrow keys in a table. */
import { byId, el, recall, remember } from '../lib/dom.js';
import { hasText, t } from '../lib/text.js';

const OFF = 'keysOff'; /* who speaks to the computer, or touches keys by accident, can switch them off */

const isTyping = ({ target }) => target.matches('textarea, select, input:not([type=checkbox], [type=radio])');

/* Keys of the table, which are described but not handled here. */
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

/* keys: { key: { text, run } }, of which a key such as / is text. ? shows the dialog #keys. */
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

/* ---- a table through which the arrow keys move, as through a sheet ---- */

/* What has the focus in a cell: its control, or the cell. */
const targetOf = cell => cell.querySelector('button, input[type=checkbox]') ?? cell;
const cellOf = element => element.closest('tbody [data-name]');

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -Infinity], End: [0, Infinity] };

/* How many rows PageUp and PageDown move by: as many as there is room for. */
function pageOf({ height }) {
    const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
    const room = innerHeight - (parseFloat(scrollPaddingTop) || 0) - (parseFloat(scrollPaddingBottom) || 0);
    return Math.max(1, Math.floor(room / height) - 1);
}

/* [rows down, columns right], or undefined. */
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
 * Cells have data-name, the name of their column, and rows data-id. Tab reaches one cell of the table, the one that had the focus last.
 * edit(id, name) is called for Enter on a cell that is writable, and for F2; toggle(id, isRange) for Space, isRange with Shift; all() for Ctrl+A.
 * Returns { focus(id, name), current() }, of which current() is the id of the row that has the focus, or undefined.
 */
export function connectGrid(table, { edit, toggle, all }) {
    const body = table.tBodies[0];

    function makeStop(target) {
        body.querySelectorAll('[tabindex="0"]').forEach(element => (element.tabIndex = -1));
        target.tabIndex = 0;
    }

    /* Rows come and go, perhaps with the cell that Tab would reach. */
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
