/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations that the server performs by itself: jobs, whose progress is polled, and batches of changes, which the
 * server can undo exactly. Creates no elements.
 */
import { ApiError, call, connection } from '../lib/api.js';
import { recall, remember } from '../lib/dom.js';

const POLL = 700; /* ms between requests for the progress */
const PAUSE = 2000; /* ms before another attempt, at least */
const UNDO_PATIENCE = 120_000; /* ms to wait for the undo of 10,000 changes in one request */

export const pause = (ms = PAUSE) => new Promise(resolve => setTimeout(resolve, ms));

/* ---- requests that survive an outage ---- */

const REFUSALS = ['query-too-slow', 'index-not-ready'];
const isPassing = ({ status, problem }) =>
    problem === 'idempotency-key-in-use' || status === 0 || status === 429 || (status >= 502 && status <= 504 && !REFUSALS.includes(problem));

export async function steadily(attempt) {
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

/* ---- jobs ---- */

const pathOf = job => `/products/batch/${job}`;

/* Resolves to the job when it has ended. Calls note(job) for each progress report. */
export async function followJob(owner, id, note) {
    for (;;) {
        const { data } = await steadily(() => call('GET', pathOf(id), undefined, { owner }));
        note(data);
        if (data.state !== 'running') {
            return data;
        }
        await pause(POLL);
    }
}

/* Stops a job. Its changes so far remain. */
export const stopJob = id => call('DELETE', pathOf(id));

/* ---- batches ---- */

let history = null; /* the answer of hasHistory() */

/* Resolves to true if the server keeps a history, so that batches can be undone. Asks once per page. */
export function hasHistory() {
    history ??= call('GET', '/changes/batches?limit=1').then(
        () => true,
        error => {
            history = null;
            if (error.status === 404) {
                return false;
            }
            throw error;
        },
    );
    return history;
}

const nameOf = owner => `undo.${owner}`;

/* Stores a large undo in the browser until it has ended, so that another page can continue it: { batches, n, job }. The
 * job undoes the last of the batches. */
const keep = (owner, kept) => remember('localStorage', nameOf(owner), kept && JSON.stringify(kept));
export const keptUndo = owner => JSON.parse(recall('localStorage', nameOf(owner)) ?? 'null');

/* Returns the result of an undo whose answer did not arrive. */
async function findUndo(owner, batch) {
    const { data } = await call('GET', '/changes/batches?limit=100', undefined, { owner });
    const undo = data.find(({ undoes }) => String(undoes) === String(batch));
    return { changed: undo?.rows ?? 0, failed: 0, errors: [], batch: undo?.batch };
}

/*
 * Prepares the undo of `batches`, which contain n changes. `job` is the id of a job that has begun to undo the last
 * batch. Returns run(note, isStopped), which undoes the batches, the last one first, and resolves to { changed, failed,
 * errors, batches, state, isLeft }:
 *
 *     errors   products that were not changed, by id and code
 *     batches  the batches of the undo
 *     state    'done', or the state of a job that ended otherwise
 *     isLeft   true if isStopped() returned true before all batches were undone
 *
 * run() calls note({ id, done }) for each progress report; id is the job, or null. After an error, run() can be called
 * again and continues.
 */
export function makeUndo(owner, { batches, n, job = null }) {
    const left = [...batches];
    let begun = job;
    const all = { changed: 0, failed: 0, errors: [], batches: [], state: 'done' };
    let isUnsure = false; /* true if the last batch may be undone already */

    async function followBegun(note) {
        keep(owner, { batches: left, n, job: begun });
        try {
            return await followJob(owner, begun, note);
        } catch (error) {
            error.ended || keep(owner, null); /* the undo continues if the user signs in again */
            begun = error.status === 404 ? null : begun; /* the job ended so long ago that the server has deleted it */
            throw error;
        }
    }

    async function undoBatch(note) {
        if (!begun) {
            const answer = await call('POST', `/changes/batches/${left.at(-1)}/undo`, undefined, { owner, patience: UNDO_PATIENCE });
            if (!answer.data) {
                return answer;
            }
            begun = answer.data.id;
        }
        const end = await followBegun(note);
        begun = null;
        keep(owner, null);
        return end;
    }

    async function undoNext(note) {
        try {
            return await undoBatch(note);
        } catch (error) {
            if (isUnsure && error.problem === 'batch-undone') {
                return findUndo(owner, left.at(-1));
            }
            isUnsure = [0, 404].includes(error.status) || error.status >= 500;
            throw error;
        }
    }

    function add({ changed, failed, errors, batch, state = 'done' }) {
        isUnsure = false;
        all.changed += changed;
        all.failed += failed;
        all.errors.push(...errors);
        batch && all.batches.unshift(batch);
        all.state = state;
    }

    return async function run(note = () => {}, isStopped = () => false) {
        while (left.length > 0 && all.state === 'done' && !isStopped()) {
            add(await undoNext(({ id, matched }) => note({ id, done: all.changed + all.failed + matched })));
            left.pop();
            note({ id: null, done: all.changed + all.failed });
        }
        return { ...all, isLeft: left.length > 0 };
    };
}
