/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colour that config.js gives links and buttons, in both schemes. Texts stand in it and on it, so it is made darker, in the dark scheme
 * lighter, until each of them has the contrast that WCAG asks for. A story compares what comes of extreme colours with axe.
 */
const ENOUGH = 4.5;
const STEPS = 20;

/* grounds: what stands behind texts in the accent, the lightest or darkest first (tokens.css); end: where the colour is moved to. */
const SCHEMES = {
    light: { media: 'screen', grounds: ['#ffffff', '#faf9f7', '#f1efeb'], end: '#000000' },
    dark: { media: 'screen and (prefers-color-scheme: dark)', grounds: ['#131417', '#1b1d21', '#24272c'], end: '#ffffff' },
};

const parse = color => [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16));
const write = parts => `#${parts.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
const mix = (one, other, share) => parse(one).map((part, i) => part + (parse(other)[i] - part) * share);
const toward = (one, other, share) => write(mix(one, other, share));

/* The luminance and the contrast of WCAG 2. */
function luminance(color) {
    const [r, g, b] = parse(color).map(part => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}

/* The ground of what is chosen, in a hint of the colour. */
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

/* accent: #rgb or #rrggbb. */
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
