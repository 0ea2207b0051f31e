/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies the colour that config.js sets for links and buttons, in the light and the dark scheme. Text appears in this
 * colour and on it, so the colour is made darker (lighter in the dark scheme) until both have the contrast that WCAG
 * requires. A browser test checks extreme colours with axe.
 */
const ENOUGH = 4.5;
const STEPS = 20;

/* grounds: backgrounds of texts in this colour, the lightest or darkest first (tokens.css). end: the colour toward
 * which the accent moves. */
const SCHEMES = {
    light: { media: 'screen', grounds: ['#ffffff', '#faf9f7', '#f1efeb'], end: '#000000' },
    dark: { media: 'screen and (prefers-color-scheme: dark)', grounds: ['#131417', '#1b1d21', '#24272c'], end: '#ffffff' },
};

const parse = color => [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16));
const write = parts => `#${parts.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
const mix = (one, other, share) => parse(one).map((part, i) => part + (parse(other)[i] - part) * share);
const toward = (one, other, share) => write(mix(one, other, share));

/* Luminance and contrast as in WCAG 2. */
function luminance(color) {
    const [r, g, b] = parse(color).map(part => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}

/* Returns the background of selected elements, a light tint of the colour. */
const soften = (color, [ground]) => toward(ground, color, 0.12);

function colorsOf(accent, { grounds, end }) {
    const isReadable = color => [...grounds, soften(color, grounds)].every(ground => contrast(color, ground) >= ENOUGH);
    const steps = Array.from({ length: STEPS + 1 }, (_, i) => toward(accent, end, i / STEPS));
    const color = steps.find(isReadable);
    return { accent: color, 'accent-hover': toward(color, end, 0.2), 'accent-ink': grounds[0], 'accent-soft': soften(color, grounds), focus: color };
}

function ruleOf(accent, scheme) {
    const lines = Object.entries(colorsOf(accent, scheme)).map(([name, color]) => `--${name}: ${color};`);
    return `@media ${scheme.media} { :root { ${lines.join(' ')} } }`;
}

/* `accent` is #rgb or #rrggbb. */
export function setAccent(accent) {
    if (!/^#([0-9a-f]{3}){1,2}$/i.test(accent)) {
        console.warn(`config.js: ACCENT must be #rgb or #rrggbb, not ${accent}`);
        return;
    }
    const color = accent.length === 4 ? accent.replace(/[^#]/g, '$&$&') : accent;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(Object.values(SCHEMES).map(scheme => ruleOf(color, scheme)).join('\n'));
    document.adoptedStyleSheets.push(sheet);
}
