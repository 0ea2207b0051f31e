/* SPDX-License-Identifier: Apache-2.0 */

export function byId(id) {
    return document.getElementById(id);
}

/*
 * Children are elements, texts, which are never read as HTML, or undefined for none. An attribute on... is a listener;
 * one that is true stands there without a value, and one that is false or undefined not at all.
 */
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on')) {
            element.addEventListener(name.slice(2), value);
        } else if (value !== false && value !== undefined) {
            element.setAttribute(name, value === true ? '' : value);
        }
    }
    element.append(...children.filter(child => child !== undefined));
    return element;
}
