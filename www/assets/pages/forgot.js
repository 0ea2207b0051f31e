/* SPDX-License-Identifier: Apache-2.0 */
import { send } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { finish, keepNext, start } from '../lib/page.js';
import { t } from '../lib/text.js';

start(() => {
    manage(byId('form'), { email: rules.email }, async ({ email }) => {
        await send('POST', '/auth/password/forgot', { body: { email } });
        keepNext();
        finish(byId('form'), t('forgot.sent', { email }));
    });
});
