/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <float.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/own_fields.h"
#include "catalogue/product/own_slug.h"
#include "catalogue/product/product.h"
#include "catalogue/query/query.h"
#include "http/schema.h"
#include "lib/json.h"

/* The fields of these lines, which are all good. */
static const cat_fields_t *read_lines(apr_pool_t *pool, const char *const *lines)
{
    const cat_fields_t *fields = NULL;

    for (; *lines; lines++) {
        const char *fault = cat_own_fields_add(pool, fields, *lines, &fields);
        if (fault) {
            fail_msg("%s: %s", *lines, fault);
        }
    }
    return fields;
}

static const cat_fields_t *read_line(apr_pool_t *pool, const char *line)
{
    return read_lines(pool, (const char *const[]){line, NULL});
}

/* The field of the line alone. */
static const cat_field_t *read_field(apr_pool_t *pool, const char *line)
{
    return &read_line(pool, line)->all[CAT_PRODUCT_FIELDS];
}

static const cat_own_field_t *read_own(apr_pool_t *pool, const char *line)
{
    return read_line(pool, line)->own[CAT_PRODUCT_FIELDS];
}

/* What is said of a line after others. */
static const char *refuse_after(apr_pool_t *pool, const char *const *lines, const char *line)
{
    const cat_fields_t *before = read_lines(pool, lines), *after = before;
    const char *fault = cat_own_fields_add(pool, before, line, &after);

    assert_ptr_equal(after == before, fault != NULL);
    return fault ? fault : "OK";
}

static const char *refuse_line(apr_pool_t *pool, const char *line)
{
    return refuse_after(pool, (const char *const[]){NULL}, line);
}

static json_t *parse(apr_pool_t *pool, const char *text)
{
    const char *why;
    json_t *value = cat_json_parse_exact(pool, apr_pstrcat(pool, "[", text, "]", NULL), strlen(text) + 2, &why);

    assert_int_equal(json_array_size(value), 1);
    return json_array_get(value, 0);
}

/* The code with which the field refuses a JSON value, or the text of the record that it makes of it. */
static const char *check_value(apr_pool_t *pool, const cat_field_t *field, const char *json)
{
    const char *text = NULL;
    cat_field_fault_t fault = cat_fields_read_value(pool, field, parse(pool, json), &text);

    assert_true(!fault.code || *fault.message);
    return fault.code ? fault.code : text;
}

/* ---- types ---- */

static void test_each_type_is_a_kind(void **state)
{
    static const struct {
        const char *type;
        cat_kind_t kind;
        int flags;
        double least, most;
    } expected[] = {
        {"string", CAT_STRING, 0, 0, 200},
        {"text", CAT_STRING, 0, 0, 5000},
        {"url", CAT_STRING, 0, 0, 1000},
        {"number", CAT_NUMBER, 0, -DBL_MAX, DBL_MAX},
        {"integer", CAT_NUMBER, CAT_WHOLE, -9007199254740991.0, 9007199254740991.0},
        {"boolean", CAT_BOOLEAN, 0, 0, 0},
        {"choice values=a|b", CAT_STRING, 0, 0, 100},
        {"time", CAT_TIME, 0, 0, 0},
        {"date", CAT_STRING, 0, 0, 100},
        {"duration", CAT_STRING, 0, 0, DBL_MAX},
        {"strings", CAT_LIST, 0, 0, 32},
        {"json", CAT_VALUE, 0, 0, 0},
    };

    for (size_t i = 0; i < UNIT_COUNT(expected); i++) {
        const char *line = apr_pstrcat(*state, "x1 ", expected[i].type, NULL);
        const cat_field_t *field = read_field(*state, line);
        assert_string_equal(field->name, "x1");
        assert_int_equal(field->kind, expected[i].kind);
        assert_int_equal(field->flags, expected[i].flags | CAT_OWN | CAT_CLEARABLE);
        assert_true(field->least == expected[i].least && field->most == expected[i].most);
        assert_null(field->absent);
        assert_string_equal(read_own(*state, line)->line, line);
        assert_int_equal(strncmp(line + strlen("x1 "), read_own(*state, line)->type->name,
                                 strlen(read_own(*state, line)->type->name)),
                         0);
    }
    assert_int_equal(read_field(*state, "updatedAt modified index")->flags,
                     CAT_OWN | CAT_SERVER | CAT_MODIFIED | CAT_OPTIONAL | CAT_INDEXED);
    assert_int_equal(read_field(*state, "updatedAt modified")->kind, CAT_TIME);
}

static void test_built_in_fields_come_first(void **state)
{
    const cat_fields_t *fields = read_lines(*state, (const char *const[]){"a string", "b number", NULL});

    assert_int_equal(fields->count, CAT_PRODUCT_FIELDS + 2);
    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        assert_memory_equal(&fields->all[i], &cat_product_fields[i], sizeof(fields->all[i]));
        assert_null(fields->own[i]);
    }
    assert_string_equal(fields->all[CAT_PRODUCT_FIELDS + 1].name, "b");
    assert_string_equal(fields->own[CAT_PRODUCT_FIELDS + 1]->type->name, "number");
}

static void test_strings_have_bounds(void **state)
{
    const cat_field_t *field = read_field(*state, "sku string min=2 max=4");

    assert_string_equal(check_value(*state, field, "\"\xe2\x82\xac\xe2\x82\xac\""), "\xe2\x82\xac\xe2\x82\xac");
    assert_string_equal(check_value(*state, field, "\"a\""), "too_short");
    assert_string_equal(check_value(*state, field, "\"abcde\""), "too_long");
    assert_string_equal(check_value(*state, field, "5"), "type");
    assert_true(read_field(*state, "sku string max=1000")->most == 1000);
    assert_true(read_field(*state, "sku text max=30000")->most == 30000);
    assert_true(read_field(*state, "sku string required")->least == 1);
    assert_string_equal(check_value(*state, read_field(*state, "sku string required"), "\" \""), "blank");
    assert_string_equal(check_value(*state, read_field(*state, "sku string"), "\" \""), " ");
}

