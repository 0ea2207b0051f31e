/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_OPAQUE_H
#define CAT_LIB_OPAQUE_H

#include <apr_pools.h>

/* A password as RFC 8265 (OpaqueString) prepares it, so that keyboards and systems that encode the same characters
 * differently produce the same password: each space of Unicode becomes the ASCII space, and the text is normalized (NFC).
 * The text itself, or a copy on the pool; a text that is not UTF-8 stays as it is. */
const char *cat_opaque_prepare(apr_pool_t *pool, const char *text);

#endif
