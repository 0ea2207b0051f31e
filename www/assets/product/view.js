/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the value of a product's field. */
import { bdi, el } from '../lib/dom.js';
import { FIELDS, valueIn } from './fields.js';

/* Views by the kind of the field. Other kinds are shown as a text in one line. */
const VIEWS = {
    text: text => el('p', { class: 'long-text', dir: 'auto' }, text),
    url: (text, address) => el('a', { href: address, rel: 'noreferrer' }, text),
    strings: (text, texts) => el('ul', { class: 'tags' }, texts.map(item => el('li', { class: 'badge' }, bdi(item)))),
    json: (text, value) => el('pre', { tabindex: '0' }, JSON.stringify(value, null, 2)),
};

/* Shows nothing if the product lacks the field. */
export function view(name, product) {
    const { kind, show } = FIELDS[name];
    const value = valueIn(product, name);
    const isThere = value !== undefined && value !== null;
    return isThere && kind in VIEWS ? VIEWS[kind](show(value), value) : bdi(show(value));
}