static void test_urls_are_absolute(void **state)
{
    static const char *const good[] = {"https://example.com",
                                       "http://a/b?c=d#e",
                                       "HTTPS://x.test:8443/",
                                       "https://x.test/gr\xc3\xb6\xc3\x9f"
                                       "e.jpg",
                                       "http://[::1]/",
                                       "https://user@x.test/"},
                             *const bad[] = {"",
                                             "example.com",
                                             "/a",
                                             "//a/b",
                                             "ftp://a/b",
                                             "http://",
                                             "http:/a",
                                             "https:///a",
                                             "https://:80",
                                             "http://a b",
                                             "http://a\t",
                                             "javascript:alert(1)",
                                             "http://a\n/b",
                                             "http://<a>/",
                                             "http://a|b"};
    const cat_field_t *field = read_field(*state, "picture url");

    for (size_t i = 0; i < UNIT_COUNT(good); i++) {
        assert_null(field->rule->refuse(field->rule, good[i]));
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        assert_non_null(field->rule->refuse(field->rule, bad[i]));
    }
    assert_string_equal(check_value(*state, field, "\"x\""), "format");
}

/* As browsers send them: the URL standard, with "|" encoded as well, which RFC 3986 does not allow. */
static void test_urls_are_spelled_alike(void **state)
{
    static const char *const cases[][2] = {
        {"https://x.test/a b|c^d{e}`f\\\\g\\\"<h>", "https://x.test/a%20b%7Cc%5Ed%7Be%7D%60f/g%22%3Ch%3E"},
        {"http://x.test\\\\a?b\\\\c d#e f", "http://x.test/a?b%5Cc%20d#e%20f"},
        {"https://x.test/gr\xc3\xb6\xc3\x9f"
         "e.jpg?q=\xe2\x82\xac",
         "https://x.test/gr%C3%B6%C3%9Fe.jpg?q=%E2%82%AC"},
        {"https://x.test/a%20b%7c%zz[1]", "https://x.test/a%20b%7c%zz[1]"},
        {" https://x.test/a?w=100|h=50 ", "https://x.test/a?w=100%7Ch=50"},
        {"HTTPS://X.test", "HTTPS://X.test"},
    };
    const cat_field_t *field = read_field(*state, "picture url"), wide = cat_own_field_widen(field);

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        const char *json = apr_pstrcat(*state, "\"", cases[i][0], "\"", NULL);
        assert_string_equal(check_value(*state, field, json), cases[i][1]);
        assert_string_equal(check_value(*state, &wide, json), cases[i][1]);
    }
    assert_string_equal(check_value(*state, read_field(*state, "picture url max=22"), "\"https://x.test/||||\""),
                        "too_long");
}

static void test_numbers_have_bounds_below_zero(void **state)
{
    const cat_field_t *field = read_field(*state, "warmth number min=-273.15 max=-0.5");

    assert_string_equal(check_value(*state, field, "-273.15"), "-273.15");
    assert_string_equal(check_value(*state, field, "-273.16"), "too_small");
    assert_string_equal(check_value(*state, field, "-0.5"), "-0.5");
    assert_string_equal(check_value(*state, field, "0"), "too_large");
    field = read_field(*state, "warmth number");
    assert_string_equal(check_value(*state, field, "-1.7976931348623157e308"), "-1.7976931348623157e+308");
    assert_string_equal(check_value(*state, field, "0.1000000000000000001"), "precision");
    assert_string_equal(check_value(*state, field, "\"1,5\""), "type");
}

static void test_integers_are_exact_for_every_reader(void **state)
{
    const cat_field_t *field = read_field(*state, "quantity integer");

    assert_string_equal(check_value(*state, field, "9007199254740991"), "9007199254740991");
    assert_string_equal(check_value(*state, field, "-9007199254740991"), "-9007199254740991");
    assert_string_equal(check_value(*state, field, "9007199254740992"), "too_large");
    assert_string_equal(check_value(*state, field, "-9007199254740993"), "too_small");
    assert_string_equal(check_value(*state, field, "100000000000000000000"), "too_large");
    assert_string_equal(check_value(*state, field, "1.5"), "type");
    assert_string_equal(check_value(*state, read_field(*state, "n integer min=-3 max=-3"), "-3"), "-3");
}

static void test_choices_have_words(void **state)
{
    const cat_field_t *field = read_field(*state, "color choice values=\"red|dark blue|a\\|b\"");
    const cat_own_field_t *own = read_own(*state, "color choice values=\"red|dark blue|a\\|b\"");

    assert_string_equal(own->values[1], "dark blue");
    assert_string_equal(own->values[2], "a|b");
    assert_null(own->values[3]);
    assert_ptr_equal(field->rule->words[3], NULL);
    assert_string_equal(check_value(*state, field, "\"a|b\""), "a|b");
    assert_string_equal(check_value(*state, field, "\"Red\""), "format");
    assert_string_equal(check_value(*state, field, "\"\""), "format");
    assert_string_equal(field->rule->refuse(field->rule, "x"), "must be red, dark blue or a|b");
}

static void test_times_have_any_offset(void **state)
{
    const cat_field_t *field = read_field(*state, "seen time");

    assert_string_equal(check_value(*state, field, "\"1970-01-01T00:00:01Z\""), "1000");
    assert_string_equal(check_value(*state, field, "\"1970-01-01T01:00:00.5+02:00\""), "-3599500");
    assert_string_equal(check_value(*state, field, "\"1970-01-01\""), "format");
    assert_string_equal(check_value(*state, field, "\"1970-01-01T00:00:00.1239Z\""), "123");
    assert_string_equal(check_value(*state, field, "0"), "type");
}

static void test_dates_are_days(void **state)
{
    const cat_field_t *field = read_field(*state, "bestBefore date");

    assert_string_equal(check_value(*state, field, "\"2028-02-29\""), "2028-02-29");
    assert_string_equal(check_value(*state, field, "\"2027-02-29\""), "format");
    assert_string_equal(check_value(*state, field, "\"2027-2-28\""), "format");
    assert_string_equal(check_value(*state, field, "\"2027-02-28T00:00:00Z\""), "format");
    assert_string_equal(check_value(*state, field, "20270228"), "type");
}

