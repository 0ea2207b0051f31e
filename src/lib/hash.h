/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_HASH_H
#define CAT_LIB_HASH_H

#include <apr.h>

/*
 * Returns the XXH3 hash of the bytes, but 1 instead of 0, because callers use 0 for "none". The hash is the same on
 * every machine and in every version of the library. Accidental collisions are rare, but a client that chooses the
 * bytes can construct them. Use apr_siphash24 with a secret seed where a collision would be an advantage.
 */
apr_uint64_t cat_hash(const char *bytes, apr_size_t length);

#endif
