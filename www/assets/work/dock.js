/* SPDX-License-Identifier: Apache-2.0 */
/* The bars below the table: actions for the selected products, Undo, and the progress of a change. */
import { bdi, byId, el, follow, flush, state } from '../lib/dom.js';
import { say, showError } from '../lib/page.js';
import { pieces, t } from '../lib/text.js';
import { keptUndo, makeUndo } from '../product/batches.js';
import { writeDraft } from '../product/drafts.js';
import { dropChange, history, noteChange } from '../product/history.js';
import { leftovers } from '../product/leftovers.js';
import { readStates } from '../product/store.js';
import { askChange, askField, CHANGES } from './bulk.js';
import { running, runUndo } from './change.js';
import { hold, remove, undo, waiting } from './deletion.js';
import { makeJob, showFaults } from './job.js';
import {
    answer,
    chooseNone,
    chosen,
    countMatching,
    isCounted,
    listed,
    load,
    matching,
    MOST_SELECTED,
    select,
    selectAll,
    updateSelected,
} from './list.js';
import { changeMatching, progressBar, resumeMatching, showList } from './matching.js';
import { isBusy, listHistory, newest, takeBack } from './undo.js';

let page; /* the arguments of showDock() */

/* ---- changes of products that the page has loaded ---- */

/* Records a change. It can be undone by the batches or, without them, from the earlier values of the products. */
function noteOutcomes(outcomes, done, batches) {
    const items = outcomes.filter(({ before }) => before).map(({ before, now }) => ({ before, now }));
    const values = items.length === 1 ? { n: 1, name: (items[0].now ?? items[0].before).name } : { n: items.length };
    const about = { key: items.length === 1 && done === 'job.removed' ? 'undo.one' : done, values };
    items.length > 0 && noteChange({ about, items: batches.length > 0 ? [] : items, batches, said: t(done, { n: outcomes.filter(({ fault }) => !fault).length }) });
}

/* Runs the job, reports its progress, and shows what it could not do. Calls finished() when it has run, possibly only
 * after another attempt. */
async function run({ job, changesOf, done, finished = () => {} }) {
    let outcomes;
    try {
        byId('bulk-trouble').replaceChildren();
        outcomes = await job.run((n, total) => say(t('job.progress', { done: n, n: total })));
    } catch (error) {
        showError(byId('bulk-trouble'), error, () => run({ job, changesOf, done, finished })).focus();
        load();
        return;
    }
    finished();
    const gone = outcomes.filter(({ now }) => now === null).map(({ seen }) => seen);
    gone.forEach(({ id }) => writeDraft(page.owner, id, null));
    select(gone, false);
    updateSelected(outcomes.map(({ now }) => now).filter(Boolean));
    const hasFaults = outcomes.some(({ fault }) => fault);
    const n = outcomes.filter(({ fault }) => !fault).length;
    noteOutcomes(outcomes, done, job.batches());
    say(n === 0 && hasFaults ? '' : t(done, { n }));
    await load();
    if (hasFaults) {
        const again = await showFaults(outcomes, changesOf);
        again.length > 0 && (await run({ job: makeJob(again.map(({ now }) => now), changesOf), changesOf, done }));
    }
}

/* Returns the id of the product that gets the focus when these are gone: the next one in the table, or else the last
 * one. */
function heirOf(products) {
    const gone = new Set(products.map(({ id }) => id));
    const stays = ({ id }) => !gone.has(id);
    const first = listed().findIndex(product => !stays(product));
    return (listed().slice(Math.max(first, 0)).find(stays) ?? listed().findLast(stays))?.id;
}

/* Deletes the products unless the user undoes that. */
export async function removeAll(products) {
    const heir = heirOf(products);
    const column = document.activeElement.closest('[data-name]')?.dataset.name ?? 'name';
    try {
        byId('bulk-trouble').replaceChildren();
        const removal = remove(products, job => run({ job, changesOf: () => null, done: 'job.removed' }));
        flush();
        page.focus(heir, column);
        await removal;
    } catch (error) {
        showError(byId('bulk-trouble'), error, () => removeAll(products)).focus();
    }
}

/* ---- actions for the selection ---- */

