/* SPDX-License-Identifier: Apache-2.0 */

/* The path of the catalogue's <Location> on this site. */
export const API = '/api';
