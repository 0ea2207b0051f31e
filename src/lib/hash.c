/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/hash.h"

#include <string.h>

/* Those of FNV-1a, and of MurmurHash3's last step. */
#define BASIS UINT64_C(14695981039346656037)
#define PRIME UINT64_C(1099511628211)
#define LAST UINT64_C(0xff51afd7ed558ccd)

/* FNV-1a with eight octets at once. A product goes up only: the upper half has to come down again. */
static apr_uint64_t mix(apr_uint64_t hash, apr_uint64_t word)
{
    hash = (hash ^ word) * PRIME;
    return hash ^ (hash >> 32);
}

apr_uint64_t cat_hash(const char *octets, apr_size_t length)
{
    apr_uint64_t hash = BASIS ^ length, word;

    for (; length >= sizeof(word); octets += sizeof(word), length -= sizeof(word)) {
        memcpy(&word, octets, sizeof(word));
        hash = mix(hash, word);
    }
    for (word = 0; length > 0; length--) {
        word = word << 8 | (unsigned char)octets[length - 1];
    }
    hash = mix(hash, word) * LAST;
    return hash ^ (hash >> 33);
}
