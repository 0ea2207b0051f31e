/* SPDX-License-Identifier: Apache-2.0 */

/* The path of the catalogue's <Location> on this site. */
export const API = '/api';

/* The path of a <Location> with the server's metrics, which administrators may read: docs/pages.md. */
export const METRICS = '/admin/metrics';
