/* SPDX-License-Identifier: Apache-2.0 */
import { el } from './dom.js';

/* Makes the controls of forms that scripts create. */

/* Makes the elements below a control: its hint and, if it has a name and so may be checked by manage() of form.js, a
 * place for its error. */
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

export function field(id, label, control, hint) {
    control.id = id;
    return el('div', { class: 'field' }, el('label', { class: 'form-label', for: id }, label), control, notes(id, control, hint));
}

/* Returns a checkbox with its label. The name of the checkbox is its id. */
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

/* `choices` are [value, text]. */
export function select(choices, attributes = {}) {
    return el('select', { class: 'form-control', ...attributes }, choices.map(([value, text]) => el('option', { value }, text)));
}
