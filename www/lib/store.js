/* SPDX-License-Identifier: Apache-2.0 */

/* area: 'localStorage' or 'sessionStorage'. People may switch them off with cookies; then nothing is remembered. */
export function recall(area, key) {
    try {
        return window[area].getItem(key);
    } catch {
        return null;
    }
}

/* value null takes it away. */
export function remember(area, key, value) {
    try {
        if (value === null) {
            window[area].removeItem(key);
        } else {
            window[area].setItem(key, value);
        }
    } catch {
        /* as said above */
    }
}
