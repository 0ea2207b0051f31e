/* SPDX-License-Identifier: Apache-2.0 */
/* For users who may write products: the products in a table, to edit in the table or next to it. The page's address has
 * the filters, the page of the list and the product. */
import { call, watchProducts } from '../lib/api.js';
import { bdi, byId, each, el, follow, recall, remember, flush, state } from '../lib/dom.js';
import { connectFilters, hasNext, isOpenEnded, setPageLink } from '../lib/list.js';
import { say, setTitle, showError, start } from '../lib/page.js';
import { formatTime, t } from '../lib/text.js';
import { NEW, readDrafts, writeDraft } from '../product/drafts.js';
import { askToLeave, makeEditor } from '../product/editor.js';
import { FIELDS, learnFields, ownNames } from '../product/fields.js';
import { keepHistory } from '../product/history.js';
import { learnPictures, makePictures } from '../product/pictures.js';
import { readProduct } from '../product/store.js';
import { view } from '../product/view.js';
import { removeAll, showDock, undoLast } from '../work/dock.js';
import { showFilters } from '../work/filters.js';
import { connectGrid, listenToKeys } from '../work/keys.js';
import {
    address,
    answer,
    choose,
    chooseNone,
    choosePage,
    isLoading,
    isSelected,
    listed,
    load,
    matching,
    question,
    showStored,
    visit,
} from '../work/list.js';
import { filterNames, isFiltered, readAddress, whereOf, withoutFilters, writeAddress } from '../work/query.js';
import { compared } from '../work/twins.js';

const COLUMNS_KEPT = 'columns';
const ROWS_KEPT = 'denseRows';

let owner; /* id of the user, also after the session has ended */

/* ---- the table ---- */

/* Returns a checkbox that is checked while isChecked() returns true. */
function checkbox(label, isChecked, change = () => {}) {
    const input = el('input', { type: 'checkbox', 'aria-label': label, onchange: change });
    follow(() => (input.checked = isChecked()));
    return input;
}

function selectionHead() {
    const areAll = () => listed().length > 0 && listed().every(({ id }) => isSelected(id));
    const input = checkbox(t('work.selectPage'), areAll, ({ target }) => choosePage(target.checked));
    return el('th', { scope: 'col', role: 'columnheader', class: 'selection' }, input);
}

function selectionCell(item) {
    const input = checkbox('', () => isSelected(item.value.id));
    input.addEventListener('click', ({ shiftKey }) => choose(item.value.id, input.checked, shiftKey));
    input.tabIndex = -1;
    follow(() => input.setAttribute('aria-label', t('work.select', { name: item.value.name })));
    return el('td', { role: 'gridcell', class: 'selection', 'data-name': 'selection' }, input);
}

/* Number of columns for fields from CatalogField that are shown until the user chooses others. Screens of medium width
 * show none; narrower screens show cards, which have space. */
const OWN_SHOWN = 3;
const isTight = matchMedia('(min-width: 60.01rem) and (max-width: 75rem)');

/* The columns. `sort` is the parameter of the order. A column that isExtra is shown only if the user wants it. begin()
 * adds the fields from CatalogField. */
const COLUMNS = [
    { name: 'name', title: t('list.name'), sort: 'name' },
    { name: 'category', title: t('list.category'), sort: 'category' },
    { name: 'price', title: t('list.price'), sort: 'price', look: 'number' },
    { name: 'inStock', title: t('list.stock'), sort: 'inStock' },
    { name: 'rating', title: t('list.rating'), sort: 'rating', look: 'number' },
    { name: 'createdAt', title: t('product.added'), sort: 'createdAt', show: formatTime },
    { name: 'id', title: t('product.id'), show: id => el('code', {}, id), isExtra: true },
];

/* Returns true if the field can have a column. A table has no space for long texts, and lists omit details. */
const hasColumn = ({ isDetail, kind }) => !isDetail && kind !== 'text' && kind !== 'json';

