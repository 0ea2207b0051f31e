/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Imports a file of products in parts. This module copies bytes. The server reports where rows are and what they mean;
 * see docs/api.md, "Files in parts".
 */
import { anyOf, call, currentUser, newKey, read } from '../lib/api.js';
import { state } from '../lib/dom.js';
import { makeUndo } from '../product/batches.js';

const PART = 128 * 1024; /* bytes */
const HEAD = 64 * 1024; /* bytes in which the first rows are read */
const FEW = 20; /* faulty rows below which a longer part is tried */
const SHOWN = 100; /* faulty rows kept for display */
const MOST_REASONS = 200; /* different reasons that are counted */
const PORTION = 100; /* products deleted by one request; a server may allow fewer than the default of 1,000 */
const KEPT = 20; /* products named if they were not deleted */
const SAMPLE = 80; /* bytes shown of data that cannot be read as rows */

export const CSV = 'text/csv';
export const NDJSON = 'application/x-ndjson';
export const UTF_8 = 'utf-8';
export const WINDOWS = 'windows-1252';

/* Delimiters of CSV by their names in the API. */
const DELIMITERS = { tab: '\t', semicolon: ';', comma: ',' };

/* REASONS is the member of a faulty NDJSON line that has its errors. LINE_BEGIN matches the beginning of a line
 * including that member; a byte order mark may come first. */
const REASONS = 'whatIsWrong';
const LINE_BEGIN = new RegExp(`^(\\xef\\xbb\\xbf)?\\s*\\{\\s*("${REASONS}"\\s*:\\s*"([^"\\\\]|\\\\.)*"\\s*,?\\s*)?`);

export function typeOf({ name, type }) {
    return /\.(ndjson|jsonl)$/i.test(name) || type === NDJSON ? NDJSON : CSV;
}

/*
 * Reads the first rows of a file. `style` is { delimiter, encoding } as in the API. Resolves to { head, delimiter,
 * encoding }: the cells [[text]], and the delimiter and encoding used, which the file may override.
 */
export function readHead(file, style) {
    const query = new URLSearchParams({ ...style, dryRun: 'head', part: file.size > HEAD ? 'more' : 'last' });
    return call('POST', `/products/import?${query}`, file.slice(0, HEAD, CSV));
}

/* Returns the parameters of a request for a source { type, mode, style, columns, header }, as in Transfer. isFirst is
 * true if the part includes the header row. */
function queryOf({ type, mode, style, columns, header }, isFirst, parameters) {
    const ofCsv = type === CSV ? { ...style, columns: columns.join(), header: isFirst && header !== undefined } : {};
    return new URLSearchParams({ mode, ...ofCsv, ...parameters });
}

/*
 * Resolves to the server's reading of the beginning of the file: { products, rows, failed, fields }. products are as
 * they would be stored, failed is the number of faulty rows, fields are the errors. `source` is that of Transfer.
 */
export async function readSample({ file, ...source }) {
    const query = queryOf(source, true, { dryRun: 'sample', part: file.size > HEAD ? 'more' : 'last' });
    const answer = await call('POST', `/products/import?${query}`, file.slice(0, HEAD, source.type)).catch(error => {
        if (!error.summary) {
            throw error;
        }
        return error;
    });
    return { products: answer.data ?? [], failed: 0, ...answer.summary, fields: answer.fields ?? [] };
}

function isUtf8(bytes) {
    try {
        new TextDecoder(UTF_8, { fatal: true }).decode(bytes, { stream: true });
        return true;
    } catch {
        return false;
    }
}

/* Guesses the encoding. A file with some letters beyond ASCII that are valid UTF-8 is more likely damaged UTF-8 than
 * Windows-1252. */
async function guessEncoding(file) {
    const bytes = await file.slice(0, HEAD).arrayBuffer();
    const hasLetters = /[^\0-\x7f\ufffd]/.test(new TextDecoder().decode(bytes, { stream: true }));
    return isUtf8(bytes) || hasLetters ? UTF_8 : WINDOWS;
}

async function inUtf8(file, encoding) {
    const text = file.stream().pipeThrough(new TextDecoderStream(encoding)).pipeThrough(new TextEncoderStream());
    return new File([await new Response(text).blob()], file.name, { type: CSV });
}

/*
 * Resolves to { text, encoding, isMarked }: the file in a form that can be sent in parts. UTF-16 is converted to UTF-8,
 * whose parts may begin within a character. Windows-1252 is left to the server, because browsers read its unused bytes
 * as control characters. isMarked is true if a byte order mark gives the encoding; otherwise it is a guess.
 */
