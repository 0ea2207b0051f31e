/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The import of a file of products, part by part. This module copies octets; what they mean, and where rows are, the server says:
 * docs/api.md, "Files in parts".
 */
import { anyOf, call, currentUser, newKey, read } from '../lib/api.js';
import { state } from '../lib/dom.js';
import { makeUndo } from '../product/batches.js';

const PART = 128 * 1024; /* octets */
const HEAD = 64 * 1024; /* octets in which the first rows are looked for */
const FEW = 20; /* faulty rows, after which a longer part may be tried */
const SHOWN = 100; /* faulty rows that are kept to be shown */
const MOST_REASONS = 200; /* different ones that are counted */
const PORTION = 100; /* products that are deleted by one request; the server may allow fewer than the thousand that it allows by default */
const KEPT = 20; /* products that are named when they were not taken back */
const SAMPLE = 80; /* octets of what cannot be read as rows */

export const CSV = 'text/csv';
export const NDJSON = 'application/x-ndjson';
export const UTF_8 = 'utf-8';
export const WINDOWS = 'windows-1252';

/* What can be between the cells of CSV, by its name in the API. */
const DELIMITERS = { tab: '\t', semicolon: ';', comma: ',' };

/* The member of a faulty line of NDJSON that has its errors, and the beginning of a line up to where it is or belongs. A byte order mark
 * may come first. */
const REASONS = 'whatIsWrong';
const LINE_BEGIN = new RegExp(`^(\\xef\\xbb\\xbf)?\\s*\\{\\s*("${REASONS}"\\s*:\\s*"([^"\\\\]|\\\\.)*"\\s*,?\\s*)?`);

export function typeOf({ name, type }) {
    return /\.(ndjson|jsonl)$/i.test(name) || type === NDJSON ? NDJSON : CSV;
}

/*
 * style: { delimiter, encoding }, as in the API. Resolves to the cells of the file's first rows, [[text]], and what it is read as:
 * { head, delimiter, encoding }. The file may say both itself.
 */
export function readHead(file, style) {
    const query = new URLSearchParams({ ...style, dryRun: 'head', part: file.size > HEAD ? 'more' : 'last' });
    return call('POST', `/products/import?${query}`, file.slice(0, HEAD, CSV));
}

/* The parameters of what is sent of a source: { type, mode, style, columns, header }, as Transfer has them. isFirst: with the header row. */
function queryOf({ type, mode, style, columns, header }, isFirst, parameters) {
    const ofCsv = type === CSV ? { ...style, columns: columns.join(), header: isFirst && header !== undefined } : {};
    return new URLSearchParams({ mode, ...ofCsv, ...parameters });
}

/*
 * Resolves to what the server makes of the beginning of the file: { products, as they would be stored; rows, of which so many are failed; fields,
 * the errors }. source: as that of Transfer.
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

function isUtf8(octets) {
    try {
        new TextDecoder(UTF_8, { fatal: true }).decode(octets, { stream: true });
        return true;
    } catch {
        return false;
    }
}

/* A file that is no UTF-8 although it has letters of UTF-8 beyond ASCII is more likely a damaged one than one of Windows. */
async function guessEncoding(file) {
    const octets = await file.slice(0, HEAD).arrayBuffer();
    const hasLetters = /[^\0-\x7f\ufffd]/.test(new TextDecoder().decode(octets, { stream: true }));
    return isUtf8(octets) || hasLetters ? UTF_8 : WINDOWS;
}

async function inUtf8(file, encoding) {
    const text = file.stream().pipeThrough(new TextDecoderStream(encoding)).pipeThrough(new TextEncoderStream());
    return new File([await new Response(text).blob()], file.name, { type: CSV });
}

/*
 * Resolves to the file as it can be sent in parts, { text, encoding, isMarked }: UTF-16 becomes UTF-8, for which its parts need not be
 * read by characters. Windows-1252 is left to the server: a browser takes the octets that it lacks for control characters. isMarked: a byte
 * order mark says the encoding, which is otherwise a guess.
 */
export async function openText(file) {
    const { encoding } = await readHead(file, { delimiter: 'comma', encoding: WINDOWS });
    if (encoding === WINDOWS) {
        return { text: file, encoding: await guessEncoding(file), isMarked: false };
    }
    return { text: encoding === UTF_8 ? file : await inUtf8(file, encoding), encoding: UTF_8, isMarked: true };
}

