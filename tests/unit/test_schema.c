/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <float.h>

#include "http/schema.h"
#include "lib/json.h"

static const cat_field_t fields[] = {
    {"id", CAT_STRING, CAT_SERVER, 1, 36, NULL, NULL, "The id", "x1"},
    {"name", CAT_STRING, CAT_REQUIRED | CAT_VISIBLE, 1, 200, NULL, NULL, "The name", "Kettle"},
    {"price", CAT_NUMBER, CAT_REQUIRED, 0, DBL_MAX, NULL, NULL, "The price", "5"},
    {"rating", CAT_NUMBER, CAT_CLEARABLE | CAT_WHOLE, 1, 5, NULL, NULL, "The rating", "4"},
    {"inStock", CAT_BOOLEAN, 0, 0, 0, "1", NULL, "Whether there is one", "false"},
    {"password", CAT_STRING, CAT_SECRET, 8, 256, NULL, NULL, "The password", NULL},
    {"createdAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL, "When", "2026-11-21T16:17:07.877Z"},
};
#define COUNT (int)UNIT_COUNT(fields)

static void expect(apr_pool_t *pool, json_t *value, const char *expected)
{
    const char *why;
    json_t *wanted = cat_json_parse(pool, expected, strlen(expected), &why);

    if (!json_equal(cat_json_own(pool, value), wanted)) {
        fail_msg("%s instead of %s", cat_json_text(pool, value), expected);
    }
}

static void test_input_that_creates_requires_fields_and_has_defaults(void **state)
{
    expect(
        *state, cat_schema_of_input(fields, COUNT, CAT_CREATE),
        "{\"type\":\"object\",\"properties\":{"
        "\"name\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":200,\"pattern\":\"[^ \\\\t\\\\n\\\\v\\\\f\\\\r]\","
        "\"description\":\"The name.\"},"
        "\"price\":{\"type\":\"number\",\"minimum\":0,\"description\":\"The price.\"},"
        "\"rating\":{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"maximum\":5,\"description\":\"The rating.\"},"
        "\"inStock\":{\"type\":\"boolean\",\"default\":true,\"description\":\"Whether there is one.\"},"
        "\"password\":{\"type\":\"string\",\"minLength\":8,\"maxLength\":256,\"description\":\"The password.\","
        "\"writeOnly\":true}},"
        "\"required\":[\"name\",\"price\"]}");
}

static void test_input_that_updates_requires_any_field_and_may_clear(void **state)
{
    expect(*state, cat_schema_of_input(&fields[2], 2, CAT_UPDATE),
           "{\"type\":\"object\",\"properties\":{"
           "\"price\":{\"type\":\"number\",\"minimum\":0,\"description\":\"The price.\"},"
           "\"rating\":{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"maximum\":5,\"description\":\"The rating.\"}},"
           "\"minProperties\":1}");
}

static void test_records_may_lack_what_is_optional_embed_objects_and_have_null(void **state)
{
    static const cat_field_t parts[] = {
        {"id", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL, "The id", "x1"},
        {"changes", CAT_STRING, CAT_SERVER | CAT_OPTIONAL | CAT_EMBEDDED, 0, 0, NULL, NULL, "Changes", "{\"a\":1}"},
        {"error", CAT_STRING, CAT_SERVER | CAT_NULLABLE, 0, 9, NULL, NULL, "The error", "none"},
    };
    static const cat_shape_t entry = {.kind = CAT_SHAPE_RECORD, .fields = parts, .count = 3};

    expect(*state, cat_schema_of_shape(NULL, &entry),
           "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\",\"description\":\"The id.\"},"
           "\"changes\":{\"type\":\"object\",\"description\":\"Changes.\"},"
           "\"error\":{\"type\":[\"string\",\"null\"],\"maxLength\":9,\"description\":\"The error.\"}},"
           "\"required\":[\"id\",\"error\"],\"examples\":[{\"id\":\"x1\",\"changes\":{\"a\":1},\"error\":\"none\"}]}");
}

static void test_examples_leave_out_what_has_none(void **state)
{
    expect(*state, cat_schema_input_example(fields, COUNT),
           "{\"name\":\"Kettle\",\"price\":5,\"rating\":4,\"inStock\":false}");
}

static const cat_shape_t record = {.kind = CAT_SHAPE_RECORD, .name = "Thing", .fields = &fields[2], .count = 4};
static const cat_shape_t part = {.kind = CAT_SHAPE_RECORD, .fields = &fields[2], .count = 1};
static const cat_shape_t list = {.kind = CAT_SHAPE_LIST, .of = &record};
static const cat_shape_t state_text = {.kind = CAT_SHAPE_TEXT, .example = "\"live\""};
static const cat_shape_t any = {.kind = CAT_SHAPE_ANY}, scalar = {.kind = CAT_SHAPE_SCALAR};
static const cat_member_t members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &list, CAT_ALWAYS, "The things"},
    {"part", &part, CAT_USUALLY, NULL},
    {"state", &state_text, CAT_USUALLY, NULL},
    {"since", &cat_schema_time, CAT_RARELY, NULL},
    {"count", &cat_schema_whole, CAT_RARELY, NULL},
    {"failed", &cat_schema_false, CAT_RARELY, NULL},
    {"flag", &cat_schema_flag, CAT_RARELY, NULL},
    {"any", &any, CAT_RARELY, NULL},
    {"value", &scalar, CAT_RARELY, NULL},
    CAT_MEMBER_END,
};
static const cat_shape_t object = {.kind = CAT_SHAPE_OBJECT, .name = "Answer", .members = members};

