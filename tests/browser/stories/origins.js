/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of other origins: two that CatalogAllowOrigin names, one of another site and one of the API's own, and two that it does not, a
 * stranger of the API's site and a foreigner of a third one. Browsers send the cookie with requests from the API's own site, and from
 * other sites if it is sent over HTTPS with SameSite=None.
 */
import assert from 'node:assert/strict';
import { story } from '../visitor.js';

const user = name => ({ username: name, email: `${name}@example.com`, password: `the password of ${name}` });
const COOKIE = { credentials: 'include' };

/* Gives the page a function that calls the API as the scripts of other origins do. */
async function equip(page, origin, api) {
    await page.goto(origin);
    await page.evaluate(base => {
        window.call = async (method, path, { body, token, headers = {}, ...options } = {}) => {
            try {
                const response = await fetch(base + path, {
                    method,
                    headers: {
                        ...(body && { 'Content-Type': 'application/json' }),
                        ...(token && { Authorization: `Bearer ${token}` }),
                        ...headers,
                    },
                    body: body && JSON.stringify(body),
                    ...options,
                });
                const text = await response.text();
                const answer = text ? JSON.parse(text) : {};
                return { ...answer, status: response.status, headers: Object.fromEntries(response.headers) };
            } catch (error) {
                return { status: error.name };
            }
        };
    }, api);
    return (...request) => page.evaluate(request => window.call(...request), request);
}

