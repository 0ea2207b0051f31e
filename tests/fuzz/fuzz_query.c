/* SPDX-License-Identifier: Apache-2.0 */
/* The query string of a list of products with fields of each type: every one has an answer, and its key, used as a query, asks for the same list. */
#include "catalogue/query/query.h"
#include "fuzz_fields.h"
#include "jose/keyring.h"

#include <unistd.h>

static const cat_conf_t *make_conf(void)
{
    static cat_conf_t conf = {.default_limit = 10, .max_limit = 100};
    static apr_pool_t *pool;
    char path[] = "/tmp/fuzz_query.XXXXXX";
    int fd;

    if (!conf.keys) {
        conf.fields = fuzz_fields();
        apr_pool_create(&pool, NULL);
        fd = mkstemp(path);
        FUZZ_CHECK(fd >= 0 && write(fd, "A-secret-of-this-test,-32-octets-at-least", 41) == 41);
        close(fd);
        FUZZ_CHECK(!cat_keyring_open_file(pool, path, &conf.keys));
        remove(path);
    }
    return &conf;
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const cat_conf_t *conf = make_conf();
    cat_list_query_t query, again;
    const char *key, *text;

    if (cat_query_parse(pool, conf, 0, 0, fuzz_text(pool, data, size), &query) != CAT_QUERY_OK) {
        return;
    }
    FUZZ_CHECK(query.limit >= 1 && query.limit <= conf->max_limit && query.page >= 0);
    FUZZ_CHECK(!query.page || cat_query_count_skipped(&query) >= 0);
    FUZZ_CHECK(query.condition_count <= CAT_QUERY_CONDITIONS_MAX && query.word_count <= CAT_QUERY_WORDS_MAX);
    FUZZ_CHECK(query.sort_count >= 1 && query.sort_count <= CAT_LIST_SORT_MAX &&
               !cat_field_set_is_empty(&query.fields));
    FUZZ_CHECK(strlen(query.parameters) <= CAT_QUERY_OCTETS_MAX &&
               !strncmp(query.parameters, query.sealed, strlen(query.sealed)));
    key = cat_query_write_key(pool, &query);
    text = key + strspn(key, "/0123456789abcdef");
    FUZZ_CHECK(*key == '/' && *text == '?');
    FUZZ_CHECK(cat_query_parse(pool, conf, 0, 1, text + 1, &again) == CAT_QUERY_OK);
    FUZZ_CHECK(!strcmp(cat_query_write_key(pool, &again), key));
}
