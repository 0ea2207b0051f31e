/* SPDX-License-Identifier: Apache-2.0 */
/* The bars below the table: what can be done with the selected products, and Undo after a deletion. */
import { bdi, byId, el, settle } from '../lib/dom.js';
import { say, showError } from '../lib/page.js';
import { pieces, t } from '../lib/text.js';
import { writeDraft } from '../product/drafts.js';
import { askChange, CHANGES } from './bulk.js';
import { hold, remove, undo, waiting } from './deletion.js';
import { makeJob, showFaults } from './job.js';
import { answer, chosen, listed, load, MOST_SELECTED, select, selectAll, selected, updateSelected } from './list.js';

let page; /* { owner, focus } */

/* Runs the job, tells of its progress, and shows what it could not do. */
async function run(job, changesOf, done) {
    let outcomes;
    try {
        byId('bulk-trouble').replaceChildren();
        outcomes = await job.run(n => say(t('job.progress', { n })));
    } catch (error) {
        showError(byId('bulk-trouble'), error, () => run(job, changesOf, done)).focus();
        load();
        return;
    }
    const gone = outcomes.filter(({ now }) => now === null).map(({ seen }) => seen);
    gone.forEach(({ id }) => writeDraft(page.owner, id, null));
    select(gone, false);
    updateSelected(outcomes.map(({ now }) => now).filter(Boolean));
    const hasFaults = outcomes.some(({ fault }) => fault);
    const n = outcomes.filter(({ fault }) => !fault).length;
    say(n === 0 && hasFaults ? '' : t(done, { n }));
    await load();
    if (hasFaults) {
        const again = await showFaults(outcomes, changesOf);
        again.length > 0 && (await run(makeJob(again.map(({ now }) => now), changesOf), changesOf, done));
    }
}

async function change(kind) {
    const products = chosen();
    const changesOf = await askChange(kind, products);
    changesOf && (await run(makeJob(products, changesOf), changesOf, 'job.changed'));
}

/* The id of the product that gets the focus when these are gone: the next one in the table, or else the last one. */
function heirOf(products) {
    const gone = new Set(products.map(({ id }) => id));
    const stays = ({ id }) => !gone.has(id);
    const first = listed().findIndex(product => !stays(product));
    return (listed().slice(Math.max(first, 0)).find(stays) ?? listed().findLast(stays))?.id;
}

/* Deletes the products, unless the user undoes that. */
export async function removeAll(products) {
    const heir = heirOf(products);
    const column = document.activeElement.closest('[data-name]')?.dataset.name ?? 'name';
    try {
        byId('bulk-trouble').replaceChildren();
        const removal = remove(products, job => run(job, () => null, 'job.removed'));
        settle();
        page.focus(heir, column);
        await removal;
    } catch (error) {
        showError(byId('bulk-trouble'), error, () => removeAll(products)).focus();
    }
}

async function all() {
    try {
        await selectAll();
        settle();
        byId('bulk').querySelector('button:not([hidden])').focus(); /* its own button may have gone */
    } catch (error) {
        showError(byId('bulk-trouble'), error, all).focus();
    }
}

function none() {
    selected.value = new Map();
    settle();
    page.focus(undefined, 'name');
}

/* The buttons stay while other products are selected, so that they keep the focus. */
function bulkBar() {
    const button = (text, onclick, more) => el('button', { type: 'button', class: 'btn', onclick, ...more }, text);
    const count = () => (answer.value ? chosen().length : 0);
    const total = () => answer.value?.pagination.total ?? 0;
    const isAll = () => count() >= MOST_SELECTED || (total() <= count() && answer.value?.pagination.totalRelation !== 'gte');
    return el(
        'div',
        { class: 'bulk', id: 'bulk', role: 'group', 'aria-label': t('bulk.bar'), hidden: () => count() === 0 },
        el('strong', {}, () => t('bulk.selected', { n: count() })),
        button(() => t('bulk.all', { n: Math.min(total(), MOST_SELECTED) }), all, { hidden: isAll }),
        Object.values(CHANGES).map(kind => button(`${t(kind.text)} …`, () => change(kind))),
        button(t('product.delete'), () => removeAll(chosen()), { class: 'btn btn-outline-danger' }),
        button(t('bulk.none'), none),
    );
}

export function undoRemoval() {
    if (waiting.value) {
        const [first] = undo().products;
        say(t('undo.done'));
        settle();
        page.focus(first.id, 'name');
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

/* owner is the user's id; focus(id, column) moves the focus to a product. */
export function showDock(owner, focus) {
    page = { owner, focus };
    const bar = el('div', { class: 'bulk', hidden: () => !waiting.value }, () => waiting.value && undoBar());
    ['pointerenter', 'focusin'].forEach(type => bar.addEventListener(type, () => hold(true)));
    ['pointerleave', 'focusout'].forEach(type => bar.addEventListener(type, () => hold(false)));
    byId('dock').append(bar, bulkBar());
    new ResizeObserver(([{ target }]) => {
        document.documentElement.style.setProperty('--dock', `${target.offsetHeight}px`);
    }).observe(byId('dock'));
}
