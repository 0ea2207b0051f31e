/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of CatalogVisible: their canonical spelling is of the same conditions. */
#include "catalogue/query/visible.h"
#include "fuzz_fields.h"
#include "lib/conf.h"

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const cat_conf_t conf = {.default_limit = 10, .max_limit = 100, .fields = fuzz_fields()};
    const cat_visible_t *visible, *again;
    const char *fault = cat_visible_parse(pool, &conf, fuzz_text(pool, data, size), &visible);

    FUZZ_CHECK(!fault || (*fault && !visible));
    if (!visible) {
        return;
    }
    FUZZ_CHECK(visible->count >= 1 && visible->count <= CAT_QUERY_CONDITIONS_MAX);
    FUZZ_CHECK(!cat_visible_parse(pool, &conf, visible->text + 1, &again) && again);
    FUZZ_CHECK(again->count == visible->count && !strcmp(again->text, visible->text));
}
