/* SPDX-License-Identifier: Apache-2.0 */
/* Sends requests to the API and manages the user's session. */
import * as config from '../../own/config.js';
import { API, nameHere, recall, remember, state } from './dom.js';
import { language, setCurrency } from './text.js';

export { API } from './dom.js';

/* The defaults for lines that config.js omits are those in the sources. */
export const { METRICS = '/admin/metrics' } = config;

const tabs = new BroadcastChannel(nameHere('tabs'));
const PATIENCE = 20_000; /* ms to wait for an answer */
const PROBE = 3_000; /* ms between checks whether the server is back */
const DETAILS = 'application/problem+json, application/json;q=0.9';

/*
 * An error answer. problem: name in /problems, or '' if the answer has none. summary: of an import. wait: seconds of
 * Retry-After, or 0. fields: [{field, code, message}] of the fields that the server refuses. status is 0 if there was
 * no answer. ended is true if the session has ended.
 */
export class ApiError extends Error {
    constructor(status, body = {}, headers = new Headers()) {
        super([body.title ?? body.message, body.detail ?? body.error].filter(Boolean).join(': '));
        this.status = status;
        this.problem = body.type?.split('/').at(-1) ?? '';
        this.fields = body.errors ?? [];
        this.summary = body.summary;
        this.data = body.data;
        this.wait = Number(headers.get('Retry-After')) || 0;
        this.request = headers.get('X-Request-Id');
    }
}

/* ---- availability of the server ---- */

/* The state 'up', 'down' or 'offline'. */
export const connection = state('up');

async function isBack() {
    try {
        return (await fetch(`${API}/health/live`, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE) })).ok;
    } catch {
        return false;
    }
}

async function waitForServer() {
    do {
        connection.value = navigator.onLine ? 'down' : 'offline';
        await new Promise(resolve => setTimeout(resolve, PROBE));
    } while (!(await isBack()));
    connection.value = 'up';
}

function reportSilence() {
    if (connection.value === 'up') {
        waitForServer();
    }
}

/* A browser without a network reports that it is offline, but can still reach a server on the same machine. */
addEventListener('offline', async () => (await isBack()) || reportSilence());

/* ---- requests ---- */

/* Returns undefined if the text is not JSON: a proxy between the pages and the API may answer in HTML. */
function parse(text) {
    try {
        return JSON.parse(text) ?? undefined;
    } catch {
        return undefined;
    }
}

async function receive(request, signal) {
    try {
        const response = await fetch(request);
        return { response, text: await response.text() };
    } catch (error) {
        if (signal?.aborted) {
            throw error;
        }
        reportSilence();
        throw new ApiError(0);
    }
}

/*
 * Sends a request. Resolves to the JSON of the answer, with its ETag as `tag` and its Catalog-Batch as `batch`. Rejects
 * with an ApiError, or with the signal's AbortError. Tells the other tabs about requests that change products.
 *
 * body: a value to send as JSON, or a Blob with its own type. keepalive: true to continue when the user leaves the
 * page. base: path before `path`. asText: true if the answer is not JSON; then it resolves to { text }. cache:
 * 'no-cache' if the browser may store the answer and revalidate it. patience: ms to wait for the answer.
 */
