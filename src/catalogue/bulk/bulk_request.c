/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what a change of all products that match is asked for in.
 *
 *     {"where": "category=tea&price[lt]=5", "set": {"inStock": true}, "adjust": {"price": {"percent": 5, "round": 2}}, "expect": 120}
 *     {"where": "q=sample", "delete": true}
 *
 * `where` is read as the query string of a list, so that GET /products with the same text shows what will be changed; `set` as the body of
 * a PUT. All faults are found at once, each with the path to what is wrong. The same text is read again by the job that does the work
 * (bulk_job.c), so nothing here knows a request.
 */
#include "catalogue/bulk/bulk_request.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/decimal.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/text.h"

#define PLACES_MOST 15
#define EXPECT_MOST 1e12 /* more than any catalogue has */
#define ERRORS_MOST 100  /* that are listed */

typedef struct reading_t {
    apr_pool_t *pool;
    const cat_conf_t *conf;
    int strict;
    const json_t *body;
    cat_bulk_request_t *request;
} reading_t;

static void append_error(const reading_t *r, json_t *error)
{
    cat_bulk_request_t *request = r->request;

    if (!request->errors) {
        request->errors = cat_json_own(r->pool, json_array());
    }
    if (json_array_size(request->errors) < ERRORS_MOST) {
        json_array_append(request->errors, error);
    }
    json_decref(error);
}

static void add_error(const reading_t *r, const char *field, const char *code, const char *message)
{
    append_error(r, cat_fields_make_error(field, code, message));
}

/* "set" and "price": "set.price"; "set" and "": "set" */
static const char *make_path(const reading_t *r, const char *member, const char *name)
{
    return apr_pstrcat(r->pool, member, *name ? "." : "", name, NULL);
}

/* Those of a part, whose fields do not know where they are. */
static void add_errors(const reading_t *r, const char *member, const json_t *errors)
{
    size_t i;
    json_t *error;

    json_array_foreach (errors, i, error) {
        const char *field = json_string_value(json_object_get(error, "field"));
        json_t *own = json_copy(error);
        json_object_set_new(own, "field", json_string(make_path(r, member, field)));
        append_error(r, own);
    }
}

/* ---- where ---- */

/* A list may have an order and a choice of fields, but what is changed has neither. */
static int refuse_parameter(void *, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    int is_of_list = cat_parameters_is_list(parameter, "sort") || cat_parameters_is_list(parameter, "fields");

    if (is_of_list) {
        cat_parameters_add_unknown(p, parameter->name);
    }
    return is_of_list;
}

static void read_where(const reading_t *r, const json_t *value)
{
    const cat_query_own_t own = {refuse_parameter, NULL};
    cat_list_query_t *query = &r->request->query;

    if (!cat_query_parse_all(r->pool, r->conf, 1, json_string_value(value), &own, query)) {
        add_errors(r, "where", query->errors);
    } else if (*json_string_value(value) && !query->condition_count && !query->word_count) {
        add_error(r, "where", "required", "must have a condition or q, or be empty for all products");
    }
}

/* ---- set and adjust ---- */

static void read_set(const reading_t *r, const json_t *value)
{
    cat_bulk_request_t *request = r->request;

    cat_fields_check(r->pool, request->fields->all, request->fields->count, CAT_UPDATE, r->strict, value,
                     &request->set);
    add_errors(r, "set", request->set.errors);
    if (!request->set.errors && request->set.given == 0) {
        add_error(r, "set", "required", "must have at least one field of a product");
    }
}

