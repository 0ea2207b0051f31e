/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_HASH_H
#define CAT_LIB_HASH_H

#include <apr.h>

/*
 * XXH3: fast, good to tell what differs by chance, and the same on every machine and in every version; never 0, which its users have
 * for nothing. Whoever chooses the octets can make two that have the same: where that would gain him something, take apr_siphash24
 * and a secret seed.
 */
apr_uint64_t cat_hash(const char *octets, apr_size_t length);

#endif
