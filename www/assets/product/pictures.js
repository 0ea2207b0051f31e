/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of a product. The user adds, describes, orders and removes them next to the form. Each change is stored
 * at once, while other fields of the form may be unsaved. A change waits until the previous one is stored. Changes by
 * another user are shown, not overwritten.
 */
import { currentUser, newKey } from '../lib/api.js';
import { each, el, follow, flush, state } from '../lib/dom.js';
import { showError } from '../lib/page.js';
import { t } from '../lib/text.js';
import { ask } from './editor.js';
import { addPicture, arrangePictures, Changed, learnPictures as askForPictures, readProduct } from './store.js';

const TYPES = 'image/jpeg,image/png,image/webp,image/avif,image/gif';
const MOST_LETTERS = 200; /* characters of a description */

/* Statuses that refuse a file; the next file may be accepted. */
const OF_FILE = [400, 413, 415];

let hasPictures = false;

/* Asks the server whether products have pictures, once per page. */
export async function learnPictures() {
    hasPictures = await askForPictures();
}

const imagesOf = product => product.images ?? [];
const smallest = ({ url, sizes = [] }) => sizes[0]?.url ?? url;

function askRemoval(image) {
    const button = (value, key, look) => el('button', { class: `btn ${look}`, value, autofocus: value === '' }, t(key));
    return ask(
        el(
            'dialog',
            { 'aria-labelledby': 'picture-title' },
            el('h2', { id: 'picture-title' }, t('picture.removeTitle')),
            el('p', {}, el('img', { class: 'thumb', src: smallest(image), alt: image.alt ?? '' })),
            el('p', {}, t('product.deleteText')),
            el('form', { method: 'dialog', class: 'actions' }, button('yes', 'picture.remove', 'btn-danger'), button('', 'form.keep', '')),
        ),
    );
}

