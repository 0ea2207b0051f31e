/* SPDX-License-Identifier: Apache-2.0 */
import { el } from './dom.js';

/* The controls of forms that scripts make. */

/* A control with its label. One with a name, which manage() of form.js may check, has a place for its fault. */
export function field(id, label, control, hint) {
    const described = [hint && `${id}-hint`, control.name && `${id}-error`].filter(Boolean).join(' ');
    control.id = id;
    if (described) {
        control.setAttribute('aria-describedby', described);
    }
    return el(
        'div',
        { class: 'field' },
        el('label', { class: 'form-label', for: id }, label),
        control,
        hint && el('p', { class: 'form-text', id: `${id}-hint` }, hint),
        control.name && el('p', { class: 'field-error', id: `${id}-error`, 'aria-live': 'polite' }),
    );
}

export function input(attributes) {
    return el('input', { class: 'form-control', type: 'text', autocomplete: 'off', ...attributes });
}

/* choices: [value, text] of each. */
export function select(choices, attributes = {}) {
    return el('select', { class: 'form-control', ...attributes }, choices.map(([value, text]) => el('option', { value }, text)));
}
