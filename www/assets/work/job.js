/* SPDX-License-Identifier: Apache-2.0 */
/* Changes many products in batches. Changes a product only if it still is as the user saw it, and reports the outcome
 * for each product. */
import { call, currentUser, newKey } from '../lib/api.js';
import { bdi, el } from '../lib/dom.js';
import { formatWhole, t } from '../lib/text.js';
import { ask } from '../product/editor.js';
import { complete, differences, FIELDS, isSame, valueIn, valuesOf } from '../product/fields.js';
import { hasSamePictures, readStates } from '../product/store.js';

const PORTION = 100; /* products in a batch, and in a condition that reads them; a server may allow fewer than the
                      * default of 1,000 */

/*
 * An outcome is { seen, now, fault, before }. seen: the product as the user saw it. now: the product as it is now, or
 * null if it was deleted or is not found. fault: undefined, 'changed' by another user, 'gone' before, or 'refused'.
 * before: the replaced values of a changed product, or the whole deleted product.
 */
const isChanged = ({ fault }) => fault === 'changed';

const isNothing = changes => changes !== null && Object.keys(changes).length === 0;

/* Returns no fault if another user has already made the change that the user wants. */
function changedOutcome(seen, now, changesOf) {
    return isNothing(changesOf(now)) ? { seen, now } : { seen, now, fault: 'changed' };
}

/* `now` is a result of readStates(), or undefined if the product was not found. */
function judge(seen, now, changesOf) {
    return now ? changedOutcome(seen, now.product, changesOf) : { seen, now: null, fault: 'gone' };
}

function operationOf({ id }, ifMatch, changes) {
    return changes ? { op: 'update', id, ifMatch, body: changes } : { op: 'delete', id, ifMatch };
}

const isElsewise = ({ status }) => status === 412 || status === 404;

/*
 * Creates a job. changesOf(product) returns the new values of its fields, {} for no change, or null to delete it.
 * run(note) executes the job and resolves to the outcomes. It calls note(number of products processed, total) for each
 * batch. After an error, run() can be called again and continues; a batch sent without an answer is sent again
 * unchanged. prepare() only finds out which products have changed since the user saw them. The job belongs to the user
 * who is signed in now.
 */
export function makeJob(products, changesOf) {
    const owner = currentUser()?.id;
    const outcomes = [];
    const batches = []; /* batches of the changes; undefined where the server keeps no history */
    const portions = [];
    for (let i = 0; i < products.length; i += PORTION) {
        portions.push({ products: products.slice(i, i + PORTION), key: newKey() });
    }

    function prepareOne(seen, now) {
        const changes = changesOf(seen);
        if (isNothing(changes)) {
            return { seen, now: seen };
        }
        const isAsSeen = now && isSame(now.product, seen) && (changes !== null || hasSamePictures(now.product, seen));
        if (!isAsSeen) {
            return judge(seen, now, changesOf);
        }
        return { seen, operation: operationOf(seen, now.tag, changes), before: changes ? valuesOf(seen, Object.keys(changes)) : now.product };
    }

    async function prepareAll(products) {
        const isDeleted = seen => changesOf(seen) === null;
        const states = await readStates(products.filter(seen => !isNothing(changesOf(seen))), products.some(isDeleted), { owner });
        return products.map(seen => prepareOne(seen, states.get(seen.id)));
    }

    /* Resolves to { products, key, found: [outcome or { seen, operation, before }] }. */
    async function preparePortion(portion) {
        portion.found ??= await prepareAll(portion.products);
        return portion;
    }

    /* `results` are those of the operations, in the same order. */
    async function finish(found, results) {
        const sent = found.filter(({ operation }) => operation);
        const states = await readStates(sent.map(({ seen }) => seen).filter((seen, i) => isElsewise(results[i])), false, { owner });
        const outcomeOf = ({ seen, before }, result) => {
            if (isElsewise(result)) {
                return judge(seen, states.get(seen.id), changesOf);
            }
            return result.status < 300 ? { seen, now: result.data ? complete(result.data) : null, before } : { seen, now: seen, fault: 'refused' };
        };
        const judged = new Map(sent.map((one, i) => [one.seen, outcomeOf(one, results[i])]));
        return found.map(one => judged.get(one.seen) ?? one);
    }

    function send({ found, key }, options) {
        const operations = found.map(({ operation }) => operation).filter(Boolean);
        const headers = { 'Idempotency-Key': key };
        return operations.length > 0
            ? call('POST', '/products/batch', { atomic: false, operations }, { owner, headers, ...options })
            : Promise.resolve({ results: [] });
    }

    return {
        /* Returns the batches that undo the changes, or none if the server does not have all of them. */
        batches: () => (batches.every(Boolean) ? batches : []),
        async prepare() {
            for (const portion of portions) {
                await preparePortion(portion);
            }
        },
        async run(note = () => {}) {
            while (portions.length > 0) {
                const portion = await preparePortion(portions[0]);
                const { results, batch } = await send(portion);
                results.some(({ status }) => status < 300) && batches.push(batch);
                outcomes.push(...(await finish(portion.found, results)));
                portions.shift();
                note(outcomes.length, products.length);
            }
            return outcomes;
        },
        /* Sends the prepared batches without waiting, because the user leaves the page. */
        flush() {
            portions.filter(({ found }) => found).forEach(portion => send(portion, { keepalive: true }).catch(() => {}));
        },
    };
}

