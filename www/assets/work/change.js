/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of all products that match, which the server makes. What was sent is kept by the browser until its end is known: after an outage, a
 * reload or the end of the session the page goes on with it. The Idempotency-Key has it made once, however often it is sent. Makes no elements.
 */
import { API, ApiError, call, connection, newKey, read } from '../lib/api.js';
import { recall, remember, state } from '../lib/dom.js';

const POLL = 700; /* ms between questions how far it is */
const PAUSE = 2000; /* ms before another try, at least */
const HOUR = 3_600_000; /* after that nobody remembers what was asked for; the server keeps the key for longer */

/* Another catalogue of this site, such as a copy to try things in, may have the same users. */
const nameOf = owner => `catalog.change.${API}.${owner}`;
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

/* What is running: { about, n, done }, done a state: how many products were gone through, null while that is not known. Else null. */
export const running = state(null);

/* ---- requests that outlive an outage ---- */

const REFUSALS = ['query-too-slow', 'index-not-ready'];
const isPassing = ({ status, problem }) =>
    problem === 'idempotency-key-in-use' || status === 0 || status === 429 || (status >= 502 && status <= 504 && !REFUSALS.includes(problem));

async function steadily(attempt) {
    for (;;) {
        try {
            return await attempt();
        } catch (error) {
            if (!(error instanceof ApiError) || !isPassing(error)) {
                throw error;
            }
            await pause(Math.max(PAUSE, error.wait * 1000));
        }
        while (connection.value !== 'up') {
            await pause(PAUSE / 4);
        }
    }
}

const pathOf = job => `/products/batch/${job}`;

/* Resolves to the job when it has ended. note(job) is called on the way. */
async function follow(id, note) {
    for (;;) {
        const { data } = await steadily(() => call('GET', pathOf(id)));
        note(data);
        if (data.state !== 'running') {
            return data;
        }
        await pause(POLL);
    }
}

/* Resolves to { matched, changed, unchanged, failed, errors }, of a job with its state. */
async function send(body, key, note) {
    const answer = await steadily(() => call('POST', '/products/batch', body, { headers: { 'Idempotency-Key': key } }));
    return answer.data ? follow(answer.data.id, note) : answer;
}

/* ---- counting ---- */

/* Resolves to what the change would do, and changes nothing. note({ id, matched }) is called if that takes a while: the job, and how far it is. */
export function check(request, note = () => {}) {
    return send({ ...request, atomic: false, dryRun: true }, newKey(), note);
}

/* Ends such a job, for which others wait. */
export const giveUp = job => call('DELETE', pathOf(job)).catch(() => {});

/* Resolves to the number of products that match, and to when the newest of them was created. */
export async function countWhere(where) {
    const { data, pagination } = await read(`/products?${where}${where && '&'}count=exact&fields=createdAt&limit=1`);
    return { n: pagination.total, newest: data[0]?.createdAt };
}

/* ---- changing ---- */

const readKept = owner => JSON.parse(recall('localStorage', nameOf(owner)) ?? 'null');

/* Ends what is running: what it has changed stays changed. */
export async function stop() {
    const { id } = running.value;
    id && (await call('DELETE', pathOf(id)));
}

async function run(owner, kept) {
    const done = state(null);
    running.value = { about: kept.about, n: kept.body.expect, done, id: null };
    try {
        const result = await send(kept.body, kept.key, job => {
            running.value.id || (running.value = { ...running.value, id: job.id });
            done.value = job.matched;
        });
        remember('localStorage', nameOf(owner), null);
        return { ...kept, result };
    } catch (error) {
        error.ended || remember('localStorage', nameOf(owner), null); /* who signs in again goes on */
        throw error;
    } finally {
        running.value = null;
    }
}

/*
 * Makes the change of the n products that check() has counted. about: { key, values } of the sentence that says what it is; inverse: a request, or
 * null. Resolves to { about, inverse, result }.
 */
export function begin(owner, request, { n, about, inverse }) {
    const kept = { key: newKey(), body: { ...request, atomic: false, expect: n }, about, inverse, time: Date.now() };
    remember('localStorage', nameOf(owner), JSON.stringify(kept));
    return run(owner, kept);
}

/* Goes on with what was begun before, by this page or by another one; null: there is nothing. */
export function resume(owner) {
    const kept = readKept(owner);
    if (!kept || running.value) {
        return null;
    }
    if (Date.now() - kept.time > HOUR) {
        remember('localStorage', nameOf(owner), null);
        return null;
    }
    return run(owner, kept);
}
