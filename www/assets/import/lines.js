/* SPDX-License-Identifier: Apache-2.0 */
/* Proposes the CatalogField line for a column of a file. Creates no elements. */

const LONGEST_NAME = 40;
const LONGEST_LABEL = 100;
const LONGEST_STRING = 200;
const LONGEST_TEXT = 100; /* characters of a text in a list */
const LONGEST_LIST = 32;

/* Names that httpd refuses, because the API uses them: the table "reserved" of src/catalogue/product/own_field.c. */
const RESERVED = [
    ...['page', 'limit', 'cursor', 'q', 'sort', 'fields', 'etags', 'count', 'facets', 'match', 'relevance', 'format', 'safe', 'delimiter'],
    ...['decimal', 'bom', 'encoding', 'list', 'etag', 'success', 'message', 'data', 'error', 'errors', 'pagination', 'images', 'corrected'],
    'history',
];

/* The first type that all cells match is used. A number that begins with 0 is an article number, and remains a text. */
const TYPES = [
    ['boolean', /^(true|false|yes|no|ja|nein|wahr|falsch)$/i],
    ['integer', /^[-+]?(0|[1-9]\d{0,14})$/],
    ['number', /^[-+]?(0|[1-9]\d{0,14})?[.,]\d+$|^[-+]?(0|[1-9]\d{0,14})$|^[-+]?\d{1,3}([. ]\d{3})+,\d+$/],
    ['date', /^\d{4}-\d\d-\d\d$/],
    ['duration', /^P(\d+W|(?=.)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?)$/],
    ['time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[-+]\d\d:\d\d)$/i],
    ['url', /^https?:\/\/[^\s|"<>\\^`{}]+$/],
];

function isList(cell) {
    const texts = cell.split('|').map(text => text.trim()).filter(text => text !== '');
    return texts.length <= LONGEST_LIST && new Set(texts).size === texts.length && texts.every(text => text.length <= LONGEST_TEXT);
}

function typeOf(cells) {
    if (cells.some(cell => cell.length > LONGEST_STRING || cell.includes('\n'))) {
        return 'text';
    }
    const [type] = TYPES.find(([, pattern]) => cells.length > 0 && cells.every(cell => pattern.test(cell.trim()))) ?? [];
    return type ?? (cells.some(cell => cell.includes('|')) && cells.every(isList) ? 'strings' : 'string');
}

/* Returns a name of ASCII letters and digits that begins with a letter: "Größe (cm)" becomes groesseCm. */
function nameOf(column, taken) {
    const plain = column
        .replace(/[äöüÄÖÜ]/g, letter => `${letter.normalize('NFD')[0]}e`)
        .replace(/ß/g, 'ss')
        .normalize('NFKD')
        .replace(/\p{M}/gu, '');
    const words = plain.split(/[^A-Za-z0-9]+/).filter(word => word !== '');
    const [first = '', ...others] = words.map(word => (word === word.toUpperCase() ? word.toLowerCase() : word));
    const name = [first[0]?.toLowerCase() ?? '', first.slice(1), ...others.map(word => word[0].toUpperCase() + word.slice(1))].join('');
    const begun = (/^[a-z]/.test(name) ? name : `field${name}`).slice(0, LONGEST_NAME - 2);
    const isFree = candidate => ![...RESERVED, ...taken].some(other => other.toLowerCase() === candidate.toLowerCase());
    return [begun, ...Array.from({ length: 98 }, (_, i) => `${begun}${i + 2}`)].find(isFree) ?? begun;
}

/* Separates $ and {, because ${NAME} is a variable in httpd's configuration. */
const quote = text => `"${text.replace(/[\\"]/g, '\\$&').replaceAll('${', '$ {')}"`;

/* Returns the line. `column` is the column's name, `cells` its first cells that are not empty, `taken` the names of
 * other fields, to which the new name is added. */
export function lineFor(column, cells, taken) {
    const name = nameOf(column, taken);
    const label = column.replace(/\s+/g, ' ').trim().slice(0, LONGEST_LABEL);
    taken.push(name);
    return `CatalogField ${name} ${typeOf(cells)}${label === '' || label === name ? '' : ` label=${quote(label)}`}`;
}
