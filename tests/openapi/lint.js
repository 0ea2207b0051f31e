/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lints openapi.json by Redocly's recommended rules, and fails on warnings too. /products/batch/{id} and /products/{id}/history are ambiguous
 * to it, although no product has the id "batch".
 */
import redocly from '@redocly/openapi-core';

const config = await redocly.createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
const problems = await redocly.lint({ ref: 'openapi.json', config });

for (const { ruleId, severity, message, location } of problems) {
    console.error(`${location[0].pointer ?? ''}: ${severity} ${ruleId}: ${message}`);
}
process.exitCode = problems.length > 0 ? 1 : 0;
