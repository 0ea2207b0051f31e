/* SPDX-License-Identifier: Apache-2.0 */
/* Draws charts of the last hour or day, each with a sentence that describes it. */
import { el } from '../lib/dom.js';
import { formatClock } from '../lib/text.js';

const WIDTH = 600; /* units of the drawing */
const HEIGHT = 200;
const TIMES = 4; /* number of intervals on the time axis */

function svg(tag, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
}

/* Returns the outline of an area. `parts` is [{ from, to, value }]. Each part is level, because only the mean between
 * two samples is known. Unknown times remain empty. */
function area(parts, most, begin, span) {
    const x = time => (((time - begin) / span) * WIDTH).toFixed(1);
    const y = value => (HEIGHT * (1 - value / most)).toFixed(1);
    return parts.map(({ from, to, value }) => `M${x(from)} ${HEIGHT}V${y(value)}H${x(to)}V${HEIGHT}Z`).join('');
}

/* Returns lines at half height and at each time below the chart. */
function grid() {
    const times = Array.from({ length: TIMES - 1 }, (_, i) => `M${((i + 1) * WIDTH) / TIMES} 0V${HEIGHT}`);
    return `M0 ${HEIGHT / 2}H${WIDTH}${times.join('')}`;
}

/*
 * Returns a chart. title: its name. sentence: its description. layers: [{ look, parts }], each drawn over the one
 * before. most: the value at the top. format(value): the value as text. now, span: the end and the length of the time
 * shown.
 */
export function chart({ title, sentence, layers, most, format, now, span }) {
    const begin = now - span;
    const drawing = svg(
        'svg',
        { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' },
        svg('path', { class: 'grid', d: grid() }),
        ...layers.map(({ look, parts }) => svg('path', { class: look, d: area(parts, most, begin, span) })),
    );
    const times = Array.from({ length: TIMES + 1 }, (_, i) => el('span', {}, formatClock(begin + (i * span) / TIMES)));
    const marks = [most, most / 2, 0].map(value => el('span', {}, format(value)));
    return el(
        'figure',
        { class: 'chart' },
        el('figcaption', {}, el('h3', {}, title), el('p', {}, sentence)),
        el('div', { class: 'plot', 'aria-hidden': 'true' }, el('div', { class: 'marks' }, marks), drawing, el('div', { class: 'hours' }, times)),
    );
}
