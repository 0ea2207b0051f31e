/* SPDX-License-Identifier: Apache-2.0 */
/* Import in steps: the user chooses a file and assigns its columns to fields, then the file is checked, and then
 * imported. */
import { lineFor } from '../import/lines.js';
import { CSV, findDecimal, findDelimiter, NDJSON, openText, readHead, readSample, Transfer, typeOf, UTF_8 } from '../import/transfer.js';
import { select } from '../lib/controls.js';
import { bdi, byId, el, follow, saveFile, flush, state } from '../lib/dom.js';
import { explain } from '../lib/form.js';
import { say, showError, start } from '../lib/page.js';
import { formatWhole, pieces, t } from '../lib/text.js';
import { FIELDS, learnFields, valueIn, writableNames } from '../product/fields.js';
import { leftoverLines } from '../product/leftovers.js';

const MAYBE_STORED = [0, 500, 502, 504]; /* statuses after which a part may have been stored nevertheless; 0 means no
                                          * answer */
const PAUSE = 1000; /* ms after which the rate is reliable enough to show */
const PLAIN = { delimiter: 'comma', encoding: UTF_8 }; /* NDJSON always has this style */

/* Names by which a column is recognized, besides the field's name and label, without case, blanks and marks. */
const choices = () => [...writableNames(), 'id'];
const NAMES = {
    __proto__: null,
    name: ['product', 'productname', 'title', 'produkt', 'produktname', 'artikel', 'bezeichnung', 'titel'],
    price: ['preis'],
    category: ['kategorie', 'warengruppe'],
    inStock: ['stock', 'vorrätig', 'lieferbar'],
    rating: ['bewertung'],
    id: ['productid'],
};

const ID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/* ---- choices of the user ---- */

const file = state(null);
const delimiter = state('comma');
const decimal = state('point'); /* decimal mark */
const encoding = state(UTF_8);
const isMarked = state(false); /* true if the file declares its encoding */
const head = state([]); /* cells of the first rows */
const hasHeader = state(true); /* true if the first row has the names of the columns */
const columns = state([]); /* field of each column, '' for none */
const mode = state('create');
const transfer = state(null);
const phase = state('choosing'); /* other values: 'checking', 'checked', 'storing', 'stopped', 'stored', 'undoing',
                                  * 'undone' */
const isRunning = () => ['checking', 'storing', 'undoing'].includes(phase.value);

function fieldText(field) {
    return field in FIELDS ? FIELDS[field].label : field === 'id' ? t('product.id') : field;
}

const plainOf = name => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const isNamed = (field, plain) => plainOf(fieldText(field)) === plain || NAMES[field]?.includes(plain);

/* Returns the text for a line that is not a JSON object, with the parser's message, which is in English. */
function lineFault({ message }) {
    return [t('import.noObject'), ...message.split(': ').slice(1)].join(': ');
}

/* Returns the text of an error in a row, in the user's language if there is a translation. */
function errorText(error) {
    const isComma = error.code === 'type' && decimal.value === 'comma' && FIELDS[error.field]?.look === 'number';
    const isLine = typeOf(file.value) === NDJSON && (error.code === 'format' || error.code === 'type');
    const fault = isComma ? t('fault.comma') : error.field === '' && isLine ? lineFault(error) : explain(error);
    return error.field === '' ? t('import.rowFault', { fault }) : t('form.fault', { label: fieldText(error.field), fault });
}

/* Returns the cells of a column in the first rows that are not empty. */
function cellsOf(at) {
    return head.value.slice(hasHeader.value ? 1 : 0).map(cells => cells[at] ?? '').filter(text => text !== '');
}

/* Returns true if the column may contain ids of this catalogue. Shops number their products, too, so the cells must
 * have the form of such ids. */
const hasIds = (name, at) => cellsOf(at).every(text => ID.test(text)) && (name === 'id' || cellsOf(at).length > 0);

/* Assigns to each column the field that its name suggests, each field only once. */
function matchColumns(names) {
    const taken = new Set();
    return names.map((name, at) => {
        const plain = plainOf(name);
        const fits = choice => !taken.has(choice) && (choice !== 'id' || hasIds(name, at));
        const free = choices().filter(fits);
        const field = free.find(choice => plainOf(choice) === plain) ?? free.find(choice => isNamed(choice, plain)) ?? '';
        taken.add(field);
        return field;
    });
}

