/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of all products that match, which the server makes. What was sent is kept by the browser until its end is known: after an outage, a
 * reload or the end of the session the page goes on with it. The Idempotency-Key has it made once, however often it is sent. All tabs of the user
 * follow it; one of them tells of its end, and notes how to take it back: the one that has begun it, unless that is gone. Makes no elements.
 */
import { call, inTurn, newKey } from '../lib/api.js';
import { recall, remember, state } from '../lib/dom.js';
import { followJob, pause, steadily, stopJob } from '../product/batches.js';

const HOUR = 3_600_000; /* after that nobody remembers what was asked for; the server keeps the key for longer */

const nameOf = owner => `change.${owner}`;

/* What is running: { about, n, done }, done a state: how many products were gone through, null while that is not known. Else null. */
export const running = state(null);

/* ---- requests ---- */

/* Resolves to { matched, changed, unchanged, failed, errors, batch }, of a job with its state. */
async function send(owner, body, key, note) {
    const answer = await steadily(() => call('POST', '/products/batch', body, { owner, headers: { 'Idempotency-Key': key } }));
    return answer.data ? followJob(owner, answer.data.id, note) : answer;
}

/* ---- counting ---- */

/* Resolves to what the change would do, and changes nothing. note({ id, matched }) is called if that takes a while: the job, and how far it is. */
export function check(owner, request, note = () => {}) {
    return send(owner, { ...request, atomic: false, dryRun: true }, newKey(), note);
}

/* Ends such a job, for which others wait. */
export const giveUp = job => stopJob(job).catch(() => {});

/* ---- changing ---- */

const MINE = 'change'; /* the key of the last one that this tab has begun */

/* By key. */
const readKept = owner => JSON.parse(recall('localStorage', nameOf(owner)) ?? '{}');

function keep(owner, kept) {
    return inTurn('changes', () => remember('localStorage', nameOf(owner), JSON.stringify({ ...readKept(owner), [kept.key]: kept })));
}

/* Resolves to whether the change was kept until now. */
function drop(owner, key) {
    return inTurn('changes', () => {
        const { [key]: kept, ...others } = readKept(owner);
        remember('localStorage', nameOf(owner), Object.keys(others).length > 0 ? JSON.stringify(others) : null);
        return kept !== undefined;
    });
}

/* Ends what is running: what it has changed stays changed. */
export async function stop() {
    const { id } = running.value;
    id && (await stopJob(id));
}

async function run(owner, kept) {
    const done = state(null);
    const isKept = kept.key in readKept(owner); /* a browser may keep nothing */
    running.value = { about: kept.about, n: kept.body.expect, done, id: null };
    try {
        const result = await send(owner, kept.body, kept.key, job => {
            running.value.id || (running.value = { ...running.value, id: job.id });
            done.value = job.matched;
        });
        recall('sessionStorage', MINE) === kept.key || (await pause());
        return (await drop(owner, kept.key)) || !isKept ? { ...kept, result } : null;
    } catch (error) {
        error.ended || (await drop(owner, kept.key)); /* who signs in again goes on */
        throw error;
    } finally {
        running.value = null;
    }
}

/*
 * Makes the change of the n products that check() has counted. about: { key, values } of the sentence that says what it is. Resolves to
 * { about, result }, or to null: another tab tells of it.
 */
export async function begin(owner, request, { n, about }) {
    const kept = { key: newKey(), body: { ...request, atomic: false, expect: n }, about, time: Date.now() };
    remember('sessionStorage', MINE, kept.key);
    await keep(owner, kept);
    return run(owner, kept);
}

/* Goes on with what was begun before, by this page or by another one: a list of functions, each of which resolves as begin() does. */
export function resume(owner) {
    const all = Object.values(readKept(owner));
    const isOld = ({ time }) => Date.now() - time > HOUR;
    all.filter(isOld).forEach(({ key }) => drop(owner, key));
    return all.filter(kept => !isOld(kept)).map(kept => () => run(owner, kept));
}

/* Runs an undo, as makeUndo() of product/batches.js has it, of n changes; a large one shows how far it is, as a change does. */
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
