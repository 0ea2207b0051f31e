// SPDX-License-Identifier: Apache-2.0
// Lists with conditions, search and order: Fastify and better-sqlite3, with an index for each column and FTS5 for the words, as the
// documentation of SQLite recommends. The total is counted, as in catalogue.js.
import Database from 'better-sqlite3';
import Fastify from 'fastify';

import { pageOf, port } from './catalogue.js';

const db = new Database(process.env.DATABASE, { timeout: 5000 });
db.pragma('journal_mode = WAL');

const CONDITIONS = {
    category: 'p.category = ?',
    'price[gte]': 'p.price >= ?',
    inStock: 'p.inStock = ?',
    q: 'p.rowid IN (SELECT rowid FROM products_words WHERE products_words MATCH ?)',
};
const VALUES = {
    'price[gte]': Number,
    inStock: (text) => (text === 'true' ? 1 : 0),
    q: (text) => text.split(' ').map((word) => `"${word}"*`).join(' '),
};
const COLUMNS = ['name', 'price', 'rating'];

const statements = new Map();
function prepare(sql) {
    if (!statements.has(sql)) {
        statements.set(sql, db.prepare(sql));
    }
    return statements.get(sql);
}

function orderOf(sort) {
    const column = sort?.replace('-', '');
    const direction = sort?.startsWith('-') ? 'DESC' : 'ASC';
    return COLUMNS.includes(column)
        ? `p.${column} ${direction}, p.createdAt ${direction}, p.id ${direction}`
        : 'p.createdAt DESC, p.id DESC';
}

function list(query) {
    const names = Object.keys(CONDITIONS).filter((name) => name in query);
    const values = names.map((name) => (VALUES[name] ?? String)(query[name]));
    const where = names.length > 0 ? `WHERE ${names.map((name) => CONDITIONS[name]).join(' AND ')}` : '';
    const columns = 'p.id, p.name, p.price, p.category, p.inStock, p.rating, p.createdAt';
    const select = prepare(`SELECT ${columns} FROM products p ${where} ORDER BY ${orderOf(query.sort)} LIMIT ? OFFSET ?`);
    const count = prepare(`SELECT COUNT(*) AS n FROM products p ${where}`);
    return pageOf(query, (limit, offset) => [select.all(...values, limit, offset), count.get(...values).n]);
}

const app = Fastify({ logger: false });
app.get('/api/products', (request) => list(request.query));
await app.listen({ host: '127.0.0.1', port });
