/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of all matching products, as the user sees them. First the server counts, and the page describes in a
 * sentence what will change and whether it can be undone. Then the page shows the progress.
 */
import { call } from '../lib/api.js';
import { bdi, byId, el, follow, saveFile, state } from '../lib/dom.js';
import { say, showError } from '../lib/page.js';
import { formatNumber, formatPrice, t } from '../lib/text.js';
import { hasHistory } from '../product/batches.js';
import { FIELDS } from '../product/fields.js';
import { noteChange } from '../product/history.js';
import { begin, check, giveUp, resume, running, stop } from './change.js';
import { sentenceOf } from './undo.js';

const FILE_PATIENCE = 120_000; /* ms to wait for a file of a million rows */
const IN_SHORT = 60; /* characters of a value in a sentence */
const NAMED = 20; /* unchanged products that are named */

/* ---- describing a request ---- */

function adjustedAbout({ percent, add }, n) {
    const by = percent ?? add;
    const key = `all.${percent === undefined ? 'amount' : 'percent'}${by < 0 ? 'Down' : 'Up'}`;
    return { key, values: { n, by: percent === undefined ? formatPrice(Math.abs(by)) : formatNumber(Math.abs(by)) } };
}

/* Describes a change of a number other than the price. */
function raisedAbout(name, { percent, add }, n) {
    const by = formatNumber(Math.abs(percent ?? add));
    const key = (percent ?? add) < 0 ? 'all.lowered' : 'all.raised';
    return { key, values: { n, field: FIELDS[name].label, by: percent === undefined ? by : `${by} %` } };
}

/* Shortens a text that would be too long for the sentence. */
const inShort = text => (text.length > IN_SHORT ? `${text.slice(0, IN_SHORT)} …` : text);

function setAbout(name, value, n) {
    const { label, show } = FIELDS[name];
    return value === null ? { key: 'all.cleared', values: { n, field: label } } : { key: 'all.set', values: { n, field: label, value: inShort(show(value)) } };
}

/* Returns { key, values } of the sentence that describes the request. */
function aboutOf({ set, adjust, delete: isDeletion }, n) {
    if (isDeletion) {
        return { key: 'all.delete', values: { n } };
    }
    const [[name, wanted]] = Object.entries(adjust ?? set);
    if (adjust) {
        return name === 'price' ? adjustedAbout(wanted, n) : raisedAbout(name, wanted, n);
    }
    if (name === 'inStock') {
        return { key: wanted ? 'all.inStock' : 'all.soldOut', values: { n } };
    }
    if (name === 'category') {
        return { key: wanted ? 'all.category' : 'all.uncategorized', values: { n, category: wanted } };
    }
    return setAbout(name, wanted, n);
}

/* ---- the question ---- */

/* Makes the browser save the present values of the products as a file for the import page. */
async function saveValues({ where, set, adjust }) {
    const fields = [...Object.keys(set ?? {}), ...Object.keys(adjust ?? {})];
    const query = new URLSearchParams([['format', 'csv'], ...(fields.length > 0 ? [['fields', ['id', 'name', ...fields].join()]] : [])]);
    const options = { asText: true, headers: { Accept: 'text/csv' }, patience: FILE_PATIENCE };
    const { text } = await call('GET', `/products/export?${query}${where && '&'}${where}`, undefined, options);
    saveFile(new Blob([text], { type: 'text/csv' }), `${t('all.file')}.csv`);
}

function saveButton(request, trouble) {
    const save = () => saveValues(request).catch(error => showError(trouble, error, save));
    return el('button', { type: 'button', class: 'btn', onclick: save }, t('all.save'));
}

/* isKept is true if the server keeps a history and can undo the change. */
function outlook(request, { result, isKept }, trouble) {
    const { changed, unchanged, failed } = result;
    const undoKey = request.delete ? 'all.deletedForGood' : 'all.final';
    return [
        el('p', {}, el('strong', {}, changed > 0 ? sentenceOf(aboutOf(request, changed)) : t('all.nothing'))),
        unchanged > 0 && el('p', {}, t('all.unchanged', { n: unchanged })),
        failed > 0 && el('p', {}, t('all.failed', { n: failed })),
        changed > 0 && isKept && el('p', {}, t('all.undoable')),
        changed > 0 && !isKept && [el('p', {}, t(undoKey)), el('p', {}, saveButton(request, trouble))],
    ];
}

