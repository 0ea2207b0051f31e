/* SPDX-License-Identifier: Apache-2.0 */
/* What a list of the catalogue shows: in the page's address, and as parameters of the API. Creates no elements. */
import { anyOf } from '../lib/api.js';

export const LIMITS = [10, 20, 50, 100];
const LIMIT = 20;
export const NEWEST = '-createdAt'; /* for lists with words, whose default order is relevance */
const SORTS = ['', NEWEST, 'price', '-price', 'name', '-rating'];
const OWN = 'f.'; /* prefix of fields from CatalogField, whose names may equal those of other parameters of the
                   * address */

const oneOf = (values, value, usual) => (values.includes(value) ? value : usual);
const numberIn = value => (value === null || value.trim() === '' || !(Number(value) >= 0) ? '' : value.trim());

function readOwn(query) {
    const names = [...new Set(query.keys())].filter(name => name.startsWith(OWN));
    return Object.fromEntries(names.map(name => [name.slice(OWN.length), query.getAll(name)]));
}

/*
 * Reads the query of an address. category: null for all, '' for products without a category. min, max, rating: numbers
 * as texts, or ''. own: for each field from CatalogField, the values of which a product must have one.
 */
export function readList(search) {
    const query = new URLSearchParams(search);
    return {
        q: (query.get('q') ?? '').trim(),
        match: oneOf(['prefix', 'exact'], query.get('match'), ''),
        category: query.get('category'),
        min: numberIn(query.get('min')),
        max: numberIn(query.get('max')),
        stock: query.get('stock') === '1',
        rating: oneOf(['4', '3', '2'], query.get('rating'), ''),
        own: readOwn(query),
        sort: oneOf(SORTS, query.get('sort'), ''),
        limit: oneOf(LIMITS, Number(query.get('limit')), LIMIT),
        page: Math.max(1, Math.floor(Number(query.get('page')) || 1)),
        view: oneOf(['cards', 'table'], query.get('view'), 'cards'),
    };
}

/* Returns the query of an address, '' or "?...", without default values. */
export function writeList({ own, ...list }) {
    const query = new URLSearchParams();
    const usual = readList('');
    for (const [name, value] of Object.entries(list)) {
        if (value !== usual[name]) {
            query.set(name, value === true ? '1' : value);
        }
    }
    Object.entries(own).forEach(([name, values]) => values.forEach(value => query.append(OWN + name, value)));
    const text = query.toString();
    return text && `?${text}`;
}

/* A list without conditions. */
export const NOTHING = { q: '', match: '', category: null, min: '', max: '', stock: false, rating: '', own: {} };

/* Returns the chosen values of a facet: 'category', or a field from CatalogField. */
export function chosenOf(list, name) {
    return name === 'category' ? [list.category].filter(value => value !== null) : (list.own[name] ?? []);
}

/* Returns the changes of the list that choose these values of the facet. */
export function choosing(list, name, values) {
    if (name === 'category') {
        return { category: values[0] ?? null };
    }
    const { [name]: before, ...others } = list.own;
    return { own: values.length > 0 ? { ...others, [name]: values } : others };
}

/* Returns the conditions as parameters of GET /products, without those that the server does not support
 * (lacks.has('price')). */
export function conditions({ q, match, category, min, max, stock, rating, own }, lacks) {
    const all = [
        ['q', 'q', q],
        ['q', 'match', q && match],
        ['category', 'category', category],
        ['price', 'price[gte]', min],
        ['price', 'price[lte]', max],
        ['inStock', 'inStock', stock ? 'true' : ''],
        ['rating', 'rating[gte]', rating],
    ];
    const given = ([field, name, value]) => value !== null && (value !== '' || name === 'category') && !lacks.has(field);
    const ofOwn = Object.entries(own).filter(([name]) => !lacks.has(name));
    return [...all.filter(given).map(([, name, value]) => [name, value]), ...ofOwn.flatMap(([name, values]) => anyOf(name, values))];
}

/* Returns the parameters that select and order the products. Omits an order that the server does not support. */
export function selection(list, lacks) {
    const { sort } = list;
    return [...conditions(list, lacks), ...(sort && !lacks.has(`sort ${sort.replace('-', '')}`) ? [['sort', sort]] : [])];
}

/*
 * Returns the parameters, as [name, value], of the requests for the list and for the counts next to it. The list's own
 * answer has the counts of a facet in which nothing is chosen. The counts of another facet are those of the list
 * without the choice in this facet.
 */
export function questions(list, facets, lacks) {
    const known = facets.filter(name => !lacks.has(name));
    const isChosen = name => chosenOf(list, name).length > 0;
    const free = known.filter(name => !isChosen(name));
    const selected = selection(list, lacks);
    const has = wanted => selected.some(([name]) => name === wanted);
    const products = [
        ...selected,
        ...(has('q') && !has('sort') ? [['sort', 'relevance']] : []),
        ['limit', list.limit],
        ['page', list.page],
        ...(free.length > 0 ? [['facets', free.join()]] : []),
    ];
    const others = known.filter(isChosen).map(name => [
        ...conditions({ ...list, ...choosing(list, name, []) }, lacks),
        ['limit', list.q ? list.limit : 1], /* determines whether corrections of words are used */
        ['fields', 'id'],
        ['facets', name],
    ]);
    return { products, others };
}

export function countFilters({ category, min, max, stock, rating, own }) {
    return [category !== null, min !== '' || max !== '', stock, rating !== '', ...Object.keys(own)].filter(Boolean).length;
}

/* Returns the fields without an index on the server, from its refusal; 'sort price' for an order. */
export function readLacks(error, list) {
    return (error.fields ?? [])
        .filter(({ code }) => code === 'no_index')
        .map(({ field }) => (field === 'sort' ? `sort ${list.sort.replace('-', '')}` : field.replace(/\[.*/, '')));
}
