// SPDX-License-Identifier: Apache-2.0
// The plain schema of Plain.pm behind Bun: a column and an index for each field, the database's own planner and its own full text.
// Conditions, orders, totals and facets as in mod_catalog's API. DATABASE in the environment is the file or the URL, SEARCHED the columns
// of the full-text index. A product, its tags and its words are one transaction, on disk before its answer.
import { randomUUID } from 'node:crypto';
import { Database } from 'bun:sqlite';
import { SQL } from 'bun';
import { createVerifier } from 'fast-jwt';

import { claims, isProduct, key, notFound, port, unauthorized } from './catalogue.js';

const COUNT_LIMIT = 1000; // CatalogCountLimit's default
const COLUMNS = ['id', 'name', 'price', 'category', 'inStock', 'rating', 'createdAt', 'sku', 'description', 'brand', 'tags', 'weight',
    'quantity', 'color', 'updatedAt'];
const NUMBERS = ['price', 'rating', 'weight', 'quantity'];
const NEVER_NULL = ['id', 'name', 'price', 'category', 'inStock', 'createdAt'];
const OPERATORS = { gte: '>=', gt: '>', lte: '<=', lt: '<' };
const searched = process.env.SEARCHED.split(' ').filter((name) => name !== '');

// ---- databases: each has run(text, values), which returns rows, transaction(act), where act(run) writes, and matching(words) ----

function openSqlite(file) {
    const db = new Database(file);
    db.run('PRAGMA busy_timeout = 5000');
    db.run('PRAGMA journal_mode = WAL');
    db.run('PRAGMA synchronous = FULL');
    const run = (text, values) => db.query(text).all(...values);
    const begin = db.transaction((act) => act(run));
    return {
        run,
        transaction: (act) => begin.immediate(act),
        matching: (words) => ['p.rowid IN (SELECT rowid FROM products_words WHERE products_words MATCH ?)',
            words.map((word) => `"${word}"*`).join(' ')],
    };
}

function openServer(url) {
    const sql = new SQL(url);
    const isPostgres = url.startsWith('postgres');
    const numbered = new Map();
    const number = (text) => {
        if (!numbered.has(text)) {
            let n = 0;
            numbered.set(text, isPostgres ? text.replace(/\?/g, () => `$${++n}`) : text);
        }
        return numbered.get(text);
    };
    const runOn = (session) => (text, values) => session.unsafe(number(text), values);
    return {
        isPostgres,
        run: runOn(sql),
        transaction: (act) => sql.begin((session) => act(runOn(session))),
        matching: isPostgres
            ? (words) => [`p.words @@ to_tsquery('simple', ?)`, words.map((word) => `${word}:*`).join(' & ')]
            : (words) => [`MATCH (${searched.map((name) => `p.${name}`)}) AGAINST (? IN BOOLEAN MODE)`,
                words.map((word) => `+${word}*`).join(' ')],
    };
}

const isFile = !process.env.DATABASE.includes('://');
const db = isFile ? openSqlite(process.env.DATABASE) : openServer(process.env.DATABASE);

// ---- lists ----

function typed(field, text) {
    if (field === 'inStock') {
        return text === 'true';
    }
    return NUMBERS.includes(field) ? Number(text) : text;
}

// Returns the text of a condition and its values.
function condition(name, text) {
    if (name === 'q') {
        const [match, words] = db.matching(text.split(' '));
        return [match, [words]];
    }
    const [, field, operator] = name.match(/^(\w+)(?:\[(\w+)\])?$/);
    if (operator === 'in') {
        const values = text.split(',').map((value) => typed(field, value));
        return [`p.${field} IN (${values.map(() => '?')})`, values];
    }
    if (operator === 'exists') {
        return [`p.${field} IS ${text === 'true' ? 'NOT ' : ''}NULL`, []];
    }
    if (operator === 'prefix') { // the last character is a letter before z
        const end = text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
        return [`p.${field} >= ? AND p.${field} < ?`, [text, end]];
    }
    return field === 'tags'
        ? ['p.id IN (SELECT id FROM product_tags WHERE tag = ?)', [text]]
        : [`p.${field} ${operator ? OPERATORS[operator] : '='} ?`, [typed(field, text)]];
}

