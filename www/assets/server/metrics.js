/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of the server, and their changes over the last hour and day. The server keeps no history. This browser
 * samples the counters while the page is open in one or more tabs, and keeps the samples of a day, fewer of those older
 * than an hour. Creates no elements.
 */
import { METRICS as PATH, readText } from '../lib/api.js';
import { recall, remember } from '../lib/dom.js';

export { PATH };
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

const KEPT = 'metrics';
const APART = 10_000; /* least ms between samples, because other tabs sample as well */
const FAR_APART = 300_000; /* ms between samples older than an hour */

/* Routes that monitors and this page request repeatedly; they are not counted. */
const OWN = ['/health/live', '/health/ready', '/mails'];

/* Reads Prometheus' text format. Returns [{ name, labels, value }]. */
function parse(text) {
    const pattern = /^(\w+)(?:\{([^}]*)\})? (\S+)$/gm;
    return [...text.matchAll(pattern)].map(([, name, labels = '', value]) => ({
        name,
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, label]) => [key, label])),
        value: Number(value),
    }));
}

function group(series, name, key, counts = () => true) {
    const groups = {};
    for (const { labels, value } of series.filter(one => one.name === name && counts(one))) {
        groups[labels[key]] = (groups[labels[key]] ?? 0) + value;
    }
    return groups;
}

const total = groups => Object.values(groups).reduce((sum, value) => sum + value, 0);
const valueOf = (series, name) => series.find(one => one.name === name)?.value ?? 0;

/* Resolves to { connections, sample }, or to null if the path has something else. */
export async function readMetrics() {
    const series = parse(await readText(PATH));
    if (!series.some(({ name }) => name === 'catalog_requests_total')) {
        return null;
    }
    const requests = group(series, 'catalog_requests_total', 'code', ({ labels }) => !OWN.includes(labels.route));
    return {
        connections: valueOf(series, 'catalog_database_connections'),
        sample: {
            at: Date.now(),
            requests: total(requests),
            errors: requests['5xx'] ?? 0,
            hits: valueOf(series, 'catalog_cache_hits_total'),
            misses: valueOf(series, 'catalog_cache_misses_total'),
            limits: group(series, 'catalog_rate_limit_refusals_total', 'limit'),
        },
    };
}

/* ---- the last day ---- */

/* Returns the user's samples of the last day, oldest first. */
export function recallSamples(user) {
    try {
        const kept = JSON.parse(recall('localStorage', KEPT));
        return kept.user === user ? kept.samples.filter(({ at }) => at > Date.now() - DAY && at <= Date.now()) : [];
    } catch {
        return []; /* nothing is stored, or it is not valid */
    }
}

/* Removes old samples that are close to the one before. */
function thin(samples, now) {
    let last = -Infinity;
    return samples.filter(({ at }) => {
        const isWanted = at > now - HOUR || at - last >= FAR_APART;
        last = isWanted ? at : last;
        return isWanted;
    });
}

/* Adds the sample. Returns all samples of the last day. */
export function keepSample(user, sample) {
    const samples = thin(recallSamples(user), sample.at);
    if (!samples.length || sample.at - samples.at(-1).at >= APART) {
        samples.push(sample);
        remember('localStorage', KEPT, JSON.stringify({ user, samples }));
    }
    return samples;
}

const COUNTERS = ['requests', 'errors', 'hits', 'misses'];

function compare(before, after) {
    const names = Object.keys(after.limits);
    const changes = Object.fromEntries(COUNTERS.map(name => [name, after[name] - before[name]]));
    const limits = Object.fromEntries(names.map(name => [name, after.limits[name] - (before.limits[name] ?? 0)]));
    return { from: before.at, to: after.at, ...changes, limits, refused: total(limits) };
}

/*
 * Returns the changes between successive samples: [{ from, to, requests, errors, hits, misses, limits, refused }]. A
 * server that was restarted begins at 0; the changes around that are unknown and omitted.
 */
export function findChanges(samples) {
    return samples
        .slice(1)
        .map((sample, i) => compare(samples[i], sample))
        .filter(change => [...COUNTERS.map(name => change[name]), ...Object.values(change.limits)].every(count => count >= 0));
}
