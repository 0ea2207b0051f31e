/* SPDX-License-Identifier: Apache-2.0 */
/* The link of a mail, and its token. That is in the fragment, which browsers do not send, so no server logs it. */
import { send } from './api.js';

export function linkToken() {
    return new URLSearchParams(location.hash.slice(1)).get('token');
}

/* Resolves if the token is good for what is at the path, and rejects with the ApiError of a link that is not valid. Uses nothing up. */
export function checkLink(path) {
    return send('GET', path, { headers: { 'Link-Token': encodeURIComponent(linkToken()) } });
}

/* Removes a used token from the address bar. */
export function dropLinkToken() {
    history.replaceState(null, '', location.pathname);
}

/* Another mail's link, opened in the same tab, changes only the fragment, which does not reload the page. */
addEventListener('hashchange', () => location.reload());
