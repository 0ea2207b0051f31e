/* SPDX-License-Identifier: Apache-2.0 */
import { API } from './config.js';

const PATIENCE = 20_000; /* ms */

/* status 0: there was no answer. fields: [{field, code, message}], the fields that the server refuses. */
export class ApiError extends Error {
    constructor(status, body = {}, headers = new Headers()) {
        super(explain(status, body, Number(headers.get('Retry-After')), headers.get('X-Request-Id')));
        this.status = status;
        this.fields = body.errors ?? [];
    }
}

function inTime(seconds) {
    if (!(seconds > 0)) {
        return 'in a while';
    }
    if (seconds > 90) {
        return `in ${Math.ceil(seconds / 60)} minutes`;
    }
    return seconds === 1 ? 'in a second' : `in ${seconds} seconds`;
}

function sentence(text) {
    return text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.') : '';
}

function explain(status, body, wait, id) {
    if (status === 0) {
        return 'The catalogue does not answer. Check your connection, then try again.';
    }
    if (status === 429) {
        return `Too many tries. Please try again ${inTime(wait)}.`;
    }
    if (status === 502 || status === 503 || status === 504) {
        return `The catalogue is busy. Please try again ${inTime(wait)}.`;
    }
    if (status >= 500) {
        return (
            `The catalogue has a problem just now. Please try again ${inTime(wait)}.` +
            (id ? ` (Request ${id})` : '')
        );
    }
    return `${sentence(body.message ?? 'The catalogue refused this')} ${sentence(body.error)}`.trim();
}

/* A proxy between the pages and the API may answer in HTML. */
function parse(text) {
    try {
        return JSON.parse(text) ?? undefined;
    } catch {
        return undefined;
    }
}

/* Resolves to the answer's JSON, or rejects with an ApiError. keepalive: continues when the user leaves the page. */
export async function send(method, path, { body, token, keepalive } = {}) {
    const headers = {};
    let response, text;

    if (body) {
        headers['Content-Type'] = 'application/json';
    }
    if (token) {
        headers.Authorization = `Bearer ${token}`;
    }
    try {
        response = await fetch(API + path, {
            method,
            headers,
            body: body && JSON.stringify(body),
            cache: 'no-store',
            keepalive,
            signal: AbortSignal.timeout(PATIENCE),
        });
        text = await response.text();
    } catch {
        throw new ApiError(0);
    }
    const answer = parse(text);
    if (!response.ok) {
        throw new ApiError(response.status, answer, response.headers);
    }
    if (!answer) {
        throw new ApiError(0);
    }
    return answer;
}
