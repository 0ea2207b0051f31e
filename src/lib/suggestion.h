/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_SUGGESTION_H
#define CAT_LIB_SUGGESTION_H

#include <apr_pools.h>

/* Returns the name of `names`, which ends with NULL, that is most similar to the unknown name `name`. Ignores case, "_"
 * and "-", and accepts up to two typos. Returns NULL if no name is similar. */
const char *cat_suggestion_find(apr_pool_t *pool, const char *name, const char *const *names);

/* Returns `message` with the result of cat_suggestion_find, as in "is not a known field; did you mean inStock?", on the
 * pool. Returns `message` itself if no name is similar. `names` may be NULL. */
const char *cat_suggestion_add(apr_pool_t *pool, const char *message, const char *name, const char *const *names);

#endif