function addOwnColumns() {
    const own = ownNames().filter(name => hasColumn(FIELDS[name]));
    const column = (name, i) => {
        const { label, isSorted, look } = FIELDS[name];
        return { name, title: label, sort: isSorted && name, look: look ?? 'own', isOwn: true, isExtra: i >= OWN_SHOWN };
    };
    COLUMNS.splice(-2, 0, ...own.map(column));
}

const columns = state(new Set()); /* names of the visible columns; the name is always visible */
const isHidden = name => name !== 'name' && !columns.value.has(name);
const areMany = () => COLUMNS.filter(({ isOwn, name }) => isOwn && !isHidden(name)).length > OWN_SHOWN;

function recallColumns() {
    const kept = recall('localStorage', COLUMNS_KEPT)?.split(',');
    const isUsual = ({ isExtra, isOwn }) => !isExtra && !(isOwn && isTight.matches);
    columns.value = new Set(kept ?? COLUMNS.filter(isUsual).map(({ name }) => name));
}

function chooseColumn(name, isShown) {
    const next = new Set(columns.value);
    isShown ? next.add(name) : next.delete(name);
    columns.value = next;
    remember('localStorage', COLUMNS_KEPT, [...next].join());
}

/* Closes a menu on Escape and when the focus leaves it. */
function listenToMenu(id) {
    const choice = byId(id);
    choice.addEventListener('keydown', event => {
        if (event.key === 'Escape') {
            choice.open = false;
            choice.querySelector('summary').focus();
        }
    });
    choice.addEventListener('focusout', ({ relatedTarget }) => {
        if (relatedTarget && !choice.contains(relatedTarget)) {
            choice.open = false;
        }
    });
}

function columnChoice({ name, title }) {
    const input = el('input', {
        type: 'checkbox',
        checked: columns.value.has(name),
        onchange: ({ target }) => chooseColumn(name, target.checked),
    });
    return el('label', { class: 'option' }, input, title);
}

const isDense = state(recall('localStorage', ROWS_KEPT) !== null);

function densityChoice() {
    const change = ({ target }) => {
        isDense.value = target.checked;
        remember('localStorage', ROWS_KEPT, target.checked ? '1' : null);
    };
    return el('label', { class: 'option' }, el('input', { type: 'checkbox', checked: isDense.value, onchange: change }), t('work.dense'));
}

/* Returns the direction for aria-sort. The order '' is newest first. */
function directionOf(sort) {
    const present = address.value.sort || '-createdAt';
    return { [sort]: 'ascending', [`-${sort}`]: 'descending' }[present];
}

function headCell({ name, title, sort, look = '' }) {
    const turn = () => {
        const next = directionOf(sort) === 'ascending' ? `-${sort}` : sort;
        visit({ ...address.value, sort: next === '-createdAt' ? '' : next, page: 1 });
    };
    return el(
        'th',
        { scope: 'col', role: 'columnheader', class: look, hidden: () => isHidden(name), 'aria-sort': () => sort && directionOf(sort) },
        sort ? el('button', { type: 'button', class: 'sort', onclick: turn }, title) : title,
    );
}

const open = id => visit({ ...address.value, product: id }, { opened: true });

function nameDisplay({ id, name }) {
    return [
        el('button', { type: 'button', class: 'link', tabindex: '-1', onclick: () => open(id) }, bdi(name)),
        id in readDrafts(owner) && [' ', el('span', { class: 'badge warn' }, t('draft.mark'))],
    ];
}

function display({ name, show }, product) {
    if (name === 'name') {
        return nameDisplay(product);
    }
    if (name === 'inStock') {
        return el('span', { class: product.inStock ? 'stock' : 'stock out' }, FIELDS.inStock.show(product.inStock));
    }
    return show ? show(product[name]) : view(name, product);
}

/* ---- editing in place ---- */

const editing = state(null); /* the cell being edited: { id, name, editor } */
const editors = new WeakMap(); /* for each cell, a state with its editor; if all cells followed `editing`, opening an
                                * editor would take long */

function setEditing(next) {
    const cellOf = ({ id, name }) => byId('list').querySelector(`[data-id="${id}"] [data-name="${name}"]`);
    const put = (place, editor) => place && cellOf(place) && (editors.get(cellOf(place)).value = editor);
    put(editing.value, null);
    editing.value = next;
    put(next, next?.editor);
}