static void test_lists_have_different_strings(void **state)
{
    const cat_field_t *field = read_field(*state, "tags strings");
    const char *list = "\"0\"", *hundred = apr_psprintf(*state, "%0100d", 0);

    assert_string_equal(check_value(*state, field, "[ \"red\" , \"\\u00e9|\\\\\" ]"), "[\"red\",\"\xc3\xa9|\\\\\"]");
    assert_string_equal(check_value(*state, field, "\"red\""), "type");
    assert_string_equal(check_value(*state, field, "[\"red\",1]"), "type");
    assert_string_equal(check_value(*state, field, "[null]"), "type");
    assert_string_equal(check_value(*state, field, "[\"\"]"), "too_short");
    assert_string_equal(check_value(*state, field, "[\"a\",\"b\",\"a\"]"), "duplicate");
    assert_string_equal(check_value(*state, field, apr_psprintf(*state, "[\"%s\"]", hundred)),
                        apr_psprintf(*state, "[\"%s\"]", hundred));
    assert_string_equal(check_value(*state, field, apr_psprintf(*state, "[\"%s0\"]", hundred)), "too_long");
    for (int i = 1; i < 32; i++) {
        list = apr_psprintf(*state, "%s,\"%d\"", list, i);
    }
    assert_true(*check_value(*state, field, apr_psprintf(*state, "[%s]", list)) == '[');
    assert_string_equal(check_value(*state, field, apr_psprintf(*state, "[%s,\"32\"]", list)), "too_many");
}

static void test_any_json_keeps_its_numbers(void **state)
{
    const cat_field_t *field = read_field(*state, "meta json");
    const char *filler = apr_psprintf(*state, "%016382d", 0);

    assert_string_equal(
        check_value(*state, field, "{ \"b\": [19.99, -0.5, 1e21, 9007199254740993, true, false, null], \"a\": {} }"),
        "{\"b\":[19.99,-0.5,1e+21,9007199254740993,true,false,null],\"a\":{}}");
    assert_string_equal(check_value(*state, field, "19.99"), "19.99");
    assert_string_equal(check_value(*state, field, "[]"), "[]");
    assert_string_equal(check_value(*state, field, "\"\""), "\"\"");
    assert_string_equal(check_value(*state, field, "{\"\":\"1.5\"}"), "{\"\":\"1.5\"}");
    assert_string_equal(check_value(*state, field, "[{\"a\":0.1000000000000000001}]"), "precision");
    assert_string_equal(check_value(*state, field, apr_psprintf(*state, "\"%s\"", filler)),
                        apr_psprintf(*state, "\"%s\"", filler));
    assert_string_equal(check_value(*state, field, apr_psprintf(*state, "\"%s0\"", filler)), "too_long");
}

/* ---- options ---- */

static void test_options_are_flags(void **state)
{
    static const struct {
        const char *line;
        int flags;
    } expected[] = {
        {"a string unique", CAT_UNIQUE | CAT_INDEXED | CAT_CLEARABLE},
        {"a string index", CAT_INDEXED | CAT_CLEARABLE},
        {"a string search", CAT_SEARCHED | CAT_CLEARABLE},
        {"a string facet", CAT_FACET | CAT_INDEXED | CAT_CLEARABLE},
        {"a string detail", CAT_DETAIL | CAT_CLEARABLE},
        {"a string private", CAT_PRIVATE | CAT_CLEARABLE},
        {"a string required", CAT_REQUIRED | CAT_VISIBLE},
        {"\ta  string\trequired  detail search ", CAT_REQUIRED | CAT_VISIBLE | CAT_DETAIL | CAT_SEARCHED},
    };

    for (size_t i = 0; i < UNIT_COUNT(expected); i++) {
        assert_int_equal(read_field(*state, expected[i].line)->flags, expected[i].flags | CAT_OWN);
    }
}

static void test_facets_are_of_types_with_few_values(void **state)
{
    static const char *const good[] = {"string", "choice values=a", "boolean", "strings", "integer", "url", "date"},
                             *const bad[] = {"number", "text", "time", "duration", "json", "modified"};

    for (size_t i = 0; i < UNIT_COUNT(good); i++) {
        assert_true(read_field(*state, apr_psprintf(*state, "a %s facet", good[i]))->flags & CAT_FACET);
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        const char *fault = refuse_line(*state, apr_psprintf(*state, "a %s facet", bad[i]));
        assert_non_null(strstr(fault, "cannot have the option facet; it can have "));
    }
}

static void test_values_may_be_quoted(void **state)
{
    const cat_own_field_t *own =
        read_own(*state, "size string help=\"Say \\\"M\\\", or \\\\, or \\d.\" label=\"Gr\xc3\xb6\xc3\x9f"
                         "e\"");

    assert_string_equal(own->help, "Say \"M\", or \\, or \\d.");
    assert_string_equal(own->label, "Gr\xc3\xb6\xc3\x9f"
                                    "e");
    assert_string_equal(read_field(*state, "size string label=Size help=\"How large.\"")->about, "How large");
    assert_string_equal(read_field(*state, "size string label=Size")->about, "Size");
    assert_string_equal(read_own(*state, "size string label=a=b")->label, "a=b");
}

static void test_patterns_match_whole_values(void **state)
{
    const cat_field_t *field = read_field(*state, "sku string pattern=\"[A-Z]{2}-\\d+|none\"");

    assert_string_equal(check_value(*state, field, "\"KT-17\""), "KT-17");
    assert_string_equal(check_value(*state, field, "\"none\""), "none");
    assert_string_equal(check_value(*state, field, "\"KT-17 \""), "format");
    assert_string_equal(check_value(*state, field, "\"aKT-17\""), "format");
    assert_string_equal(check_value(*state, field, "\"KT-17\\n\""), "format");
    assert_string_equal(field->rule->refuse(field->rule, "x"), "must match the pattern [A-Z]{2}-\\d+|none");
    assert_string_equal(field->rule->pattern, "^(?:[A-Z]{2}-\\d+|none)$");
    assert_string_equal(read_own(*state, "sku string pattern=\\d+")->pattern, "\\d+");
    field = read_field(*state, "a string pattern=..");
    assert_string_equal(check_value(*state, field, "\"\xe2\x82\xac\xe2\x82\xac\""), "\xe2\x82\xac\xe2\x82\xac");
    field = read_field(*state, "a url pattern=\"https://cdn\\.test/.*\"");
    assert_string_equal(check_value(*state, field, "\"https://cdn.test/a\""), "https://cdn.test/a");
    assert_string_equal(check_value(*state, field, "\"https://cdn.test/a b\""), "https://cdn.test/a%20b");
    assert_string_equal(check_value(*state, field, "\"https://x.test/\""), "format");
}

