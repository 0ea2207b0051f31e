/* SPDX-License-Identifier: Apache-2.0 */
/* A line of CatalogField, then a JSON value on the next ones: a field that is made has a default and an example that it accepts itself, and a
 * value that it accepts is written as JSON that it reads as the same value. */
#include <jansson.h>

#include "catalogue/product/own_fields.h"
#include "catalogue/product/product.h"
#include "fuzz.h"
#include "http/schema.h"
#include "lib/json.h"

/* What the field makes of the value; NULL: it refuses it, and says why. */
static const char *read_value(apr_pool_t *pool, const cat_field_t *field, const json_t *value)
{
    const char *text = NULL;
    cat_field_fault_t fault = cat_fields_read_value(pool, field, value, &text);

    FUZZ_CHECK(!fault.code == !fault.message && (fault.code || text));
    return fault.code ? NULL : text;
}

static json_t *parse_json(apr_pool_t *pool, const char *text, size_t length)
{
    const char *why, *array = apr_pstrcat(pool, "[", apr_pstrmemdup(pool, text, length), "]", NULL);
    json_t *parsed = cat_json_parse_exact(pool, array, strlen(array), &why);

    return json_array_size(parsed) == 1 ? json_array_get(parsed, 0) : NULL;
}

static json_t *write_value(apr_pool_t *pool, const cat_field_t *field, const char *text)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    cat_fields_write_value(&b, field, text);
    return parse_json(pool, b.data, b.length);
}

static void check_again(apr_pool_t *pool, const cat_field_t *field, const char *text)
{
    const char *again = read_value(pool, field, write_value(pool, field, text));

    FUZZ_CHECK(again && !strcmp(again, text));
}

static void check_field(apr_pool_t *pool, const cat_field_t *field, const cat_own_field_t *own)
{
    FUZZ_CHECK(field->flags & CAT_OWN && own->type && own->line);
    FUZZ_CHECK(!(field->flags & CAT_REQUIRED && field->flags & CAT_CLEARABLE));
    FUZZ_CHECK(!(field->flags & (CAT_UNIQUE | CAT_FACET)) || field->flags & CAT_INDEXED);
    FUZZ_CHECK(field->least <= field->most);
    if (field->absent) {
        check_again(pool, field, field->absent);
    }
    if (field->example) {
        FUZZ_CHECK(read_value(pool, field, cat_json_own(pool, cat_schema_field_example(field))));
    }
    FUZZ_CHECK(cat_json_own(pool, cat_schema_of_input(field, 1, CAT_CREATE)));
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *line = fuzz_line(pool, &data, &size), *fault, *text;
    const cat_fields_t *fields = NULL;
    const json_t *value;

    fault = cat_own_fields_add(pool, NULL, line, &fields);
    FUZZ_CHECK(!fault == (fields != NULL) && (!fault || *fault));
    if (fault) {
        return;
    }
    FUZZ_CHECK(fields->count == CAT_PRODUCT_FIELDS + 1);
    check_field(pool, &fields->all[CAT_PRODUCT_FIELDS], fields->own[CAT_PRODUCT_FIELDS]);
    value = parse_json(pool, (const char *)data, size);
    text = value && !json_is_null(value) ? read_value(pool, &fields->all[CAT_PRODUCT_FIELDS], value) : NULL;
    if (text) {
        check_again(pool, &fields->all[CAT_PRODUCT_FIELDS], text);
    }
}
