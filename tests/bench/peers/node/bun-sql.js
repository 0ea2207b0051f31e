// SPDX-License-Identifier: Apache-2.0
// Bun.sql on PostgreSQL or MariaDB: a pool of its default size, and statements that each connection prepares once.
import { SQL } from 'bun';

const sql = new SQL(process.env.DATABASE);

export async function get(id) {
    const rows = await sql`SELECT id, name, price, category, inStock AS "inStock", rating, createdAt AS "createdAt"
        FROM products WHERE id = ${id}`;
    return rows[0];
}

export async function page(limit, offset) {
    const list = sql`SELECT id, name, price, category, inStock AS "inStock", rating, createdAt AS "createdAt"
        FROM products ORDER BY createdAt DESC, id DESC LIMIT ${limit} OFFSET ${offset}`;
    const [products, counted] = await Promise.all([list, sql`SELECT COUNT(*) AS n FROM products`]);
    return [products, Number(counted[0].n)]; // PostgreSQL's bigint is text
}

export const insert = ([id, name, price, category, inStock, rating, createdAt]) =>
    sql`INSERT INTO products VALUES (${id}, ${name}, ${price}, ${category}, ${inStock === 1}, ${rating}, ${createdAt})`;