static void test_patterns_end(void **state)
{
    const cat_field_t *field = read_field(*state, "sku text max=30000 pattern=\"(a+)+b|(x|xx)*\"");
    char *text = apr_pcalloc(*state, 30001);

    memset(text, 'a', 30000);
    assert_string_equal(field->rule->refuse(field->rule, text),
                        "must be simpler: comparing it with the field's pattern takes too long");
    assert_null(field->rule->refuse(field->rule, "aaab"));
}

static void test_defaults_are_what_is_stored(void **state)
{
    static const char *const expected[][2] = {
        {"a string default=\"dark red\"", "dark red"},
        {"a number default=2.50", "2.5"},
        {"a integer default=-3", "-3"},
        {"a boolean default=false", "0"},
        {"a boolean default=true", "1"},
        {"a choice default=b values=a|b", "b"},
        {"a time default=1970-01-01T00:00:01Z", "1000"},
        {"a date default=2026-11-21", "2026-11-21"},
        {"a strings default=\"red|dark blue\"", "[\"red\",\"dark blue\"]"},
        {"a json default=\"{\\\"a\\\": 19.99}\"", "{\"a\":19.99}"},
        {"a url default=http://a/", "http://a/"},
    };

    for (size_t i = 0; i < UNIT_COUNT(expected); i++) {
        assert_string_equal(read_field(*state, expected[i][0])->absent, expected[i][1]);
    }
}

static void test_from_names_a_field_of_texts(void **state)
{
    const char *const brand[] = {"brand string", "weight number", "maker string private", NULL};

    assert_string_equal(read_own(*state, "slug string from=name")->from, "name");
    assert_string_equal(refuse_after(*state, brand, "slug string from=brand"), "OK");
    assert_string_equal(refuse_after(*state, brand, "slug string private from=maker"), "OK");
    assert_string_equal(refuse_after(*state, brand, "slug string from=maker"),
                        "CatalogField slug: from=maker names a private field, so this one must be private, too");
    assert_string_equal(refuse_after(*state, brand, "slug string from=weight"),
                        "CatalogField slug: from=weight must name a field whose values are strings");
    assert_string_equal(refuse_line(*state, "slug string from=price"),
                        "CatalogField slug: from=price must name a field whose values are strings");
    assert_string_equal(refuse_line(*state, "slug string from=id"),
                        "CatalogField slug: from=id must name a field whose values are strings");
}

/* ---- what is refused ---- */

static void test_says_what_is_wrong_with_a_line(void **state)
{
    static const char *const expected[][2] = {
        {"", "CatalogField takes a name, a type and options, such as: CatalogField weight number index min=0"},
        {"weight", "CatalogField takes a name, a type and options, such as: CatalogField weight number index min=0"},
        {"we-ight number",
         "CatalogField we-ight: a name must be a letter, followed by at most 39 letters and digits, all of them ASCII"},
        {"2nd number",
         "CatalogField 2nd: a name must be a letter, followed by at most 39 letters and digits, all of them ASCII"},
        {"gr\xc3\xb6\xc3\x9f"
         "e number",
         "CatalogField gr\xc3\xb6\xc3\x9f"
         "e: a name must be a letter, followed by at most 39 letters and digits, all of them ASCII"},
        {"a123456789b123456789c123456789d1234567890 number",
         "CatalogField a123456789b123456789c123456789d1234567890: a name must be a letter, followed by at most 39 "
         "letters and "
         "digits, all of them ASCII"},
        {"price number", "CatalogField price: every product already has a field of this name; choose another one"},
        {"INSTOCK boolean", "CatalogField INSTOCK: every product already has a field of this name; choose another one"},
        {"limit integer", "CatalogField limit: the API uses this name for a parameter or for a member of its answers; "
                          "choose another one"},
        {"weight nmber", "CatalogField weight: there is no type nmber; it must be string, text, url, number, "
                         "integer, boolean, choice, time, date, duration, strings, json or modified"},
        {"weight json idx", "CatalogField weight: there is no option idx; the type json can have required, default=, "
                            "detail, private, label= or help="},
        {"weight json idx=3", "CatalogField weight: there is no option idx=; the type json can have required, "
                              "default=, detail, private, label= or help="},
        {"weight json index", "CatalogField weight: the type json cannot have the option index; it can have required, "
                              "default=, detail, private, label= or help="},
        {"weight number index index", "CatalogField weight: the option index is given twice"},
        {"weight number index=1", "CatalogField weight: the option index takes no value"},
        {"weight number min", "CatalogField weight: the option min= requires a value"},
        {"weight number min=", "CatalogField weight: the option min= requires a value"},
        {"weight number label=\"\"", "CatalogField weight: the option label= requires a value"},
        {"weight number label=\"a",
         "CatalogField weight: the quotation mark after label= is not closed by another one"},
        {"weight number label=\"a\"b",
         "CatalogField weight: a blank must follow the value of label=; write \\\" for a quotation mark within it"},
        {"weight number min=x", "CatalogField weight: min=x is not a number"},
        {"weight integer min=0.5", "CatalogField weight: min=0.5 is not a whole number"},
        {"weight integer max=9007199254740992", "CatalogField weight: max=9007199254740992 must be from "
                                                "-9007199254740991 to 9007199254740991 for the type integer"},
        {"weight number min=3 max=2.5", "CatalogField weight: min=3 is greater than max=2.5"},
        {"sku string min=201", "CatalogField sku: min=201 is greater than max=200"},
        {"sku string max=1001", "CatalogField sku: max=1001 must be from 0 to 1000 for the type string"},
        {"sku string min=-1", "CatalogField sku: min=-1 must be from 0 to 1000 for the type string"},
        {"sku string required max=0", "CatalogField sku: min=1 is greater than max=0"},
        {"sku string pattern=\"(a\"", "CatalogField sku: pattern=(a: missing closing parenthesis at offset 2"},
        {"color choice", "CatalogField color: the type choice requires 1 to 99 values, such as "
                         "values=\"red|green|blue\""},
        {"color choice values=\"|\"", "CatalogField color: the type choice requires 1 to 99 values, such as "
                                      "values=\"red|green|blue\""},
        {"color choice values=a|b|a", "CatalogField color: values= has a twice"},
        {"color choice values=a|b default=c", "CatalogField color: default=c must be a or b"},
        {"color string values=a|b",
         "CatalogField color: the type string cannot have the option values=; it can have required, default=, min=, "
         "max=, pattern=, unique, index, search, facet, detail, private, from=, by=, label= or help="},
        {"baking duration min=5", "CatalogField baking: min=5 must be a duration such as PT1H30M, P2D or P2W"},
        {"baking duration min=PT2M max=PT60S", "CatalogField baking: min=PT2M is greater than max=PT1M"},
        {"baking duration default=PT1M min=PT5M", "CatalogField baking: default=PT1M must be at least PT5M"},
        {"sku string default=abc max=2", "CatalogField sku: default=abc must have at most 2 characters"},
        {"sku string default=abc pattern=[0-9]*", "CatalogField sku: default=abc must match the pattern [0-9]*"},
        {"weight number default=abc", "CatalogField weight: default=abc must be a number"},
        {"weight number default=1,2", "CatalogField weight: default=1,2 must be a number with a decimal "
                                      "point and without a comma, such as 2.5"},
        {"weight number default=null", "CatalogField weight: default=null must be a number"},
        {"extra json default=null", "CatalogField extra: default=null must be JSON other than null"},
        {"extra json default={", "CatalogField extra: default={ must be JSON other than null"},
        {"weight number default=true", "CatalogField weight: default=true must be a number"},
        {"weight number default=0.1000000000000000001", "CatalogField weight: default=0.1000000000000000001 must have "
                                                        "fewer digits: the nearest number that can be stored is 0.1"},
        {"published boolean default=yes", "CatalogField published: default=yes must be true or false"},
        {"published boolean default=1", "CatalogField published: default=1 must be true or false"},
        {"tags strings default=a|a", "CatalogField tags: default=a|a must not have a string twice"},
        {"sku string required default=a", "CatalogField sku: the options required and default= cannot be combined"},
        {"sku string required from=name", "CatalogField sku: the options required and from= cannot be combined"},
        {"sku string default=a from=name", "CatalogField sku: the options default= and from= cannot be combined"},
        {"sku string unique default=a", "CatalogField sku: the options default= and unique cannot be combined"},
        {"sku string label=a\x01", "CatalogField sku: the line must be UTF-8 without control characters"},
        {"sku string label=a\xff", "CatalogField sku: the line must be UTF-8 without control characters"},
        {"a\xff string", "CatalogField a\xef\xbf\xbd: the line must be UTF-8 without control characters"},
    };

    for (size_t i = 0; i < UNIT_COUNT(expected); i++) {
        assert_string_equal(refuse_line(*state, expected[i][0]), expected[i][1]);
    }
}

