/* SPDX-License-Identifier: Apache-2.0 */
/* The filters below the search: price, rating, fields from CatalogField, and possible duplicates. */
import { field, input, select } from '../lib/controls.js';
import { byId, el, follow, state } from '../lib/dom.js';
import { parseNumber, t } from '../lib/text.js';
import { FIELDS } from '../product/fields.js';
import { suggestValues } from '../product/known.js';
import { countFilters, ownFilters, withoutFilters } from './query.js';

const NUMBERS = ['number', 'integer'];
const RATINGS = [['', 'list.anyRating'], ['4', 'list.rating4'], ['3', 'list.rating3'], ['2', 'list.rating2'], ['none', 'work.notRated']];
const YES_NO = [['', 'list.anyRating'], ['true', 'field.yes'], ['false', 'field.no']];

const idOf = name => `filter-${name.replaceAll('.', '-')}`;
const texts = choices => choices.map(([value, key]) => [value, t(key)]);

/* Returns two controls, from and to. `type` is 'date' or undefined for numbers. */
function range(label, names, type) {
    const one = (name, key) => {
        const attributes = { id: idOf(name), name, 'aria-label': t('filter.end', { label, end: t(key) }) };
        const control = input(type === 'date' ? { ...attributes, type } : { ...attributes, inputmode: 'decimal', 'data-number': '' });
        return el('label', {}, el('span', {}, t(key)), control);
    };
    return el('fieldset', { class: 'plain field' }, el('legend', {}, label), el('div', { class: 'range' }, one(names[0], 'list.from'), one(names[1], 'list.to')));
}

/* Returns a control for one value: a choice, or the value or its beginning as text. */
function single(name, { label, kind, options, isFacet }, fieldName) {
    if (kind === 'boolean' || kind === 'choice') {
        const choices = kind === 'boolean' ? texts(YES_NO) : [['', t('list.anyRating')], ...options];
        return field(idOf(name), label, select(choices, { name }));
    }
    const control = input({ name, type: 'search' });
    const made = field(idOf(name), label, control, kind === 'strings' ? undefined : t('filter.beginning'));
    isFacet && made.append(suggestValues(fieldName, control));
    return made;
}

function ownControls() {
    const byField = Map.groupBy(ownFilters(), filter => filter.field);
    return [...byField].map(([name, filters]) => {
        const names = filters.map(filter => filter.name);
        return names.length > 1
            ? range(FIELDS[name].label, names, NUMBERS.includes(FIELDS[name].kind) ? 'text' : 'date')
            : single(names[0], FIELDS[name], name);
    });
}

const isNoNumber = ({ value }) => value.trim() !== '' && Number.isNaN(parseNumber(value.trim()));

/* Ignores texts that are not numbers and shows an error. Returns a function that empties such controls. */
function refuseNumbers(panel, fault) {
    const controls = [...panel.querySelectorAll('[data-number]')];
    const check = () => {
        controls.forEach(control => {
            control.classList.toggle('is-invalid', isNoNumber(control));
            isNoNumber(control) ? control.setAttribute('aria-invalid', 'true') : control.removeAttribute('aria-invalid');
        });
        fault.textContent = controls.some(isNoNumber) ? t('filter.fault') : '';
    };
    panel.addEventListener('input', check);
    return () => {
        controls.filter(isNoNumber).forEach(control => (control.value = ''));
        check();
    };
}

/* `address` is a state that visit() changes. */
export function showFilters(address, visit) {
    const isOpen = state(false);
    const panel = byId('filter-panel');
    const fault = el('p', { class: 'field-error', id: 'filter-fault', role: 'alert' });
    const clear = () => {
        forgetFaults();
        visit({ ...address.value, ...withoutFilters() });
    };
    const button = (props, text) => el('button', { type: 'button', class: 'btn', ...props }, text);
    panel.append(
        el(
            'div',
            { class: 'filter-fields' },
            range(t('list.price'), ['min', 'max']),
            field(idOf('rating'), t('list.rating'), select(texts(RATINGS), { name: 'rating' })),
            ...ownControls(),
        ),
        fault,
        el(
            'div',
            { class: 'actions' },
            button(
                {
                    'aria-pressed': () => String(address.value.twins !== ''),
                    onclick: () => visit({ ...address.value, twins: address.value.twins ? '' : '1', page: 1 }),
                },
                t('work.twins'),
            ),
            button({ onclick: clear, hidden: () => countFilters(address.value) === 0 }, t('list.clear')),
        ),
    );
    const forgetFaults = refuseNumbers(panel, fault);
    const toggle = byId('show-filters');
    toggle.onclick = () => (isOpen.value = !isOpen.value);
    follow(() => {
        panel.hidden = !isOpen.value;
        toggle.setAttribute('aria-expanded', isOpen.value);
        toggle.textContent = t(countFilters(address.value) > 0 ? 'work.filtersInUse' : 'list.filters', { n: countFilters(address.value) });
    });
}
