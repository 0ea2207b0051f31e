/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_FOLD_H
#define CAT_LIB_FOLD_H

#include <apr_pools.h>

/*
 * The folded form of texts, in which they are searched and ordered, the same on every database: NFKD, without combining
 * marks, case folded (Unicode's full case folding), Latin letters as people type them. Folded texts are compared octet by octet, which is the order of their
 * code points. Folding a folded text changes nothing.
 */

/* Valid UTF-8, on the pool. text: any octets; each that is not part of valid UTF-8 becomes U+FFFD. A single character can
 * become 18 of them, with 33 octets. */
const char *cat_fold_text(apr_pool_t *pool, const char *text);

/* The characters that begin in and fit into the first `most` octets of a folded text: the text itself, or a copy on the
 * pool. */
const char *cat_fold_cut(apr_pool_t *pool, const char *folded, apr_size_t most);

#endif