static void test_durations_have_a_length(void **state)
{
    static const struct {
        const char *text;
        double seconds; /* -1: no duration */
    } cases[] = {
        {"PT1H30M", 5400},     {"PT90M", 5400}, {"PT0S", 0},   {"P2W", 1209600}, {"P1DT1S", 86401},
        {"PT1H1S", 3601},      {"P", -1},       {"PT", -1},    {"P1DT", -1},     {"P1W1D", -1},
        {"PT1M1H", -1},        {"PT1M1M", -1},  {"P1H", -1},   {"PT1D", -1},     {"PT1.5H", -1},
        {"-PT1H", -1},         {"pt1h", -1},    {"PT1H ", -1}, {"P1Y", -1},      {"P1M", -1},
        {"PTT1H", -1},         {"", -1},        {"90", -1},    {"PTH", -1},      {"PT999999999S", 999999999},
        {"PT9999999999S", -1},
    };
    const cat_text_form_t *form = read_field(*state, "baking duration")->rule->form;

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_true(form->measure(cases[i].text) == cases[i].seconds);
        assert_int_equal(!form->refuse(cases[i].text), cases[i].seconds >= 0);
    }
    assert_string_equal(form->write(*state, 0), "PT0S");
    assert_string_equal(form->write(*state, 5400), "PT1H30M");
    assert_string_equal(form->write(*state, 1209600), "P14D");
    assert_string_equal(form->write(*state, 86401), "P1DT1S");
    assert_non_null(strstr(form->refuse("P1M"), "instead of years and months"));
}

static void test_unique_values_are_single(void **state)
{
    static const char *const types[] = {"strings", "json", "text", "boolean", "duration", "modified"};

    for (size_t i = 0; i < UNIT_COUNT(types); i++) {
        const char *fault = refuse_line(*state, apr_psprintf(*state, "a %s unique", types[i]));
        assert_non_null(strstr(fault, "cannot have the option unique; it can have "));
    }
}

static void test_words_have_a_length(void **state)
{
    const char *label = apr_psprintf(*state, "%0101d", 0), *help = apr_psprintf(*state, "%0501d", 0);

    assert_string_equal(refuse_line(*state, apr_psprintf(*state, "a string label=%s", label)),
                        "CatalogField a: label= must have at most 100 characters");
    assert_string_equal(refuse_line(*state, apr_psprintf(*state, "a string help=%s", help)),
                        "CatalogField a: help= must have at most 500 characters");
    assert_string_equal(refuse_line(*state, apr_psprintf(*state, "a choice values=b|%s", label)),
                        "CatalogField a: each of values= must have at most 100 characters");
}

static void test_a_section_has_a_field_once(void **state)
{
    const char *const lines[] = {"Sku string", NULL};

    assert_string_equal(refuse_after(*state, lines, "Sku number"),
                        "CatalogField Sku: this section already has a field Sku");
    assert_string_equal(refuse_after(*state, lines, "sku number"),
                        "CatalogField sku: this section already has a field Sku");
}

