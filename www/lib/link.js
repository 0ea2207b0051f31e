/* SPDX-License-Identifier: Apache-2.0 */

/* The token of a mail's link. It stands behind the #, so that no server's log has it. */
export function linkToken() {
    return new URLSearchParams(location.hash.slice(1)).get('token');
}

/* Once it is used up it has no business in the address bar. */
export function dropLinkToken() {
    history.replaceState(null, '', location.pathname);
}

/* Another link, opened in the same tab, changes nothing but the part behind the #. */
addEventListener('hashchange', () => location.reload());