/* How many cells at least most of the rows have. A comma within a few texts does not count, and one in each price counts as a semicolon
 * between two cells does. */
function usualWidth(rows) {
    const widths = rows.map(({ length }) => length).sort((a, b) => a - b);
    return widths.length === 0 ? 0 : widths[Math.floor((widths.length - 1) / 2)];
}

/* The delimiter that makes the most columns; of two that make as many, not the comma, which may be a decimal mark. */
export async function findDelimiter(file, encoding) {
    const names = Object.keys(DELIMITERS);
    const heads = await Promise.all(names.map(delimiter => readHead(file, { delimiter, encoding })));
    const widths = heads.map(({ head }) => usualWidth(head));
    const most = Math.max(...widths);
    return most > 1 ? heads[widths.indexOf(most)].delimiter : 'comma';
}

/* 'comma' if a number in these cells has a decimal comma for certain, and none a decimal point. */
export function findDecimal(rows) {
    const cells = rows.flat();
    const has = pattern => cells.some(text => pattern.test(text));
    return has(/^[-+]?(\d[\d. ]*)?,(\d\d?|\d{4,})$/) && !has(/^[-+]?(\d[\d ]*)?\.(\d\d?|\d{4,})$/) ? 'comma' : 'point';
}

const quote = text => `"${text.replaceAll('"', '""')}"`;

const letters = new TextDecoder(WINDOWS).decode(Uint8Array.from({ length: 256 }, (_, octet) => octet));

/* The text in the encoding of the file; in Windows's, a question mark stands for what that does not have. */
function encode(text, encoding) {
    return encoding === UTF_8 ? text : Uint8Array.from(text, letter => letters.indexOf(letters.includes(letter) ? letter : '?'));
}

/* Is the part refused for its size, in octets or in rows? */
const isTooLarge = ({ problem }) => problem === 'import-too-long' || problem === 'body-too-large';

/* Where an octet of a body is in the file, of which it has these ranges. */
function placeOf(octet, ranges) {
    let rest = octet;
    for (const [begin, end] of ranges) {
        if (rest <= end - begin) {
            return begin + rest;
        }
        rest -= end - begin;
    }
    return undefined;
}

/* Without the end of its line. */
function trimRow(octets, begin, end) {
    let last = end;
    while (last > begin && (octets[last - 1] === 10 || octets[last - 1] === 13)) {
        last -= 1;
    }
    return last;
}

/* The line with the reasons as its first member, instead of those of an earlier import. What is no object has no room for them. */
function explainLine(line, reasons) {
    const text = new TextDecoder('latin1').decode(line); /* a character for each octet */
    const [begin] = LINE_BEGIN.exec(text) ?? [];
    if (begin === undefined) {
        return [line];
    }
    const rest = text.startsWith('}', begin.length) ? '' : ',';
    return [`{${JSON.stringify(REASONS)}:${JSON.stringify(reasons)}${rest}`, line.subarray(begin.length)];
}

/*
 * First check(), which stores nothing, then store(). Both reject with what call() does; called again, they go on where they were.
 *
 * file: a File. type: CSV or NDJSON. mode: as in the API. Of CSV, style: { delimiter, decimal, encoding } as in the API; columns: the
 * fields of the columns, '' for one that is left out; header: their names in the first row, undefined if it has none. explain(error): the
 * words of an error in the file of faulty rows.
 */
export class Transfer {
    progress = state({ rows: 0, share: 0 }); /* of the pass that is under way: its rows so far, and its share of the file */
    faults = []; /* the first rows that are faulty: { row, text, errors } */
    failed = 0; /* how many rows are faulty */
    reasons = new Map(); /* of each reason, in words, its field and how many rows have it: { field, n }; the first MOST_REASONS of them */
    isCut = false; /* the end of the file cannot be read */
    counts = { created: 0, updated: 0, unchanged: 0 }; /* what the import does, if no row is faulty */
    stored = 0; /* rows */
    updated = 0; /* products that were there before */
    made = []; /* the products that were created: { id, etag } */
    takenBack = { deleted: 0, changed: [], gone: 0 }; /* what became of them; changed: the ids of those that somebody else has changed, so that they stay */
    undone = null; /* what became of it where the server keeps a history: as makeUndo() has it */
    refused = []; /* those that the server did not delete for another reason, which may have gone when the user tries again */

    #owner = currentUser()?.id;
    #batches = []; /* of what is stored; one is missing where the server keeps no history */
    #undo = null;