function endEditing() {
    const { id, name } = editing.value;
    setEditing(null);
    flush();
    grid.focus(id, name);
}

/* Edits a cell. A product with a draft is edited as a whole instead. */
function edit(id, name) {
    const product = answer.value.data.find(item => item.id === id);
    const current = editing.value;
    if (id in readDrafts(owner) && current?.id !== id) {
        open(id);
        return;
    }
    if (current) {
        current.editor.isEdited() ? current.editor.form.requestSubmit() : endEditing();
    }
    if (!editing.value && product) {
        const editor = makeEditor({ owner, product, names: [name], prefix: 'cell-', cancel, saved });
        setEditing({ id, name, editor });
        flush();
        const input = editor.controlOf(name);
        input.focus();
        input.select?.(); /* a choice has no text to select */
    }

    function cancel() {
        editing.value.editor.drop();
        endEditing();
    }

    function saved(stored) {
        endEditing();
        showStored(stored);
        say(t('edit.saved'));
    }
}

function listenToEditing() {
    byId('list').addEventListener('keydown', event => {
        if (event.key === 'Escape' && editing.value) {
            editing.value.editor.drop();
            endEditing();
        }
    });
    byId('list').addEventListener('focusout', ({ target, relatedTarget }) => {
        const form = editing.value?.editor.form;
        if (form?.contains(target) && relatedTarget && !form.contains(relatedTarget) && !editing.value.editor.isEdited()) {
            setEditing(null);
        }
    });
}

/* Returns a cell. On narrow screens each cell shows the title of its column. */
function bodyCell(column, item) {
    const { name, title, look = '' } = column;
    const editor = state(null);
    const isWritable = name in FIELDS && !FIELDS[name].isReadOnly;
    const begin = ({ target }) => {
        if (!target.closest('form, button') && String(getSelection()) === '') {
            edit(item.value.id, name);
        }
    };
    const cell = el(
        name === 'name' ? 'th' : 'td',
        {
            ...(name === 'name' ? { scope: 'row', role: 'rowheader' } : { role: 'gridcell' }),
            class: `${look} ${isWritable ? 'writable' : ''}`,
            tabindex: name === 'name' ? undefined : '-1',
            hidden: () => isHidden(name),
            'data-name': name,
            'data-label': title,
            ...(isWritable && name !== 'name' && { onclick: begin }),
        },
        () => editor.value?.form ?? display(column, item.value),
    );
    editors.set(cell, editor);
    return cell;
}

function row(item) {
    return el(
        'tr',
        { role: 'row', 'data-id': () => item.value.id },
        selectionCell(item),
        COLUMNS.map(column => bodyCell(column, item)),
    );
}

const isEmpty = () => answer.value?.data.length === 0;

function table() {
    const rows = el('tbody', { role: 'rowgroup' });
    each(
        rows,
        listed,
        ({ id }) => id,
        row,
    );
    return el(
        'table',
        { class: () => `table people work${isDense.value ? ' dense' : ''}${areMany() ? ' many' : ''}`, role: 'grid', 'aria-labelledby': 'title', hidden: () => answer.value === undefined || isEmpty() },
        el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, selectionHead(), COLUMNS.map(headCell))),
        rows,
    );
}

let grid; /* moves the focus between cells */

/* ---- messages next to the table ---- */

function nothing() {
    const { page, pages, total } = answer.value.pagination;
    if (total > 0) {
        const last = () => visit({ ...address.value, page: pages });
        return [
            el('p', {}, t('list.noPage', { page, pages })),
            el('button', { type: 'button', class: 'btn', onclick: last }, t('list.lastPage')),
        ];
    }
    const clear = () => visit({ ...address.value, ...withoutFilters() });
    return isFiltered(address.value)
        ? [
              el('p', {}, t(address.value.twins ? 'work.noTwins' : 'list.noFilterMatch')),
              el('button', { type: 'button', class: 'btn', onclick: clear }, t('list.showAll')),
          ]
        : [el('p', {}, t('list.empty'))];
}