export async function openText(file) {
    const { encoding } = await readHead(file, { delimiter: 'comma', encoding: WINDOWS });
    if (encoding === WINDOWS) {
        return { text: file, encoding: await guessEncoding(file), isMarked: false };
    }
    return { text: encoding === UTF_8 ? file : await inUtf8(file, encoding), encoding: UTF_8, isMarked: true };
}

/* Returns the number of cells that at least half of the rows have. So a comma inside a few texts does not count, but a
 * comma in each price counts like a semicolon between two cells. */
function usualWidth(rows) {
    const widths = rows.map(({ length }) => length).sort((a, b) => a - b);
    return widths.length === 0 ? 0 : widths[Math.floor((widths.length - 1) / 2)];
}

/* Resolves to the delimiter that yields the most columns. Among equals, the comma comes last, because it may be a
 * decimal comma. */
export async function findDelimiter(file, encoding) {
    const names = Object.keys(DELIMITERS);
    const heads = await Promise.all(names.map(delimiter => readHead(file, { delimiter, encoding })));
    const widths = heads.map(({ head }) => usualWidth(head));
    const most = Math.max(...widths);
    return most > 1 ? heads[widths.indexOf(most)].delimiter : 'comma';
}

/* Returns 'comma' if a number in the cells certainly has a decimal comma and none a decimal point. */
export function findDecimal(rows) {
    const cells = rows.flat();
    const has = pattern => cells.some(text => pattern.test(text));
    return has(/^[-+]?(\d[\d. ]*)?,(\d\d?|\d{4,})$/) && !has(/^[-+]?(\d[\d ]*)?\.(\d\d?|\d{4,})$/) ? 'comma' : 'point';
}

const quote = text => `"${text.replaceAll('"', '""')}"`;

const letters = new TextDecoder(WINDOWS).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));

/* Returns the text in the encoding of the file. In Windows-1252, a question mark replaces characters that it lacks. */
function encode(text, encoding) {
    return encoding === UTF_8 ? text : Uint8Array.from(text, letter => letters.indexOf(letters.includes(letter) ? letter : '?'));
}

/* Returns true if the part was refused for its size in bytes or rows. */
const isTooLarge = ({ problem }) => problem === 'import-too-long' || problem === 'body-too-large';

/* Returns the position in the file of a byte of a body that consists of these ranges of the file. */
function placeOf(byte, ranges) {
    let rest = byte;
    for (const [begin, end] of ranges) {
        if (rest <= end - begin) {
            return begin + rest;
        }
        rest -= end - begin;
    }
    return undefined;
}

/* Returns the end of a row without its line end. */
function trimRow(bytes, begin, end) {
    let last = end;
    while (last > begin && (bytes[last - 1] === 10 || bytes[last - 1] === 13)) {
        last -= 1;
    }
    return last;
}

/* Returns the line with the reasons as its first member, replacing those of an earlier import. A line that is not an
 * object is returned unchanged. */
function explainLine(line, reasons) {
    const text = new TextDecoder('latin1').decode(line); /* one character per byte */
    const [begin] = LINE_BEGIN.exec(text) ?? [];
    if (begin === undefined) {
        return [line];
    }
    const rest = text.startsWith('}', begin.length) ? '' : ',';
    return [`{${JSON.stringify(REASONS)}:${JSON.stringify(reasons)}${rest}`, line.subarray(begin.length)];
}

/*
 * An import. First check(), which stores nothing, then store(). Both reject like call(); if called again, they
 * continue.
 *
 * file: a File. type: CSV or NDJSON. mode: as in the API. For CSV also style: { delimiter, decimal, encoding } as in
 * the API; columns: the fields of the columns, '' for a column to ignore; header: the names in the first row, undefined
 * if there are none. explain(error) returns the text of an error for the file of faulty rows.
 */
export class Transfer {
    progress = state({ rows: 0, share: 0 }); /* rows processed by the current pass, and its share of the file */
    faults = []; /* first faulty rows: { row, text, errors } */
    failed = 0; /* number of faulty rows */
    reasons = new Map(); /* for the first MOST_REASONS reasons, as texts: { field, n }, the field and the number of
                          * rows */
    isCut = false; /* true if the end of the file cannot be read */
    counts = { created: 0, updated: 0, unchanged: 0 }; /* counts of the import, if no row is faulty */
    stored = 0; /* number of stored rows */
    updated = 0; /* number of products that existed before */
    made = []; /* products that were created: { id, etag } */
    takenBack = { deleted: 0, changed: [], gone: 0 }; /* results of deleting them; changed has the ids of products
                                                       * that another user has changed, so that they stay */
    undone = null; /* result of makeUndo(), if the server keeps a history */
    refused = []; /* products not deleted for another reason, which may have disappeared when the user tries again */

