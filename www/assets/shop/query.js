/* SPDX-License-Identifier: Apache-2.0 */
/* What a list of the catalogue shows, as the address of the page says it and as the API is asked for it. Makes no elements. */
import { anyOf } from '../lib/api.js';

export const LIMITS = [10, 20, 50, 100];
const LIMIT = 20;
const SORTS = ['', 'price', '-price', 'name', '-rating'];
const OWN = 'f.'; /* before the name of a field of the shop's own, which may be that of another part of the address */

const oneOf = (values, value, usual) => (values.includes(value) ? value : usual);
const numberIn = value => (value === null || value.trim() === '' || !(Number(value) >= 0) ? '' : value.trim());

function readOwn(query) {
    const names = [...new Set(query.keys())].filter(name => name.startsWith(OWN));
    return Object.fromEntries(names.map(name => [name.slice(OWN.length), query.getAll(name)]));
}

/*
 * What the query of an address asks for. category null: all; '': products without one. min, max and rating are numbers as texts, or ''. own: of
 * the shop's own fields, the values of which a product has one.
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

/* The query of an address, '' or ?..., without what is usual. */
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

/* Without any condition. */
export const NOTHING = { q: '', match: '', category: null, min: '', max: '', stock: false, rating: '', own: {} };

/* What is chosen of a facet: 'category', or a field of the shop's own. */
export function chosenOf(list, name) {
    return name === 'category' ? [list.category].filter(value => value !== null) : (list.own[name] ?? []);
}

/* The changes of the list that choose these values of the facet. */
export function choosing(list, name, values) {
    if (name === 'category') {
        return { category: values[0] ?? null };
    }
    const { [name]: before, ...others } = list.own;
    return { own: values.length > 0 ? { ...others, [name]: values } : others };
}

/* The conditions as parameters of GET /products, without those that the server lacks (lacks.has('price')). */
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

/* Which products, in which order. */
export function selection(list, lacks) {
    const { sort } = list;
    return [...conditions(list, lacks), ...(sort && !lacks.has(`sort ${sort.replace('-', '')}`) ? [['sort', sort]] : [])];
}

/*
 * The requests for the list and for the numbers of products beside it, [name, value] each. Of a facet in which nothing is chosen the list's own
 * answer has the numbers; of the others they are those of the list without that choice.
 */
export function questions(list, facets, lacks) {
    const known = facets.filter(name => !lacks.has(name));
    const isChosen = name => chosenOf(list, name).length > 0;
    const free = known.filter(name => !isChosen(name));
    const products = [
        ...selection(list, lacks),
        ['limit', list.limit],
        ['page', list.page],
        ...(free.length > 0 ? [['facets', free.join()]] : []),
    ];
    const others = known.filter(isChosen).map(name => [
        ...conditions({ ...list, ...choosing(list, name, []) }, lacks),
        ['limit', list.q ? list.limit : 1], /* which decides whether other words take part */
        ['fields', 'id'],
        ['facets', name],
    ]);
    return { products, others };
}

/* How many filters are in use. */
export function countFilters({ category, min, max, stock, rating, own }) {
    return [category !== null, min !== '' || max !== '', stock, rating !== '', ...Object.keys(own)].filter(Boolean).length;
}

/* What the server has no index of, as its refusal tells: fields, or 'sort price' for an order. */
export function readLacks(error, list) {
    return (error.fields ?? [])
        .filter(({ code }) => code === 'no_index')
        .map(({ field }) => (field === 'sort' ? `sort ${list.sort.replace('-', '')}` : field.replace(/\[.*/, '')));
}