/* Ends a change of all matching products. They may not match any more, so the selection is cleared. */
function endMatching() {
    chooseNone();
    load();
}

/* `request` is the change without the conditions. */
function changeAll(request) {
    return changeMatching(page.owner, { where: matching.value.where, ...request }, endMatching);
}

/* Reads the products with the fields that lists omit. */
async function readWhole(products) {
    const states = await readStates(products, true);
    return products.map(product => ({ ...states.get(product.id)?.product, ...product }));
}

async function change(kind) {
    const products = matching.value ? listed() : kind.isDetail ? await readWhole(chosen()) : chosen();
    const wanted = await askChange(kind, products, matching.value?.n);
    if (wanted && matching.value) {
        await changeAll(wanted.request);
    } else if (wanted) {
        const { changesOf } = wanted;
        await run({ job: makeJob(products, changesOf), changesOf, done: 'job.changed' });
    }
}

async function changeOther() {
    const kind = await askField();
    const attempt = () => change(kind).catch(error => showError(byId('bulk-trouble'), error, attempt).focus());
    kind && (await attempt());
}

const removeSelected = () => (matching.value ? changeAll({ delete: true }) : removeAll(chosen()));

async function all() {
    try {
        await selectAll();
        flush();
        [...byId('bulk').querySelectorAll('button')].find(button => button.checkVisibility()).focus(); /* the button
                                                                                                        * for all may
                                                                                                        * be hidden
                                                                                                        * now */
    } catch (error) {
        showError(byId('bulk-trouble'), error, all).focus();
    }
}

function none() {
    chooseNone();
    flush();
    page.focus(undefined, 'name');
}

/* The buttons remain while the selection changes, so that they keep the focus. On a phone, the buttons of the changes
 * open above the bar. */
function bulkBar() {
    const button = (text, onclick, more) => el('button', { type: 'button', class: 'btn', onclick, ...more }, text);
    const count = () => (answer.value ? (matching.value?.n ?? chosen().length) : 0);
    const isAll = () => matching.value !== null || answer.value?.pagination.from !== undefined || (isCounted() && countMatching() <= chosen().length);
    const allText = () => (isCounted() || countMatching() < MOST_SELECTED ? t('bulk.all', { n: countMatching() }) : t('bulk.allMatching'));
    const text = () => t(matching.value ? 'bulk.matching' : 'bulk.selected', { n: count() });
    const isOpen = state(false);
    follow(() => count() === 0 && (isOpen.value = false));
    const turn = () => (isOpen.value = !isOpen.value);
    const run = action => () => {
        isOpen.value = false;
        action();
    };
    return el(
        'div',
        { class: 'bulk', id: 'bulk', role: 'group', 'aria-label': t('bulk.bar'), hidden: () => count() === 0 || running.value !== null },
        el('strong', { class: 'grows' }, text),
        button(t('bulk.change'), turn, { class: 'btn phone-bar', 'aria-expanded': () => String(isOpen.value), 'aria-controls': 'bulk-actions' }),
        el(
            'div',
            { id: 'bulk-actions', class: () => (isOpen.value ? 'open' : '') },
            button(allText, all, { hidden: isAll }),
            Object.values(CHANGES).map(kind => button(`${kind.label} …`, run(() => change(kind)))),
            button(t('bulk.other'), run(changeOther)),
            button(t('product.delete'), run(removeSelected), { class: 'btn btn-outline-danger' }),
        ),
        button(t('bulk.clear'), none, { 'aria-label': t('bulk.none') }),
    );
}

/* ---- undo ---- */

function undoRemoval() {
    const [first] = undo().products;
    say(t('undo.done'));
    flush();
    page.focus(first.id, 'name');
}

function tellRestored(change, { stored, refused }) {
    const text = stored.length > 0 ? t('history.restored', { n: stored.length }) : '';
    dropChange(change);
    refused.length > 0 && showList(t('history.refused', { n: refused.length }), refused);
    stored.length > 0 && noteChange({ about: { key: 'history.restored', values: { n: stored.length } }, items: stored.map(now => ({ before: null, now })), said: text });
    say(text);
    load();
}

