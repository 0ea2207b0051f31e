/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements, and the state that they follow. What reads a state's value while it runs in follow(), or as a function given to el(),
 * runs again after the value has changed.
 */
import * as config from '../../own/config.js';

/* The path of the API, which tells the catalogues of a site apart. */
export const { API = '/api' } = config;

let running = null; /* the reaction that now reads states */
const waiting = new Set(); /* reactions to run again, in the order in which they were made */

class Reaction {
    sources = new Set();
    parts = new Set(); /* reactions made while this one ran */

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

/* Runs what waits now, instead of at the end of the current task. */
export function settle() {
    for (const reaction of waiting) {
        waiting.delete(reaction);
        reaction.run();
    }
}

/* A value that can be set: { value }. */
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
                waiting.size === 0 && queueMicrotask(settle);
                readers.forEach(reader => waiting.add(reader));
            }
        },
    };
}

/* Runs body now, and again whenever a value that it read has changed. Returns a function that ends this. */
export function follow(body) {
    const reaction = new Reaction(body);
    reaction.run();
    return () => reaction.end();
}

function setAttribute(element, name, value) {
    const isSet = value !== false && value !== undefined;
    isSet ? element.setAttribute(name, value === true ? '' : value) : element.removeAttribute(name);
}

/* Texts are never parsed as HTML. undefined, null and false add nothing. */
function append(element, children) {
    element.append(...children.flat(2).filter(child => child !== undefined && child !== null && child !== false));
}

/*
 * Children are elements, texts, or lists of them. An attribute on... is a listener. true sets an attribute without a value; false
 * and undefined leave it out. A function in place of a value, or as the only child, is followed.
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

/* For names that users have chosen, which may be written from right to left. */
export const bdi = text => el('bdi', {}, text);

/* A row whose render() itself reads the state is made anew when that changes. */
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

/* Lists are read again and again; what is as it was is not to be made anew, which would take the focus from it. */
const isAlike = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/*
 * Keeps one child of the element for each item of list(), in that order. render(state of the item, the item at first) makes it; an item with a
 * known key gets the child that it had, whose state is set to the item if that has changed. Items are JSON.
 */
export function each(element, list, keyOf, render) {
    let rows = new Map();

    follow(() => {
        const items = new Map(list().map(item => [keyOf(item), item]));
        const owner = running;
        running = null; /* what a row reads is the row's own affair, and rows outlive this run */
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

/* A click that follows a link in the same tab. */
export function isPlainClick(event) {
    return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

const SAVING = 60_000; /* ms in which a browser has begun to save a file */

/* Has the browser save the blob as a file. */
export function saveFile(blob, name) {
    const href = URL.createObjectURL(blob);
    el('a', { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), SAVING); /* until then the browser keeps the blob */
}

/* ---- what the browser keeps ---- */

/* Two catalogues may be at one site, such as a shop and a copy of it to try things in. */
export const nameHere = key => `catalog.${key}.${API}`;

/* area: 'localStorage' or 'sessionStorage'. A user who blocks cookies blocks both; then nothing is stored. */
export function recall(area, key) {
    try {
        return window[area].getItem(nameHere(key));
    } catch {
        return null;
    }
}

/* value null deletes the key. */
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
