/* SPDX-License-Identifier: Apache-2.0 */

/* Requests that the user composes, and their answers as they came. */

export const SHOWN = 100_000; /* octets of a body */

/* parameters: [{ name, in, value }]. Those without a value are left out. */
export function composeUrl(base, path, parameters) {
    const filled = parameters.filter(({ value }) => value !== '');
    const query = filled
        .filter(parameter => parameter.in === 'query')
        .map(({ name, value }) => `${encodeName(name)}=${encodeURIComponent(value)}`);
    const places = Object.fromEntries(
        parameters.filter(parameter => parameter.in === 'path').map(({ name, value }) => [name, value]),
    );
    const filledPath = path.replace(/\{(\w+)\}/g, (place, name) => encodeURIComponent(places[name]));
    return base + (filledPath === '/' ? '' : filledPath) + (query.length > 0 ? `?${query.join('&')}` : '');
}

function encodeName(name) {
    return encodeURIComponent(name).replace(/%5B/g, '[').replace(/%5D/g, ']');
}

export function composeHeaders(parameters) {
    return Object.fromEntries(
        parameters.filter(({ in: place, value }) => place === 'header' && value !== '').map(({ name, value }) => [name, value]),
    );
}

/* In a shell, nothing within single quotes is special. The token is a variable of the shell's, which is special in double quotes. */
const quote = text => `'${text.replaceAll("'", "'\\''")}'`;
const quoteHeader = ([name, value]) => (name === 'Authorization' ? `"${name}: ${value}"` : quote(`${name}: ${value}`));

/* The same request as a command line; body: a text, a File or undefined. */
export function composeCurl(method, url, headers, body) {
    const parts = [
        'curl',
        ...(/[[\]{}]/.test(url) ? ['-g'] : []), /* brackets are no patterns */
        ...(method === 'GET' ? [] : [`-X ${method}`]),
        quote(url),
        ...Object.entries(headers).map(header => `-H ${quoteHeader(header)}`),
        ...(body === undefined ? [] : [body instanceof File ? `--data-binary ${quote(`@${body.name}`)}` : `--data-raw ${quote(body)}`]),
    ];
    return parts.join(' ');
}

/* Resolves to { status, statusText, headers: [[name, value]], blob, milliseconds }; rejects with what fetch() does. */
export async function exchange(method, url, { headers, body, signal }) {
    const begin = performance.now();
    const response = await fetch(url, { method, headers, body, signal, cache: 'no-store' });
    const blob = await response.blob();
    return {
        status: response.status,
        statusText: response.statusText,
        headers: [...response.headers],
        blob,
        milliseconds: Math.round(performance.now() - begin),
    };
}

/* The body as a text to show, JSON indented; isWhole: not cut short. */
export async function readable(blob) {
    const isWhole = blob.size <= SHOWN;
    const text = await blob.slice(0, SHOWN).text();
    if (isWhole && /json/.test(blob.type)) {
        try {
            return { text: JSON.stringify(JSON.parse(text), null, 4), isWhole };
        } catch {
            /* NDJSON is shown as it is */
        }
    }
    return { text, isWhole };
}

/* The file name that the answer suggests; undefined: none. */
export function fileName(headers) {
    const disposition = new Headers(headers).get('Content-Disposition') ?? '';
    return /filename="([^"]+)"/.exec(disposition)?.[1];
}
