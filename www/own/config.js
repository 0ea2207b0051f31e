/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shop's own settings of the pages; neither a new version nor another installation changes this file, or anything else in this directory.
 * A line that is left out has the value that the pages have. docs/pages.md explains each.
 */

/* The path of the catalogue's <Location> on this site. */
export const API = '/api';

/* The path of a <Location> with the server's metrics, which administrators may read. */
export const METRICS = '/admin/metrics';

/* Addresses are relative to the pages, so own/logo.svg is in this directory. A text may be one for each language: { en: 'Tea', de: 'Tee' }. */

// export const BRAND = 'Fernhill Tea'; /* the shop's name */
// export const LOGO = 'own/logo.svg'; /* shown in place of the name; 32 pixels high */
// export const ICON = 'own/icon.svg'; /* of the browser's tab */
// export const ACCENT = '#1d6156'; /* the colour of links and buttons, which the pages make darker or lighter where texts in it could not be read */
// export const STYLES = ['own/style.css']; /* style sheets after those of the pages */
// export const FOOTER = [{ text: { en: 'Legal notice', de: 'Impressum' }, href: 'own/legal.html' }];
// export const SNAPSHOT = 'p/'; /* where the static pages for search engines are served, see docs/how-to/search-engines.md */
// export const TEXTS = { en: { 'list.title': 'Our teas' }, de: { 'list.title': 'Unsere Tees' } }; /* keys: assets/texts/en.js */
// export const FIELDS = ['brand', 'description']; /* the fields that come first, in this order */