export function stories(server) {
    story('a page of a named origin signs up, lists, edits and deletes', server, async visit => {
        const visitor = await visit();
        const call = await equip(visitor.page, server.friend, server.abroadUrl);

        const { token, refreshToken } = await call('POST', '/register', { body: user('abroad') });
        const made = await call('POST', '/products', {
            body: { name: 'Passport', price: 9, colour: 'red' },
            token,
            headers: { 'Idempotency-Key': 'abroad' },
        });
        assert.equal(made.status, 201);
        assert.match(made.headers.location, /^\/api\/products\//);
        assert.equal(made.headers['catalog-ignored'], 'colour');

        const path = `/products/${made.data.id}`;
        const list = await call('GET', '/products?limit=1');
        assert.equal(list.data[0].name, 'Passport');
        assert.match(list.headers.link, /rel="first"/);
        const { etag } = (await call('GET', path)).headers;
        assert.equal((await call('GET', path, { headers: { 'If-None-Match': etag } })).status, 304);
        const edit = { body: { price: 10 }, token, headers: { 'If-Match': etag } };
        assert.equal((await call('PATCH', path, edit)).data.price, 10);
        assert.equal((await call('PUT', path, { body: { price: 11 }, token })).status, 200);

        /* Errors can be read, with their headers. */
        visitor.expect(`PATCH /api${path} 412`, `GET /api${path} 404`, 'POST /api/products 400', 'POST /api/products 401');
        const stale = await call('PATCH', path, edit);
        assert.equal(stale.status, 412);
        assert.ok(stale.headers.etag && stale.headers.etag !== etag);
        const details = await call('POST', '/products', {
            body: {},
            token,
            headers: { Accept: 'application/problem+json', Prefer: 'handling=strict' },
        });
        assert.equal(details.type, '/api/problems/validation-failed');
        assert.equal(details.headers['x-request-id'], details.requestId);
        assert.match((await call('POST', '/products', { body: {} })).headers['www-authenticate'], /^Bearer/);

        assert.equal((await call('DELETE', path, { token })).status, 200);
        assert.equal((await call('GET', path)).message, 'Product not found');
        assert.equal((await call('POST', '/auth/refresh', { body: { refreshToken } })).status, 200);
    });

    story('a page of a named origin uses the cookie; a stranger cannot, though the browser sends it', server, async visit => {
        const visitor = await visit();
        const friend = await equip(visitor.page, server.neighbour, server.abroadUrl);
        await friend('POST', '/register', { body: { ...user('cookie'), cookie: true }, ...COOKIE });

        visitor.expect('POST /api/auth/refresh 401', 'POST /api/auth/refresh 403', 'POST /api/auth/logout 403');
        assert.equal((await friend('POST', '/auth/refresh')).status, 401, 'without credentials');
        assert.equal((await friend('POST', '/auth/refresh', COOKIE)).user.username, 'cookie');

        /* What needs no preflight reaches the server, with the cookie. */
        const stranger = await equip(await visitor.tab(), server.stranger, server.abroadUrl);
        for (const path of ['/auth/refresh', '/auth/logout']) {
            assert.equal((await stranger('POST', path, { ...COOKIE, mode: 'no-cors' })).status, 0, 'opaque');
        }
        const { token } = await friend('POST', '/auth/refresh', COOKIE);
        assert.ok(token, 'the session continues');

        /* The rest does not. */
        visitor.expect(...['GET /api/products', 'POST /api/products', 'POST /api/auth/login'].map(it => `${it} failed`));
        visitor.expectBlocked(server.abroadUrl, server.stranger, '/products', '/auth/login');
        assert.equal((await stranger('GET', '/products')).status, 'TypeError');
        assert.equal((await stranger('POST', '/products', { body: { name: 'x', price: 1 }, token })).status, 'TypeError');
        assert.equal((await stranger('POST', '/auth/login', { body: {}, ...COOKIE })).status, 'TypeError');
        assert.equal((await friend('POST', '/auth/logout', COOKIE)).status, 200);
    });

    story('so it is with a page of another site, if the cookie is for other sites, too', server, async visit => {
        const visitor = await visit(server.url, { ignoreHTTPSErrors: true });
        const friend = await equip(visitor.page, server.friend, server.overseasUrl);
        const { token } = await friend('POST', '/register', { body: { ...user('overseas'), cookie: true }, ...COOKIE });
        const [cookie] = await visitor.context.cookies(`${server.overseasUrl}/auth/refresh`);
        assert.deepEqual([cookie.sameSite, cookie.secure, cookie.httpOnly], ['None', true, true]);
        assert.deepEqual([cookie.name, cookie.path], ['__Host-catalog_refresh%2fapi', '/']);

        visitor.expect('POST /api/auth/refresh 401', 'POST /api/auth/refresh 403', 'POST /api/auth/logout 403');
        assert.equal((await friend('POST', '/auth/refresh')).status, 401, 'without credentials');
        assert.equal((await friend('POST', '/auth/refresh', COOKIE)).user.username, 'overseas');
        const { data } = await friend('POST', '/products', { body: { name: 'Visa', price: 9 }, token, ...COOKIE });
        assert.equal((await friend('PATCH', `/products/${data.id}`, { body: { price: 8 }, token, ...COOKIE })).data.price, 8);
        assert.equal((await friend('DELETE', `/products/${data.id}`, { token, ...COOKIE })).status, 200);

        const foreigner = await equip(await visitor.tab(), server.foreigner, server.overseasUrl);
        for (const path of ['/auth/refresh', '/auth/logout']) {
            assert.equal((await foreigner('POST', path, { ...COOKIE, mode: 'no-cors' })).status, 0, 'opaque');
        }
        visitor.expect(...['GET /api/auth/me', 'POST /api/auth/refresh', 'DELETE /api/auth/me'].map(it => `${it} failed`));
        visitor.expectBlocked(server.overseasUrl, server.foreigner, '/auth/me', '/auth/refresh');
        assert.equal((await foreigner('GET', '/auth/me', { token, ...COOKIE })).status, 'TypeError');
        assert.equal((await foreigner('POST', '/auth/refresh', COOKIE)).status, 'TypeError');
        assert.equal((await foreigner('DELETE', '/auth/me', { body: {}, ...COOKIE })).status, 'TypeError');
        assert.equal((await friend('POST', '/auth/logout', COOKIE)).status, 200, 'the session continues');
    });
}