static void test_fields_are_limited(void **state)
{
    const cat_fields_t *fields = NULL, *more, *merged;
    const char *line;

    for (int i = 0; i < CAT_OWN_FIELDS_MAX; i++) {
        assert_null(cat_own_fields_add(*state, fields, apr_psprintf(*state, "f%d string", i), &fields));
    }
    assert_null(cat_own_fields_check(*state, fields, &line));
    assert_null(cat_own_fields_add(*state, fields, "g string", &more)); /* as a database may have known more */
    assert_string_equal(cat_own_fields_check(*state, more, &line),
                        "there may be at most 64 fields, including those of outer sections");
    merged = cat_own_fields_merge(*state, fields, read_line(*state, "g string"));
    assert_string_equal(cat_own_fields_check(*state, merged, &line),
                        "there may be at most 64 fields, including those of outer sections");
    assert_string_equal(line, "g string");
    assert_null(
        cat_own_fields_check(*state, cat_own_fields_merge(*state, fields, read_line(*state, "f63 number")), &line));
}

/* A line with so many values of 100 characters, each with the given text before it. */
static const cat_fields_t *read_choices(apr_pool_t *pool, int count, const char *text)
{
    const char *line = "a choice values=\"";

    for (int i = 0; i < count; i++) {
        line = apr_psprintf(pool, "%s%s%s%0*d", line, i ? "|" : "", text, 100 - (int)(strlen(text) / 2), i);
    }
    return read_line(pool, apr_pstrcat(pool, line, "\"", NULL));
}

static void test_choices_are_limited(void **state)
{
    static const char fault[] =
        "a choice has at most 99 values, and 12000 characters in all of them, those for which a "
        "backslash is required being counted up to four times";
    const char *line;

    assert_null(cat_own_fields_check(*state, read_choices(*state, 99, ""), &line));
    assert_string_equal(cat_own_fields_check(*state, read_choices(*state, 100, ""), &line), fault);
    assert_string_equal(
        cat_own_fields_check(
            *state,
            read_choices(*state, 99,
                         "\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\""),
            &line),
        fault);
}

/* What a database knows is read as a line is. */
static void test_definitions_are_read_again(void **state)
{
    const cat_own_field_t *own = read_own(*state, "a choice unique values=\"b|c \\\"d\\\"|e\\|f|g\\\\\" label=x");
    const char *definition = cat_own_field_define(*state, own, CAT_INDEXED | CAT_UNIQUE);
    const cat_own_field_t *again = read_own(*state, apr_pstrcat(*state, "a ", definition, NULL));

    for (int i = 0; own->values[i] || again->values[i]; i++) {
        assert_string_equal(own->values[i], again->values[i]);
    }
    assert_string_equal(cat_own_field_define(*state, again, CAT_INDEXED | CAT_UNIQUE), definition);
}

/* No field has the name of a parameter of the list. */
static void test_names_of_parameters_are_reserved(void **state)
{
    cat_conf_t conf = {.default_limit = 10, .max_limit = 100};
    cat_describer_t d = {
        .conf = &conf, .pool = *state, .components = json_object(), .parameters = json_array(), .group = "products"};
    json_t *component;
    const char *key;
    int count = 0;

    cat_query_describe(&d, 0);
    json_object_foreach (d.components, key, component) {
        const char *name = json_string_value(json_object_get(component, "name"));
        if (name && !strchr(name, '[')) {
            const char *fault = refuse_line(*state, apr_psprintf(*state, "%s string", name));
            assert_true(strstr(fault, "choose another one") != NULL);
            count++;
        }
    }
    assert_true(count >= 9);
    json_decref(d.components);
    json_decref(d.parameters);
}

/* ---- sections ---- */

static void test_sections_are_merged(void **state)
{
    const cat_fields_t *outer = read_lines(*state, (const char *const[]){"a string", "b string", "c string", NULL});
    const cat_fields_t *inner = read_lines(*state, (const char *const[]){"d string", "B number max=3", NULL});
    const cat_fields_t *merged = cat_own_fields_merge(*state, outer, inner);

    assert_int_equal(merged->count, CAT_PRODUCT_FIELDS + 4);
    assert_string_equal(merged->all[CAT_PRODUCT_FIELDS].name, "a");
    assert_string_equal(merged->all[CAT_PRODUCT_FIELDS + 1].name, "B");
    assert_string_equal(merged->own[CAT_PRODUCT_FIELDS + 1]->type->name, "number");
    assert_string_equal(merged->all[CAT_PRODUCT_FIELDS + 2].name, "c");
    assert_string_equal(merged->own[CAT_PRODUCT_FIELDS + 3]->line, "d string");
    assert_int_equal(outer->count, CAT_PRODUCT_FIELDS + 3);
    assert_string_equal(outer->own[CAT_PRODUCT_FIELDS + 1]->type->name, "string");
}

static void test_from_may_name_a_field_of_an_outer_section(void **state)
{
    const cat_fields_t *inner = read_line(*state, "slug string from=brand"), *merged;
    const char *line = NULL;

    assert_string_equal(cat_own_fields_check(*state, inner, &line),
                        "from=brand must name a field that comes before this one");
    assert_string_equal(line, "slug string from=brand");
    merged = cat_own_fields_merge(*state, read_line(*state, "brand string"), inner);
    assert_null(cat_own_fields_check(*state, merged, &line));
    merged = cat_own_fields_merge(*state, read_line(*state, "brand boolean"), inner);
    assert_string_equal(cat_own_fields_check(*state, merged, &line),
                        "from=brand must name a field whose values are strings");
    assert_non_null(cat_own_fields_check(*state, read_line(*state, "slug string from=slug"), &line));
}

/* "a b | c": the names of own fields, with a bar before those that are private. */
static const char *list_names(apr_pool_t *pool, const cat_fields_t *fields)
{
    const char *names = "";
    int is_private = 0;

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        const char *mark = is_private < (fields->all[i].flags & CAT_PRIVATE) ? "| " : "";
        is_private |= fields->all[i].flags & CAT_PRIVATE;
        assert_string_equal(apr_pstrmemdup(pool, fields->own[i]->line, strlen(fields->all[i].name)),
                            fields->all[i].name);
        names = apr_pstrcat(pool, names, *names ? " " : "", mark, fields->all[i].name, NULL);
    }
    return names;
}

