/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the query string of a list into the question that it asks, cat_list_query_t.
 *
 * Everything that depends on a query string derives from this value: the SQL, the links to other pages, the key in the
 * response cache, and what a cursor is sealed to. So two query strings that ask the same must have the same value. Each
 * parameter is a row of the list parameter table below, which knows how it is parsed and how it is written again:
 *
 *     ?sort=-price&category=tea&limit=10&page=2        as the client sent it
 *     category = tea | price descending | 10 | page 2  parsed: conditions sorted, defaults filled in
 *     &category=tea&sort=-price&limit=10               query->parameters, the canonical spelling of all but page
 *     &category=tea&sort=-price                        query->sealed: which products, in which order
 *
 * A parameter that is no row is a condition (catalogue/query/query_conditions.c), or unknown. Faults are collected, so that
 * the client gets all of them at once.
 */
#include "catalogue/query/query.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/product/product_keys.h"
#include "catalogue/query/cursor.h"
#include "catalogue/query/query_clauses.h"
#include "catalogue/query/visible.h"
#include "http/parameters.h"
#include "jose/keyring.h"
#include "lib/buffer.h"
#include "lib/fold.h"
#include "lib/number.h"
#include "lib/text.h"
#include "lib/words.h"

#define PARAMETERS_SIZE 32 /* octets: a guess of cat_list_query_t's */
#define KEY_SIZE 128       /* octets: a guess of a key with a cursor */

typedef struct parsing_t {
    cat_parameters_t parameters;
    const cat_conf_t *conf;
    cat_list_query_t *query;
    cat_query_conditions_t conditions;
    const char *cursor;         /* the client's; NULL: none, or its encoding is broken */
    const char *folded;         /* of q; NULL: none */
    const cat_query_own_t *own; /* NULL: the list's own resource parses */
    const char *const *joined;  /* by word of q: the word with the one before it, or NULL; */
    const char *const *numbers; /* it without the letters before a number, or NULL */
    unsigned sent, repeated;    /* bits: the rows of the table that were sent, that were sent twice */
} parsing_t;

/* The rows of the list parameter table. */
enum { ROW_PAGE, ROW_CURSOR, ROW_Q, ROW_MATCH, ROW_SORT, ROW_FIELDS, ROW_ETAGS, ROW_COUNT, ROW_FACETS, ROW_LIMIT };

static void parse_page(parsing_t *p, const cat_parameter_t *parameter)
{
    p->query->page = cat_parameters_parse_page(parameter);
}

static void parse_cursor(parsing_t *p, const cat_parameter_t *parameter)
{
    p->cursor = parameter->value;
}

/* ---- q ---- */

static int has_search(const cat_conf_t *conf)
{
    return !conf->index || *conf->index & CAT_INDEX_SEARCH;
}

static void set_words(parsing_t *p, const cat_words_asked_t *asked)
{
    p->query->words = asked->words;
    p->query->word_count = asked->count;
    p->joined = asked->joined;
    p->numbers = asked->numbers;
}

static void add_too_many_words(cat_parameters_t *parameters)
{
    cat_parameters_add_error(parameters, "q", "too_many",
                             "must have at most " APR_STRINGIFY(CAT_QUERY_WORDS_MAX) " words");
}

/* Begins no word of a product, because words consist of letters and digits. */
#define NO_WORD "-"

/* Returns the words that the folded text of `q` asks for. A text without a letter or digit asks for NO_WORD and so matches nothing; no word at all
 * would mean a query without `q`. */
static cat_words_asked_t ask(apr_pool_t *pool, const char *folded, cat_match_t match)
{
    static const char *const nothing[] = {NO_WORD}, *const none[] = {NULL};
    cat_words_asked_t asked =
        match == CAT_MATCH_EXACT ? cat_words_ask_whole(pool, folded) : cat_words_ask(pool, folded);

    return asked.count ? asked : (cat_words_asked_t){nothing, none, none, 1};
}

