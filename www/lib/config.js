/* SPDX-License-Identifier: Apache-2.0 */

/* Where the catalogue is mounted on this site: the path of its <Location>. */
export const API = '/api';
