/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_FOLD_H
#define CAT_LIB_FOLD_H

#include <apr_pools.h>

/*
 * Folds texts for search and order, in the same way on every database: NFKD, without combining marks, with Unicode's
 * full case folding, and with Latin letters in ASCII spelling. Compare folded texts byte by byte; this is also the
 * order of their code points. Folding a folded text does not change it.
 */

/* Returns the folded text, valid UTF-8, on the pool. `text` may have any bytes; each byte that is not part of valid
 * UTF-8 becomes U+FFFD. One character can become 18 characters with 33 bytes. */
const char *cat_fold_text(apr_pool_t *pool, const char *text);

/* Returns the whole characters in the first `most` bytes of a folded text: `folded` itself, or a copy on the pool. */
const char *cat_fold_cut(apr_pool_t *pool, const char *folded, apr_size_t most);

#endif
