/* SPDX-License-Identifier: Apache-2.0 */
/* For users who may write products: the batches of changes, newest first, each with a button to undo it. */
import { call, currentUser, watchProducts } from '../lib/api.js';
import { bdi, byId, el, follow, state } from '../lib/dom.js';
import { hasNext, isOpenEnded, setPageLink, table } from '../lib/list.js';
import { loader, say, showError, start } from '../lib/page.js';
import { formatTime, formatWhole, pieces, t } from '../lib/text.js';
import { hasHistory, keptUndo, makeUndo, stopJob } from '../product/batches.js';
import { leftovers } from '../product/leftovers.js';

const LIMIT = 20; /* rows per page */
const COLUMNS = ['audit.when', 'audit.who', 'changes.how', 'changes.rows', 'changes.state'];

const readPage = () => Math.max(1, Math.floor(Number(new URLSearchParams(location.search).get('page')) || 1));
const page = state(readPage());
const answer = state(null); /* { data, pagination } */
const isLoading = state(false);
const running = state(null); /* the running undo: { id of its job or null, done, n } */

const addressOf = number => (number > 1 ? `changes.html?page=${number}` : 'changes.html');

const load = loader(
    () => page.value,
    signal => call('GET', `/changes/batches?limit=${LIMIT}&page=${page.value}`, undefined, { signal }),
    found => (answer.value = found && { data: found.data.map(batch => ({ ...batch, id: batch.batch })), pagination: found.pagination }),
    isLoading,
    byId('list-trouble'),
);

function visit(number) {
    history.pushState(null, '', addressOf(number));
    page.value = number;
}

/* ---- undo ---- */

let chosen; /* batch that the user is asked about */

function askUndo(batch) {
    chosen = batch;
    byId('undo-title').textContent = t('changes.question', { n: batch.rows });
    byId('undo-text').replaceChildren(...pieces('changes.questionText', { time: formatTime(batch.at), name: bdi(nameOf(batch)) }));
    byId('undo').returnValue = '';
    byId('undo').showModal();
}

async function tell({ changed, failed, errors, state: end }) {
    const text = t({ stopped: 'all.stopped', failed: 'all.broken' }[end] ?? 'history.undone', { n: changed });
    byId('left').replaceChildren(...(failed > 0 ? [await leftovers({ failed, errors })] : []));
    await load();
    say(text);
}

/* Undoes changes. `changes` is the argument of makeUndo(). */
async function undo(changes) {
    const { n } = changes;
    const run = makeUndo(currentUser().id, changes);
    const attempt = async () => {
        byId('left').replaceChildren();
        byId('trouble').replaceChildren();
        say('');
        running.value = { id: null, done: 0, n };
        try {
            await tell(await run(note => (running.value = { ...note, n })));
        } catch (error) {
            showError(byId('trouble'), error, attempt).focus();
            load();
        } finally {
            running.value = null;
        }
    };
    await attempt();
}

function progress() {
    const { id, done, n } = running.value;
    const stop = () => stopJob(id).catch(error => showError(byId('trouble'), error, stop));
    return [
        el('p', {}, t('batch.undoing', { n })),
        el('progress', { max: n, value: Math.min(done, n), 'aria-label': t('all.running') }),
        el('p', {}, t('all.progress', { done: Math.min(done, n), n })),
        id && el('p', { class: 'actions' }, el('button', { type: 'button', class: 'btn', onclick: stop }, t('all.stop'))),
    ].filter(Boolean);
}

/* ---- the list ---- */

const SOURCES = { request: 'changes.request', batch: 'changes.batch', import: 'changes.import', undo: 'changes.undoing', catalogctl: 'changes.catalogctl' };

const nameOf = ({ by }) => by?.username ?? by?.id ?? t('audit.ctl');
const howOf = ({ source }) => t(SOURCES[source]);

function undoButton(batch) {
    const label = t('changes.undo', { n: batch.rows, time: formatTime(batch.at) });
    const disabled = () => running.value !== null;
    return el('button', { type: 'button', class: 'btn', 'aria-label': label, disabled, onclick: () => askUndo(batch) }, t('undo.undo'));
}

function cells(batch) {
    return [
        el('td', {}, () => formatTime(batch.value.at)),
        el('td', {}, () => bdi(nameOf(batch.value))),
        el('td', {}, () => howOf(batch.value)),
        el('td', {}, () => formatWhole(batch.value.rows)),
        el('td', {}, () => (batch.value.undone ? el('span', { class: 'badge' }, t('changes.undone')) : undoButton(batch.value))),
    ];
}

const isEmpty = () => answer.value?.data.length === 0;

function showPosition() {
    const { pagination, data } = answer.value ?? { pagination: {}, data: [] };
    const { page: number = 1, pages = 1, total } = pagination;
    const from = (number - 1) * LIMIT + 1;
    const range = isOpenEnded(pagination) ? 'audit.rangeOfMore' : 'audit.range';
    const before = isOpenEnded(pagination) ? number - 1 : Math.min(number - 1, pages);
    byId('pages').hidden = pages <= 1 && number <= 1;
    byId('count').textContent = data.length > 0 ? t(range, { from, to: from + data.length - 1, n: total }) : '';
    byId('position').textContent = t('list.page', { n: number });
    setPageLink('previous', number > 1, addressOf(before), () => visit(before));
    setPageLink('next', answer.value !== null && hasNext(answer.value), addressOf(number + 1), () => visit(number + 1));
}

start(
    async () => {
        if (!(await hasHistory())) {
            byId('list-trouble').replaceChildren(el('p', { class: 'alert alert-warning' }, t('changes.off')));
            byId('content').hidden = false;
            return;
        }
        const rows = table({ 'aria-labelledby': 'title', hidden: () => answer.value === null || isEmpty() }, COLUMNS, () => answer.value?.data ?? [], cells);
        byId('list').replaceChildren(rows, el('p', { class: 'nothing', hidden: () => !isEmpty() }, t('changes.none')));
        byId('content').hidden = false;
        byId('undo').onclose = () => byId('undo').returnValue === 'yes' && undo({ batches: [chosen.batch], n: chosen.rows });
        addEventListener('popstate', () => (page.value = readPage()));
        watchProducts(load);
        follow(() => byId('list').setAttribute('aria-busy', isLoading.value));
        follow(showPosition);
        follow(() => byId('running').replaceChildren(...(running.value ? progress() : [])));
        follow(() => page.value && load());
        const kept = keptUndo(currentUser().id); /* begun by this page before a reload, or by another page */
        kept && undo(kept);
    },
    { needsWriter: true },
);