/* -1: there is none of this name that can be adjusted. */
static int find_number(const cat_fields_t *fields, const char *name)
{
    for (int i = 0; i < fields->count; i++) {
        const cat_field_t *field = &fields->all[i];
        if (field->kind == CAT_NUMBER && !(field->flags & CAT_SERVER) && strcmp(field->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* How much, as a decimal text; NULL, and an error: it is no number that is known exactly. */
static const char *read_amount(const reading_t *r, const char *path, const char *name, const json_t *value)
{
    const char *inexact = cat_json_inexact(value);

    if (json_is_number(value)) {
        return cat_number_format(r->pool, value);
    }
    if (inexact) {
        add_error(r, make_path(r, path, name), "precision", cat_number_explain(r->pool, inexact));
    } else {
        add_error(r, make_path(r, path, name), "type", "must be a number");
    }
    return NULL;
}

static void read_amounts(const reading_t *r, const char *path, const json_t *how, cat_bulk_adjustment_t *a)
{
    const json_t *percent = json_object_get(how, "percent"), *add = json_object_get(how, "add"),
                 *round = json_object_get(how, "round");
    double places = round && cat_fields_is_whole(round) ? json_number_value(round) : -1;
    const char *part = percent ? read_amount(r, path, "percent", percent) : NULL;

    if (!percent == !add) {
        add_error(r, path, "required", "must have either percent or add");
    }
    a->factor = part ? cat_decimal_multiply(r->pool, cat_decimal_add(r->pool, "100", part), "0.01") : NULL;
    a->addend = add ? read_amount(r, path, "add", add) : NULL;
    a->places = places >= 0 && places <= PLACES_MOST ? (int)places : -1;
    if (round && a->places < 0) {
        add_error(r, make_path(r, path, "round"), "type", "must be a whole number from 0 to 15");
    }
}

static void check_names(const reading_t *r, const char *path, const json_t *object, const char *const *names)
{
    const char *name;
    json_t *value;

    json_object_foreach ((json_t *)object, name, value) {
        if (!names[cat_text_find(names, name)]) {
            add_error(r, *path ? make_path(r, path, name) : name, "unknown", "is not a known field");
        }
    }
}

static void read_adjustment(const reading_t *r, const char *name, const json_t *how, cat_bulk_adjustment_t *a)
{
    static const char *const names[] = {"percent", "add", "round", NULL};
    const char *path = make_path(r, "adjust", name);
    const cat_input_t *set = &r->request->set;

    a->field = find_number(r->request->fields, name);
    if (a->field < 0) {
        add_error(r, path, "unknown", "is not a numeric field of products");
    } else if (!json_is_object(how)) {
        add_error(r, path, "type", "must be a JSON object");
    } else if (set->count && (set->values[a->field] || set->cleared[a->field])) {
        add_error(r, path, "duplicate", "must not be in set as well");
    } else {
        check_names(r, path, how, names);
        read_amounts(r, path, how, a);
    }
}

static void read_adjust(const reading_t *r, const json_t *value)
{
    cat_bulk_adjustment_t *all = apr_pcalloc(r->pool, (json_object_size(value) + 1) * sizeof(*all));
    const char *name;
    json_t *how;

    r->request->adjustments = all;
    json_object_foreach ((json_t *)value, name, how) {
        read_adjustment(r, name, how, &all[r->request->adjustment_count++]);
    }
    if (r->request->adjustment_count == 0) {
        add_error(r, "adjust", "required", "must have at least one numeric field of products");
    }
}

/* ---- the others ---- */

static void read_expect(const reading_t *r, const json_t *value)
{
    double expect = json_number_value(value);

    r->request->expect = expect < 0 ? -1 : expect < EXPECT_MOST ? (apr_int64_t)expect : (apr_int64_t)EXPECT_MOST;
    if (expect < 0) {
        add_error(r, "expect", "too_small", "must be at least 0");
    }
}

static void read_delete(const reading_t *r, const json_t *value)
{
    r->request->is_deletion = json_is_true(value);
}

static void read_dry_run(const reading_t *r, const json_t *value)
{
    r->request->is_dry = json_is_true(value);
}

static void read_atomic(const reading_t *r, const json_t *value)
{
    r->request->is_atomic = json_is_true(value);
}

/* THE MEMBERS of such a body; `adjust` is read after `set`. */
static const struct member_t {
    const char *name;
    json_type type; /* JSON_TRUE: a boolean */
    void (*read)(const reading_t *r, const json_t *value);
    const char *message; /* for another type */
    const char *about;   /* a sentence */
} members[] = {
    {"where", JSON_STRING, read_where, "must be a string",
     "Conditions and `q`, as in the query string of the list, encoded as there; empty: all products."},
    {"set", JSON_OBJECT, read_set, "must be a JSON object", "Fields that all of these products get."},
    {"adjust", JSON_OBJECT, read_adjust, "must be a JSON object",
     "Numbers to raise or lower, by field. A product without the field stays without it."},
    {"delete", JSON_TRUE, read_delete, "must be true or false",
     "With `true`, these products are deleted; then there is no `set` and no `adjust`."},
    {"expect", JSON_INTEGER, read_expect, "must be a whole number",
     "How many products the client expects to match; if another number does, nothing is changed."},
    {"dryRun", JSON_TRUE, read_dry_run, "must be true or false", "With `true`, nothing is changed, only counted."},
    {"atomic", JSON_TRUE, read_atomic, "must be true or false",
     "With `false`, a product that would become invalid is left as it is, and a job of the server changes more than "
     "10000 products; the request then has at most 8000 octets."},
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static int has_type(const json_t *value, json_type type)
{
    return type == JSON_TRUE      ? json_is_boolean(value)
           : type == JSON_INTEGER ? cat_fields_is_whole(value)
                                  : json_typeof(value) == type;
}

static void read_members(const reading_t *r)
{
    const char *names[MEMBERS + 1] = {NULL};

    for (size_t i = 0; i < MEMBERS; i++) {
        const json_t *value = json_object_get(r->body, members[i].name);
        names[i] = members[i].name;
        if (value && has_type(value, members[i].type)) {
            members[i].read(r, value);
        } else if (value) {
            add_error(r, members[i].name, "type", members[i].message);
        }
    }
    check_names(r, "", r->body, names);
}

static void check_whole(const reading_t *r)
{
    int changes = json_object_get(r->body, "set") || json_object_get(r->body, "adjust");

    if (!json_object_get(r->body, "where")) {
        add_error(r, "where", "required", "is required");
    }
    if (r->request->is_deletion && changes) {
        add_error(r, "delete", "format", "must be false if there is set or adjust");
    } else if (!r->request->is_deletion && !changes) {
        add_error(r, "set", "required", "is required, unless there is adjust or delete");
    }
}

int cat_bulk_request_parse(apr_pool_t *pool, const cat_conf_t *conf, int strict, const json_t *body,
                           cat_bulk_request_t *request)
{
    const reading_t r = {pool, conf, strict, body, request};

    *request = (cat_bulk_request_t){.fields = cat_product_fields_of(conf), .is_atomic = 1, .expect = -1};
    request->set.ignored = apr_array_make(pool, 0, sizeof(const char *));
    read_members(&r);
    check_whole(&r);
    request->query.limit = CAT_BULK_ATOMIC_MAX;
    return !request->errors;
}

/* ---- description ---- */

static json_t *describe_amount(const char *name, const char *about)
{
    return json_pack("{s:s, s:{s:{s:s, s:s}, s:{s:s, s:i, s:i, s:s}}, s:[s], s:b}", "type", "object", "properties",
                     name, "type", "number", "description", about, "round", "type", "integer", "minimum", 0, "maximum",
                     PLACES_MOST, "description",
                     "To how many decimal places it is rounded, half away from zero; absent: it is not.", "required",
                     name, "additionalProperties", 0);
}

static json_t *describe_adjust(cat_describer_t *d)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);
    json_t *numbers = json_object();

    for (int i = 0; i < fields->count; i++) {
        if (find_number(fields, fields->all[i].name) == i) {
            json_t *schema =
                json_pack("{s:[o, o]}", "oneOf", describe_amount("percent", "By what percentage it is raised."),
                          describe_amount("add", "What is added to it."));
            json_object_set_new(numbers, fields->all[i].name, cat_description_add_schema(d, "Adjustment", schema));
        }
    }
    return json_pack("{s:s, s:o, s:i, s:b}", "type", "object", "properties", numbers, "minProperties", 1,
                     "additionalProperties", 0);
}

static json_t *describe_type(json_type type)
{
    return json_pack("{s:s}", "type", type == JSON_STRING ? "string" : type == JSON_INTEGER ? "integer" : "boolean");
}

json_t *cat_bulk_request_describe(cat_describer_t *d, json_t *set)
{
    json_t *properties = json_object();

    for (size_t i = 0; i < MEMBERS; i++) {
        const struct member_t *m = &members[i];
        json_t *schema = m->read == read_set      ? set
                         : m->read == read_adjust ? describe_adjust(d)
                                                  : describe_type(m->type);
        json_object_set_new(schema, "description", json_string(m->about));
        json_object_set_new(properties, m->name, schema);
    }
    json_object_set_new(json_object_get(properties, "expect"), "minimum", json_integer(0));
    json_object_set_new(json_object_get(properties, "atomic"), "default", json_true());
    return cat_description_add_schema(d, "BulkChange",
                                      json_pack("{s:s, s:o, s:[s], s:b}", "type", "object", "properties", properties,
                                                "required", "where", "additionalProperties", 0));
}
