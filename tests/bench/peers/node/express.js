// SPDX-License-Identifier: Apache-2.0
// Express as its production guide recommends, with jsonwebtoken.
import express from 'express';
import jwt from 'jsonwebtoken';

import { claims, create, isProduct, key, notFound, one, page, port, unauthorized } from './catalogue.js';

function authenticate(request, response, next) {
    const [scheme, token] = (request.get('Authorization') ?? '').split(' ');
    try {
        if (scheme !== 'Bearer') {
            throw new Error('no token');
        }
        request.user = jwt.verify(token, key, { algorithms: ['HS256'], ...claims });
    } catch {
        return response.status(401).json(unauthorized);
    }
    next();
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.get('/api/products/:id', async (request, response) => {
    const found = await one(request.params.id);
    response.status(found ? 200 : 404).json(found ?? notFound);
});
app.get('/api/products', async (request, response) => response.json(await page(request.query)));
app.post('/api/products', authenticate, express.json(), async (request, response) => {
    if (!isProduct(request.body)) {
        return response.status(400).json({ success: false, message: 'Validation failed' });
    }
    response.status(201).json(await create(request.body));
});

app.listen(port, '127.0.0.1');
