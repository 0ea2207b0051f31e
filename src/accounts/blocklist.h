/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_BLOCKLIST_H
#define CAT_ACCOUNTS_BLOCKLIST_H

#include <apr_pools.h>

/* Common passwords that are refused, read from a text file with one password per line. ASCII case-insensitive. Several
 * threads may use a list at once. */
typedef struct cat_blocklist_t cat_blocklist_t;

/* Reads a file of at most 64 MiB whose lines end in LF or CR LF. Skips empty lines. Returns NULL and sets *list, on the
 * pool. If it fails, returns the error and sets *list to NULL. */
const char *cat_blocklist_read(apr_pool_t *pool, const char *path, cat_blocklist_t **list);

int cat_blocklist_has(const cat_blocklist_t *list, const char *password);

#endif
