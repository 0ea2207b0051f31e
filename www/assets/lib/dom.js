/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates elements, and updates them when states change. A function that runs in follow(), or that is given to el(),
 * runs again after a state that it read has changed.
 */
import * as config from '../../own/config.js';

/* Path of the API. It distinguishes the catalogues of a site. */
export const { API = '/api' } = config;

let running = null; /* reaction that is running and reads states */
const waiting = new Set(); /* reactions to run again, in order of creation */

class Reaction {
    sources = new Set();
    parts = new Set(); /* reactions created while this one ran */

    constructor(body) {
        this.body = body;
        running?.parts.add(this);
    }

    run() {
        const outer = running;
        this.end();
        running = this;
        try {
            return this.body();
        } finally {
            running = outer;
        }
    }

    end() {
        this.parts.forEach(part => part.end());
        this.parts.clear();
        this.sources.forEach(readers => readers.delete(this));
        this.sources.clear();
        waiting.delete(this);
    }
}

/* Runs the waiting reactions now instead of at the end of the current task. */
export function flush() {
    for (const reaction of waiting) {
        waiting.delete(reaction);
        reaction.run();
    }
}

/* Creates a state: { value }, which can be set. */
export function state(value) {
    const readers = new Set();
    return {
        get value() {
            if (running) {
                readers.add(running);
                running.sources.add(readers);
            }
            return value;
        },
        set value(next) {
            if (!Object.is(next, value)) {
                value = next;
                waiting.size === 0 && queueMicrotask(flush);
                readers.forEach(reader => waiting.add(reader));
            }
        },
    };
}

/* Runs body now, and again whenever a state that it read has changed. Returns a function that stops this. */
export function follow(body) {
    const reaction = new Reaction(body);
    reaction.run();
    return () => reaction.end();
}

function setAttribute(element, name, value) {
    const isSet = value !== false && value !== undefined;
    isSet ? element.setAttribute(name, value === true ? '' : value) : element.removeAttribute(name);
}

/* Appends children. Texts are never parsed as HTML. undefined, null and false append nothing. */
function append(element, children) {
    element.append(...children.flat(2).filter(child => child !== undefined && child !== null && child !== false));
}

/*
 * Creates an element. Children are elements, texts, or lists of them. Attributes that begin with "on" are listeners.
 * The value true sets an attribute without a value; false and undefined omit it. A function as a value, or as the only
 * child, is followed.
 */
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on')) {
            element.addEventListener(name.slice(2), value);
        } else if (typeof value === 'function') {
            follow(() => setAttribute(element, name, value()));
        } else {
            setAttribute(element, name, value);
        }
    }
    if (typeof children[0] === 'function') {
        follow(() => {
            element.replaceChildren();
            append(element, [children[0]()]);
        });
    } else {
        append(element, children);
    }
    return element;
}

/* Isolates a name chosen by a user, which may be written from right to left. */
export const bdi = text => el('bdi', {}, text);

/* Creates a row of a list. If render() itself reads the state, the row is replaced when the state changes. */
function makeRow(item, render) {
    const row = { kept: state(item) };
    row.reaction = new Reaction(() => {
        const child = render(row.kept, item);
        row.child?.replaceWith(child);
        row.child = child;
    });
    row.reaction.run();
    return row;
}

/* Lists are read repeatedly. Items that have not changed must not be rendered again, because that would remove the
 * focus from them. */
const isAlike = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/*
 * Maintains one child of the element for each item of list(), in that order. render(state of the item, first item)
 * creates a child. An item with a known key keeps its child, and if the item has changed, the child's state is set to
 * it. Items must be JSON values.
 */
export function each(element, list, keyOf, render) {
    let rows = new Map();

    follow(() => {
        const items = new Map(list().map(item => [keyOf(item), item]));
        const owner = running;
        running = null; /* a row tracks its own reads, and rows outlive this run */
        rows.forEach((row, key) => {
            if (!items.has(key)) {
                row.reaction.end();
                row.child.remove();
            }
        });
        const next = new Map();
        let place = element.firstChild;
        items.forEach((item, key) => {
            const row = rows.get(key) ?? makeRow(item, render);
            if (!isAlike(row.kept.value, item)) {
                row.kept.value = item;
            }
            next.set(key, row);
            if (row.child !== place) {
                element.insertBefore(row.child, place);
            }
            place = row.child.nextSibling;
        });
        rows = next;
        running = owner;
    });
}

export function byId(id) {
    return document.getElementById(id);
}

/* Returns true for a click that opens a link in the same tab. */
export function isPlainClick(event) {
    return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

const SAVING = 60_000; /* ms after which a browser has begun to save a file */

/* Makes the browser save the blob as a file. */
export function saveFile(blob, name) {
    const href = URL.createObjectURL(blob);
    el('a', { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), SAVING); /* the browser keeps the blob until then */
}

/* ---- storage in the browser ---- */

/* Returns a key for this catalogue. A site may have several catalogues, such as a shop and a test copy. */
export const nameHere = key => `catalog.${key}.${API}`;

/* Returns a stored value, or null. `area` is 'localStorage' or 'sessionStorage'. Users who block cookies block both;
 * then nothing is stored. */
export function recall(area, key) {
    try {
        return window[area].getItem(nameHere(key));
    } catch {
        return null;
    }
}

/* Stores a value. null deletes the key. */
export function remember(area, key, value) {
    try {
        if (value === null) {
            window[area].removeItem(nameHere(key));
        } else {
            window[area].setItem(nameHere(key), value);
        }
    } catch {
        /* storage is blocked */
    }
}
