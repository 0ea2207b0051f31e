/* SPDX-License-Identifier: Apache-2.0 */
/* A key file with any content, read as a private key and as another issuer's public key. PEM never becomes a shared secret. */
#include "fuzz.h"
#include "jose/key.h"

#include <unistd.h>

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    char path[] = "/tmp/fuzz_key.XXXXXX";
    int fd = mkstemp(path);
    const cat_key_t *key = NULL;

    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
    if (!cat_key_read(pool, path, &key)) {
        FUZZ_CHECK(key && cat_key_algorithm(key));
        if (size >= 11 && !memcmp(data, "-----BEGIN ", 11)) {
            FUZZ_CHECK(strcmp(cat_key_algorithm(key), "HS256") != 0);
        }
    }
    if (!cat_key_read_public(pool, path, &key)) {
        FUZZ_CHECK(strcmp(cat_key_algorithm(key), "HS256") != 0);
    }
    remove(path);
}
