/* SPDX-License-Identifier: Apache-2.0 */
import { watchProducts } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { go, setTitle, start } from '../lib/page.js';
import { t } from '../lib/text.js';
import { hasHistory } from '../product/batches.js';
import { makeEditor } from '../product/editor.js';
import { learnFields } from '../product/fields.js';
import { keepHistory } from '../product/history.js';
import { learnPictures, makePictures } from '../product/pictures.js';
import { makeRevisions } from '../product/revisions.js';
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
        await Promise.all([learnFields(), learnPictures()]);
        const product = id ? await readProduct(id) : null;
        keepHistory(user); /* has an effect only once, although "Try again" runs all of this again */
        const saved = stored => go(pageOf(stored.id), t(product ? 'edit.saved' : 'edit.added'));
        product && showTitle(product);
        const editor = makeEditor({ owner: user.id, product, saved, loaded: showTitle });
        const pictures = makePictures(product);
        byId('editor').replaceChildren(editor.form, ...pictures.elements);
        const catchUp = () => Promise.all([editor.catchUp(), pictures.catchUp()]);
        watchProducts(catchUp);
        if (product && (await hasHistory().catch(() => false))) {
            byId('revisions').replaceChildren(makeRevisions(product.id, catchUp));
        }
    },
    { needsWriter: true },
);