/* Assigns a field to a column. Another column with this field loses it. */
function setColumn(at, field) {
    columns.value = columns.value.map((other, i) => (i === at ? field : other === field ? '' : other));
}

function lacking() {
    const isUpdate = mode.value === 'upsert' && columns.value.includes('id');
    return file.value === null || typeOf(file.value) !== CSV || isUpdate
        ? []
        : choices().filter(field => FIELDS[field]?.isRequired && !columns.value.includes(field));
}

/* Returns the key of a fault in the first rows. Returns undefined if there is none. */
function headFault(rows) {
    return rows.length === 0 ? 'import.noHeader' : rows.flat().includes('\ufffd') ? 'import.notEncoded' : undefined;
}

/* Returns true if the cells look like values rather than column names: one is a number. */
const looksLikeCells = cells => cells.some(text => /^[-+]?\d[\d.,]*$/.test(text));

/* Returns the names of the columns, or their numbers if they have no names. */
function columnNames() {
    const [first = []] = head.value;
    return hasHeader.value ? first : first.map((cell, at) => formatWhole(at + 1));
}

function matchAgain() {
    columns.value = matchColumns(columnNames());
    mode.value = columns.value.includes('id') ? 'upsert' : 'create';
}

/* Discards the last check after another choice. */
function forgetCheck() {
    transfer.value = null;
    phase.value = 'choosing';
    byId('trouble').replaceChildren();
    say('');
}

async function take(chosen) {
    if (!chosen || isRunning()) {
        return;
    }
    forgetCheck();
    file.value = null;
    try {
        if (await isWorkbook(chosen)) {
            refuse('import.workbook', chosen);
            return;
        }
        await (typeOf(chosen) === CSV ? takeText(chosen) : read(chosen, PLAIN));
        byId('form').dataset.edited = '';
    } catch (error) {
        /* A DOMException means a dropped folder, or a file that does not exist any more. */
        error instanceof DOMException ? refuse('import.unreadable', chosen) : showError(byId('trouble'), error, () => take(chosen)).focus();
    }
}

/* First bytes of workbooks: .xlsx and .ods, which are zip files, and .xls. */
const WORKBOOKS = ['80,75,3,4', '208,207,17,224'];

async function isWorkbook(chosen) {
    return WORKBOOKS.includes(new Uint8Array(await chosen.slice(0, 4).arrayBuffer()).join());
}

/* Shows why a file is refused. Workbooks are refused because they have formulas, formats and several sheets; the
 * program that wrote one can save it as CSV. `key` is the key of the text. */
function refuse(key, { name }) {
    const alert = el('div', { class: 'alert alert-warning', role: 'alert', tabindex: '-1' }, el('p', {}, pieces(key, { name: bdi(name) })));
    byId('trouble').replaceChildren(alert);
    alert.focus();
}

async function takeText(chosen) {
    const { text, encoding: found, isMarked: isSure } = await openText(chosen);
    await read(text, { delimiter: await findDelimiter(text, found), encoding: found }, isSure);
}

let asked; /* token of the last request for the first rows */

/* Reads the first rows. `style` is { delimiter, encoding }, which the file may override. */
async function read(chosen, style, isSure = false) {
    const own = (asked = {});
    const found = typeOf(chosen) === CSV ? await readHead(chosen, style) : { ...style, head: [] };
    if (own === asked) {
        file.value = chosen;
        delimiter.value = found.delimiter;
        encoding.value = found.encoding;
        isMarked.value = isSure;
        head.value = found.head;
        hasHeader.value = !looksLikeCells(found.head[0] ?? []);
        decimal.value = findDecimal(found.head);
        matchAgain();
    }
}

async function readAgain(change) {
    try {
        await read(file.value, { delimiter: delimiter.value, encoding: encoding.value, ...change }, isMarked.value);
    } catch (error) {
        showStyle();
        showError(byId('trouble'), error, () => readAgain(change)).focus();
    }
}

/* Shows the style that the page has detected or the user has chosen. */
function showStyle() {
    const { elements } = byId('form');
    elements.delimiter.value = delimiter.value;
    elements.decimal.value = decimal.value;
    elements.encoding.value = encoding.value;
    byId('by-encoding').hidden = isMarked.value;
}

/* ---- passes over the file ---- */

const isStopping = state(false);
const isUnsure = state(false); /* true while a part was sent and not answered */
let request; /* request of the check */
let began; /* { at, rows, share }: beginning of this pass, and the progress of an earlier one */

