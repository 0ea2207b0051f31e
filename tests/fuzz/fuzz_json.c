/* SPDX-License-Identifier: Apache-2.0 */
/* A request's body: parsed, validated by the field tables and written as JSON, which parses to the same record. */
#include "accounts/user.h"
#include "catalogue/product/product.h"
#include "fuzz.h"
#include "lib/json.h"

static void check_record(apr_pool_t *pool, const json_t *body, cat_purpose_t purpose, int strict)
{
    cat_input_t input, again;
    cat_buffer_t text;
    json_t *written;
    const char *why;

    cat_fields_check(pool, cat_product_fields, CAT_PRODUCT_FIELDS, purpose, strict, body, &input);
    if (input.errors) {
        FUZZ_CHECK(json_array_size(input.errors) > 0);
        FUZZ_CHECK(cat_fields_summary(pool, input.errors));
        return;
    }
    cat_buffer_init(&text, pool, CAT_PRODUCT_SIZE);
    cat_fields_write(&text, cat_product_fields, CAT_PRODUCT_FIELDS, input.values);
    written = cat_json_parse(pool, text.data, text.length, &why);
    FUZZ_CHECK(written);
    cat_fields_check(pool, cat_product_fields, CAT_PRODUCT_FIELDS, CAT_UPDATE, 1, written, &again);
    FUZZ_CHECK(!again.errors);
    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        const char *before = input.values[i], *after = again.values[i];
        FUZZ_CHECK(before && after ? !strcmp(before, after) : before == after);
    }
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    cat_input_t input;
    const char *why;
    json_t *body, *exact;

    exact = cat_json_parse_exact(pool, (const char *)data, size, &why);
    body = cat_json_parse(pool, (const char *)data, size, &why);
    FUZZ_CHECK(exact || !body); /* only the former takes integers beyond 64 bits */
    FUZZ_CHECK(body || why);
    if (exact) {
        check_record(pool, exact, CAT_CREATE, 0);
    }
    if (!body) {
        return;
    }
    check_record(pool, body, CAT_CREATE, 0);
    check_record(pool, body, CAT_UPDATE, 1);
    cat_fields_check(pool, cat_user_fields, CAT_USER_FIELDS, CAT_CREATE, 0, body, &input);
}