static void parse_words(parsing_t *p, const cat_parameter_t *parameter)
{
    cat_parameters_t *parameters = &p->parameters;
    cat_words_asked_t asked;

    p->folded = cat_fold_text(parameters->pool, parameter->value ? parameter->value : "");
    asked = ask(parameters->pool, p->folded, CAT_MATCH_WIDE);

    if (!parameter->value) {
        cat_parameters_add_error(parameters, parameter->name, "encoding", "must be percent-encoded UTF-8");
    } else if (asked.count > CAT_QUERY_WORDS_MAX) {
        add_too_many_words(parameters);
    } else if (!has_search(p->conf)) {
        cat_parameters_add_error(parameters, parameter->name, "no_index",
                                 "is not available: this server has no search index");
    }
    set_words(p, &asked);
}

static void add_others(const parsing_t *p)
{
    cat_list_query_t *query = p->query;
    const cat_words_asked_t asked = {query->words, p->joined, p->numbers, query->word_count};
    const cat_query_clauses_t clauses = cat_query_clauses_make(p->parameters.pool, &asked, p->conf->synonyms);

    query->words = clauses.words;
    query->others = clauses.others;
    query->word_count = clauses.count;
    query->repeated_count = clauses.count - asked.count;
}

static void add_words(cat_buffer_t *b, const cat_list_query_t *query)
{
    for (int i = 0; i < query->word_count - query->repeated_count; i++) {
        apr_size_t length = strcspn(query->words[i], CAT_PRODUCT_WORD_END);
        cat_buffer_add_text(b, i ? "%20" : "&q=");
        cat_parameters_write(b, apr_pstrmemdup(b->pool, query->words[i], length));
    }
}

static const char *const matches[] = {[CAT_MATCH_PREFIX - 1] = "prefix", [CAT_MATCH_EXACT - 1] = "exact", NULL};

static void parse_match(parsing_t *p, const cat_parameter_t *parameter)
{
    int match = cat_text_find(matches, parameter->value ? parameter->value : "");

    if (matches[match]) {
        p->query->match = (cat_match_t)(match + 1);
    } else {
        cat_parameters_add_error(&p->parameters, parameter->name, "unknown", "must be prefix or exact");
    }
}

static void add_match(cat_buffer_t *b, const cat_list_query_t *query)
{
    if (query->match != CAT_MATCH_WIDE) {
        CAT_BUFFER_LITERAL(b, "&match=");
        cat_buffer_add_text(b, matches[query->match - 1]);
    }
}

static const char *end_word(apr_pool_t *pool, const char *word)
{
    return word ? apr_pstrcat(pool, word, CAT_PRODUCT_WORD_END, NULL) : NULL;
}

/* When q and match are both known. */
static void ask_for_whole_words(parsing_t *p)
{
    apr_pool_t *pool = p->parameters.pool;
    cat_words_asked_t asked = ask(pool, p->folded, CAT_MATCH_EXACT);
    const char **words = apr_palloc(pool, (apr_size_t)asked.count * sizeof(*words)),
               **joined = apr_palloc(pool, (apr_size_t)asked.count * sizeof(*joined));

    for (int i = 0; i < asked.count; i++) {
        words[i] = end_word(pool, asked.words[i]);
        joined[i] = end_word(pool, asked.joined[i]);
    }
    if (asked.count > CAT_QUERY_WORDS_MAX && !p->parameters.errors) {
        add_too_many_words(&p->parameters);
    }
    set_words(p, &(cat_words_asked_t){words, joined, asked.numbers, asked.count});
}

/* Without words there is nothing to match. */
static void settle_match(parsing_t *p)
{
    if (!p->query->word_count) {
        p->query->match = CAT_MATCH_WIDE;
    } else if (p->query->match == CAT_MATCH_EXACT) {
        ask_for_whole_words(p);
    }
}