// The rows after the last one of a page: `columns` are those of the order. MariaDB reads no range for a comparison of rows.
function after([column, ...columns], [value, ...values], sign) {
    if (columns.length === 0) {
        return [`p.${column} ${sign} ?`, [value]];
    }
    const [rest, restValues] = after(columns, values, sign);
    return [`p.${column} ${sign}= ? AND (p.${column} ${sign} ? OR (p.${column} = ? AND ${rest}))`, [value, value, value, ...restValues]];
}

function ordered(columns, direction) {
    const nulls = db.isPostgres ? ` NULLS ${direction === 'DESC' ? 'LAST' : 'FIRST'}` : '';
    return columns.map((name) => `p.${name} ${direction}${NEVER_NULL.includes(name) ? '' : nulls}`).join(', ');
}

const select = (names) => names.map((name) => `p.${name} AS "${name}"`).join(', ');
const LISTED = select(COLUMNS.filter((name) => name !== 'description'));
const whereOf = (conditions) => (conditions.length > 0 ? `WHERE ${conditions.map(([text]) => text).join(' AND ')}` : '');
const valuesOf = (conditions) => conditions.flatMap(([, values]) => values);

// JSON omits an undefined field.
function productOf(row) {
    const product = { inStock: Boolean(row.inStock), tags: row.tags === null ? undefined : JSON.parse(row.tags) };
    for (const name of COLUMNS) {
        product[name] ??= row[name] ?? undefined;
    }
    return product;
}

async function count(conditions, isExact) {
    const from = `FROM products p ${whereOf(conditions)}`;
    const text = isExact ? `SELECT COUNT(*) AS n ${from}` : `SELECT COUNT(*) AS n FROM (SELECT 1 ${from} LIMIT ${COUNT_LIMIT + 1}) c`;
    const found = Number((await db.run(text, valuesOf(conditions)))[0].n); // PostgreSQL's bigint is text
    return isExact || found <= COUNT_LIMIT ? { total: found } : { total: COUNT_LIMIT, totalRelation: 'gte' };
}

async function facet(name, conditions) {
    const [column, from] = name === 'tags'
        ? ['t.tag', `product_tags t ${conditions.length > 0 ? 'JOIN products p ON p.id = t.id' : ''}`] : [`p.${name}`, 'products p'];
    const rows = await db.run(`SELECT ${column} AS value, COUNT(*) AS n FROM ${from} ${whereOf(conditions)} GROUP BY ${column}
        ORDER BY 2 DESC LIMIT 51`, valuesOf(conditions));
    return rows.filter(({ value }) => value !== null && value !== '').slice(0, 50).map(({ value, n }) => ({ value, count: Number(n) }));
}

async function list(request) {
    const { page: number, limit: most, cursor, sort, count: counting, match, facets, ...rest } =
        Object.fromEntries(new URL(request.url).searchParams);
    const conditions = Object.entries(rest).map(([name, text]) => condition(name, text));
    const [page, limit] = [Number(number ?? 1), Number(most ?? 10)];
    const direction = !sort || sort.startsWith('-') ? 'DESC' : 'ASC';
    const columns = [...(sort ? [sort.replace('-', '')] : []), 'createdAt', 'id'];
    const from = cursor ? [after(columns, JSON.parse(atob(cursor)), direction === 'DESC' ? '<' : '>')] : [];
    const met = [...conditions, ...from];
    const read = db.run(`SELECT ${LISTED} FROM products p ${whereOf(met)} ORDER BY ${ordered(columns, direction)} LIMIT ? OFFSET ?`,
        [...valuesOf(met), limit, (page - 1) * limit]);
    const isExact = counting === 'exact' || Object.keys(rest).every((name) => /^(category(\[in\])?|inStock)$/.test(name));
    const names = facets?.split(',') ?? [];
    const [rows, total, ...counts] = await Promise.all(
        [read, cursor === undefined ? count(conditions, isExact) : {}, ...names.map((name) => facet(name, conditions))]);
    const last = cursor !== undefined && rows.length === limit && rows[rows.length - 1];
    const pagination = {
        page: cursor === undefined ? page : undefined, limit, ...total,
        nextCursor: last ? btoa(JSON.stringify(columns.map((name) => last[name]))) : undefined };
    return Response.json({
        success: true, data: rows.map(productOf), pagination,
        facets: names.length > 0 ? Object.fromEntries(names.map((name, i) => [name, counts[i]])) : undefined });
}