function showPosition() {
    byId('pages').hidden = !answer.value || isEmpty();
    if (!answer.value) {
        byId('count').textContent = '';
        return;
    }
    const { data, pagination } = answer.value;
    const { page, limit, total } = pagination;
    const from = pagination.from ?? (page - 1) * limit + 1;
    byId('count').textContent = isEmpty()
        ? t('list.none')
        : t(isOpenEnded(pagination) ? 'list.rangeOfMore' : 'list.range', { from, to: from + data.length - 1, n: total });
    byId('position').textContent = t('list.page', { n: page });
    const linkTo = (id, to, exists) => {
        const next = { ...address.value, product: '', page: to };
        setPageLink(id, exists, writeAddress(next), () => visit(next));
    };
    linkTo('previous', page - 1, page > 1);
    linkTo('next', page + 1, hasNext(answer.value));
}

/* ---- drafts and categories ---- */

/* Returns a button for each draft, except those being edited. */
function draftItems() {
    const isShown = id => id === address.value.product || id === editing.value?.id;
    const name = (id, { base }) => (id === NEW ? t('shell.add') : bdi(base.name));
    return Object.entries(readDrafts(owner))
        .filter(([id]) => !isShown(id))
        .map(([id, draft]) => el('button', { type: 'button', class: 'btn', onclick: () => open(id) }, name(id, draft)));
}

function showDrafts() {
    const items = draftItems();
    byId('drafts').hidden = items.length === 0;
    byId('draft-items').replaceChildren(...items);
}

/* Reads the categories for the filter and as suggestions. There are none if categories have no index. */
async function offerCategories() {
    const select = byId('filters').elements.namedItem('category');
    const option = category => el('option', { value: `=${category}` }, category || t('list.uncategorized'));
    const offer = known => {
        const chosen = address.value.category.slice(1);
        const others = [...(known.includes(chosen) ? [] : [chosen]), ''];
        select.replaceChildren(select.options[0], ...[...new Set([...known, ...others])].map(option));
        select.value = address.value.category;
    };
    offer([]);
    const { data } = await call('GET', '/categories?limit=1000').catch(() => ({ data: [] }));
    const known = data.map(({ category }) => category);
    offer(known);
    byId('categories-known').replaceChildren(...known.map(category => el('option', { value: category })));
}

/* Adds the orders to the filters, for screens without column headings. */
function offerOrders() {
    const order = (value, text) => el('option', { value }, text);
    const both = ({ title, sort }) => [
        order(sort, t('work.ascending', { column: title })),
        order(`-${sort}`, t('work.descending', { column: title })),
    ];
    byId('filters')
        .elements.namedItem('sort')
        .append(
            order('', t('list.sortNewest')),
            order('createdAt', t('users.sortOldest')),
            ...COLUMNS.filter(({ sort }) => sort && sort !== 'createdAt').flatMap(both),
        );
}

/* ---- the dialog ---- */

let editor = null; /* editor of the product in the dialog */
let pictures = null;

async function showProduct(id) {
    const dialog = byId('product');
    if (!id) {
        editor?.isEdited() && say(t('draft.kept'));
        dialog.close();
        return;
    }
    try {
        const product = await (id === NEW ? null : readProduct(id));
        if (address.value.product === id) {
            fillDialog(product);
            dialog.open || dialog.showModal();
        }
    } catch (error) {
        error.status === 404 && writeDraft(owner, id, null); /* there is nothing left to change */
        visit({ ...address.value, product: '' }, { replaces: true });
        showError(byId('trouble'), error).focus();
    }
}

function showOpened(product) {
    byId('product-name').replaceChildren(product ? bdi(product.name) : t('shell.add'));
    byId('remove').hidden = !product;
    byId('remove').onclick = () => {
        byId('product').close();
        removeAll([product]);
    };
}

function fillDialog(product) {
    byId('trouble').replaceChildren();
    showOpened(product);
    editor = makeEditor({
        owner,
        product,
        loaded: showOpened,
        saved: stored => {
            editor = null;
            byId('product').close();
            product ? showStored(stored) : load();
            say(t(product ? 'edit.saved' : 'edit.added'));
            flush();
            grid.focus(stored.id, 'name');
        },
    });
    pictures = makePictures(product);
    byId('editor').replaceChildren(editor.form, ...pictures.elements);
}