function makeSection(product) {
    const shown = state(product);
    const news = state(''); /* message about the last change */
    const trouble = el('div');
    const list = el('ol', { class: 'pictures' });

    let last = Promise.resolve(); /* the change in progress */
    const inTurn = act => (last = last.then(act));

    /* Shows the product to which change() resolves. `again` is the action of "Try again". */
    async function store(change, done, again) {
        try {
            trouble.replaceChildren();
            shown.value = await change();
            news.value = done();
        } catch (error) {
            news.value = '';
            if (error instanceof Changed) {
                shown.value = error.product;
                news.value = t('picture.changed');
            } else {
                showError(trouble, error, again);
            }
        }
        flush();
    }

    /* next(images) returns the wanted pictures, based on those that exist when this change's turn comes. It returns
     * null if there is nothing to do. */
    const arrange = (next, done) => inTurn(async () => {
        const images = next([...imagesOf(shown.value)]);
        const change = () => arrangePictures(shown.value, images.map(({ id, alt = '' }) => ({ id, alt })));
        images && (await store(change, done, () => arrange(next, done)));
    });

    function describe(id, alt) {
        const isNew = image => image.id === id && (image.alt ?? '') !== alt;
        return arrange(images => (images.some(isNew) ? images.map(image => (isNew(image) ? { ...image, alt } : image)) : null), () => t('picture.described'));
    }

    /* Moves a picture. Returns null if another change has removed it or its neighbour. */
    function swap(images, id, by) {
        const at = images.findIndex(image => image.id === id);
        if (at < 0 || !images[at + by]) {
            return null;
        }
        images.splice(at + by, 0, ...images.splice(at, 1));
        return images;
    }

    async function move(id, by, button) {
        await arrange(images => swap(images, id, by), () => t('picture.moved', { n: placeOf(id) + 1 }));
        const stays = button.checkVisibility() ? button : [...button.parentElement.querySelectorAll('button')].find(other => other.checkVisibility());
        (stays ?? chooser).focus(); /* another user may have removed the picture */
    }

    async function remove(id) {
        if ((await askRemoval(imagesOf(shown.value).find(image => image.id === id))) === 'yes') {
            await arrange(images => images.filter(image => image.id !== id), () => t('picture.removed'));
            chooser.focus();
        }
    }

    const placeOf = id => imagesOf(shown.value).findIndex(image => image.id === id);

    function item(image, first) {
        const { id } = first;
        const input = el('input', { class: 'form-control', id: `alt-${id}`, maxlength: MOST_LETTERS });
        follow(() => (input.value = image.value.alt ?? ''));
        const button = (key, label, act, props = {}) =>
            el('button', { type: 'button', class: 'btn', 'aria-label': () => t(label, { n: placeOf(id) + 1 }), ...props, onclick: ({ target }) => act(target) }, t(key));
        input.addEventListener('change', () => describe(id, input.value.trim()));
        return el(
            'li',
            {},
            el('img', { class: 'thumb', src: smallest(first), alt: () => image.value.alt ?? '' }),
            el(
                'div',
                { class: 'grows' },
                el('label', { class: 'form-label', for: `alt-${id}` }, () => t('picture.alt', { n: placeOf(id) + 1 })),
                input,
                el(
                    'div',
                    { class: 'actions' },
                    button('picture.forward', 'picture.forwardOne', target => move(id, -1, target), { hidden: () => placeOf(id) <= 0 }),
                    button('picture.back', 'picture.backOne', target => move(id, 1, target), { hidden: () => placeOf(id) === imagesOf(shown.value).length - 1 }),
                    button('picture.remove', 'picture.removeOne', () => remove(id), { class: 'btn btn-outline-danger' }),
                ),
            ),
        );
    }

    /* Names a file that was not added, with the reason. */
    function noteRefusal(name, error, again) {
        const reason = el('div');
        showError(reason, error, again);
        trouble.append(el('p', { class: 'field-error' }, t('picture.fault', { name })), reason);
    }

    /*
     * Adds the files one after the other. n is the number of files added before. Names a refused file and continues
     * with the next one. If the server accepts no file now, "Try again" continues with that file. `key` is the
     * Idempotency-Key of the first file.
     */
    async function addAll(files, n = 0, key = newKey()) {
        let added = n;
        const owner = currentUser()?.id;
        for (const [i, file] of files.entries()) {
            const own = i === 0 ? key : newKey();
            news.value = t('picture.adding', { i: n + i + 1, n: n + files.length, name: file.name });
            try {
                shown.value = await addPicture(shown.value, file, own, owner);
                added += 1;
            } catch (error) {
                const isOfFile = OF_FILE.includes(error.status);
                noteRefusal(file.name, error, isOfFile ? undefined : () => add(files.slice(i), added, own));
                if (!isOfFile) {
                    break;
                }
            }
            flush();
        }
        news.value = added > 0 ? t('picture.added', { n: added }) : '';
    }

    const add = (...parts) => inTurn(() => {
        trouble.replaceChildren();
        return addAll(...parts);
    });

    const chooser = el('input', { type: 'file', id: 'pictures-file', accept: TYPES, multiple: true });
    chooser.addEventListener('change', () => {
        const files = [...chooser.files];
        chooser.value = '';
        add(files);
    });
    const drop = el(
        'div',
        { class: 'drop' },
        el('label', { class: 'form-label', for: 'pictures-file' }, t('picture.add')),
        chooser,
        el('p', { class: 'form-text' }, t('picture.about')),
    );
    drop.addEventListener('dragover', event => {
        event.preventDefault();
        drop.classList.add('over');
    });
    drop.addEventListener('dragleave', () => drop.classList.remove('over'));
    drop.addEventListener('drop', event => {
        event.preventDefault();
        drop.classList.remove('over');
        add([...event.dataTransfer.files]);
    });

    each(list, () => imagesOf(shown.value), ({ id }) => id, item);
    const section = el(
        'section',
        { class: 'section', 'aria-labelledby': 'pictures-title' },
        el('h2', { id: 'pictures-title' }, t('product.pictures')),
        trouble,
        el('p', { class: 'form-text', role: 'status' }, () => news.value),
        list,
        drop,
    );
    const catchUp = async () => {
        const now = await readProduct(product.id).catch(() => null);
        now && (shown.value = now);
    };
    return { elements: [section], catchUp };
}

/* Returns the pictures of a product, which is null for a new one: { elements, catchUp() }. Call catchUp() after another
 * tab may have changed the product. */
export function makePictures(product) {
    if (!hasPictures) {
        return { elements: [], catchUp() {} };
    }
    return product ? makeSection(product) : { elements: [el('p', { class: 'form-text' }, t('picture.later'))], catchUp() {} };
}
