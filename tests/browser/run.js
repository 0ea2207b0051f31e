/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives the pages in Chromium, or with BROWSER=firefox in Firefox:
 *   node --test-reporter=spec tests/browser/run.js build/mod_catalog.so NAME...
 * NAME is that of a file in stories/.
 */
import { after } from 'node:test';
import { Server } from './server.js';
import { closeBrowsers } from './visitor.js';

const [module, ...names] = process.argv.slice(2);
const server = new Server();

await server.start(module); /* before stories look at its addresses */

after(async () => {
    try {
        await closeBrowsers();
    } finally {
        await server.stop();
    }
});

for (const name of names) {
    const { stories } = await import(`./stories/${name}.js`);
    stories(server);
}
