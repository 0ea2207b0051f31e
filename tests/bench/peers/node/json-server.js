// SPDX-License-Identifier: Apache-2.0
// json-server as a module, as its README shows it. DATABASE in the environment is the JSON file.
import jsonServer from 'json-server';

const server = jsonServer.create();
server.use(jsonServer.rewriter({ '/api/*': '/$1' }));
server.use(jsonServer.router(process.env.DATABASE));
server.listen(Number(process.env.PORT), '127.0.0.1');
