/* SPDX-License-Identifier: Apache-2.0 */
import { el } from './dom.js';

/* The controls of forms that scripts make. */

/* What stands below a control: its hint and, if it has a name, which manage() of form.js may check, a place for its fault. */
function notes(id, control, hint) {
    const described = [hint && `${id}-hint`, control.name && `${id}-error`].filter(Boolean).join(' ');
    if (described) {
        control.setAttribute('aria-describedby', described);
    }
    return [
        hint && el('p', { class: 'form-text', id: `${id}-hint` }, hint),
        control.name && el('p', { class: 'field-error', id: `${id}-error`, 'aria-live': 'polite' }),
    ];
}

/* A control with its label. */
export function field(id, label, control, hint) {
    control.id = id;
    return el('div', { class: 'field' }, el('label', { class: 'form-label', for: id }, label), control, notes(id, control, hint));
}

/* A checkbox with its label; its name is its id. */
export function check(id, label, hint) {
    const box = el('input', { class: 'form-check-input', type: 'checkbox', id, name: id });
    return el(
        'div',
        { class: 'form-check field' },
        box,
        el('label', { class: 'form-check-label', for: id }, label),
        notes(id, box, hint),
    );
}

export function input(attributes) {
    return el('input', { class: 'form-control', type: 'text', autocomplete: 'off', ...attributes });
}

export function area(attributes) {
    return el('textarea', { class: 'form-control', rows: 3, ...attributes });
}

/* choices: [value, text] of each. */
export function select(choices, attributes = {}) {
    return el('select', { class: 'form-control', ...attributes }, choices.map(([value, text]) => el('option', { value }, text)));
}