    #owner = currentUser()?.id;
    #batches = []; /* batches of the stored rows; undefined where the server keeps no history */
    #undo = null;

    #rows = 0; /* number of checked rows */
    #cuts = []; /* [begin, end] of each faulty row */
    #saved = []; /* faulty rows, as blobs */
    #checked = 0; /* number of checked bytes */
    #sent = 0; /* number of bytes sent for storage */
    #size = PART;
    #key = newKey();

    constructor(source) {
        Object.assign(this, source);
        this.end = this.file.size; /* end of the readable part */
    }

    get good() {
        return this.#rows - this.failed;
    }

    /* Returns a file of the faulty rows with their errors, to be corrected and imported. In CSV the errors are in a
     * column of their own, named `label`. */
    faultyFile(label) {
        const rest = this.isCut ? [this.file.slice(this.end)] : [];
        return new Blob([...(this.type === CSV ? [this.#headerRow(label)] : []), ...this.#saved, ...rest], { type: this.type });
    }

    #headerRow(label) {
        const names = [label, ...(this.header ?? this.columns)].map(quote).join(DELIMITERS[this.style.delimiter]);
        return encode(`${names}\r\n`, this.style.encoding);
    }

    /* Sends ranges of a part, { begin, end }. */
    #send(part, ranges, parameters, options) {
        const query = queryOf(this, part.begin === 0, { part: part.end < this.end ? 'more' : 'last', ...parameters });
        const slices = ranges.map(([begin, end]) => this.file.slice(begin, end));
        return call('POST', `/products/import?${query}`, new Blob(slices, { type: this.type }), { owner: this.#owner, ...options });
    }

    #nextPart(begin) {
        return { begin, end: Math.min(begin + this.#size, this.end) };
    }

    /* ---- first pass ---- */

    async check(signal) {
        while (this.#checked < this.end) {
            const part = this.#nextPart(this.#checked);
            const whole = [[part.begin, part.end]];
            const answer = await this.#send(part, whole, { dryRun: true }, { signal }).catch(error => error);
            if (isTooLarge(answer) && this.#size > 1) {
                this.#size = Math.ceil(this.#size / 2);
            } else if (answer.summary) {
                await this.#take(answer, part);
            } else {
                throw answer;
            }
        }
        this.progress.value = { rows: 0, share: 0 };
    }

    /* Evaluates an answer. It lists errors in the order of rows, but at most a hundred; if it has left out rows, the
     * part is sent again up to the last error. */
    async #take(answer, part) {
        const { summary, fields = [] } = answer;
        const rows = Map.groupBy(fields, ({ row }) => row);
        if (rows.has(0)) {
            throw answer; /* an error in the header row */
        }
        if (summary.failed > rows.size) {
            this.#size = fields.at(-1).begin;
            return;
        }
        await this.#keepFaults([...rows], part);
        if (rows.size === 0) {
            Object.keys(this.counts).forEach(name => (this.counts[name] += summary[name]));
        }
        this.failed += rows.size;
        this.#rows += summary.rows;
        this.isCut = fields.some(({ end }) => end === undefined);
        this.end = this.isCut ? part.begin + summary.octets : this.end;
        this.#checked = part.end === this.end ? part.end : part.begin + summary.octets;
        this.progress.value = { rows: this.#rows, share: this.#checked / this.file.size };
        if (summary.octets === 0 || (this.#size < PART && rows.size < FEW)) {
            this.#size *= 2;
        }
    }

    #explained(row, reasons) {
        if (this.type !== CSV) {
            return explainLine(row, reasons);
        }
        const { delimiter, encoding } = this.style;
        return [encode(`${quote(reasons)}${DELIMITERS[delimiter]}`, encoding), row];
    }

    #countReasons(errors) {
        const fields = new Map(errors.map(error => [this.explain(error), error.field]));
        for (const [reason, field] of fields) {
            if (this.reasons.has(reason) || this.reasons.size < MOST_REASONS) {
                this.reasons.set(reason, { field, n: (this.reasons.get(reason)?.n ?? 0) + 1 });
            }
        }
    }

    async #keepFaults(rows, part) {
        if (rows.length === 0) {
            return;
        }
        const bytes = new Uint8Array(await this.file.slice(part.begin, part.end).arrayBuffer());
        const pieces = [];
        for (const [row, errors] of rows) {
            const [{ begin, end }] = errors;
            this.#countReasons(errors);
            const piece = bytes.subarray(begin, trimRow(bytes, begin, end ?? begin + SAMPLE));
            if (end !== undefined) {
                pieces.push(...this.#explained(piece, errors.map(this.explain).join(' ')), '\r\n');
                this.#cuts.push([part.begin + begin, part.begin + begin + piece.length]);
            }
            if (this.faults.length < SHOWN) {
                this.faults.push({ row: this.#rows + row, text: new TextDecoder(this.style.encoding).decode(piece), errors });
            }
        }
        this.#saved.push(new Blob(pieces));
    }

    /* ---- second pass ---- */

    /* Stores the rows. Sends no more parts once isStopped() returns true. Awaits the part that was sent, so the number
     * of stored rows is always known. */
    async store(isStopped) {
        while (this.#sent < this.end && !isStopped()) {
            const part = this.#nextPart(this.#sent);
            const ranges = this.#goodRanges(part);
            const answer = await this.#send(part, ranges, { etags: true }, { headers: { 'Idempotency-Key': this.#key } }).catch(error => error);
            if (isTooLarge(answer) && this.#size > 1) {
                this.#size = Math.ceil(this.#size / 2);
            } else if (answer instanceof Error) {
                throw answer; /* the same part is sent again with the same key */
            } else {
                this.#note(answer, part, ranges);
            }
        }
    }

    #note({ summary: { rows, octets, created, updated }, data, batch }, part, ranges) {
        this.stored += rows;
        this.updated += updated;
        created + updated > 0 && this.#batches.push(batch);
        this.made.push(...data);
        this.#key = newKey();
        this.#size = octets === 0 ? 2 * this.#size : PART;
        this.#sent = part.end === this.end ? part.end : placeOf(octets, ranges);
        while (this.#cuts.length > 0 && this.#cuts[0][1] <= this.#sent) {
            this.#cuts.shift();
        }
        this.progress.value = { rows: this.stored, share: this.#sent / this.end };
    }

    /* Returns the ranges of the part without the faulty rows. */
    #goodRanges({ begin, end }) {
        const ranges = [];
        let from = begin;
        for (const [cut, after] of this.#cuts) {
            if (cut >= end) {
                break;
            }
            ranges.push([from, Math.max(from, cut)]);
            from = after;
        }
        return from < end ? [...ranges, [from, end]] : ranges;
    }

    /* ---- undo ---- */

    /* Records the result of deleting a product. */
    #noteDeletion(product, status) {
        if (status < 300) {
            this.takenBack.deleted += 1;
        } else if (status === 412) {
            this.takenBack.changed.push(product.id);
        } else if (status === 404) {
            this.takenBack.gone += 1;
        } else {
            this.refused.push(product);
        }
    }

    /* Returns true if the server can undo the import exactly. Otherwise only the created products can be deleted. */
    get isExact() {
        return this.#batches.length > 0 && this.#batches.every(Boolean);
    }

    /* Returns true if there is something left to undo. */
    get canUndo() {
        return this.isExact ? this.undone === null || this.undone.isLeft : this.made.length + this.refused.length > 0;
    }

    async #undoBatches(isStopped) {
        const total = this.made.length + this.updated;
        this.#undo ??= makeUndo(this.#owner, { batches: this.#batches, n: total });
        const note = ({ done }) => (this.progress.value = { rows: done, share: Math.min(1, done / total) });
        this.undone = await this.#undo(note, isStopped);
    }

    /* Undoes everything, or deletes the created products unless they have changed since. If called again after an
     * error, continues. */
    async takeBack(isStopped) {
        if (this.isExact) {
            await this.#undoBatches(isStopped);
            return;
        }
        const { takenBack } = this;
        const done = () => takenBack.deleted + takenBack.changed.length + takenBack.gone + this.refused.length;
        this.made.push(...this.refused.splice(0));
        const total = done() + this.made.length;
        while (this.made.length > 0 && !isStopped()) {
            const portion = this.made.slice(0, PORTION);
            const operations = portion.map(({ id, etag }) => ({ op: 'delete', id, ifMatch: etag }));
            const options = { owner: this.#owner, headers: { 'Idempotency-Key': this.#key } };
            const { results } = await call('POST', '/products/batch', { atomic: false, operations }, options);
            this.#key = newKey();
            this.made.splice(0, portion.length);
            results.forEach(({ status }, i) => this.#noteDeletion(portion[i], status));
            this.progress.value = { rows: done(), share: done() / total };
        }
    }

    /* Resolves to the first products that still exist: { id, name }. */
    async readKept() {
        const ids = [...this.takenBack.changed, ...this.refused.map(({ id }) => id)].slice(0, KEPT);
        const query = new URLSearchParams([...anyOf('id', ids), ['fields', 'id,name'], ['limit', KEPT]]);
        return ids.length > 0 ? (await read(`/products?${query}`)).data : [];
    }
}