/* ---- order ---- */

/* What returns all products at once has no page to which the most relevant ones could come first. */
static void parse_sort(parsing_t *p, const cat_parameter_t *parameter)
{
    cat_list_query_t *query = p->query;

    query->sort_count = cat_query_sort_parse(&p->parameters, p->conf, parameter, query->sort, &query->is_by_relevance);
    if (query->is_by_relevance && p->own) {
        cat_parameters_add_error(&p->parameters, "sort", "invalid", "can be " CAT_QUERY_RELEVANCE " in lists only");
    }
}

static void check_relevance(parsing_t *p)
{
    if (p->query->is_by_relevance && !(p->sent & 1U << ROW_Q)) {
        cat_parameters_add_error(&p->parameters, "sort", "required", "can be " CAT_QUERY_RELEVANCE " only with q");
    }
}

static void add_sort(cat_buffer_t *b, const cat_list_query_t *query)
{
    if (query->is_by_relevance) {
        CAT_BUFFER_LITERAL(b, "&sort=" CAT_QUERY_RELEVANCE);
    } else if (!cat_query_sort_is_default(query->sort, query->sort_count)) {
        CAT_BUFFER_LITERAL(b, "&sort=");
        cat_query_sort_write(b, query->all, query->sort, query->sort_count);
    }
}

/* ---- what an answer has ---- */

static void parse_fields(parsing_t *p, const cat_parameter_t *parameter)
{
    const cat_field_set_t all = cat_field_list_without(p->query->all, 0);

    p->query->fields = cat_field_list_parse(&p->parameters, p->query->all, "fields", parameter, &all);
    p->query->has_all_fields = cat_field_set_is_same(&p->query->fields, &all);
}

static void add_fields(cat_buffer_t *b, const cat_list_query_t *query)
{
    const cat_field_set_t shown = cat_field_list_without(query->all, CAT_DETAIL);

    if (!cat_field_set_is_same(&query->fields, &shown)) {
        CAT_BUFFER_LITERAL(b, "&fields=");
        cat_field_list_write(b, query->all, &query->fields);
    }
}

static void parse_etags(parsing_t *p, const cat_parameter_t *parameter)
{
    const char *value = parameter->value ? parameter->value : "";

    p->query->has_etags = strcmp(value, "true") == 0;
    if (!p->query->has_etags && strcmp(value, "false") != 0) {
        cat_parameters_add_error(&p->parameters, parameter->name, "type", "must be true or false");
    }
}

static void add_etags(cat_buffer_t *b, const cat_list_query_t *query)
{
    if (query->has_etags) {
        CAT_BUFFER_LITERAL(b, "&etags=true");
    }
}

static const char *const counts[] = {
    [CAT_COUNT_CAPPED] = "capped", [CAT_COUNT_EXACT] = "exact", [CAT_COUNT_NONE] = "none", NULL};

static void parse_count(parsing_t *p, const cat_parameter_t *parameter)
{
    int count = cat_text_find(counts, parameter->value ? parameter->value : "");

    if (counts[count]) {
        p->query->count = (cat_count_t)count;
    } else {
        cat_parameters_add_error(&p->parameters, parameter->name, "unknown", "must be exact, capped or none");
    }
}

static cat_count_t default_count(const cat_list_query_t *query)
{
    return query->page ? CAT_COUNT_CAPPED : CAT_COUNT_NONE;
}

static void add_count(cat_buffer_t *b, const cat_list_query_t *query)
{
    if (query->count != default_count(query)) {
        CAT_BUFFER_LITERAL(b, "&count=");
        cat_buffer_add_text(b, counts[query->count]);
    }
}

cat_field_set_t cat_query_facets(const cat_conf_t *conf)
{
    cat_field_set_t facets = cat_field_list_with(cat_product_fields_of(conf), CAT_FACET);

    cat_field_set_add(&facets, CAT_PRODUCT_CATEGORY);
    cat_field_set_add(&facets, CAT_PRODUCT_IN_STOCK);
    return facets;
}