/* Asks the user. Resolves to the result that the change would have, or to null if the user does not want it. */
async function ask(owner, request) {
    const found = state(null);
    const counted = state(0);
    let job; /* job that counts */
    const trouble = el('div');
    const content = () => (found.value ? outlook(request, found.value, trouble) : t(counted.value > 0 ? 'all.counted' : 'all.counting', { n: counted.value }));
    const isWanted = () => found.value?.result.changed > 0;
    const dialog = el(
        'dialog',
        { 'aria-labelledby': 'all-title' },
        el('h2', { id: 'all-title' }, t(request.delete ? 'all.deleteTitle' : 'all.title')),
        trouble,
        el('div', { role: 'status' }, content),
        el(
            'form',
            { method: 'dialog', class: 'actions' },
            el('button', { class: request.delete ? 'btn btn-danger' : 'btn btn-primary', value: 'yes', hidden: () => !isWanted() }, () =>
                t(request.delete ? 'all.deleteNow' : 'all.apply', { n: found.value?.result.changed ?? 0 }),
            ),
            el('button', { class: 'btn', value: '', autofocus: true }, t('edit.cancel')),
        ),
    );
    const count = async () => {
        try {
            const note = ({ id, matched }) => {
                job = id;
                counted.value = matched;
            };
            const [result, isKept] = await Promise.all([check(owner, request, note), hasHistory().catch(() => false)]);
            found.value = { result, isKept };
        } catch (error) {
            showError(trouble, error, count);
        }
    };
    document.body.append(dialog);
    dialog.showModal();
    count();
    await new Promise(resolve => dialog.addEventListener('close', resolve));
    dialog.remove();
    job && !found.value && giveUp(job);
    return dialog.returnValue === 'yes' ? found.value.result : null;
}

/* ---- the end ---- */

/* Shows a warning with the names of products. */
export function showList(text, products) {
    const names = products.slice(0, NAMED).map(({ name }) => el('li', {}, bdi(name)));
    byId('bulk-trouble').replaceChildren(
        el('div', { class: 'alert alert-warning', role: 'alert' }, el('p', {}, text), el('ul', { class: 'reasons' }, names)),
    );
}

/* `errors` are those of products that would have become invalid. */
async function showLeft(n, errors) {
    const ids = [...new Set(errors.map(({ id }) => id))].slice(0, NAMED);
    const { data } = await call('GET', `/products?id[in]=${ids}&fields=id,name&limit=${NAMED}`).catch(() => ({ data: [] }));
    showList(t('all.left', { n }), data);
}

/* Reports the end of a change. The argument is a result of begin(). */
function tell({ about, result: { changed, failed, errors, batch, state: end } }) {
    const isDeletion = about.key === 'all.delete';
    const done = { stopped: 'all.stopped', failed: 'all.broken' }[end] ?? (isDeletion ? 'job.removed' : 'job.changed');
    say(t(done, { n: changed }));
    failed > 0 && showLeft(failed, errors);
    if (changed > 0) {
        noteChange({ about: { key: about.key, values: { ...about.values, n: changed } }, items: [], batches: batch ? [batch] : [], said: t(done, { n: changed }) });
    }
}

/* `promise` is a result of begin() or of a function of resume(). */
async function see(promise, ended) {
    try {
        const kept = await promise;
        kept && tell(kept); /* otherwise another tab has reported the end */
    } catch (error) {
        showError(byId('bulk-trouble'), error).focus();
    }
    ended();
}

/* Asks for a change of all matching products and makes it. Calls ended() at the end, also after an error. */
export async function changeMatching(owner, request, ended) {
    const wanted = await ask(owner, request);
    if (wanted) {
        byId('bulk-trouble').replaceChildren();
        say('');
        await see(begin(owner, request, { n: wanted.matched, about: aboutOf(request, wanted.changed) }), ended);
    }
}

/* Continues changes that were begun before, one after the other. */
export async function resumeMatching(owner, ended) {
    for (const goOn of resume(owner)) {
        await see(goOn(), ended);
    }
}

function progress() {
    const { about, n, done, id } = running.value;
    const bar = el('progress', { max: n, 'aria-label': t('all.running') });
    follow(() => done.value === null || (bar.value = Math.min(done.value, n)));
    const halt = () => stop().catch(error => showError(byId('bulk-trouble'), error, halt));
    return [
        el('span', { class: 'grows' }, sentenceOf(about)),
        el('span', { class: 'far' }, () => (done.value === null ? t('all.running') : t('all.progress', { done: Math.min(done.value, n), n }))),
        id && el('button', { type: 'button', class: 'btn', onclick: halt }, t('all.stop')),
        bar,
    ];
}

export function progressBar() {
    return el('div', { class: 'bulk', id: 'progress', hidden: () => !running.value }, () => running.value && progress());
}