static void test_private_fields_are_the_last(void **state)
{
    const cat_fields_t *outer =
        read_lines(*state, (const char *const[]){"a string private", "b string", "c string private", "d string",
                                                 "e string", NULL});
    const cat_fields_t *inner =
        read_lines(*state, (const char *const[]){"b string private", "f string", "a string", "d number", NULL});
    const cat_fields_t *merged = cat_own_fields_merge(*state, outer, inner), *shown;

    assert_string_equal(list_names(*state, outer), "b d e | a c");
    assert_string_equal(list_names(*state, inner), "f a d | b");
    assert_string_equal(list_names(*state, merged), "d e f a | c b");
    shown = cat_own_fields_public(*state, merged);
    assert_string_equal(list_names(*state, shown), "d e f a");
    assert_ptr_equal(shown->all, merged->all);
    assert_ptr_equal(cat_own_fields_public(*state, shown), shown);
    assert_ptr_equal(cat_own_fields_public(*state, &cat_product_built_in), &cat_product_built_in);
}

static void test_from_may_name_a_private_field_only_if_private(void **state)
{
    const cat_fields_t *outer = read_line(*state, "maker string private"), *merged;
    const char *line;

    merged = cat_own_fields_merge(*state, outer, read_line(*state, "slug string from=maker"));
    assert_string_equal(cat_own_fields_check(*state, merged, &line),
                        "from=maker names a private field, so this one must be private, too");
    merged = cat_own_fields_merge(*state, outer, read_line(*state, "slug string private from=maker"));
    assert_null(cat_own_fields_check(*state, merged, &line));
}

/* ---- bodies ---- */

static cat_input_t check_body(apr_pool_t *pool, const cat_fields_t *fields, cat_purpose_t purpose, const char *body)
{
    cat_input_t input;

    cat_fields_check(pool, fields->all, fields->count, purpose, 1, parse(pool, body), &input);
    return input;
}

/* The text that is made of the name; NULL: none, or the code of its fault in brackets. */
static const char *made_of(apr_pool_t *pool, const char *line, const char *name)
{
    const cat_fields_t *fields = read_line(pool, line);
    cat_input_t input = check_body(pool, fields, CAT_CREATE, apr_psprintf(pool, "{\"name\":\"%s\",\"price\":1}", name));

    assert_null(input.errors);
    cat_own_slugs_complete(pool, fields, &input);
    return input.errors ? json_string_value(json_object_get(json_array_get(input.errors, 0), "code"))
                        : input.values[CAT_PRODUCT_FIELDS];
}

static void test_missing_text_is_made_of_another(void **state)
{
    assert_string_equal(made_of(*state, "slug string from=name", "Red  Kettle, 2nd"), "red-kettle-2nd");
    assert_string_equal(made_of(*state, "slug string from=name max=7", "Red Kettle"), "red-ket");
    assert_string_equal(made_of(*state, "slug string from=name max=4", "Red Kettle"), "red");
    assert_string_equal(made_of(*state, "slug string from=name max=3", "\u6f22\u5b57\u6f22\u5b57"),
                        "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2");
    assert_null(made_of(*state, "slug string from=name", "?!"));
    assert_null(made_of(*state, "slug string", "Red"));
    assert_string_equal(made_of(*state, "slug string from=name min=5", "Red"), "too_short");
    assert_string_equal(made_of(*state, "slug string from=name pattern=[a-z]+", "Red Kettle"), "format");
}

static void test_null_is_absent_where_a_product_is_created(void **state)
{
    const cat_fields_t *fields =
        read_lines(*state, (const char *const[]){"size string default=M", "tags strings", NULL});
    cat_input_t input =
        check_body(*state, fields, CAT_CREATE, "{\"name\":\"a\",\"price\":1,\"size\":null,\"tags\":null}");

    assert_null(input.errors);
    assert_string_equal(input.values[CAT_PRODUCT_FIELDS], "M");
    assert_null(input.values[CAT_PRODUCT_FIELDS + 1]);
    assert_false(input.cleared[CAT_PRODUCT_FIELDS]);
    input = check_body(*state, fields, CAT_UPDATE, "{\"size\":null}");
    assert_null(input.errors);
    assert_null(input.values[CAT_PRODUCT_FIELDS]);
    assert_true(input.cleared[CAT_PRODUCT_FIELDS]);
}

static void test_nothing_clears_what_may_be_cleared(void **state)
{
    const cat_fields_t *fields = read_lines(
        *state, (const char *const[]){"size string", "tags strings", "sku string min=2", "color choice values=a",
                                      "brand string required", "labels strings required", NULL});
    cat_input_t input = check_body(*state, fields, CAT_UPDATE, "{\"size\":\"\",\"tags\":[]}");

    assert_null(input.errors);
    assert_true(input.cleared[CAT_PRODUCT_FIELDS] && input.cleared[CAT_PRODUCT_FIELDS + 1]);
    input = check_body(*state, fields, CAT_UPDATE, "{\"sku\":\"\",\"color\":\"\",\"brand\":\"\",\"labels\":[]}");
    assert_string_equal(cat_fields_summary(*state, input.errors),
                        "sku must have at least 2 characters; color must be a; brand must have at least 1 character; "
                        "labels must have at least one string");
    input = check_body(*state, fields, CAT_UPDATE, "{\"brand\":null,\"labels\":null}");
    assert_string_equal(cat_fields_summary(*state, input.errors), "brand must not be null; labels must not be null");
    input = check_body(*state, fields, CAT_CREATE, "{\"name\":\"a\",\"price\":1}");
    assert_string_equal(cat_fields_summary(*state, input.errors), "brand is required; labels is required");
}

static void test_values_of_the_server_are_ignored(void **state)
{
    cat_input_t input = check_body(*state, read_line(*state, "updatedAt modified"), CAT_UPDATE, "{\"updatedAt\":1}");

    assert_null(input.errors);
    assert_int_equal(input.given, 0);
}

