/* SPDX-License-Identifier: Apache-2.0 */
/* Has hey-api make its client of openapi.json. Its command fails without a word on Node.js 18, where it loads a module that can only be imported. */
import { createClient } from '@hey-api/openapi-ts';

await createClient({ input: 'openapi.json', output: 'hey', plugins: ['@hey-api/client-fetch'], logs: { level: 'silent' } });
