// SPDX-License-Identifier: Apache-2.0
// Two workers, as in Node.js's documentation: NODE_ENV=production node cluster.js fastify|express
import cluster from 'node:cluster';

if (cluster.isPrimary) {
    cluster.fork();
    cluster.fork();
    cluster.on('exit', () => process.exit(1));
    process.on('SIGTERM', () => process.exit(0));
} else {
    await import(`./${process.argv[2]}.js`);
}
