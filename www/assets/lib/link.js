/* SPDX-License-Identifier: Apache-2.0 */

/* The token of a mail's link. It is in the fragment, which browsers do not send, so no server logs it. */
export function linkToken() {
    return new URLSearchParams(location.hash.slice(1)).get('token');
}

/* Removes a used token from the address bar. */
export function dropLinkToken() {
    history.replaceState(null, '', location.pathname);
}

/* Another mail's link, opened in the same tab, changes only the fragment, which does not reload the page. */
addEventListener('hashchange', () => location.reload());
