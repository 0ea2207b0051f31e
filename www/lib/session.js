/* SPDX-License-Identifier: Apache-2.0 */
import { send } from './api.js';
import { recall, remember } from './store.js';

/*
 * Who is signed in. The refresh token is a cookie that no script sees; the access token is in memory alone, so each
 * page begins with a refresh. What is stored says merely whether that is worth a try, and for whom.
 */
const HINT = 'catalog.user';

let token = null;
let user = null;
let renewal = null; /* the refresh that is under way */
const watchers = [];

function set(newToken, newUser) {
    token = newToken;
    user = newUser;
    remember('localStorage', HINT, user?.id ?? null);
    watchers.forEach(watcher => watcher(user));
}

export function currentUser() {
    return user;
}

/* watcher(user or null) is called whenever somebody has signed in or out on this page. */
export function watch(watcher) {
    watchers.push(watcher);
}

/* watcher() is called when another tab has signed in or out, so that the cookie is another one: see restore(). */
export function watchOtherTabs(watcher) {
    addEventListener('storage', event => {
        if (event.key === HINT && event.newValue !== (user?.id ?? null)) {
            token = user = null;
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

/* user: { username, email, password } */
export function register(user) {
    return open('/register', user);
}

/* Marks the error that says that there is no session any more. */
function markEnd(error) {
    if (error.status === 401) {
        error.ended = true;
        error.message = 'Your session has ended.';
        set(null, null);
    }
    throw error;
}

async function renew() {
    /* The cookie in the answer has to arrive: the one that was sent is good for some seconds more only. */
    const answer = await send('POST', '/auth/refresh', { keepalive: true }).catch(markEnd);
    set(answer.token, answer.user);
}

/* Tabs take turns, so that each sends the cookie that the one before it was given. */
function refresh() {
    renewal ??= (navigator.locks ? navigator.locks.request('catalog.refresh', renew) : renew()).finally(
        () => {
            renewal = null;
        },
    );
    return renewal;
}

/* Takes up the session that this browser has. Resolves to the user, or to null. */
export async function restore() {
    if (!token && recall('localStorage', HINT)) {
        await refresh().catch(error => {
            if (!error.ended) {
                throw error;
            }
        });
    }
    return user;
}

/* A request as the user; a token that has expired is renewed once. error.ended: the session is over. */
export async function call(method, path, body) {
    const used = token;
    try {
        return await send(method, path, { body, token: used });
    } catch (error) {
        if (error.status !== 401) {
            throw error;
        }
    }
    if (token === used) {
        await refresh();
    }
    return send(method, path, { body, token }).catch(markEnd);
}

/* Whether the user may make, change and delete products. */
export async function mayWrite() {
    return user !== null && (await call('GET', '/auth/me')).data.mayWrite;
}

/* The session is over by what was done with it. */
export function forget() {
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
