/* SPDX-License-Identifier: Apache-2.0 */

export function byId(id) {
    return document.getElementById(id);
}

/*
 * Children are elements, texts (never parsed as HTML) or undefined, which adds nothing. An attribute on... is a
 * listener. true sets an attribute without a value; false and undefined leave it out.
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
