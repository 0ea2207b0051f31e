/* SPDX-License-Identifier: Apache-2.0 */
/* Creates the control for editing a field of a product. */
import { area, check, field, input, select } from '../lib/controls.js';
import { t } from '../lib/text.js';
import { chips } from './chips.js';
import { FIELDS } from './fields.js';
import { isCounted, noteNew, suggestValues } from './known.js';

const MAKERS = {
    area,
    select: (attributes, options) => select([['', t('field.none')], ...options], attributes),
    input,
};

/* Returns an element with the field's control and label. `id` is the id and the name of the control. */
export function control(name, id) {
    const { kind, label, hint, about, isRequired, isPrivate, control: maker = 'input', options, input: more } = FIELDS[name];
    const hints = [hint, about, isPrivate && t('field.private')].filter(Boolean).join(' ');
    if (maker === 'switch') {
        return check(id, label, hints);
    }
    if (maker === 'chips') {
        return field(id, label, chips({ name: id, required: isRequired }, name, label), hints);
    }
    const made = MAKERS[maker]({ name: id, required: isRequired, ...more }, options);
    const element = field(id, label, made, hints);
    kind === 'string' && isCounted(name) && element.append(suggestValues(name, made), noteNew(name, made));
    return element;
}

/* Returns the typed text, or for a switch whether it is on. */
export const textOf = ({ type, checked, value }) => (type === 'checkbox' ? checked : value);

export function fill(element, text) {
    if (element.type === 'checkbox') {
        element.checked = text;
        return;
    }
    element.value = text;
    if (element.value !== text && element.tagName === 'SELECT') {
        element.append(new Option(text, text, false, true)); /* a choice that the field no longer has */
    }
}