/* Runs a pass. Resolves to true if it reached its end or was stopped. */
async function run(name, before, pass) {
    byId('trouble').replaceChildren();
    say('');
    isStopping.value = isUnsure.value = false;
    request = new AbortController();
    began = { at: performance.now(), ...transfer.value.progress.value };
    phase.value = name;
    flush();
    byId('run-title').focus();
    try {
        await pass();
        return true;
    } catch (error) {
        phase.value = before;
        flush();
        if (!request.signal.aborted) {
            isUnsure.value = name === 'storing' && MAYBE_STORED.includes(error.status);
            showError(byId('trouble'), error, { checking: check, storing: store, undoing: takeBack }[name], true).focus();
        }
        return false;
    }
}

function showResult(next) {
    phase.value = next;
    flush();
    byId('result-title').focus();
}

async function check() {
    if (await run('checking', 'choosing', () => transfer.value.check(request.signal))) {
        showResult('checked');
    } else if (request.signal.aborted) {
        say(t('import.checkStopped'));
        byId('check').focus();
    }
}

async function store() {
    if (await run('storing', 'stopped', () => transfer.value.store(() => isStopping.value))) {
        delete byId('form').dataset.edited;
        showResult(transfer.value.stored < transfer.value.good ? 'stopped' : 'stored');
    }
}

const kept = state([]); /* products that were not undone: lines with their names */

async function readKept() {
    const { undone } = transfer.value;
    return undone ? leftoverLines(undone.errors) : (await transfer.value.readKept()).map(({ name }) => el('li', {}, bdi(name)));
}

async function takeBack() {
    if (await run('undoing', phase.value, () => transfer.value.takeBack(() => isStopping.value))) {
        kept.value = await readKept().catch(() => []); /* their number is known without their names */
        showResult('undone');
    }
}

/* Returns the source for the check and the import: the file and its style. */
const source = () => ({
    file: file.value,
    type: typeOf(file.value),
    style: { delimiter: delimiter.value, decimal: decimal.value, encoding: encoding.value },
    columns: columns.value,
    mode: mode.value,
    header: hasHeader.value ? head.value[0] : undefined,
});

function begin(event) {
    event.preventDefault();
    if (lacking().length > 0) {
        document.querySelector('#columns select').focus();
        return;
    }
    transfer.value = new Transfer({ ...source(), explain: errorText });
    check();
}

/* ---- progress ---- */

function leftText(seconds) {
    return seconds > 90 ? t('import.minutes', { n: Math.ceil(seconds / 60) }) : t('import.seconds', { n: Math.ceil(seconds) });
}

function paceText({ rows, share }) {
    const seconds = (performance.now() - began.at) / 1000;
    const { good, made, updated, isExact } = transfer.value;
    const texts = {
        checking: () => t('import.rows', { n: rows }),
        storing: () => t('import.rowsOf', { rows, n: good }),
        undoing: () => t('import.productsOf', { done: rows, n: isExact ? made.length + updated : rows + made.length }),
    };
    const text = texts[phase.value]();
    if (seconds * 1000 < PAUSE || share === began.share) {
        return text;
    }
    const rate = Math.round((rows - began.rows) / seconds);
    const left = (seconds * (1 - share)) / (share - began.share);
    return `${text} · ${t('import.rate', { n: rate })} · ${leftText(left)}`;
}

const RUN_TITLES = { checking: 'import.checking', storing: 'import.storing', undoing: 'import.undoing' };

function showProgress() {
    if (isRunning()) {
        const { progress } = transfer.value;
        byId('run-title').textContent = t(RUN_TITLES[phase.value]);
        byId('bar').value = progress.value.share;
        byId('pace').textContent = paceText(progress.value);
        byId('stop').textContent = t(isStopping.value ? 'import.stopping' : 'import.stop');
        byId('stop').setAttribute('aria-disabled', isStopping.value);
    }
}

function stop() {
    isStopping.value = true;
    if (phase.value === 'checking') {
        request.abort();
    }
}

/* ---- tables ---- */

const FEW_REASONS = 12;
const COLUMNS_HEAD = ['import.column', 'import.field', 'import.samples'];
const FAULTS_HEAD = ['import.row', 'import.wrong', 'import.content'];

