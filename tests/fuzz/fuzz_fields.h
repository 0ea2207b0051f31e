/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_FIELDS_H
#define FUZZ_FIELDS_H

/* The fields of a mount, of each type; and what must hold of their values. */

#include "catalogue/product/own_fields.h"
#include "catalogue/product/product.h"
#include "fuzz.h"
#include "lib/json.h"

/* They stay until the process ends. */
static inline const cat_fields_t *fuzz_fields(void)
{
    static const char *const lines[] = {
        "sku string unique max=20",
        "code string index pattern=\"[A-Z]{2}-\\d+\"",
        "about text search detail",
        "link url unique",
        "weight number unique min=-5",
        "quantity integer facet",
        "used boolean index default=false",
        "color choice values=\"red|a\\|b|dark blue\" unique search",
        "seen time unique",
        "born date facet unique",
        "baking duration index min=PT1M max=P1D",
        "tags strings facet search",
        "box json",
        "changed modified index",
        "plain number",
        "cost number index private",
    };
    static const cat_fields_t *fields;
    const cat_fields_t *made = NULL;
    apr_pool_t *pool;

    if (!fields) {
        apr_pool_create(&pool, NULL);
        for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
            FUZZ_CHECK(!cat_own_fields_add(pool, made, lines[i], &made));
        }
        fields = made;
    }
    return fields;
}

/* The JSON text of a value, as an answer has it. */
static inline const char *fuzz_json_text(apr_pool_t *pool, const cat_field_t *field, const char *value)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    cat_fields_write_value(&b, field, value);
    return cat_buffer_text(&b);
}

/* A value that a field has is written as JSON that it reads as the same value. */
static inline void fuzz_check_value(apr_pool_t *pool, const cat_field_t *field, const char *value)
{
    const char *text = apr_pstrcat(pool, "[", fuzz_json_text(pool, field, value), "]", NULL), *why, *again = NULL;
    const json_t *array = cat_json_parse_exact(pool, text, strlen(text), &why);

    FUZZ_CHECK(json_array_size(array) == 1);
    FUZZ_CHECK(!cat_fields_read_value(pool, field, json_array_get(array, 0), &again).code);
    FUZZ_CHECK(again && !strcmp(again, value));
}

#endif