/* "brand:200" asks for 200 values. Leaves the name. */
static void take_most(parsing_t *p, const char **facet)
{
    const char *colon = *facet ? strchr(*facet, ':') : NULL;
    apr_int64_t most;
    int field;

    if (!colon) {
        return;
    }
    field = cat_field_list_find(p->query->all, *facet, (apr_size_t)(colon - *facet));
    if (!cat_number_parse_integer(colon + 1, &most) || most < 1 || most > CAT_QUERY_FACET_MAX) {
        cat_parameters_add_error(
            &p->parameters, "facets", "invalid",
            "must ask for 1 to " APR_STRINGIFY(CAT_QUERY_FACET_MAX) " values of a field, as in brand:200");
    } else if (field < p->query->all->count) {
        p->query->facet_most[field] = most == CAT_QUERY_FACET ? 0 : (short)most;
    }
    *facet = apr_pstrmemdup(p->parameters.pool, *facet, (apr_size_t)(colon - *facet));
}

static void parse_facets(parsing_t *p, const cat_parameter_t *parameter)
{
    const cat_field_set_t allowed = cat_query_facets(p->conf);
    apr_array_header_t *names = cat_parameters_list(&p->parameters, "facets", parameter);

    for (int i = 0; i < names->nelts; i++) {
        take_most(p, &APR_ARRAY_IDX(names, i, const char *));
    }
    p->query->facets = cat_field_list_take(&p->parameters, p->query->all, "facets", names, &allowed);
    p->query->has_facets = 1;
}

static void add_facets(cat_buffer_t *b, const cat_list_query_t *query)
{
    const char *separator = "&facets=";

    for (int i = 0; i < query->all->count && query->has_facets; i++) {
        if (!cat_field_set_has(&query->facets, i)) {
            continue;
        }
        cat_buffer_add_text(b, separator);
        cat_buffer_add_text(b, query->all->all[i].name);
        if (query->facet_most[i]) {
            CAT_BUFFER_LITERAL(b, ":");
            cat_buffer_add_int(b, query->facet_most[i]);
        }
        separator = ",";
    }
}

static void parse_limit(parsing_t *p, const cat_parameter_t *parameter)
{
    p->query->limit = cat_parameters_parse_limit(parameter, p->conf->default_limit, p->conf->max_limit);
}

static void add_limit(cat_buffer_t *b, const cat_list_query_t *query)
{
    CAT_BUFFER_LITERAL(b, "&limit=");
    cat_buffer_add_int(b, query->limit);
}

/* ---- what the description has of each ---- */

static json_t *describe_cursor(const cat_conf_t *)
{
    return json_pack("{s:s}", "type", "string");
}

static json_t *describe_words(const cat_conf_t *conf)
{
    return has_search(conf) ? json_pack("{s:s}", "type", "string") : NULL;
}

static json_t *describe_match(const cat_conf_t *conf)
{
    return has_search(conf) ? cat_description_words(matches, -1) : NULL;
}

static json_t *describe_fields(const cat_conf_t *conf)
{
    const cat_fields_t *fields = cat_product_fields_of(conf);
    const cat_field_set_t all = cat_field_list_without(fields, 0);

    return cat_field_list_describe(fields, &all);
}

static json_t *describe_etags(const cat_conf_t *)
{
    return json_pack("{s:s, s:b}", "type", "boolean", "default", 0);
}

static json_t *describe_count(const cat_conf_t *)
{
    return cat_description_words(counts, -1);
}