/* Returns a row of a table. On narrow screens each cell shows the title of its column. */
function labelled(cells, keys) {
    cells.forEach((cell, i) => (cell.dataset.label = t(keys[i])));
    return el('tr', {}, cells);
}

function table(keys, rows) {
    const titles = keys.map(key => el('th', { scope: 'col' }, t(key)));
    return el('table', { class: 'table people' }, el('thead', {}, el('tr', {}, titles)), el('tbody', {}, rows));
}

/* ---- the columns ---- */

function columnRow(name, at) {
    const samples = cellsOf(at);
    const choice = select([['', t('import.leaveOut')], ...choices().map(field => [field, fieldText(field)])], {
        'aria-label': t('import.fieldOf', { name }),
        onchange: () => setColumn(at, choice.value),
    });
    follow(() => (choice.value = columns.value[at]));
    const cells = [
        el('th', { scope: 'row' }, bdi(name)),
        el('td', {}, choice),
        el('td', { class: 'sample' }, bdi(samples.slice(0, 3).join(' · '))),
    ];
    return labelled(cells, COLUMNS_HEAD);
}

function showChoice() {
    const chosen = file.value;
    const fault = chosen && typeOf(chosen) === CSV ? headFault(head.value) : undefined;
    byId('chosen').replaceChildren(
        ...(chosen ? pieces('import.file', { name: bdi(chosen.name), n: Math.ceil(chosen.size / 1024) }) : [t('import.drop')]),
    );
    byId('choose').textContent = t(chosen ? 'import.chooseOther' : 'import.choose');
    byId('choose').classList.toggle('btn-primary', !chosen);
    byId('settings').hidden = !chosen || fault !== undefined;
    byId('reading').hidden = byId('by-column').hidden = !chosen || typeOf(chosen) !== CSV;
    byId('columns').replaceChildren(table(COLUMNS_HEAD, columnNames().map(columnRow)));
    if (fault) {
        byId('trouble').replaceChildren(el('p', { class: 'alert alert-warning', role: 'alert' }, t(fault)));
    }
}

/* Returns a CatalogField line for each ignored column that has a name. */
function newLines() {
    const taken = [...Object.keys(FIELDS), 'id', 'createdAt'];
    const left = columnNames().map((name, at) => [name, at]).filter(([name, at]) => columns.value[at] === '' && name.trim() !== '');
    return hasHeader.value ? left.map(([name, at]) => lineFor(name, cellsOf(at), taken)) : [];
}

async function copyLines(text) {
    await navigator.clipboard.writeText(text).then(
        () => say(t('import.copied')),
        () => say(t('import.notCopied')),
    );
}

/* Shows these lines. The copy button is hidden on pages loaded over http from another machine, because browsers give
 * them no clipboard. */
function showLines() {
    const lines = newLines();
    const text = lines.join('\n');
    byId('lines').hidden = lines.length === 0;
    byId('new-fields').textContent = text;
    byId('copy').hidden = !navigator.clipboard;
    byId('copy').onclick = () => copyLines(text);
}

function showLacking() {
    const names = lacking().map(fieldText);
    byId('lacking').textContent = names.length > 0 ? t('import.lacking', { names: names.join(', ') }) : '';
}

/* ---- sample of the products ---- */

const sample = state(null); /* { products, rows, failed, fields }, or null if there is none */
const PAUSE_TYPING = 300;
let wanted; /* token of the last request for a sample */

async function findSample(asked, found) {
    const answer = await readSample(found).catch(() => null); /* the check shows the error */
    if (asked === wanted && phase.value === 'choosing') {
        sample.value = answer; /* after that, it would move the buttons of the result */
    }
}

/* Requests a new sample whenever the source changes. */
function followSource() {
    const found = file.value && source();
    const isReady = found && lacking().length === 0 && (found.type !== CSV || headFault(head.value) === undefined);
    const asked = (wanted = {});
    sample.value = null;
    if (isReady) {
        setTimeout(() => asked === wanted && phase.value === 'choosing' && findSample(asked, found), PAUSE_TYPING);
    }
}

const sampleText = (name, product) => (valueIn(product, name) === undefined ? '' : FIELDS[name].show(product[name]));

function sampleTable(products) {
    const names = writableNames().filter(name => products.some(product => sampleText(name, product) !== ''));
    const titles = names.map(name => el('th', { scope: 'col', class: FIELDS[name].look }, bdi(FIELDS[name].label)));
    const row = product => el('tr', {}, names.map(name => el('td', { class: FIELDS[name].look }, bdi(sampleText(name, product)))));
    return el('table', { class: 'table' }, el('thead', {}, el('tr', {}, titles)), el('tbody', {}, products.map(row)));
}

