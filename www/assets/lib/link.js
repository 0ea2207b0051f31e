/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the token of a link in a mail. The token is in the fragment, which browsers do not send, so no server logs
 * it. */
import { send } from './api.js';

export function linkToken() {
    return new URLSearchParams(location.hash.slice(1)).get('token');
}

/* Resolves if the token is valid for the path, otherwise rejects with the ApiError. Does not use up the token. */
export function checkLink(path) {
    return send('GET', path, { headers: { 'Link-Token': encodeURIComponent(linkToken()) } });
}

/* Removes a used token from the address bar. */
export function dropLinkToken() {
    history.replaceState(null, '', location.pathname);
}

/* Reloads, because opening another mail's link in the same tab changes only the fragment. */
addEventListener('hashchange', () => location.reload());
