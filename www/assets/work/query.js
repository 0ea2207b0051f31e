/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page for editing products shows, in its address and as parameters of the API: filters of the built-in
 * fields, and filters for the fields from CatalogField that lists can be filtered by. Creates no elements.
 */
import { parseNumber } from '../lib/text.js';
import { FIELDS, ownNames } from '../product/fields.js';

const LIMIT = 50;
const OWN = 'f.'; /* prefix of fields from CatalogField, whose names may equal those of other parameters of the
                   * address */
const DAY = 86_400_000;

/* ---- the filters ---- */

/*
 * Convert a day to the times of its beginning and end in the user's time zone; a day does not always have 24 hours.
 * Other text, from an address that somebody typed, is returned unchanged, and the server refuses it.
 */
const isDay = text => !Number.isNaN(Date.parse(`${text}T00:00`));
const beginningOf = day => (isDay(day) ? new Date(`${day}T00:00`).toISOString() : day);
const endOf = day => (isDay(day) ? beginningOf(new Date(Date.parse(day) + DAY).toISOString().slice(0, 10)) : day);

/* Converts a number. Other text is returned unchanged. */
const numberText = text => (Number.isNaN(parseNumber(text)) ? text : String(parseNumber(text)));
const asIs = text => text;

/*
 * The kinds of filters, by the kind of the field. Each control of a filter has the end of its name, the operator of its
 * condition, and a function from its text to the condition's value.
 */
const ONE = [['', '', asIs]];
const BEGINNING = [['', '[prefix]', asIs]];
const NUMBERS = [['.min', '[gte]', numberText], ['.max', '[lte]', numberText]];
const TIMES = [['.min', '[gte]', beginningOf], ['.max', '[lt]', endOf]];
const KINDS = {
    string: BEGINNING,
    url: BEGINNING,
    number: NUMBERS,
    integer: NUMBERS,
    boolean: ONE,
    choice: ONE,
    date: [['.min', '[gte]', asIs], ['.max', '[lte]', asIs]],
    time: TIMES,
    modified: TIMES,
    strings: ONE,
};

/* Returns the filters of fields from CatalogField: [{ field, name of the control, condition, make }]. */
export function ownFilters() {
    const names = ownNames().filter(name => (FIELDS[name].isIndexed || FIELDS[name].isFacet) && FIELDS[name].kind in KINDS);
    return names.flatMap(field =>
        KINDS[FIELDS[field].kind].map(([end, operator, make]) => ({ field, name: `${OWN}${field}${end}`, condition: field + operator, make })),
    );
}

const BUILT_IN = ['q', 'category', 'stock', 'min', 'max', 'rating'];
const OTHERS = ['sort', 'limit'];

/* Returns the names of the form's controls, which are also parameters of the page. */
export const filterNames = () => [...BUILT_IN, ...ownFilters().map(({ name }) => name), ...OTHERS];

/* ---- the address ---- */

/*
 * Reads the address. The texts are '' if not given. category begins with '=', because products may have an empty
 * category. twins is '1' to list only products that share their name. product is the id of the product in the dialog,
 * or NEW. page is a number.
 */
export function readAddress() {
    const query = new URLSearchParams(location.search);
    const given = [...filterNames(), 'twins', 'product'].map(name => [name, (query.get(name) ?? '').trim()]);
    return {
        ...Object.fromEntries(given),
        category: query.has('category') ? `=${query.get('category')}` : '',
        page: Math.max(1, Math.floor(Number(query.get('page')) || 1)),
    };
}

export function writeAddress({ page, category, ...texts }) {
    const query = new URLSearchParams(Object.entries(texts).filter(([, text]) => text !== ''));
    if (category) {
        query.set('category', category.slice(1));
    }
    if (page > 1) {
        query.set('page', page);
    }
    return `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
}

/* Returns an address without conditions. */
export const withoutFilters = () => ({
    ...Object.fromEntries(filterNames().filter(name => !OTHERS.includes(name)).map(name => [name, ''])),
    twins: '',
    page: 1,
});

/* Returns the number of filters in use that are not always visible. */
export function countFilters(asked) {
    const names = filterNames().filter(name => ![...OTHERS, 'q', 'category', 'stock'].includes(name));
    return [...names, 'twins'].filter(name => asked[name]).length;
}

/* ---- parameters of the API ---- */

export const limitOf = ({ limit }) => Number(limit) || LIMIT;

const NOT_RATED = 'none';

/* Returns the conditions as parameters of GET /products. */
export function conditions(asked) {
    const { q, category, stock, min, max, rating } = asked;
    const all = [
        ['q', q],
        ['category', category && category.slice(1)],
        ['inStock', stock],
        ['price[gte]', min && numberText(min)],
        ['price[lte]', max && numberText(max)],
        [rating === NOT_RATED ? 'rating[exists]' : 'rating[gte]', rating === NOT_RATED ? 'false' : rating],
        ...ownFilters().map(({ name, condition, make }) => [condition, asked[name] && make(asked[name])]),
    ];
    return all.filter(([name, value]) => value !== '' || (name === 'category' && category));
}

/* Returns the conditions as text, as a change of all matching products needs them. */
export const whereOf = asked => new URLSearchParams(conditions(asked)).toString();

export function requestPath(asked) {
    const sort = asked.sort ? [['sort', asked.sort]] : [];
    const match = asked.q ? [['match', 'prefix']] : []; /* the same matching as for a change of all matching products */
    return `/products?${new URLSearchParams([...conditions(asked), ...match, ...sort, ['limit', limitOf(asked)], ['page', asked.page]])}`;
}

export const isFiltered = asked => conditions(asked).length > 0 || asked.twins !== '';