async function closeProduct() {
    if (editor?.isEdited()) {
        const wish = await askToLeave();
        if (wish === '') {
            return;
        }
        wish === 'drop' ? editor.drop() : say(t('draft.kept'));
        editor = null;
    }
    byId('product').close();
}

/* Called after the user has closed the dialog, unless by Back. */
function leaveProduct() {
    editor = null;
    byId('editor').replaceChildren();
    if (address.value.product && history.state?.opened) {
        history.back();
    } else if (address.value.product) {
        visit({ ...address.value, product: '' }, { replaces: true });
    }
}

function listenToDialog() {
    const dialog = byId('product');
    byId('close').onclick = closeProduct;
    dialog.addEventListener('cancel', event => {
        event.preventDefault();
        closeProduct();
    });
    dialog.addEventListener('close', leaveProduct);
}

/* Called when another tab has changed products. */
function followOtherTabs() {
    load();
    editor?.catchUp();
    pictures?.catchUp();
}

/* ---- start ---- */

const KEYS = {
    '/': { text: 'keys.search', run: () => byId('q').focus() },
    n: { text: 'keys.new', run: () => open(NEW) },
    u: { text: 'keys.undo', run: undoLast },
    Delete: {
        text: 'keys.delete',
        run() {
            const product = listed().find(({ id }) => id === grid.current());
            product && removeAll([product]);
        },
    },
};

/* Calls act(part()) now and when the result has changed, but not for other changes of the states that part() reads. */
function followPart(part, act) {
    const known = state();
    follow(() => (known.value = part()));
    follow(() => {
        const value = known.value;
        queueMicrotask(() => act(value)); /* states that act() reads are not followed */
    });
}

/* Clears the selection of all matching products when the filters change, or when the list shows duplicates, which no
 * condition selects. */
function forgetMatching() {
    matching.value && (address.value.twins || matching.value.where !== whereOf(address.value)) && chooseNone();
}

function showCompared() {
    compared.value !== null && (byId('count').textContent = t('work.comparing', { n: compared.value }));
}

function begin() {
    address.value = readAddress(); /* now with the filters of fields from CatalogField */
    addOwnColumns();
    recallColumns();
    isTight.addEventListener('change', recallColumns);
    const list = table();
    byId('list').append(list, el('div', { class: 'nothing', hidden: () => !isEmpty() }, () => isEmpty() && nothing()));
    const toggle = (id, isRange) => choose(id, isRange || !isSelected(id), isRange);
    grid = connectGrid(list, { edit, toggle, all: () => choosePage(true) });
    byId('columns').append(densityChoice(), ...COLUMNS.filter(({ name }) => name !== 'name').map(columnChoice));
    byId('content').hidden = false;
    byId('add').onclick = () => open(NEW);
    offerOrders();
    showFilters(address, visit);
    connectFilters(byId('filters'), filterNames(), address, (values, options) => visit({ ...address.value, ...values }, options));
    offerCategories();
    listenToKeys(KEYS);
    ['column-choice', 'history-choice'].forEach(listenToMenu);
    listenToEditing();
    listenToDialog();
    showDock(owner, (id, name) => grid.focus(id, name));
    addEventListener('popstate', () => (address.value = readAddress()));
    watchProducts(followOtherTabs);
    follow(() => byId('list').setAttribute('aria-busy', isLoading.value));
    follow(showPosition);
    follow(showDrafts);
    follow(() => editing.value && !listed().some(({ id }) => id === editing.value.id) && setEditing(null));
    follow(forgetMatching);
    follow(showCompared);
    followPart(() => question(address.value), load);
    followPart(() => address.value.product, showProduct);
}

setTitle(t('work.title'));
start(
    async user => {
        owner = user.id;
        await Promise.all([learnFields(), learnPictures()]);
        keepHistory(user);
        begin();
    },
    { needsWriter: true },
);