/* Programs that make types of schemas stumble over anyOf, so names are in a pattern, where a number may follow. */
static json_t *describe_facet(const json_t *names)
{
    json_t *name, *pattern = json_string("^(");
    size_t i;

    json_array_foreach (names, i, name) {
        json_t *longer = json_sprintf("%s%s%s", json_string_value(pattern), i ? "|" : "", json_string_value(name));
        json_decref(pattern);
        pattern = longer;
    }
    name = json_sprintf("%s)(:([1-9][0-9]{0,2}|1000))?$", json_string_value(pattern));
    json_decref(pattern);
    return json_pack("{s:s, s:o}", "type", "string", "pattern", name);
}

static json_t *describe_facets(const cat_conf_t *conf)
{
    const cat_field_set_t facets = cat_query_facets(conf);

    json_t *schema = cat_field_list_describe(cat_product_fields_of(conf), &facets);

    json_object_set_new(schema, "items", describe_facet(json_object_get(json_object_get(schema, "items"), "enum")));
    return schema;
}

/* ---- the table ---- */

/* THE LIST PARAMETER TABLE: one row a parameter of GET /products that is no condition (catalogue/query/query_conditions.c), in
 * the order in which links have them after the conditions. */
static const struct parameter_row_t {
    const char *name;
    /* Called if the client sent it, for the first one. Its value is NULL if its encoding is broken. */
    void (*parse)(parsing_t *p, const cat_parameter_t *parameter);
    /* Adds it to the query's parameters, unless its value is the default; NULL: it only says where an answer begins. */
    void (*add)(cat_buffer_t *b, const cat_list_query_t *query);
    /* What a second one means: a fault, nothing, or another value of the list, which may be called "sort[]" too. */
    enum { REFUSED, FORGIVEN, LISTED } second;
    int is_sealed; /* flag: a cursor continues the list with the same one only; before all others in the table */
    int is_of_all; /* flag: it also means something where all products of a list are returned at once */
    json_t *(*describe)(const cat_conf_t *conf); /* its schema; NULL: the settings leave it out */
    const char *example;                         /* as JSON */
    const char *about;                           /* a sentence without full stop */
} rows[] = {
    [ROW_PAGE] = {"page", parse_page, NULL, FORGIVEN, 0, 0, cat_parameters_describe_page, "2", CAT_PARAMETERS_PAGE},
    [ROW_CURSOR] = {"cursor", parse_cursor, NULL, REFUSED, 0, 0, describe_cursor, "\"\"",
                    "Where to continue the list: empty at its beginning, then `nextCursor` of the answer before; it is "
                    "valid with the same conditions, words and order, and without `page`"},
    [ROW_Q] = {"q", parse_words, add_words, REFUSED, 1, 1, describe_words, "\"red kett\"",
               "Words of letters and digits, each of which begins a word of `name`, of `category` or of a field with "
               "`search`, without regard to case and accents; at most " APR_STRINGIFY(
                   CAT_QUERY_WORDS_MAX) "; without any, nothing matches"},
    [ROW_MATCH] =
        {"match", parse_match, add_match, REFUSED, 1, 1, describe_match, "\"exact\"",
         "`prefix`: never words that contain one of `q` or are one slip away, which otherwise take part where "
         "few products match; `exact`: whole words only, and no synonyms"},
    [ROW_SORT] =
        {"sort", parse_sort, add_sort, LISTED, 1, 1, cat_query_sort_describe, "[\"-price\", \"name\"]",
         "The order: fields, with `-` for descending order; ties are ordered by `createdAt`, then by `id`. Of "
         "lists with `q`, also `relevance`, alone: products that have its words whole before others, those with "
         "all of them in `name` first"},
    [ROW_FIELDS] = {"fields", parse_fields, add_fields, LISTED, 0, 1, describe_fields, "[\"name\", \"price\"]",
                    "The fields that the answer has of each product; all if absent"},
    [ROW_ETAGS] = {"etags", parse_etags, add_etags, REFUSED, 0, 0, describe_etags, "true",
                   "Whether each product of the answer has its `etag`, the one that GET of it has, for `ifMatch`"},
    [ROW_COUNT] = {"count", parse_count, add_count, REFUSED, 0, 0, describe_count, "\"exact\"",
                   "How `total` counts: all that match, up to a limit (the default by page), or not at all (the "
                   "default by cursor)"},
    [ROW_FACETS] =
        {"facets", parse_facets, add_facets, LISTED, 0, 0, describe_facets, "[\"category\"]",
         "Fields of which the answer counts the values, the most frequent first; `brand:200` asks for as many values, "
         "at least 1, at most " APR_STRINGIFY(CAT_QUERY_FACET_MAX) ", instead of " APR_STRINGIFY(CAT_QUERY_FACET)},
    [ROW_LIMIT] = {"limit", parse_limit, add_limit, FORGIVEN, 0, 0, cat_parameters_describe_limit, "20",
                   CAT_PARAMETERS_LIMIT},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static size_t find_row(const cat_parameter_t *parameter)
{
    size_t i = 0;

    while (i < ROWS && (rows[i].second == LISTED ? !cat_parameters_is_list(parameter, rows[i].name)
                                                 : strcmp(rows[i].name, parameter->name) != 0)) {
        i++;
    }
    return i;
}

static void refuse_repeated(parsing_t *p, size_t row)
{
    if (rows[row].second == REFUSED && !(p->repeated & 1U << row)) {
        cat_parameters_add_repeated(&p->parameters, rows[row].name);
    }
    p->repeated |= 1U << row;
}

/* A name such as "page[]" is no condition: page and limit are forgiving. */
static int is_forgiven(const char *name)
{
    for (size_t i = 0; i < ROWS; i++) {
        size_t length = strlen(rows[i].name);
        if (rows[i].second == FORGIVEN && strncmp(name, rows[i].name, length) == 0 && name[length] == '[') {
            return 1;
        }
    }
    return 0;
}

static void parse_parameter(parsing_t *p, const cat_parameter_t *parameter)
{
    size_t row = find_row(parameter);
    int is_of_list = row < ROWS && (!p->own || rows[row].is_of_all);

    if (p->own && p->own->take(p->own->baton, &p->parameters, parameter)) {
        return;
    }
    if (is_of_list && p->sent & 1U << row) {
        refuse_repeated(p, row);
    } else if (is_of_list) {
        p->sent |= 1U << row;
        rows[row].parse(p, parameter);
    } else if (row < ROWS || is_forgiven(parameter->name) ||
               !cat_query_conditions_take(&p->conditions, &p->parameters, p->conf, parameter)) {
        cat_parameters_add_unknown(&p->parameters, parameter->name);
    }
}

/* ---- the canonical spelling ---- */

static void add_rows(cat_buffer_t *b, const cat_list_query_t *query, int is_sealed)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].add && rows[i].is_sealed == is_sealed) {
            rows[i].add(b, query);
        }
    }
}

