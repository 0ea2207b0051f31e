/* SPDX-License-Identifier: Apache-2.0 */
/* Drives the pages in Chromium: node --test-reporter=spec tests/browser/run.js build/mod_catalog.so */
import { after, before } from 'node:test';
import { accounts } from './accounts.js';
import { api } from './api.js';
import { catalogue } from './catalogue.js';
import { looks } from './looks.js';
import { origins } from './origins.js';
import { outages } from './outages.js';
import { people } from './people.js';
import { Server } from './server.js';
import { states } from './state.js';
import { searches } from './searches.js';
import { weight } from './weight.js';
import { closeBrowser, openBrowser } from './visitor.js';

const server = new Server();

before(async () => {
    await server.start(process.argv[2]);
    await openBrowser();
});

after(async () => {
    await closeBrowser();
    await server.stop();
});

accounts(server);
api(server);
catalogue(server);
looks(server);
origins(server);
outages(server);
people(server);
searches(server);
states(server);
weight(server);
