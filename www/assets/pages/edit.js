/* SPDX-License-Identifier: Apache-2.0 */
import { watchProducts } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { go, setTitle, start } from '../lib/page.js';
import { t } from '../lib/text.js';
import { makeEditor } from '../product/editor.js';
import { learnFields } from '../product/fields.js';
import { readProduct } from '../product/store.js';

const id = new URLSearchParams(location.search).get('id');
const pageOf = product => `product.html?id=${encodeURIComponent(product)}`;

function showTitle({ name }) {
    byId('title').textContent = t('edit.title', { name });
    byId('back').href = pageOf(id);
    setTitle(t('edit.title', { name }));
}

start(
    async user => {
        await learnFields();
        const product = id ? await readProduct(id) : null;
        const saved = stored => go(pageOf(stored.id), t(product ? 'edit.saved' : 'edit.added'));
        product && showTitle(product);
        const editor = makeEditor({ owner: user.id, product, saved, loaded: showTitle });
        byId('editor').replaceChildren(editor.form);
        watchProducts(editor.catchUp);
    },
    { needsWriter: true },
);
