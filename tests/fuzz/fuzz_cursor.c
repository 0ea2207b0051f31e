/* SPDX-License-Identifier: Apache-2.0 */
/* A cursor from a client: only one sealed with the key is accepted. */
#include "catalogue/query/cursor.h"
#include "fuzz.h"

#include <unistd.h>

#include <apr_file_io.h>

static const cat_key_t *make_key(void)
{
    static const cat_key_t *key;
    static apr_pool_t *pool;
    char path[] = "/tmp/fuzz_cursor.XXXXXX";
    int fd;

    if (!key) {
        apr_pool_create(&pool, NULL);
        fd = mkstemp(path);
        FUZZ_CHECK(fd >= 0 && write(fd, "A-secret-of-this-test,-32-octets-at-least", 41) == 41);
        close(fd);
        FUZZ_CHECK(!cat_key_read(pool, path, &key));
        remove(path);
    }
    return key;
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const cat_key_t *key = make_key();
    const cat_keys_t keys = {&key, 1};
    const char *text = fuzz_text(pool, data, size);
    cat_list_position_t after;
    const cat_key_t *used;

    if (cat_cursor_read(pool, &keys, "", text, &after, &used)) {
        FUZZ_CHECK(!*text || (used == key && !strcmp(cat_cursor_write(pool, key, "", &after), text)));
    }
}