/* ---- products with faults ---- */

function lines(product, names) {
    return names.map(name => el('div', {}, `${FIELDS[name].label}: `, bdi(FIELDS[name].show(valueIn(product, name)) || t('compare.nothing'))));
}

const pictureLine = ({ images = [] }) => el('div', {}, `${t('product.pictures')}: ${formatWhole(images.length)}`);

/* Returns the content of a cell: the parts of the product that differ from the other version. */
const versionOf = (product, other, names) => [...lines(product, names), !hasSamePictures(product, other) && pictureLine(product)];

function outcomeRow(outcome, changesOf) {
    const { seen, now, fault } = outcome;
    const changes = now && changesOf(now);
    const names = now ? Object.keys({ ...differences(seen, now), ...changes }) : [];
    const next = changes ? lines({ ...now, ...changes }, Object.keys(changes)) : t('job.deleted');
    const isOpen = isChanged(outcome);
    const choose = el('input', { type: 'checkbox', name: 'id', value: seen.id, 'aria-label': t('job.choose', { name: seen.name }) });
    const cells = isOpen ? [versionOf(seen, now, names), versionOf(now, seen, names), next, choose] : [t(`job.${fault}`)];
    const titles = ['job.seen', 'job.now', 'job.next', 'job.apply'];
    return el(
        'tr',
        {},
        el('th', { scope: 'row' }, bdi(seen.name)),
        cells.map((content, i) =>
            el('td', { colspan: isOpen ? undefined : '4', 'data-label': isOpen ? t(titles[i]) : '' }, content),
        ),
    );
}

/*
 * Lists the products with faults. The user may choose to change those that another user has changed. Resolves to the
 * outcomes of the chosen products.
 */
export async function showFaults(outcomes, changesOf) {
    const faulty = outcomes.filter(({ fault }) => fault);
    const hasChoice = faulty.some(isChanged);
    const heads = ['list.name', 'job.seen', 'job.now', 'job.next', 'job.apply'];
    const form = el(
        'form',
        { method: 'dialog' },
        el(
            'table',
            { class: 'table people' },
            el('thead', {}, el('tr', {}, heads.map(key => el('th', { scope: 'col' }, t(key))))),
            el('tbody', {}, faulty.map(outcome => outcomeRow(outcome, changesOf))),
        ),
        el(
            'div',
            { class: 'actions' },
            hasChoice && el('button', { class: 'btn btn-primary', value: 'apply' }, t('job.applyChosen')),
            el('button', { class: 'btn', value: '', autofocus: true }, t(hasChoice ? 'job.leave' : 'users.close')),
        ),
    );
    const dialog = el(
        'dialog',
        { class: 'wide-dialog', 'aria-labelledby': 'faults-title' },
        el('h2', { id: 'faults-title' }, t('job.faults', { n: faulty.length })),
        hasChoice && el('p', {}, t('job.about')),
        form,
    );
    const answer = await ask(dialog);
    const chosen = new FormData(form).getAll('id');
    return answer === 'apply' ? faulty.filter(outcome => isChanged(outcome) && chosen.includes(outcome.seen.id)) : [];
}
