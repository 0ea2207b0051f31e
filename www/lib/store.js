/* SPDX-License-Identifier: Apache-2.0 */

/* area: 'localStorage' or 'sessionStorage'. A user who blocks cookies blocks both; then nothing is stored. */
export function recall(area, key) {
    try {
        return window[area].getItem(key);
    } catch {
        return null;
    }
}

/* value null deletes the key. */
export function remember(area, key, value) {
    try {
        if (value === null) {
            window[area].removeItem(key);
        } else {
            window[area].setItem(key, value);
        }
    } catch {
        /* storage is blocked */
    }
}