/* Returns how many of the first rows cannot be stored, and the reason of the first. */
function sampleFaults({ rows, failed, fields }) {
    return failed > 0 && el('p', { class: 'form-text' }, `${t('import.sampleFaulty', { failed, n: rows })} ${t('import.rowNumber', { n: fields[0].row })}: ${errorText(fields[0])}`);
}

function showSample() {
    const { value: found } = sample;
    byId('by-sample').hidden = found === null || found.rows === 0;
    byId('sample').replaceChildren(...(found ? [found.products.length > 0 && sampleTable(found.products)].filter(Boolean) : []));
    byId('sample').hidden = !found?.products.length;
    byId('sample-faults').replaceChildren(...[found && sampleFaults(found)].filter(Boolean));
}

/* ---- the result ---- */

function faultRow({ row, text, errors }) {
    const cells = [
        el('th', { scope: 'row' }, formatWhole(row)),
        el('td', {}, errors.map(error => el('div', {}, errorText(error)))),
        el('td', { class: 'sample' }, bdi(text)),
    ];
    return labelled(cells, FAULTS_HEAD);
}

function saveFaulty() {
    const { type } = transfer.value;
    saveFile(transfer.value.faultyFile(t('import.wrong')), `${t('import.faulty')}.${type === CSV ? 'csv' : 'ndjson'}`);
}

/* Returns the column of the file that has the field. */
function columnOf(field) {
    const at = field === '' || typeOf(file.value) !== CSV ? -1 : columns.value.indexOf(field);
    return at < 0 ? [field === '' ? t('import.wholeRow') : fieldText(field)] : pieces('import.ofColumn', { name: bdi(columnNames()[at]) });
}

/* Returns the reasons by column, the most frequent first. A column that is wrong in each row takes one line. */
function reasonsView({ reasons, failed }) {
    const sorted = [...reasons].sort(([, one], [, other]) => other.n - one.n).slice(0, FEW_REASONS);
    const item = ([reason, { n }]) => el('li', {}, reason, ' ', el('span', { class: 'type' }, t('import.rows', { n })));
    const group = ([field, items]) => el('li', {}, el('strong', {}, columnOf(field)), el('ul', {}, items.map(item)));
    return failed > 1 && el('ul', { class: 'reasons' }, [...Map.groupBy(sorted, ([, { field }]) => field)].map(group));
}

function faultsView() {
    const { faults, failed, isCut } = transfer.value;
    if (failed === 0) {
        return [];
    }
    return [
        el('h3', {}, t('import.faultyRows', { n: failed })),
        reasonsView(transfer.value),
        isCut && el('p', {}, t('import.isCut', { row: faults.at(-1).row })),
        el('p', {}, t('import.mend')),
        el('p', {}, el('button', { type: 'button', class: 'btn', onclick: saveFaulty }, t('import.save', { n: failed }))),
        failed > faults.length && el('p', { class: 'form-text' }, t('import.first', { n: faults.length })),
        table(FAULTS_HEAD, faults.map(faultRow)),
    ];
}

function button(text, onclick, look = 'btn-primary') {
    return el('button', { type: 'button', class: `btn ${look}`, onclick }, text);
}

/* Without a history, only products that the import created can be deleted. */
const toDelete = ({ made, refused }) => made.length + refused.length;
const undo = () => transfer.value.canUndo && button(t('import.undo'), confirmUndo, 'btn-outline-danger');
const notUndone = updated => updated > 0 && t('import.notUndone', { n: updated });

function confirmUndo() {
    const { isExact, stored, updated } = transfer.value;
    byId('undo-title').textContent = isExact ? t('import.undoAll', { n: stored }) : t('import.undoTitle', { n: toDelete(transfer.value) });
    byId('undo-text').textContent = isExact ? t('import.undoAllText') : [t('import.undoText'), notUndone(updated)].filter(Boolean).join(' ');
    byId('undo-yes').textContent = t(isExact ? 'import.undo' : 'import.delete');
    byId('undo').returnValue = '';
    byId('undo').showModal();
}

const another = () => el('a', { class: 'btn', href: 'import.html' }, t('import.another'));

