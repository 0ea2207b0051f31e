/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of all matching products, made by the server. The browser stores a request until its end is known, so that
 * the page continues after an outage, a reload or the end of the session. Because of its Idempotency-Key, a request is
 * executed only once however often it is sent.
 *
 * All tabs of the user follow a change. One of them reports its end and records how to undo it: the tab that began it,
 * or another one if that tab is closed. Creates no elements.
 */
import { call, inTurn, newKey } from '../lib/api.js';
import { recall, remember, state } from '../lib/dom.js';
import { followJob, pause, steadily, stopJob } from '../product/batches.js';

const HOUR = 3_600_000; /* the user has forgotten an older request; the server keeps the key longer */

const nameOf = owner => `change.${owner}`;

/* The running change: { about, n, done, id }, or null. `done` is a state with the number of products processed, null
 * while unknown. `id` is that of the job, null while unknown. */
export const running = state(null);

/* ---- requests ---- */

/* Resolves to { matched, changed, unchanged, failed, errors, batch }; a job's result also has its state. */
async function send(owner, body, key, note) {
    const answer = await steadily(() => call('POST', '/products/batch', body, { owner, headers: { 'Idempotency-Key': key } }));
    return answer.data ? followJob(owner, answer.data.id, note) : answer;
}

/* ---- counting ---- */

/* Resolves to the result that the change would have, without changing anything. If that takes long, calls note({ id,
 * matched }) with the job and its progress. */
export function check(owner, request, note = () => {}) {
    return send(owner, { ...request, atomic: false, dryRun: true }, newKey(), note);
}

/* Stops such a job, because other jobs wait for it. */
export const giveUp = job => stopJob(job).catch(() => {});

/* ---- changing ---- */

const MINE = 'change'; /* key of the last change that this tab began */

const readKept = owner => JSON.parse(recall('localStorage', nameOf(owner)) ?? '{}');

function keep(owner, kept) {
    return inTurn('changes', () => remember('localStorage', nameOf(owner), JSON.stringify({ ...readKept(owner), [kept.key]: kept })));
}

/* Deletes a stored change. Resolves to true if it was stored. */
function drop(owner, key) {
    return inTurn('changes', () => {
        const { [key]: kept, ...others } = readKept(owner);
        remember('localStorage', nameOf(owner), Object.keys(others).length > 0 ? JSON.stringify(others) : null);
        return kept !== undefined;
    });
}

/* Stops the running change. Its changes so far remain. */
export async function stop() {
    const { id } = running.value;
    id && (await stopJob(id));
}

async function run(owner, kept) {
    const done = state(null);
    const isKept = kept.key in readKept(owner); /* storage may be blocked */
    running.value = { about: kept.about, n: kept.body.expect, done, id: null };
    try {
        const result = await send(owner, kept.body, kept.key, job => {
            running.value.id || (running.value = { ...running.value, id: job.id });
            done.value = job.matched;
        });
        recall('sessionStorage', MINE) === kept.key || (await pause());
        return (await drop(owner, kept.key)) || !isKept ? { ...kept, result } : null;
    } catch (error) {
        error.ended || (await drop(owner, kept.key)); /* the change continues if the user signs in again */
        throw error;
    } finally {
        running.value = null;
    }
}

/*
 * Makes a change of the n products that check() has counted. `about` is { key, values } of the sentence that describes
 * it. Resolves to { about, result, ... }, or to null if another tab reports the end.
 */
export async function begin(owner, request, { n, about }) {
    const kept = { key: newKey(), body: { ...request, atomic: false, expect: n }, about, time: Date.now() };
    remember('sessionStorage', MINE, kept.key);
    await keep(owner, kept);
    return run(owner, kept);
}

/* Continues stored changes, begun by any page. Returns a list of functions, each of which resolves like begin(). */
export function resume(owner) {
    const all = Object.values(readKept(owner));
    const isOld = ({ time }) => Date.now() - time > HOUR;
    all.filter(isOld).forEach(({ key }) => drop(owner, key));
    return all.filter(kept => !isOld(kept)).map(kept => () => run(owner, kept));
}

/* Runs an undo of n changes, made by makeUndo() of product/batches.js. A large undo shows its progress like a
 * change. */
export async function runUndo(undo, n) {
    const done = state(null);
    try {
        return await undo(note => {
            if (note.id && !running.value?.id) {
                running.value = { about: { key: 'batch.undoing', values: { n } }, n, done, id: note.id };
            }
            done.value = note.done;
        });
    } finally {
        running.value = null;
    }
}