static void write_parameters(apr_pool_t *pool, cat_list_query_t *query)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, PARAMETERS_SIZE);
    cat_query_conditions_write(&b, query->all, query->conditions, query->condition_count);
    add_rows(&b, query, 1);
    query->sealed = b.length ? apr_pstrmemdup(pool, b.data, b.length) : "";
    add_rows(&b, query, 0);
    query->parameters = cat_buffer_text(&b);
    query->is_plain = !*query->sealed;
}

/* ---- a query ---- */

/* A list that was widened is another one than that without such words. */
static const char *sealed_to(apr_pool_t *pool, const cat_list_query_t *query)
{
    static const char *const widths[] = {"", "&wide", "&wider"};

    return apr_pstrcat(pool, query->sealed, widths[query->width], NULL);
}

static int read_position(const parsing_t *p, const cat_keys_t *keys, const cat_key_t **key)
{
    cat_list_query_t *query = p->query;

    return cat_cursor_read(p->parameters.pool, keys, sealed_to(p->parameters.pool, query), p->cursor, &query->after,
                           key);
}

static cat_query_outcome_t read_cursor(const parsing_t *p, apr_time_t now)
{
    cat_list_query_t *query = p->query;
    const cat_keys_t *keys = cat_keyring_get(p->conf->keys, now, NULL);
    const cat_key_t *key;
    int is_read = p->cursor && read_position(p, keys, &key);

    while (p->cursor && !is_read && query->can_widen && query->width < CAT_WIDTH_ALL) {
        query->width++;
        is_read = read_position(p, keys, &key);
    }
    if (!is_read) {
        return CAT_QUERY_CURSOR_INVALID;
    }
    query->sealing_key = keys->all[0];
    query->cursor = !key || key == query->sealing_key ? p->cursor : NULL;
    return CAT_QUERY_OK;
}

