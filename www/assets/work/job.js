/* SPDX-License-Identifier: Apache-2.0 */
/* Changes many products, in batches, each product only if it is as the user saw it; and what became of each. */
import { call, currentUser, newKey } from '../lib/api.js';
import { bdi, el } from '../lib/dom.js';
import { formatWhole, t } from '../lib/text.js';
import { ask } from '../product/editor.js';
import { complete, differences, FIELDS, isSame, valueIn, valuesOf } from '../product/fields.js';
import { hasSamePictures, readStates } from '../product/store.js';

const PORTION = 100; /* products in a batch, and in a condition that reads them; the server may allow fewer than the thousand that it allows by default */

/*
 * Outcomes are { seen, now, fault, before }: the product as the user saw it, as it is now (null: deleted, or not to be found), what is wrong:
 * undefined, 'changed' by somebody else, 'gone' before, or 'refused'; and, of one that was changed, what it had before, of a deleted one all.
 */
const isChanged = ({ fault }) => fault === 'changed';

const isNothing = changes => changes !== null && Object.keys(changes).length === 0;

/* What somebody else has changed may be what the user wants. */
function changedOutcome(seen, now, changesOf) {
    return isNothing(changesOf(now)) ? { seen, now } : { seen, now, fault: 'changed' };
}

/* now: as readStates() has found it, undefined if it has not. */
function judge(seen, now, changesOf) {
    return now ? changedOutcome(seen, now.product, changesOf) : { seen, now: null, fault: 'gone' };
}

function operationOf({ id }, ifMatch, changes) {
    return changes ? { op: 'update', id, ifMatch, body: changes } : { op: 'delete', id, ifMatch };
}

const isElsewise = ({ status }) => status === 412 || status === 404;

/*
 * changesOf(product) are the new values of its fields, {}: none; null deletes it. run(note) does it, calls note(number of products done, of all) on
 * the way, and resolves to the outcomes. After an error it can be called again: it goes on, and what was sent without an answer
 * is sent again as it was. prepare() only finds out which products are no longer as the user saw them. It is the work of the user who is signed in
 * now, and of nobody else.
 */
export function makeJob(products, changesOf) {
    const owner = currentUser()?.id;
    const outcomes = [];
    const batches = []; /* of the changes; one is missing where the server keeps no history */
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

    /* { key, found: [outcome or { seen, operation }] } */
    async function preparePortion(portion) {
        portion.found ??= await prepareAll(portion.products);
        return portion;
    }

    /* results: of the operations, in their order. */
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
        /* Those that take the changes back; none if the server does not know all of them. */
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
        /* For a page that is being left: sends what is prepared, and waits for nothing. */
        flush() {
            portions.filter(({ found }) => found).forEach(portion => send(portion, { keepalive: true }).catch(() => {}));
        },
    };
}

/* ---- the products of which something has to be said ---- */

function lines(product, names) {
    return names.map(name => el('div', {}, `${FIELDS[name].label}: `, bdi(FIELDS[name].show(valueIn(product, name)) || t('compare.nothing'))));
}

const pictureLine = ({ images = [] }) => el('div', {}, `${t('product.pictures')}: ${formatWhole(images.length)}`);

/* The product in a cell, as far as it is otherwise than the other one. */
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
 * Lists the products that somebody else has changed, which the user may choose to change all the same, and those that were refused or
 * are gone. Resolves to the outcomes of the chosen ones.
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
