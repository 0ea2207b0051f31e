/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_HASH_H
#define CAT_LIB_HASH_H

#include <apr.h>

/*
 * XXH3: fast, the same on every machine and in every version, and good against accidental collisions. Never 0, which its users take
 * for "none". A client that chooses the bytes can construct collisions; where that would be an advantage, use apr_siphash24 with a
 * secret seed.
 */
apr_uint64_t cat_hash(const char *octets, apr_size_t length);

#endif