static void test_shapes_with_names_are_added_once_and_referred_to(void **state)
{
    json_t *schemas = json_object();

    expect(*state, cat_schema_of_shape(schemas, &object), "{\"$ref\":\"#/components/schemas/Answer\"}");
    expect(*state, cat_schema_of_shape(schemas, &record), "{\"$ref\":\"#/components/schemas/Thing\"}");
    expect(*state, schemas,
           "{\"Success\":{\"type\":\"boolean\",\"const\":true,\"description\":\"The request succeeded.\"},"
           "\"Thing\":{\"type\":\"object\",\"properties\":{"
           "\"price\":{\"type\":\"number\",\"minimum\":0,\"description\":\"The price.\"},"
           "\"rating\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5,\"description\":\"The rating.\"},"
           "\"inStock\":{\"type\":\"boolean\",\"description\":\"Whether there is one.\"}},"
           "\"required\":[\"price\",\"inStock\"],\"examples\":[{\"price\":5,\"rating\":4,\"inStock\":false}]},"
           "\"Answer\":{\"type\":\"object\",\"properties\":{"
           "\"success\":{\"$ref\":\"#/components/schemas/Success\"},"
           "\"data\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Thing\"},\"description\":\"The "
           "things.\"},"
           "\"part\":{\"type\":\"object\",\"properties\":{"
           "\"price\":{\"type\":\"number\",\"minimum\":0,\"description\":\"The "
           "price.\"}},\"required\":[\"price\"],\"examples\":[{\"price\":5}]},"
           "\"state\":{\"type\":\"string\",\"examples\":[\"live\"]},\"since\":{\"type\":\"string\",\"format\":\"date-"
           "time\"},"
           "\"count\":{\"type\":\"integer\",\"minimum\":0},\"failed\":{\"type\":\"boolean\",\"const\":false},"
           "\"flag\":{\"type\":\"boolean\"},\"any\":{},\"value\":{\"type\":[\"string\",\"number\",\"boolean\"]}},"
           "\"required\":[\"success\",\"data\"]}}");
}

static void test_what_is_stored_of_own_fields_may_be_older_than_their_rules(void **state)
{
    static const char *const words[] = {"red", NULL};
    static const cat_text_rule_t choice = {.words = words, .pattern = "^red$"}, date = {.format = "date"};
    static const cat_field_t own[] = {
        {"color", CAT_STRING, CAT_OWN | CAT_REQUIRED | CAT_VISIBLE, 1, 9, NULL, &choice, NULL, NULL},
        {"born", CAT_STRING, CAT_OWN, 0, 10, NULL, &date, NULL, NULL},
        {"weight", CAT_NUMBER, CAT_OWN, 0, 5, NULL, NULL, NULL, NULL},
        {"tags", CAT_LIST, CAT_OWN | CAT_REQUIRED, 0, 3, NULL, NULL, NULL, NULL},
    };
    static const cat_shape_t product = {.kind = CAT_SHAPE_RECORD, .fields = own, .count = 4, .example = "{}"};
    json_t *input = cat_schema_of_input(own, 1, CAT_CREATE);

    expect(*state, cat_schema_of_shape(NULL, &product),
           "{\"type\":\"object\",\"properties\":{\"color\":{\"type\":\"string\"},"
           "\"born\":{\"type\":\"string\",\"format\":\"date\"},\"weight\":{\"type\":\"number\"},"
           "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":100},"
           "\"maxItems\":32,\"uniqueItems\":true}},\"examples\":[{}]}");
    expect(*state, input,
           "{\"type\":\"object\",\"properties\":{\"color\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":9,"
           "\"pattern\":\"^red$\",\"enum\":[\"red\"]}},\"required\":[\"color\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_input_that_creates_requires_fields_and_has_defaults),
        UNIT_TEST(test_input_that_updates_requires_any_field_and_may_clear),
        UNIT_TEST(test_records_may_lack_what_is_optional_embed_objects_and_have_null),
        UNIT_TEST(test_examples_leave_out_what_has_none),
        UNIT_TEST(test_what_is_stored_of_own_fields_may_be_older_than_their_rules),
        UNIT_TEST(test_shapes_with_names_are_added_once_and_referred_to),
    };
    return UNIT_RUN(tests);
}
