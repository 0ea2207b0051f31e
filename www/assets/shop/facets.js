/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facets next to the list: the category and each field with the option facet, with the number of products for each
 * value. A facet shows few values until the user asks for more, and can then be searched. If a facet has more values
 * than the list's answer contains, the search asks the server.
 */
import * as config from '../../own/config.js';
import { send } from '../lib/api.js';
import { bdi, byId, each, el, follow, recall, remember, state } from '../lib/dom.js';
import { formatWhole, t } from '../lib/text.js';

const KEPT = 'facets';
const FEW = 7; /* values shown at first */
const MANY = 12; /* number of values from which a search is offered */
const PAUSE = 250;
const BUILT_IN = ['category', 'inStock'];

/* ---- the fields ---- */

/* The fields { name, label, type } as the last page read them. */
const fields = state(JSON.parse(recall('sessionStorage', KEPT) ?? '[]'));
export const ownFacets = () => fields.value;

const place = ({ name }) => ((config.FIELDS ?? []).indexOf(name) + 1 || Infinity);

/* Reads the fields. Resolves to true if they differ from those known before. Reads as a visitor, because all users see
 * the same facets. */
export async function learnFacets() {
    const { data } = await send('GET', '/fields');
    const facets = data.filter(({ name, facet }) => facet && !BUILT_IN.includes(name));
    const found = facets.map(({ name, label, type }) => ({ name, label: label || name, type })).sort((a, b) => place(a) - place(b) || 0);
    const isNew = JSON.stringify(found) !== JSON.stringify(fields.value);
    if (isNew) {
        fields.value = found;
        remember('sessionStorage', KEPT, JSON.stringify(found));
    }
    return isNew;
}

export function valueText(name, value) {
    if (name === 'category') {
        return value === null ? t('list.allCategories') : value || t('list.uncategorized');
    }
    const { type } = fields.value.find(field => field.name === name) ?? {};
    return type === 'boolean' ? t(String(value) === 'true' ? 'field.yes' : 'field.no') : String(value);
}

/* ---- the values of a facet ---- */

const fold = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/* Reads further values from the server. They come without counts, because the server would count all products. */
async function findValues(name, prefix) {
    const { data } = await send('GET', `/fields/${name}/values?${new URLSearchParams({ prefix, limit: 30 })}`);
    return data.map(({ value }) => ({ value: String(value) }));
}

/* Sets `needle` to the typed text and `found` to matching values of the server. */
function listenToNeedle(name, input, { needle, found, isCut }) {
    let pause;
    const ask = async () => {
        const text = input.value.trim();
        const more = text && isCut() ? await findValues(name, text).catch(() => []) : [];
        if (text === input.value.trim()) {
            found.value = more;
        }
    };
    input.addEventListener('input', () => {
        needle.value = input.value.trim();
        clearTimeout(pause);
        pause = setTimeout(ask, PAUSE);
    });
}

function unite(lists) {
    const byValue = new Map();
    lists.flat().forEach(item => byValue.has(item.value) || byValue.set(item.value, item));
    return [...byValue.values()];
}

/*
 * Creates the options of a facet: values with counts, as radio buttons (isSingle, with one option for all) or
 * checkboxes. values() returns [{ value, count }], or null while unknown. chosen() returns the chosen values. isCut()
 * returns true if there are more values. choose(values) is called after a choice.
 */
function makeOptions({ name, isSingle, values, chosen, isCut, choose }, box) {
    const isOpen = state(false);
    const needle = state('');
    const found = state([]);
    const all = () => unite([values(), chosen().map(value => ({ value, count: 0 })), found.value]);
    const matching = () => all().filter(({ value }) => fold(valueText(name, value)).includes(fold(needle.value)));
    const few = () => all().filter(({ value }, i) => i < FEW || chosen().includes(value));
    const shown = () => [...(isSingle && needle.value === '' ? [{ value: null }] : []), ...(needle.value ? matching() : isOpen.value ? all() : few())];
    const option = (item, { value }) => {
        const input = el('input', { type: isSingle ? 'radio' : 'checkbox', name: `f.${name}`, value: value ?? '' });
        const others = () => chosen().filter(other => other !== value);
        follow(() => (input.checked = value === null ? chosen().length === 0 : chosen().includes(value)));
        input.addEventListener('change', () => {
            const kept = isSingle ? [] : others();
            choose(value !== null && input.checked ? [...kept, value] : kept);
        });
        const count = () => (item.value.count === undefined ? '' : formatWhole(item.value.count));
        return el('label', { class: 'option' }, input, bdi(valueText(name, value)), el('span', { class: 'option-count' }, count));
    };
    each(box, () => (values() === null ? [] : shown()), ({ value }) => (value === null ? 'all' : `=${value}`), option);
    return { isOpen, needle, found, size: () => (values() === null ? 0 : all().length) };
}

/* Creates the search field and the button for more or fewer values. */
function makeTools({ name, label, isCut }, { isOpen, needle, found, size }) {
    const input = el('input', {
        class: 'form-control',
        type: 'search',
        autocomplete: 'off',
        spellcheck: 'false',
        maxlength: 100,
        'aria-label': t('facet.search', { name: label }),
        placeholder: t('facet.searchShort'),
        hidden: () => !isOpen.value || (size() < MANY && !isCut()),
    });
    listenToNeedle(name, input, { needle, found, isCut });
    input.addEventListener('change', event => event.stopPropagation()); /* the search field is not a filter */
    const turn = () => {
        isOpen.value = !isOpen.value;
        input.value = needle.value = '';
        found.value = [];
    };
    const text = () => (isOpen.value ? t('facet.fewer') : size() > FEW && t('facet.more', { n: size() - FEW }));
    const more = el('button', {
        type: 'button',
        class: 'link facet-more',
        'aria-expanded': () => String(isOpen.value),
        hidden: () => size() <= FEW,
        onclick: turn,
    }, text);
    return { input, more };
}

/* Fills a fieldset that already has its legend. */
export function fillFacet(fieldset, box, facet) {
    const options = makeOptions(facet, box);
    const { input, more } = makeTools(facet, options);
    box.before(input);
    fieldset.append(more);
}

/* Shows the fieldsets of fields from CatalogField. facetOf(field) returns the facet for fillFacet(). */
export function showOwnFacets(facetOf) {
    each(
        byId('own-facets'),
        () => fields.value,
        ({ name }) => name,
        field => {
            const facet = facetOf(field.value);
            const box = el('div', { class: 'options' });
            const fieldset = el(
                'fieldset',
                { hidden: () => (facet.values() ?? []).length === 0 && facet.chosen().length === 0 },
                el('legend', {}, bdi(field.value.label)),
                box,
            );
            fillFacet(fieldset, box, facet);
            return fieldset;
        },
    );
}