export async function send(
    method,
    path,
    { body, token, keepalive, signal, headers = {}, base = API, asText, cache = 'no-store', patience = PATIENCE } = {},
) {
    const late = AbortSignal.timeout(patience);
    const isFile = body instanceof Blob;
    const request = new Request(base + path, {
        method,
        headers: {
            Accept: DETAILS,
            'Accept-Language': language, /* language of the mails that the server may send */
            ...(body && { 'Content-Type': isFile ? body.type : 'application/json' }),
            ...(token && { Authorization: `Bearer ${token}` }),
            ...headers,
        },
        body: isFile ? body : body && JSON.stringify(body),
        cache,
        keepalive,
        signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    const { response, text } = await receive(request, signal);
    const answer = asText && response.ok ? { text } : parse(text);
    if (!response.ok) {
        throw new ApiError(response.status, answer, response.headers);
    }
    if (!answer) {
        throw new ApiError(0);
    }
    if (response.headers.has('Catalog-Currency')) {
        setCurrency(response.headers.get('Catalog-Currency'));
    }
    if (/^\/(products|changes)/.test(path) && method !== 'GET' && !path.includes('dryRun=')) {
        tabs.postMessage({ products: true });
    }
    return { batch: response.headers.get('Catalog-Batch'), ...answer, tag: response.headers.get('ETag') };
}

/*
 * Returns the parameters for products that have one of the values. A single value is compared as it is. Each of several
 * values has a parameter of its own, because a comma would separate values.
 */
export function anyOf(name, values) {
    return values.length === 1 ? [[name, values[0]]] : values.map(value => [`${name}[in]`, value]);
}

/* Returns a random Idempotency-Key. crypto.randomUUID() does not exist on pages loaded over http from another
 * machine. */
export function newKey() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

/* Calls watcher() after another tab has created, changed or deleted products. */
export function watchProducts(watcher) {
    tabs.addEventListener('message', ({ data }) => 'products' in data && watcher());
}

/* ---- the session ---- */

/*
 * Scripts cannot read the refresh token, which is a cookie. The access token exists only in memory, so each page begins
 * with a refresh. localStorage has only the user's id, a hint that a refresh may succeed.
 */
const HINT = 'user';
let token = null;
let renewal = null; /* refresh in progress */
const user = state(null);

function set(newToken, newUser) {
    const id = newUser?.id ?? null;
    const isNews = id !== recall('localStorage', HINT);
    token = newToken;
    user.value = newUser;
    remember('localStorage', HINT, id);
    if (isNews) {
        tabs.postMessage({ user: id });
    }
}

/* Returns the signed-in user, or null. Reads a state. */
export function currentUser() {
    return user.value;
}

/* Returns true if another page now has the session of another user, or no session. */
export function isOvertaken() {
    return recall('localStorage', HINT) !== (user.value?.id ?? null);
}

/* Calls watcher() after another tab has signed in or out and thereby replaced the cookie. See restore(). */
export function watchOtherTabs(watcher) {
    tabs.addEventListener('message', ({ data }) => {
        if ('user' in data && data.user !== (user.value?.id ?? null)) {
            token = user.value = null;
            remember('localStorage', HINT, data.user); /* the other tab has stored it, but this process may not see
                                                        * that yet */
            watcher();
        }
    });
}

async function open(path, body) {
    const answer = await send('POST', path, { body: { ...body, cookie: true } });
    set(answer.token, answer.user);
}

export function signIn(login, password) {
    return open('/auth/login', { login, password });
}

/* `user` is { username, email, password }. */
export function register(user) {
    return open('/register', user);
}

/*
 * Runs body() while no other tab runs a body of the same name, and resolves to its result. Browsers have no locks on
 * pages loaded over http from another machine; there body() runs at once.
 */
export function inTurn(name, body) {
    return navigator.locks ? navigator.locks.request(nameHere(name), body) : body();
}

/* Marks an error with status 401 as the end of the session. */
function markEnd(error) {
    if (error.status === 401 && !error.ended) {
        error.ended = true;
        set(null, null);
    }
    throw error;
}

async function renew() {
    /* keepalive, because the new cookie must arrive: the server accepts the old one for only a few seconds more. */
    const answer = await send('POST', '/auth/refresh', { keepalive: true }).catch(markEnd);
    set(answer.token, answer.user);
}

/*
 * Renews the access token and the user's data. Tabs take turns, so that each sends the cookie that the previous tab
 * received.
 */
export function refresh() {
    renewal ??= inTurn('refresh', renew).finally(() => {
        renewal = null;
    });
    return renewal;
}

/* Restores the session of this browser. Resolves to the user, or to null. */
export async function restore() {
    if (!token && recall('localStorage', HINT)) {
        await refresh().catch(error => {
            if (!error.ended) {
                throw error;
            }
        });
    }
    return user.value;
}

/* Returns the error for work of a user who is no longer signed in in this browser. The current session continues. */
function overtaken() {
    const error = new ApiError(401);
    error.problem = 'other-user';
    error.ended = true;
    return error;
}

/* Calls attempt() with the access token, and once more with a new token if the first has expired. `owner` is the id of
 * the user whose work this is; undefined allows any user. */
async function asUser(attempt, owner) {
    const used = token;
    const judge = () => {
        if (owner && user.value && user.value.id !== owner) {
            throw overtaken();
        }
    };
    judge();
    try {
        return await attempt(used);
    } catch (error) {
        if (error.status !== 401) {
            throw error;
        }
    }
    if (token === used) {
        await refresh();
    }
    judge();
    return attempt(token);
}

/*
 * Sends a request as the user. `options` are those of send(), and `owner`: the id of the user whose work the request
 * continues. Rejects if another user has signed in since, even in another tab.
 */
export function call(method, path, body, { owner, ...options } = {}) {
    return asUser(used => send(method, path, { ...options, body, token: used }), owner).catch(markEnd);
}

/*
 * Sends a GET request, as the user if one is signed in, because writers see more. If the session has ended, reads as a
 * visitor; the user is told only when he or she writes.
 */
export async function read(path, options) {
    if (user.value) {
        try {
            return await call('GET', path, undefined, options);
        } catch (error) {
            if (!error.ended) {
                throw error;
            }
        }
    }
    return send('GET', path, options);
}

/* Resolves to the text of another Location of this site. A 401 from there does not mean that the session has ended. */
export async function readText(path) {
    const options = { base: '', asText: true, headers: { Accept: 'text/plain' } };
    return (await asUser(used => send('GET', path, { ...options, token: used }))).text;
}

/* Resolves to an access token that the server accepts now. Resolves to null if nobody is signed in. */
export async function accessToken() {
    if (user.value) {
        await call('GET', '/auth/me');
    }
    return token;
}

/* Resolves to { role, mayWrite, ... } of the user, read once per page. Resolves to null if nobody is signed in. */
let profile = null;
export function readProfile() {
    const { id } = user.value ?? {};
    if (!id) {
        return Promise.resolve(null);
    }
    if (profile?.id !== id) {
        const answer = call('GET', '/auth/me').then(({ data }) => data);
        profile = { id, answer };
        answer.catch(() => (profile = null));
    }
    return profile.answer;
}

/* Resolves to whether the user may create, update and delete products. */
export async function mayWrite() {
    return (await readProfile())?.mayWrite ?? false;
}

/* Key of the user's changes that the tab stores; see product/history.js. */
export const HISTORY = 'history';

/* Ends the session in this browser, after requests that end it on the server. */
export function forget() {
    remember('sessionStorage', HISTORY, null);
    set(null, null);
}

export async function signOut(everywhere = false) {
    try {
        await call('POST', '/auth/logout', { all: everywhere });
    } catch (error) {
        if (!error.ended) {
            throw error;
        }
    }
    forget();
}