static void test_records_are_written(void **state)
{
    const cat_fields_t *fields =
        read_lines(*state, (const char *const[]){"tags strings", "meta json", "seen time", "quantity integer", NULL});
    const char *values[CAT_PRODUCT_FIELDS + 4] = {NULL};
    cat_buffer_t b;

    values[CAT_PRODUCT_FIELDS] = "[\"a\",\"b\"]";
    values[CAT_PRODUCT_FIELDS + 1] = "{\"a\":[19.99]}";
    values[CAT_PRODUCT_FIELDS + 2] = "-3599500";
    values[CAT_PRODUCT_FIELDS + 3] = "-3";
    cat_buffer_init(&b, *state, 16);
    cat_fields_write(&b, fields->all, fields->count, values);
    assert_string_equal(cat_buffer_text(&b), "{\"tags\":[\"a\",\"b\"],\"meta\":{\"a\":[19.99]},"
                                             "\"seen\":\"1969-12-31T23:00:00.500Z\",\"quantity\":-3}");
}

/* ---- the description ---- */

static const char *describe(apr_pool_t *pool, const char *line)
{
    const cat_field_t *field = read_field(pool, line);
    json_t *schema = cat_json_own(pool, cat_schema_of_input(field, 1, CAT_CREATE));

    return cat_json_text(pool, json_object_get(json_object_get(schema, "properties"), field->name));
}

static void test_schemas_say_what_is_accepted(void **state)
{
    static const char *const expected[][2] = {
        {"a string", "{\"type\":[\"string\",\"null\"],\"maxLength\":200}"},
        {"a string required pattern=a+",
         "{\"type\":\"string\",\"minLength\":1,\"maxLength\":200,\"pattern\":\"^(?:a+)$\"}"},
        {"a number", "{\"type\":[\"number\",\"null\"]}"},
        {"a number min=-3", "{\"type\":[\"number\",\"null\"],\"minimum\":-3}"},
        {"a number max=3", "{\"type\":[\"number\",\"null\"],\"maximum\":3}"},
        {"a integer min=1 default=2 label=Pieces", "{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"maximum\":"
                                                   "9007199254740991,\"description\":\"Pieces.\",\"default\":2}"},
        {"a boolean default=false", "{\"type\":[\"boolean\",\"null\"],\"default\":false}"},
        {"a choice values=a|b", "{\"type\":[\"string\",\"null\"],\"maxLength\":100,\"enum\":[\"a\",\"b\",null]}"},
        {"a time default=1970-01-01T00:00:01Z",
         "{\"type\":[\"string\",\"null\"],\"format\":\"date-time\",\"default\":\"1970-01-01T00:00:01.000Z\"}"},
        {"a strings default=a", "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\",\"minLength\":1,"
                                "\"maxLength\":100},\"maxItems\":32,\"uniqueItems\":true,\"default\":[\"a\"]}"},
        {"a strings required", "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":100},"
                               "\"maxItems\":32,\"uniqueItems\":true,\"minItems\":1}"},
        {"a json", "{}"},
    };

    for (size_t i = 0; i < UNIT_COUNT(expected); i++) {
        assert_string_equal(describe(*state, expected[i][0]), expected[i][1]);
    }
}

static void test_examples_are_valid(void **state)
{
    static const char *const lines[] = {"a string",        "a text",          "a url",     "a number min=-3 max=1",
                                        "a number max=-3", "a integer min=7", "a boolean", "a choice values=x|y",
                                        "a time",          "a date",          "a strings", "a json"};

    for (size_t i = 0; i < UNIT_COUNT(lines); i++) {
        const cat_field_t *field = read_field(*state, lines[i]);
        const char *text;
        json_t *example = cat_json_own(*state, cat_schema_field_example(field));
        assert_non_null(field->example);
        assert_null(cat_fields_read_value(*state, field, example, &text).code);
    }
    assert_null(read_field(*state, "a string pattern=[0-9]+")->example);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_type_is_a_kind),
        UNIT_TEST(test_built_in_fields_come_first),
        UNIT_TEST(test_strings_have_bounds),
        UNIT_TEST(test_urls_are_absolute),
        UNIT_TEST(test_urls_are_spelled_alike),
        UNIT_TEST(test_numbers_have_bounds_below_zero),
        UNIT_TEST(test_integers_are_exact_for_every_reader),
        UNIT_TEST(test_choices_have_words),
        UNIT_TEST(test_times_have_any_offset),
        UNIT_TEST(test_dates_are_days),
        UNIT_TEST(test_lists_have_different_strings),
        UNIT_TEST(test_any_json_keeps_its_numbers),
        UNIT_TEST(test_options_are_flags),
        UNIT_TEST(test_facets_are_of_types_with_few_values),
        UNIT_TEST(test_values_may_be_quoted),
        UNIT_TEST(test_patterns_match_whole_values),
        UNIT_TEST(test_patterns_end),
        UNIT_TEST(test_defaults_are_what_is_stored),
        UNIT_TEST(test_from_names_a_field_of_texts),
        UNIT_TEST(test_says_what_is_wrong_with_a_line),
        UNIT_TEST(test_durations_have_a_length),
        UNIT_TEST(test_unique_values_are_single),
        UNIT_TEST(test_words_have_a_length),
        UNIT_TEST(test_a_section_has_a_field_once),
        UNIT_TEST(test_fields_are_limited),
        UNIT_TEST(test_choices_are_limited),
        UNIT_TEST(test_definitions_are_read_again),
        UNIT_TEST(test_names_of_parameters_are_reserved),
        UNIT_TEST(test_sections_are_merged),
        UNIT_TEST(test_from_may_name_a_field_of_an_outer_section),
        UNIT_TEST(test_private_fields_are_the_last),
        UNIT_TEST(test_from_may_name_a_private_field_only_if_private),
        UNIT_TEST(test_missing_text_is_made_of_another),
        UNIT_TEST(test_null_is_absent_where_a_product_is_created),
        UNIT_TEST(test_nothing_clears_what_may_be_cleared),
        UNIT_TEST(test_values_of_the_server_are_ignored),
        UNIT_TEST(test_records_are_written),
        UNIT_TEST(test_schemas_say_what_is_accepted),
        UNIT_TEST(test_examples_are_valid),
    };
    return UNIT_RUN(tests);
}
