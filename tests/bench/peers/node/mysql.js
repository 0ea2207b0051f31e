// SPDX-License-Identifier: Apache-2.0
// mysql2: a pool of its default size, and statements that each connection prepares once. With COUNTER=1
// in the environment, the total is read from the counter that triggers keep.
import mysql from 'mysql2/promise';

const pool = mysql.createPool(process.env.DATABASE);
const columns = 'id, name, price, category, inStock, rating, createdAt';
const count = process.env.COUNTER ? 'SELECT n FROM products_counter' : 'SELECT COUNT(*) AS n FROM products';

async function rows(sql, values) {
    const [found] = await pool.execute(sql, values);
    return found;
}

export const get = async (id) => (await rows(`SELECT ${columns} FROM products WHERE id = ?`, [id]))[0];
export async function page(limit, offset) {
    const list = `SELECT ${columns} FROM products ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?`;
    const [products, counted] = await Promise.all([rows(list, [limit, offset]), rows(count)]);
    return [products, counted[0].n];
}
export const insert = (values) => pool.execute('INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)', values);