static void parse_text(parsing_t *p)
{
    cat_list_query_t *query = p->query;
    cat_parameter_t parameter;

    while (cat_parameters_next(&p->parameters, &parameter)) {
        parse_parameter(p, &parameter);
    }
    check_relevance(p);
    query->conditions = p->conditions.all;
    query->condition_count = p->conditions.count;
    settle_match(p);
    query->errors = p->parameters.errors;
    query->ignored = p->parameters.ignored;
}

static void note_field(cat_list_query_t *query, int field)
{
    if (field < CAT_PRODUCT_FIELDS) {
        query->parts |= cat_product_keys_part(field);
    } else {
        cat_field_set_add(&query->keyed, field);
    }
}

static void note_fields(cat_list_query_t *query)
{
    query->parts = query->word_count ? CAT_INDEX_SEARCH : 0;
    for (int i = 0; i < query->condition_count; i++) {
        note_field(query, query->conditions[i].field);
    }
    for (int i = 0; i < query->sort_count; i++) {
        note_field(query, query->sort[i].field);
    }
}

/* What is the same question gets the same value. */
static void fill_defaults(const parsing_t *p)
{
    cat_list_query_t *query = p->query;

    if (!query->page && !(p->sent & 1U << ROW_CURSOR)) {
        query->page = 1;
    }
    if (!(p->sent & 1U << ROW_COUNT)) {
        query->count = default_count(query);
    } else if (query->count == CAT_COUNT_EXACT && !query->condition_count && !query->word_count && !p->conf->visible) {
        query->count = CAT_COUNT_CAPPED; /* a counter knows it */
    }
}

static void begin_query(parsing_t *p, apr_pool_t *pool, int strict, const char *text)
{
    const cat_fields_t *all = cat_product_fields_of(p->conf);
    const cat_field_set_t detail = cat_field_list_with(all, CAT_DETAIL);

    *p->query = (cat_list_query_t){.limit = p->conf->default_limit,
                                   .all = all,
                                   .fields = cat_field_list_without(all, CAT_DETAIL),
                                   .has_all_fields = cat_field_set_is_empty(&detail)};
    p->query->sort_count = cat_query_sort_by_default(p->query->sort);
    cat_parameters_init(&p->parameters, pool, strict, text);
}

/* The conditions of CatalogVisible are those of the statement: links and cursors have the client's own. */
static void hide_products(parsing_t *p)
{
    cat_list_query_t *query = p->query;
    const cat_visible_t *visible = p->conf->visible;

    if (visible) {
        query->conditions = cat_visible_add(p->parameters.pool, visible, query->conditions, &query->condition_count);
        query->is_plain = 0;
    }
}

/* What derives from the parameters. 0: query->errors says why. */
static int finish_query(parsing_t *p)
{
    cat_list_query_t *query = p->query;

    add_others(p);
    write_parameters(p->parameters.pool, query);
    hide_products(p);
    note_fields(query);
    if (strlen(query->parameters) > CAT_QUERY_OCTETS_MAX) {
        cat_parameters_add_error(&p->parameters, "parameters", "too_long",
                                 "must have at most " APR_STRINGIFY(CAT_QUERY_OCTETS_MAX) " octets");
        query->errors = p->parameters.errors;
    }
    return !query->errors;
}

