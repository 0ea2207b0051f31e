/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/hash.h"

#include <xxhash.h>

apr_uint64_t cat_hash(const char *bytes, apr_size_t length)
{
    apr_uint64_t hash = XXH3_64bits(bytes, length);
    return hash ? hash : 1;
}
