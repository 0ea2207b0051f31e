/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The import of a file of products, part by part. This module copies octets; what they mean, and where rows are, the server says:
 * docs/api.md, "Files in parts".
 */
import { call, newKey } from '../lib/api.js';
import { state } from '../lib/dom.js';

const PART = 128 * 1024; /* octets */
const HEAD = 64 * 1024; /* octets in which the first rows are looked for */
const FEW = 20; /* faulty rows, after which a longer part may be tried */
const SHOWN = 100; /* faulty rows that are kept to be shown */
const SAMPLE = 80; /* octets of what cannot be read as rows */

export const CSV = 'text/csv';
export const NDJSON = 'application/x-ndjson';

/* What can be between the cells of CSV, by its name in the API. */
const DELIMITERS = { tab: '\t', semicolon: ';', comma: ',' };

/* The member of a faulty line of NDJSON that has its errors, and the beginning of a line up to where it is or belongs. A byte order mark
 * may come first. */
const REASONS = 'whatIsWrong';
const LINE_BEGIN = new RegExp(`^(\\xef\\xbb\\xbf)?\\s*\\{\\s*("${REASONS}"\\s*:\\s*"([^"\\\\]|\\\\.)*"\\s*,?\\s*)?`);

export function typeOf({ name, type }) {
    return /\.(ndjson|jsonl)$/i.test(name) || type === NDJSON ? NDJSON : CSV;
}

/* Resolves to the cells of the file's first rows, [[text]], and what it is read as: { head, delimiter, encoding }. The file may say both itself. */
export function readHead(file, delimiter) {
    const query = new URLSearchParams({ dryRun: 'head', delimiter, part: file.size > HEAD ? 'more' : 'last' });
    return call('POST', `/products/import?${query}`, file.slice(0, HEAD, CSV));
}

/* The file in UTF-8, for which its parts need not be read by characters. */
export async function inUtf8(file) {
    const { encoding } = await readHead(file, 'comma');
    if (encoding === 'utf-8') {
        return file;
    }
    const text = file.stream().pipeThrough(new TextDecoderStream(encoding)).pipeThrough(new TextEncoderStream());
    return new File([await new Response(text).blob()], file.name, { type: CSV });
}

/* How many cells at least most of the rows have. A comma within a few texts does not count, and one in each price counts as a semicolon
 * between two cells does. */
function usualWidth(rows) {
    const widths = rows.map(({ length }) => length).sort((a, b) => a - b);
    return widths.length === 0 ? 0 : widths[Math.floor((widths.length - 1) / 2)];
}

/* The delimiter that makes the most columns; of two that make as many, not the comma, which may be a decimal mark. */
export async function findDelimiter(file) {
    const names = Object.keys(DELIMITERS);
    const heads = await Promise.all(names.map(name => readHead(file, name)));
    const widths = heads.map(({ head }) => usualWidth(head));
    const most = Math.max(...widths);
    return most > 1 ? heads[widths.indexOf(most)].delimiter : 'comma';
}

const quote = text => `"${text.replaceAll('"', '""')}"`;

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
 * file: a File. type: CSV or NDJSON. mode: as in the API. Of CSV, delimiter: as in the API; columns: the fields of the columns, '' for one
 * that is left out; header: their names in the first row, undefined if it has none. explain(error): the words of an error in the file
 * of faulty rows.
 */
export class Transfer {
    progress = state({ rows: 0, share: 0 }); /* of the pass that is under way: its rows so far, and its share of the file */
    faults = []; /* the first rows that are faulty: { row, text, errors } */
    failed = 0; /* how many rows are faulty */
    isCut = false; /* the end of the file cannot be read */
    counts = { created: 0, updated: 0, unchanged: 0 }; /* what the import does, if no row is faulty */
    stored = 0; /* rows */

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
        const names = [label, ...(this.header ?? this.columns)].map(quote).join(DELIMITERS[this.delimiter]);
        const rest = this.isCut ? [this.file.slice(this.end)] : [];
        return new Blob([...(this.type === CSV ? [`${names}\r\n`] : []), ...this.#saved, ...rest], { type: this.type });
    }

    /* Sends ranges of the part, which is { begin, end }. */
    #send(part, ranges, parameters, options) {
        const query = new URLSearchParams({ mode: this.mode, part: part.end < this.end ? 'more' : 'last', ...parameters });
        if (this.type === CSV) {
            query.set('columns', this.columns.join());
            query.set('delimiter', this.delimiter);
            query.set('header', part.begin === 0 && this.header !== undefined);
        }
        const slices = ranges.map(([begin, end]) => this.file.slice(begin, end));
        return call('POST', `/products/import?${query}`, new Blob(slices, { type: this.type }), options);
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
        return this.type === CSV ? [`${quote(reasons)}${DELIMITERS[this.delimiter]}`, row] : explainLine(row, reasons);
    }

    async #keepFaults(rows, part) {
        if (rows.length === 0) {
            return;
        }
        const octets = new Uint8Array(await this.file.slice(part.begin, part.end).arrayBuffer());
        const pieces = [];
        for (const [row, errors] of rows) {
            const [{ begin, end }] = errors;
            const piece = octets.subarray(begin, trimRow(octets, begin, end ?? begin + SAMPLE));
            if (end !== undefined) {
                pieces.push(...this.#explained(piece, errors.map(this.explain).join(' ')), '\r\n');
                this.#cuts.push([part.begin + begin, part.begin + begin + piece.length]);
            }
            if (this.faults.length < SHOWN) {
                this.faults.push({ row: this.#rows + row, text: new TextDecoder().decode(piece), errors });
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
            const answer = await this.#send(part, ranges, {}, { headers: { 'Idempotency-Key': this.#key } }).catch(error => error);
            if (isTooLarge(answer) && this.#size > 1) {
                this.#size = Math.ceil(this.#size / 2);
            } else if (answer instanceof Error) {
                throw answer; /* the same part, with the same key, is sent again */
            } else {
                this.#note(answer.summary, part, ranges);
            }
        }
    }

    #note({ rows, octets }, part, ranges) {
        this.stored += rows;
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
}
