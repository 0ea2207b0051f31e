/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page for work on products shows, as its address says it and as the API is asked for it: the filters of the built-in fields, and one
 * for each of the shop's own fields that lists have conditions on. Makes no elements.
 */
import { parseNumber } from '../lib/text.js';
import { FIELDS, ownNames } from '../product/fields.js';

const LIMIT = 50;
const OWN = 'f.'; /* before the name of a field of the shop's own, which may be that of another part of the address */
const DAY = 86_400_000;

/* ---- which filters there are ---- */

/*
 * The end of a day of the user's zone is not always 24 hours after its beginning. What is no day, in an address that somebody wrote, the server
 * refuses.
 */
const isDay = text => !Number.isNaN(Date.parse(`${text}T00:00`));
const beginningOf = day => (isDay(day) ? new Date(`${day}T00:00`).toISOString() : day);
const endOf = day => (isDay(day) ? beginningOf(new Date(Date.parse(day) + DAY).toISOString().slice(0, 10)) : day);

/* What is no number either. */
const numberText = text => (Number.isNaN(parseNumber(text)) ? text : String(parseNumber(text)));
const asIs = text => text;

/*
 * THE KINDS of filters, by the kind of the field. ends: of the names of their controls, each with the operator of its condition, and what makes
 * its value of a text.
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

/* Those of the shop's own fields: [{ field, name of the control, condition, make }]. */
export function ownFilters() {
    const names = ownNames().filter(name => (FIELDS[name].isIndexed || FIELDS[name].isFacet) && FIELDS[name].kind in KINDS);
    return names.flatMap(field =>
        KINDS[FIELDS[field].kind].map(([end, operator, make]) => ({ field, name: `${OWN}${field}${end}`, condition: field + operator, make })),
    );
}

const BUILT_IN = ['q', 'category', 'stock', 'min', 'max', 'rating'];
const OTHERS = ['sort', 'limit'];

/* The names of the form's controls, and of parameters of the page. */
export const filterNames = () => [...BUILT_IN, ...ownFilters().map(({ name }) => name), ...OTHERS];

/* ---- the address ---- */

/*
 * Texts, '' for what is not given: category begins with '=', because a product may have none; twins '1': only products that share their name;
 * product is the id of the one in the dialog, or NEW. page is a number.
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

/* Without any condition. */
export const withoutFilters = () => ({
    ...Object.fromEntries(filterNames().filter(name => !OTHERS.includes(name)).map(name => [name, ''])),
    twins: '',
    page: 1,
});

/* How many of the filters are in use that are not always in sight. */
export function countFilters(asked) {
    const names = filterNames().filter(name => ![...OTHERS, 'q', 'category', 'stock'].includes(name));
    return [...names, 'twins'].filter(name => asked[name]).length;
}

/* ---- what the API is asked ---- */

export const limitOf = ({ limit }) => Number(limit) || LIMIT;

const NOT_RATED = 'none';

/* What selects the products, as parameters of GET /products. */
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

/* The same as a change of all that match has it. */
export const whereOf = asked => new URLSearchParams(conditions(asked)).toString();

/* The request for the list. */
export function requestPath(asked) {
    const sort = asked.sort ? [['sort', asked.sort]] : [];
    const match = asked.q ? [['match', 'prefix']] : []; /* what a change of all that match changes */
    return `/products?${new URLSearchParams([...conditions(asked), ...match, ...sort, ['limit', limitOf(asked)], ['page', asked.page]])}`;
}

export const isFiltered = asked => conditions(asked).length > 0 || asked.twins !== '';
