/* SPDX-License-Identifier: Apache-2.0 */

/* Composes requests, sends them, and formats answers. */

export const SHOWN = 100_000; /* bytes of a body */

/* Returns the URL. `parameters` is [{ name, in, value }]; parameters without a value are omitted. */
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

/* Quote for a shell: inside single quotes nothing is special. The token is a shell variable, which is expanded inside
 * double quotes. */
const quote = text => `'${text.replaceAll("'", "'\\''")}'`;
const quoteHeader = ([name, value]) => (name === 'Authorization' ? `"${name}: ${value}"` : quote(`${name}: ${value}`));

/* Returns the request as a command line. `body` is a text, a File or undefined. */
export function composeCurl(method, url, headers, body) {
    const parts = [
        'curl',
        ...(/[[\]{}]/.test(url) ? ['-g'] : []), /* brackets are not patterns */
        ...(method === 'GET' ? [] : [`-X ${method}`]),
        quote(url),
        ...Object.entries(headers).map(header => `-H ${quoteHeader(header)}`),
        ...(body === undefined ? [] : [body instanceof File ? `--data-binary ${quote(`@${body.name}`)}` : `--data-raw ${quote(body)}`]),
    ];
    return parts.join(' ');
}

/* Resolves to { status, statusText, headers: [[name, value]], blob, milliseconds }. Rejects like fetch(). */
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

/* Resolves to { text, isWhole }: the body as text, with JSON indented. isWhole is false if the text was cut. */
export async function readable(blob) {
    const isWhole = blob.size <= SHOWN;
    const text = await blob.slice(0, SHOWN).text();
    if (isWhole && /json/.test(blob.type)) {
        try {
            return { text: JSON.stringify(JSON.parse(text), null, 4), isWhole };
        } catch {
            /* NDJSON is shown unchanged */
        }
    }
    return { text, isWhole };
}

/* Returns the file name that the answer suggests. Returns undefined if there is none. */
export function fileName(headers) {
    const disposition = new Headers(headers).get('Content-Disposition') ?? '';
    return /filename="([^"]+)"/.exec(disposition)?.[1];
}
