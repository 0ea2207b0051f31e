/* SPDX-License-Identifier: Apache-2.0 */
/* The bars below the table: what can be done with the selected products, and Undo after a deletion. */
import { bdi, byId, el, settle } from '../lib/dom.js';
import { say, showError } from '../lib/page.js';
import { pieces, t } from '../lib/text.js';
import { writeDraft } from '../product/drafts.js';
import { askChange, CHANGES } from './bulk.js';
import { hold, remove, undo, waiting } from './deletion.js';
import { makeJob, showFaults } from './job.js';
import { answer, chosen, load, MOST_SELECTED, select, selectAll, selected, updateSelected } from './list.js';

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

/* Deletes the products, unless the user undoes that. */
export async function removeAll(products) {
    try {
        byId('bulk-trouble').replaceChildren();
        await remove(products, job => run(job, () => null, 'job.removed'));
    } catch (error) {
        showError(byId('bulk-trouble'), error, () => removeAll(products)).focus();
    }
}

async function all() {
    try {
        await selectAll();
    } catch (error) {
        showError(byId('bulk-trouble'), error, all).focus();
    }
}

function bulkButtons(n) {
    const button = (text, onclick, look = '') => el('button', { type: 'button', class: `btn ${look}`, onclick }, text);
    const { total, totalRelation } = answer.value.pagination;
    const isMore = total > n || totalRelation === 'gte';
    return [
        el('strong', {}, t('bulk.selected', { n })),
        isMore && n < MOST_SELECTED && button(t('bulk.all', { n: Math.min(total, MOST_SELECTED) }), all),
        Object.values(CHANGES).map(kind => button(`${t(kind.text)} …`, () => change(kind))),
        button(t('product.delete'), () => removeAll(chosen()), 'btn-outline-danger'),
        button(t('bulk.none'), () => (selected.value = new Map())),
    ];
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
    const count = () => (answer.value ? chosen().length : 0);
    const bulk = el('div', { class: 'bulk', role: 'group', 'aria-label': t('bulk.bar'), hidden: () => count() === 0 }, () =>
        count() > 0 ? bulkButtons(count()) : undefined,
    );
    const bar = el('div', { class: 'bulk', hidden: () => !waiting.value }, () => waiting.value && undoBar());
    ['pointerenter', 'focusin'].forEach(type => bar.addEventListener(type, () => hold(true)));
    ['pointerleave', 'focusout'].forEach(type => bar.addEventListener(type, () => hold(false)));
    byId('dock').append(bar, bulk);
}
