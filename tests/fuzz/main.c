/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer's entry point, for every target: a pool, cleared after each input. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static apr_pool_t *pool;

    if (!pool) {
        apr_initialize();
        atexit(apr_terminate);
        apr_pool_create(&pool, NULL);
    }
    fuzz_one(pool, data, size);
    apr_pool_clear(pool);
    return 0;
}
