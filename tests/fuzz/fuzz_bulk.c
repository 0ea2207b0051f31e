/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a change of all products that match, which has fields of each type: one that is accepted says what to change, values that are
 * written as JSON that reads as the same, and numbers that stay numbers. */
#include "catalogue/bulk/bulk_request.h"
#include "fuzz_fields.h"
#include "lib/decimal.h"

static int is_number(const char *text)
{
    char *end;
    double number = text ? strtod(text, &end) : 0;

    return text && *text && !*end && number - number == 0;
}

/* NULL: beyond what a double can have. */
static void check_result(apr_pool_t *pool, const char *number, int places)
{
    const char *rounded = number && places >= 0 ? cat_decimal_round(pool, number, places) : NULL;

    FUZZ_CHECK(!number || is_number(number));
    FUZZ_CHECK(!rounded || (is_number(rounded) && !strcmp(cat_decimal_round(pool, rounded, places), rounded)));
}

static void check_adjustment(apr_pool_t *pool, const cat_bulk_request_t *request, const cat_bulk_adjustment_t *a)
{
    const cat_field_t *field = &request->fields->all[a->field];

    FUZZ_CHECK(field->kind == CAT_NUMBER && !(field->flags & CAT_SERVER) && (a->factor || a->addend));
    FUZZ_CHECK(!request->set.values || !request->set.values[a->field]);
    check_result(pool, a->factor ? cat_decimal_multiply(pool, "-19.995", a->factor) : NULL, a->places);
    check_result(pool, a->addend ? cat_decimal_add(pool, "1e-3", a->addend) : NULL, a->places);
}

static void check_request(apr_pool_t *pool, const cat_bulk_request_t *request)
{
    FUZZ_CHECK(request->is_deletion == !(request->set.given || request->adjustment_count));
    FUZZ_CHECK(request->expect >= -1 && request->query.sort_count == 1);
    for (int i = 0; request->set.values && i < request->fields->count; i++) {
        if (request->set.values[i]) {
            fuzz_check_value(pool, &request->fields->all[i], request->set.values[i]);
        }
    }
    for (int i = 0; i < request->adjustment_count; i++) {
        check_adjustment(pool, request, &request->adjustments[i]);
    }
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const cat_conf_t conf = {.default_limit = 10, .max_limit = 100, .fields = fuzz_fields()};
    cat_bulk_request_t request;
    const char *why;
    const json_t *body = cat_json_parse_exact(pool, (const char *)data, size, &why);
    int is_good;

    if (!json_is_object(body)) {
        return;
    }
    is_good = cat_bulk_request_parse(pool, &conf, size && *data == ' ', body, &request);
    FUZZ_CHECK(is_good == !request.errors);
    if (is_good) {
        check_request(pool, &request);
    }
}