    #rows = 0; /* that were checked */
    #cuts = []; /* [begin, end] of each faulty row */
    #saved = []; /* the faulty rows, in blobs */
    #checked = 0; /* the octets that were checked, */
    #sent = 0; /* and stored */
    #size = PART;
    #key = newKey();

    constructor(source) {
        Object.assign(this, source);
        this.end = this.file.size; /* of what can be read */
    }

    /* How many rows can be stored. */
    get good() {
        return this.#rows - this.failed;
    }

    /* The faulty rows, to be mended and imported, each with its errors. In CSV these are a column of their own; label: its name. */
    faultyFile(label) {
        const rest = this.isCut ? [this.file.slice(this.end)] : [];
        return new Blob([...(this.type === CSV ? [this.#headerRow(label)] : []), ...this.#saved, ...rest], { type: this.type });
    }

    #headerRow(label) {
        const names = [label, ...(this.header ?? this.columns)].map(quote).join(DELIMITERS[this.style.delimiter]);
        return encode(`${names}\r\n`, this.style.encoding);
    }

    /* Sends ranges of the part, which is { begin, end }. */
    #send(part, ranges, parameters, options) {
        const query = queryOf(this, part.begin === 0, { part: part.end < this.end ? 'more' : 'last', ...parameters });
        const slices = ranges.map(([begin, end]) => this.file.slice(begin, end));
        return call('POST', `/products/import?${query}`, new Blob(slices, { type: this.type }), { owner: this.#owner, ...options });
    }

    #nextPart(begin) {
        return { begin, end: Math.min(begin + this.#size, this.end) };
    }

    /* ---- the first pass ---- */

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

    /* Errors come in the order of the rows, but not more than a hundred: then the part is sent again up to the last one. */
    async #take(answer, part) {
        const { summary, fields = [] } = answer;
        const rows = Map.groupBy(fields, ({ row }) => row);
        if (rows.has(0)) {
            throw answer; /* the header row */
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
        const octets = new Uint8Array(await this.file.slice(part.begin, part.end).arrayBuffer());
        const pieces = [];
        for (const [row, errors] of rows) {
            const [{ begin, end }] = errors;
            this.#countReasons(errors);
            const piece = octets.subarray(begin, trimRow(octets, begin, end ?? begin + SAMPLE));
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

    /* ---- the second pass ---- */

    /* isStopped(): whether to send no more. What was sent is awaited, so it is always known how many rows are stored. */
    async store(isStopped) {
        while (this.#sent < this.end && !isStopped()) {
            const part = this.#nextPart(this.#sent);
            const ranges = this.#goodRanges(part);
            const answer = await this.#send(part, ranges, { etags: true }, { headers: { 'Idempotency-Key': this.#key } }).catch(error => error);
            if (isTooLarge(answer) && this.#size > 1) {
                this.#size = Math.ceil(this.#size / 2);
            } else if (answer instanceof Error) {
                throw answer; /* the same part, with the same key, is sent again */
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

    /* The part without the faulty rows. */
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

    /* ---- taking it back ---- */

    /* What became of a product that was to be deleted. */
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

    /* Whether the server takes the import back, exactly. Otherwise only what it has created can be deleted. */
    get isExact() {
        return this.#batches.length > 0 && this.#batches.every(Boolean);
    }

    /* Whether there is anything to take back, or still is. */
    get canUndo() {
        return this.isExact ? this.undone === null || this.undone.isLeft : this.made.length + this.refused.length > 0;
    }

    async #undoBatches(isStopped) {
        const total = this.made.length + this.updated;
        this.#undo ??= makeUndo(this.#owner, { batches: this.#batches, n: total });
        const note = ({ done }) => (this.progress.value = { rows: done, share: Math.min(1, done / total) });
        this.undone = await this.#undo(note, isStopped);
    }

    /* Takes everything back, or deletes what was created, unless it has changed since. Called again after an error, it goes on where it was. */
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

    /* Resolves to the first products that are still there: { id, name }. */
    async readKept() {
        const ids = [...this.takenBack.changed, ...this.refused.map(({ id }) => id)].slice(0, KEPT);
        const query = new URLSearchParams([...anyOf('id', ids), ['fields', 'id,name'], ['limit', KEPT]]);
        return ids.length > 0 ? (await read(`/products?${query}`)).data : [];
    }
}
