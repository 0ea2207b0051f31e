/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_BLOCKLIST_H
#define CAT_ACCOUNTS_BLOCKLIST_H

#include <apr_pools.h>

/* Passwords that are refused because everybody tries them: a text file, one a line. ASCII case makes no difference. */
typedef struct cat_blocklist_t cat_blocklist_t;

/* NULL: *list lives on the pool, read whole (64 MiB at most; lines end in LF or CR LF; empty ones are passed over).
 * Otherwise what is wrong, on the pool. */
const char *cat_blocklist_read(apr_pool_t *pool, const char *path, cat_blocklist_t **list);

int cat_blocklist_has(const cat_blocklist_t *list, const char *password);

#endif