// ---- products ----

const verify = createVerifier({ key, algorithms: ['HS256'], allowedIss: claims.issuer, allowedAud: claims.audience, cache: true });

function isAuthentic(request) {
    const [scheme, token] = (request.headers.get('Authorization') ?? '').split(' ');
    try {
        return scheme === 'Bearer' && Boolean(verify(token));
    } catch {
        return false;
    }
}

// Calls the handler with the product in the body.
const writing = (handler) => async (request) => {
    if (!isAuthentic(request)) {
        return Response.json(unauthorized, { status: 401 });
    }
    const body = await request.json().catch(() => null);
    return body ? handler(body, request) : Response.json({ success: false, message: 'Validation failed' }, { status: 400 });
};

const INSERT = `INSERT INTO products (${COLUMNS}) VALUES (${COLUMNS.map(() => '?')})${isFile ? ' RETURNING rowid' : ''}`;
const INSERT_WORDS = `INSERT INTO products_words (rowid, ${searched}) VALUES (?, ${searched.map(() => '?')})`;

// On SQLite, nothing between the begin and the end of a transaction may wait.
function* statementsOf(product) {
    const [row] = yield [INSERT, COLUMNS.map((name) => (name === 'tags' ? JSON.stringify(product.tags ?? []) : product[name] ?? null))];
    if (product.tags?.length > 0) {
        yield [`INSERT INTO product_tags (tag, id) VALUES ${product.tags.map(() => '(?, ?)')}`,
            product.tags.flatMap((tag) => [tag, product.id])];
    }
    if (isFile && searched.length > 0) {
        yield [INSERT_WORDS, [row.rowid, ...searched.map((name) => product[name] ?? null)]];
    }
}

function store(run, product) {
    const statements = statementsOf(product);
    for (let next = statements.next(); !next.done;) {
        next = statements.next(run(...next.value));
    }
}

async function storeOnServer(run, product) {
    const statements = statementsOf(product);
    for (let next = statements.next(); !next.done;) {
        next = statements.next(await run(...next.value));
    }
}

const post = writing(async (body) => {
    const time = new Date().toISOString();
    const product = { category: '', inStock: true, ...body, id: randomUUID(), createdAt: time, updatedAt: time };
    if (!isProduct(product)) {
        return Response.json({ success: false, message: 'Validation failed' }, { status: 400 });
    }
    await db.transaction((run) => (isFile ? store : storeOnServer)(run, product));
    return Response.json({ success: true, data: product, message: 'Product created' }, { status: 201 });
});

const keyOf = (text) => (text.startsWith('sku=') ? ['sku', text.slice(4)] : ['id', text]);

async function answer([column, value]) {
    const [row] = await db.run(`SELECT ${select(COLUMNS)} FROM products p WHERE p.${column} = ?`, [value]);
    return row ? Response.json({ success: true, data: productOf(row) }) : Response.json(notFound, { status: 404 });
}

const get = (request) => answer(keyOf(request.params.key));
const put = writing(async ({ price }, request) => {
    const [column, value] = keyOf(request.params.key);
    await db.run(`UPDATE products SET price = ?, updatedAt = ? WHERE ${column} = ?`, [price, new Date().toISOString(), value]);
    return answer([column, value]);
});

Bun.serve({ hostname: '127.0.0.1', port, routes: { '/api/products/:key': { GET: get, PUT: put }, '/api/products': { GET: list, POST: post } } });
