/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_OPAQUE_H
#define CAT_LIB_OPAQUE_H

#include <apr_pools.h>

/* Prepares a password by the OpaqueString profile (RFC 8265, section 4.2): replaces each Unicode space by the ASCII
 * space and normalizes the text (NFC). Keyboards and systems that encode the same characters differently then produce
 * the same password. Returns `text` itself or a copy on the pool. Returns text that is not UTF-8 unchanged. */
const char *cat_opaque_prepare(apr_pool_t *pool, const char *text);

#endif