/* For each phase: title, sentences, and next actions. */
const RESULTS = {
    checked({ good, failed, counts }) {
        if (good + failed === 0) {
            return { title: t('import.noRows') };
        }
        return {
            title: t(failed === 0 ? 'import.allGood' : 'import.someFaulty'),
            text: failed === 0 ? t('import.would', { n: good, ...counts }) : good > 0 && t('import.others', { n: good }),
            next: good > 0 && button(t('import.store', { n: good }), store),
        };
    },
    stopped({ good, stored }) {
        return {
            title: t('import.stopped'),
            text: [t('import.partStored', { stored, n: good }), isUnsure.value ? ` ${t('import.unsure')}` : ''],
            next: [button(t('import.goOn'), store), another(), undo()],
        };
    },
    stored({ stored, made, isExact }) {
        return {
            title: t('import.done', { n: stored }),
            text: (isExact || made.length > 0) && t(isExact ? 'import.undoable' : 'import.whileOpen'),
            next: [el('a', { class: 'btn btn-primary', href: 'index.html' }, t('import.toList')), another(), undo()],
        };
    },
    undone({ undone, takenBack: { deleted, changed, gone }, refused, updated }) {
        if (undone) {
            return {
                title: t('history.undone', { n: undone.changed }),
                text: undone.failed > 0 && t('batch.left', { n: undone.failed }),
                list: kept.value,
                next: [another(), undo()],
            };
        }
        const others = [
            changed.length > 0 && t('import.kept', { n: changed.length }),
            refused.length > 0 && t('import.notDeleted', { n: refused.length }),
            gone > 0 && t('import.gone', { n: gone }),
            notUndone(updated),
        ];
        return {
            title: t('import.undone', { n: deleted }),
            text: others.filter(Boolean).join(' '),
            list: kept.value,
            next: [another(), undo()],
        };
    },
};

function showPhase() {
    const result = RESULTS[phase.value]?.(transfer.value);
    byId('form').hidden = !['choosing', 'checked'].includes(phase.value);
    byId('check').classList.toggle('btn-primary', phase.value !== 'checked');
    byId('run').hidden = !isRunning();
    byId('result').hidden = !result;
    byId('result').replaceChildren(
        ...(result
            ? [
                  el('h2', { id: 'result-title', tabindex: '-1' }, result.title),
                  result.text && el('p', {}, result.text),
                  result.list?.length > 0 && el('ul', { class: 'reasons', 'aria-label': t('import.stillThere') }, result.list),
                  result.next && el('p', { class: 'actions' }, result.next),
                  ...faultsView(),
              ].filter(Boolean)
            : []),
    );
}

/* ---- start ---- */

/* Effects of the form's controls. */
const CHANGES = {
    mode: ({ value }) => (mode.value = value),
    delimiter: ({ value }) => readAgain({ delimiter: value }),
    decimal: ({ value }) => (decimal.value = value),
    encoding: ({ value }) => readAgain({ encoding: value }),
    header({ checked }) {
        hasHeader.value = checked;
        matchAgain();
    },
};

function listen() {
    const drop = byId('drop');
    const input = byId('file');
    byId('choose').onclick = () => input.click();
    input.onchange = () => {
        take(input.files[0]);
        input.value = ''; /* so that the same file can be chosen again after it was corrected */
    };
    addEventListener('dragover', event => {
        event.preventDefault();
        drop.classList.add('over');
    });
    addEventListener('dragleave', () => drop.classList.remove('over'));
    addEventListener('drop', event => {
        event.preventDefault();
        drop.classList.remove('over');
        take(event.dataTransfer.files[0]);
    });
    byId('form').onsubmit = begin;
    byId('form').onchange = ({ target }) => {
        if (target !== input) {
            forgetCheck();
        }
        CHANGES[target.name]?.(target);
    };
    byId('stop').onclick = stop;
    byId('undo').onclose = () => byId('undo').returnValue === 'yes' && takeBack();
    addEventListener('beforeunload', event => isRunning() && event.preventDefault());
}

start(
    async () => {
        await learnFields();
        listen();
        follow(showPhase);
        follow(showProgress);
        follow(showChoice);
        follow(showLacking);
        follow(showLines);
        follow(showStyle);
        follow(followSource);
        follow(showSample);
        const { elements } = byId('form');
        follow(() => (elements.mode.value = mode.value));
        follow(() => (elements.header.checked = hasHeader.value));
    },
    { needsWriter: true },
);
