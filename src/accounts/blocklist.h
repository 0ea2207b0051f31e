/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_BLOCKLIST_H
#define CAT_ACCOUNTS_BLOCKLIST_H

#include <apr_pools.h>

/* Common passwords that are refused: a text file, one a line. ASCII case is ignored. */
typedef struct cat_blocklist_t cat_blocklist_t;

/* Reads a file of at most 64 MiB, whose lines end in LF or CR LF; empty lines are skipped. NULL: *list lives on the
 * pool. Otherwise the error, on the pool. */
const char *cat_blocklist_read(apr_pool_t *pool, const char *path, cat_blocklist_t **list);

/* Is the password in the list? Threads may share a list. */
int cat_blocklist_has(const cat_blocklist_t *list, const char *password);

#endif
