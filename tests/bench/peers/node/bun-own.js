// SPDX-License-Identifier: Apache-2.0
// Products with eight fields more, on the table of Own.pm: an index for each, a table of tags, and FTS5 for the words. A product, its tags
// and its words are one transaction, on disk before its answer.
import { Database } from 'bun:sqlite';

const db = new Database(process.env.DATABASE);
db.run('PRAGMA busy_timeout = 5000');
db.run('PRAGMA journal_mode = WAL');
db.run('PRAGMA synchronous = FULL');

const one = db.query('SELECT * FROM products WHERE id = ?');
const list = db.query('SELECT * FROM products ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?');
const count = db.query('SELECT COUNT(*) AS n FROM products');
const create = db.query('INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
const tag = db.query('INSERT INTO product_tags VALUES (?, ?, ?)');
const words = db.query('INSERT INTO products_words (rowid, name, category, brand, description) VALUES (?, ?, ?, ?, ?)');

const store = db.transaction((values, { sku, description, brand, tags, weight, quantity, color }) => {
    const [id, name, , category, , , createdAt] = values;
    const { lastInsertRowid } = create.run(...values, sku, description, brand, weight, quantity, color, createdAt);
    for (const text of tags) {
        tag.run(text, createdAt, id);
    }
    words.run(lastInsertRowid, name, category, brand, description);
});

export const get = (id) => one.get(id);
export const page = (limit, offset) => [list.all(limit, offset), count.get().n];
export const insert = (values, own) => store.immediate(values, own);