/* Loads the selected products again, so that they are not compared with their state before the undo. */
async function refreshSelected() {
    const products = chosen();
    const states = await readStates(products).catch(() => new Map());
    select(products.filter(({ id }) => !states.has(id)), false);
    updateSelected([...states.values()].map(({ product }) => product));
}

async function tellUndone(change, { changed, failed, errors, batches, state: end }) {
    const text = t({ stopped: 'all.stopped', failed: 'all.broken' }[end] ?? 'history.undone', { n: changed });
    end === 'done' && dropChange(change);
    failed > 0 && byId('bulk-trouble').replaceChildren(await leftovers({ failed, errors }));
    batches.length > 0 && noteChange({ about: { key: 'history.undone', values: { n: changed } }, items: [], batches, said: text });
    await refreshSelected();
    await load();
    say(changed > 0 || failed === 0 ? text : '');
}

/* Lets the server undo the batches. `kept` is an undo that was begun before. */
async function undoBatches(change, kept = { batches: change.batches, n: change.about.values.n ?? 1 }) {
    const undo = makeUndo(page.owner, kept);
    const attempt = async () => {
        try {
            byId('bulk-trouble').replaceChildren();
            say('');
            await tellUndone(change, await runUndo(undo, kept.n));
        } catch (error) {
            error.problem === 'batch-undone' && dropChange(change);
            showError(byId('bulk-trouble'), error, attempt).focus();
        }
    };
    await attempt();
}

/* Continues an undo that was begun before a reload or by another page. */
async function resumeUndo() {
    const kept = keptUndo(page.owner);
    const isOf = ({ batches = [] }) => batches.includes(kept.batches.at(-1));
    kept && (await undoBatches(history.value.find(isOf) ?? {}, kept));
}

async function undoChange(change) {
    const finished = () => dropChange(change);
    byId('history-choice').open = false;
    try {
        await takeBack(change, {
            undo: () => undoBatches(change),
            restored: outcome => tellRestored(change, outcome),
            run: way => run({ ...way, finished }),
        });
    } catch (error) {
        showError(byId('bulk-trouble'), error, () => undoChange(change)).focus();
    }
}

/* Undoes the pending deletion or the last change. */
export function undoLast() {
    const last = newest();
    if (waiting.value) {
        undoRemoval();
    } else if (last && !isBusy(last)) {
        undoChange(last);
    }
}

function undoBar() {
    const { products, left } = waiting.value;
    const [{ name }] = products;
    const text = products.length > 1 ? t('undo.many', { n: products.length }) : pieces('undo.one', { name: bdi(name) });
    return [
        el('span', { class: 'grows', role: 'status' }, text),
        el('span', { role: 'timer' }, () => t('undo.left', { n: left.value })),
        el('button', { type: 'button', class: 'btn', onclick: undoRemoval }, t('undo.undo')),
    ];
}

/* Shows the Undo button next to the status line while the line reports the last change. */
function followStatus() {
    const status = byId('status');
    const show = () => {
        const last = newest();
        byId('undo-last').hidden = !last?.said || last.said !== status.textContent;
    };
    new MutationObserver(show).observe(status, { childList: true });
    byId('undo-last').onclick = undoLast;
}

/* Keeps the focused element in the part of the screen that the bars and the table's head leave free. */
function watchSizes() {
    const watch = (name, element) =>
        new ResizeObserver(() => {
            document.documentElement.style.setProperty(name, `${element.offsetHeight}px`);
            document.activeElement.closest('#list tbody') && document.activeElement.scrollIntoView({ block: 'nearest' });
        }).observe(element);
    watch('--dock', byId('dock'));
    watch('--head', document.querySelector('.work thead'));
}

/* `owner` is the user's id. focus(id, column) moves the focus to a product. */
export function showDock(owner, focus) {
    page = { owner, focus };
    const bar = el('div', { class: 'bulk', hidden: () => !waiting.value }, () => waiting.value && undoBar());
    ['pointerenter', 'focusin'].forEach(type => bar.addEventListener(type, () => hold(true)));
    ['pointerleave', 'focusout'].forEach(type => bar.addEventListener(type, () => hold(false)));
    byId('dock').append(bar, progressBar(), bulkBar());
    followStatus();
    listHistory(undoChange);
    watchSizes();
    resumeMatching(owner, endMatching).then(resumeUndo);
}