cat_query_outcome_t cat_query_parse(apr_pool_t *pool, const cat_conf_t *conf, apr_time_t now, int strict,
                                    const char *text, cat_list_query_t *query)
{
    parsing_t p = {.conf = conf, .query = query};

    begin_query(&p, pool, strict, text);
    parse_text(&p);
    if (query->errors) {
        return CAT_QUERY_INVALID;
    }
    fill_defaults(&p);
    query->can_widen = query->word_count && query->match == CAT_MATCH_WIDE && strcmp(query->words[0], NO_WORD) != 0;
    if (!finish_query(&p)) {
        return CAT_QUERY_INVALID;
    }
    if (!(p.sent & 1U << ROW_CURSOR)) {
        return CAT_QUERY_OK;
    }
    return query->page ? CAT_QUERY_CURSOR_AND_PAGE : read_cursor(&p, now);
}

int cat_query_parse_all(apr_pool_t *pool, const cat_conf_t *conf, int strict, const char *text,
                        const cat_query_own_t *own, cat_list_query_t *query)
{
    parsing_t p = {.conf = conf, .query = query, .own = own};

    begin_query(&p, pool, strict, text);
    query->fields = cat_field_list_without(query->all, 0); /* detail, too: what is exported can be imported */
    query->has_all_fields = 1;
    query->count = CAT_COUNT_NONE;
    query->after.n = CAT_LIST_KEY_MAX;
    parse_text(&p);
    return !query->errors && finish_query(&p);
}

apr_int64_t cat_query_count_skipped(const cat_list_query_t *query)
{
    apr_int64_t pages = query->page - 1;

    return pages > APR_INT64_MAX / query->limit ? APR_INT64_MAX : pages * query->limit;
}

const char *cat_query_write_cursor(apr_pool_t *pool, const cat_list_query_t *query, const cat_list_position_t *after)
{
    return cat_cursor_write(pool, query->sealing_key, sealed_to(pool, query), after);
}

/* The answer contains a cursor sealed with today's key. So its name has one too, whichever key sealed the client's cursor, or
 * the key's mark: sealing the beginning would cost as much as sealing the next cursor. */
const char *cat_query_write_key(apr_pool_t *pool, const cat_list_query_t *query)
{
    const char *cursor = query->cursor;
    cat_buffer_t b;

    cat_buffer_init(&b, pool, KEY_SIZE);
    if (query->page) {
        CAT_BUFFER_LITERAL(&b, "/?page=");
        cat_buffer_add_int(&b, query->page);
    } else {
        cursor = cursor ? cursor : cat_query_write_cursor(pool, query, &query->after);
        if (!cursor) {
            return NULL;
        }
        CAT_BUFFER_LITERAL(&b, "/");
        cat_buffer_add_text(&b, *cursor ? "" : cat_key_mark(query->sealing_key));
        CAT_BUFFER_LITERAL(&b, "?cursor=");
        cat_buffer_add_text(&b, cursor);
    }
    cat_buffer_add_text(&b, query->parameters);
    return cat_buffer_text(&b);
}

void cat_query_describe(cat_describer_t *d, int is_all)
{
    cat_query_conditions_describe(d);
    for (size_t i = 0; i < ROWS; i++) {
        json_t *schema = !is_all || rows[i].is_of_all ? rows[i].describe(d->conf) : NULL;
        if (i == ROW_SORT && !is_all && has_search(d->conf)) {
            cat_query_sort_add_relevance(schema);
        }
        if (schema) {
            cat_description_add_parameter(d, rows[i].name, rows[i].about, schema,
                                          json_loads(rows[i].example, JSON_DECODE_ANY, NULL));
        }
    }
}
