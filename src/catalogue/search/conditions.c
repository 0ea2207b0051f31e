/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the conditions of a list as SQL, on the columns of the table products p and on the rows of product_keys.
 *
 * A field has up to two columns. Its own has what the client sent, and equality compares that; `<`, `>`, prefixes and orders
 * compare its key: a text folded, a number as an integer in the same order.
 *
 *     category=Tea          p.category = 'Tea'
 *     name=Kettle           p.name = 'Kettle' AND p.name_key = 'kettle'   (only the key has an index)
 *     category[gte]=Tea     p.category_key >= 'tea'
 *     name[prefix]=ket      p.name_key >= 'ket' AND p.name_key < 'keu'
 *     createdAt=T           p.n >= T << 20 AND p.n < (T + 1) << 20         (lib/id.h)
 *     id=01a1...            p.n = ... AND p.id = '01a1...'
 *     rating[ne]=5          p.rating_key <> ... AND p.rating_key >= 0     (-1 is the key of a rating that is not set)
 *
 * The keys of a field of the shop's own are rows of product_keys. A condition counts those of the product, as no database makes a join of
 * that, which it could read from the wrong end:
 *
 *     brand=Acme            (SELECT COUNT(*) FROM product_keys c WHERE c.field = 7 AND c.n = p.n
 *                           AND c.value_key = 'acme' AND c.value = 'Acme') > 0
 *     weight[lt]=2          the same with c.value_key < 'c000000000000000' AND c.value_key > ''    ('' is the key of a missing value)
 *     tags[all]=red,steel   one for each element
 *
 * Where the keys of the field are what is walked, w, the same is written on w.value_key.
 *
 * Each condition can be written in two ways: in full (cat_conditions_add), and as far as an index can find it
 * (cat_conditions_add_for_index), where equality of a text becomes equality of its key, for instance. The second finds all
 * products that meet the condition, and perhaps others; the plan adds the first to check them.
 *
 * The last condition of a list is written first, so that of two bounds of a field the lower one is before the upper one, which may come with
 * the check that the field is set. That is a lower bound, too, as CAT_EXISTS is, and SQLite reads an index from the first one in the text on.
 */
#include "catalogue/search/conditions.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/product/own_keys.h"
#include "catalogue/product/product_keys.h"
#include "lib/fold.h"
#include "lib/id.h"

/* THE COLUMN TABLE: what a field is compared and ordered by, derived of the field table (db/dialects/product.def). */
#define KEY_KEYED(column) column "_key"
#define KEY_PLAIN(column) column
#define KEY_NONE(column) NULL
#define COLUMN(name, field, column, update, compare, kind, ...)                                                        \
    [CAT_PRODUCT_##name] = {column, KEY_##compare(column), (kind) != CAT_STRING},

static const struct {
    const char *own; /* what texts are compared with for equality */
    const char *key; /* what all else is compared and ordered by; NULL: no condition or order reads it */
    int is_number;   /* flag: of the key */
} columns[CAT_PRODUCT_FIELDS] = {CAT_PRODUCT_TABLE(COLUMN)};

const char *cat_conditions_column(int field)
{
    return field == CAT_PRODUCT_ID || field == CAT_PRODUCT_CREATED_AT ? "n" : columns[field].key;
}

int cat_conditions_is_number(int field)
{
    return field < CAT_PRODUCT_FIELDS && columns[field].is_number;
}

static int is_own(int field)
{
    return field >= CAT_PRODUCT_FIELDS;
}

int cat_conditions_is_list(const cat_fields_t *fields, int field)
{
    return is_own(field) && fields->all[field].kind == CAT_LIST;
}

static int is_keyed(int field)
{
    return cat_product_keys_part(field) != 0;
}

/* ---- what the database knows of fields ---- */

/* Words of a product without those of a searched field would not find it. Private ones are behind query->all->count. */
static int is_read(const cat_list_query_t *query, int field)
{
    return cat_field_set_has(&query->keyed, field) ||
           (query->word_count && field < query->all->count && query->all->all[field].flags & CAT_SEARCHED);
}

int cat_conditions_are_filled(const cat_registry_t *registry, const cat_list_query_t *query)
{
    int are_filled = 1;

    for (int i = CAT_PRODUCT_FIELDS; i < CAT_FIELDS_MAX; i++) {
        int known = is_read(query, i) ? cat_registry_find_field(registry, query->all, i) : 0;
        are_filled = are_filled && (!known || (known < registry->fields->count && registry->is_complete[known]));
    }
    return are_filled;
}

/* Must it be what the state of the database has that the list is read from? What the keys of a choice mean changes with the order of its
 * values. And another server may just have added a private field, whose words are hidden only by who knows of it; a mount without fields
 * of its own learns of such a one within a second. */
static int is_exact(const cat_list_query_t *query)
{
    int is_read_now = query->word_count && query->all != &cat_product_built_in;

    for (int i = CAT_PRODUCT_FIELDS; i < CAT_FIELDS_MAX; i++) {
        is_read_now |= cat_field_set_has(&query->keyed, i) && query->all->own[i]->values;
    }
    return is_read_now;
}

apr_status_t cat_conditions_prepare(cat_db_t *db, const cat_list_query_t *query)
{
    const cat_registry_t *registry;
    apr_status_t rv;

    if (!query->word_count && cat_field_set_is_empty(&query->keyed)) {
        return APR_SUCCESS;
    }
    rv = (is_exact(query) ? cat_registry_get_now : cat_registry_get)(db, &registry);
    return rv == APR_SUCCESS && !cat_conditions_are_filled(registry, query) ? CAT_EFILLING : rv;
}

/* ---- prefixes ---- */

static apr_uint32_t decode_character(const unsigned char *first)
{
    apr_uint32_t character = *first < 0xE0 ? *first & 0x1F : *first < 0xF0 ? *first & 0x0F : *first & 0x07;

    if (*first < 0x80) {
        return *first;
    }
    for (first++; (*first & 0xC0) == 0x80; first++) {
        character = character << 6 | (*first & 0x3F);
    }
    return character;
}

static void encode_character(char *to, apr_uint32_t character)
{
    int octets = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xC0, 0xE0, 0xF0};

    to[octets] = '\0';
    for (int i = octets - 1; i > 0; i--, character >>= 6) {
        to[i] = (char)(0x80 | (character & 0x3F));
    }
    to[0] = (char)(marks[octets] | character);
}

/* The last character gives way to the one above it; one with none above it is left out. */
const char *cat_conditions_end_of_prefix(apr_pool_t *pool, const char *prefix)
{
    apr_size_t length = strlen(prefix);
    char *end = apr_pstrcat(pool, prefix, "    ", NULL); /* room for a longer character */

    while (length > 0) {
        apr_uint32_t character;
        do {
            length--;
        } while (length > 0 && (end[length] & 0xC0) == 0x80);
        character = decode_character((const unsigned char *)end + length);
        end[length] = '\0';
        if (character < 0x10FFFF) {
            encode_character(end + length, character == 0xD7FF ? 0xE000 : character + 1);
            return end;
        }
    }
    return NULL;
}

/* ---- conditions ---- */

static const char *const operators[] = {
    [CAT_EQ] = " = ", [CAT_NE] = " <> ", [CAT_LT] = " < ", [CAT_LTE] = " <= ", [CAT_GT] = " > ", [CAT_GTE] = " >= ",
};

static void add_column(cat_select_text_t *s, const char *column)
{
    cat_select_text_add(s, "p.", column, NULL);
}

/* As the column has it. */
static const char *key_of_text(const cat_select_text_t *s, const cat_query_value_t *value)
{
    return value->folded ? cat_fold_cut(s->text.pool, value->folded, CAT_PRODUCT_KEY_SIZE) : value->text;
}

const char *cat_conditions_operator(cat_operator_t op)
{
    return operators[op];
}

#define TIME_MAX (APR_INT64_C(1) << (63 - CAT_ID_TIME_SHIFT))

static void compare_number(cat_select_text_t *s, const char *operator, apr_int64_t time)
{
    cat_select_text_add(s, s->keys, ".n", operator, NULL);
    cat_select_text_add_key(s, time < 0 ? 0 : time < TIME_MAX ? time << CAT_ID_TIME_SHIFT : APR_INT64_MAX);
}

void cat_conditions_add_time(cat_select_text_t *s, cat_operator_t op, apr_int64_t time)
{
    apr_int64_t next = time < TIME_MAX ? time + 1 : time;

    switch (op) {
    case CAT_LT:
    case CAT_GTE:
        compare_number(s, operators[op], time);
        break;
    case CAT_LTE:
    case CAT_GT:
        compare_number(s, op == CAT_GT ? " >= " : " < ", next);
        break;
    default:
        cat_select_text_add(s, op == CAT_NE ? "NOT (" : "(", NULL);
        compare_number(s, " >= ", time);
        cat_select_text_add(s, " AND ", NULL);
        compare_number(s, " < ", next);
        cat_select_text_add(s, ")", NULL);
    }
}

/* Compares the column that orders the field. */
static void compare_key(cat_select_text_t *s, int field, cat_operator_t op, const cat_query_value_t *value)
{
    if (field == CAT_PRODUCT_CREATED_AT) {
        cat_conditions_add_time(s, op, value->key);
        return;
    }
    add_column(s, columns[field].key);
    cat_select_text_add(s, operators[op], NULL);
    if (columns[field].is_number) {
        cat_select_text_add_key(s, value->key);
    } else {
        cat_select_text_add_octets(s, key_of_text(s, value));
    }
}

/* Compares a text as it was sent. */
static void compare_exact(cat_select_text_t *s, int field, const cat_query_value_t *value)
{
    if (field == CAT_PRODUCT_ID) {
        cat_select_text_add(s, "p.n = ", NULL);
        cat_select_text_add_key(s, cat_id_number(value->text));
        cat_select_text_add(s, " AND ", NULL);
    }
    add_column(s, columns[field].own);
    cat_select_text_add(s, field == CAT_PRODUCT_ID ? "" : s->dialect->syntax->by_octets, " = ", NULL);
    cat_select_text_add_value(s, value->text);
}

/* Where trailing blanks are ignored, = also matches texts that differ in them, so compare the key too. Of texts other than
 * the category, only the key has an index. */
static void add_equality(cat_select_text_t *s, int field, const cat_query_value_t *value)
{
    if (columns[field].is_number) {
        compare_key(s, field, CAT_EQ, value);
        return;
    }
    compare_exact(s, field, value);
    if (is_keyed(field) && (field != CAT_PRODUCT_CATEGORY || s->dialect->syntax->pads_blanks)) {
        cat_select_text_add(s, " AND ", NULL);
        compare_key(s, field, CAT_EQ, value);
    }
}

static void add_in(cat_select_text_t *s, const cat_query_condition_t *condition)
{
    int field = condition->field;

    for (int i = 0; i < condition->count; i++) {
        cat_select_text_add(s, i ? " OR (" : "((", NULL);
        add_equality(s, field, &condition->values[i]);
        cat_select_text_add(s, ")", NULL);
    }
    cat_select_text_add(s, ")", NULL);
}

static void add_inequality(cat_select_text_t *s, int field, const cat_query_value_t *value)
{
    if (columns[field].is_number) {
        compare_key(s, field, CAT_NE, value);
        return;
    }
    cat_select_text_add(s, "NOT (", NULL);
    add_equality(s, field, value);
    cat_select_text_add(s, ")", NULL);
}

static void add_prefix(cat_select_text_t *s, int field, const cat_query_value_t *value)
{
    const char *begin = key_of_text(s, value), *end = cat_conditions_end_of_prefix(s->text.pool, begin);

    add_column(s, columns[field].key);
    cat_select_text_add(s, " >= ", NULL);
    cat_select_text_add_value(s, begin);
    if (end) {
        cat_select_text_add(s, " AND ", NULL);
        add_column(s, columns[field].key);
        cat_select_text_add(s, " < ", NULL);
        cat_select_text_add_value(s, end);
    }
}

/* The key of a number that is not set is -1, and that of a text is empty, as those of other texts may be. */
static void add_is_set(cat_select_text_t *s, int field, int is_set)
{
    if (columns[field].is_number) {
        add_column(s, columns[field].key);
        cat_select_text_add(s, is_set ? " >= " : " < ", NULL);
        cat_select_text_add_key(s, 0);
    } else {
        add_column(s, columns[field].own);
        cat_select_text_add(s, is_set ? " IS NOT NULL" : " IS NULL", NULL);
    }
}

/* A field that is not set meets no comparison. */
static void add_if_set(cat_select_text_t *s, int field)
{
    if (cat_product_fields[field].flags & CAT_CLEARABLE) {
        cat_select_text_add(s, " AND ", NULL);
        add_is_set(s, field, 1);
    }
}

/* ---- fields of the shop's own ---- */

/* The same field in the registry. */
static int find_known(const cat_select_text_t *s, int field)
{
    return cat_registry_find_field(s->registry, s->fields, field);
}

static void compare_field(cat_select_text_t *s, const char *name, int field)
{
    int known = find_known(s, field);

    cat_select_text_add(s, name, ".field = ", known < s->registry->fields->count ? s->registry->numbers[known] : "0",
                        NULL);
}

void cat_conditions_add_field(cat_select_text_t *s, const char *name, int field)
{
    cat_select_text_add_condition(s);
    compare_field(s, name, field);
}

/* Begins a subselect on the keys of the product. */
static void begin_keys(cat_select_text_t *s, const char *what, int field, int is_by_product)
{
    int outer = s->conditions;

    cat_select_text_add(s, "(SELECT ", what, " FROM ", NULL);
    cat_select_text_add_keys(s, "c", is_by_product);
    cat_select_text_begin_where(s);
    cat_conditions_add_field(s, "c", field);
    cat_select_text_add(s, " AND c.n = ", s->keys, ".n", NULL);
    s->conditions = outer;
}

void cat_conditions_add_key(cat_select_text_t *s, int field)
{
    if (s->own && field == s->own) {
        cat_select_text_add(s, s->keys, ".value_key", NULL);
    } else if (field == CAT_PRODUCT_ID) {
        cat_select_text_add(s, s->keys, ".n", NULL);
    } else if (field == CAT_PRODUCT_CREATED_AT) {
        cat_select_text_add(s, "(", s->keys, ".n >> " APR_STRINGIFY(CAT_ID_TIME_SHIFT) ")", NULL);
    } else if (!is_own(field)) {
        cat_select_text_add(s, s->products, ".", columns[field].key, NULL);
    } else {
        begin_keys(s, "c.value_key", field, 1);
        cat_select_text_add(s, ")", NULL);
    }
}

/* Has product_keys the exact text as well? */
static int has_exact(const cat_select_text_t *s, int field)
{
    return cat_own_keys_has_value(s->fields, field);
}

static const char *own_key(const cat_select_text_t *s, int field, const cat_query_value_t *value)
{
    return cat_own_keys_key(s->text.pool, s->registry->fields, find_known(s, field), value->text);
}

static void compare_own(cat_select_text_t *s, const char *table, const char *operator, const char * key)
{
    cat_select_text_add(s, table, ".value_key", operator, NULL);
    cat_select_text_add_octets(s, key);
}

static void add_own_equality(cat_select_text_t *s, const char *table, int field, const cat_query_value_t *value)
{
    compare_own(s, table, " = ", own_key(s, field, value));
    if (has_exact(s, field)) {
        cat_select_text_add(s, " AND ", table, ".value = ", NULL);
        cat_select_text_add_value(
            s, cat_own_keys_value(s->text.pool, s->registry->fields, find_known(s, field), value->text));
    }
}

static void add_own_list(cat_select_text_t *s, const char *table, const cat_query_condition_t *condition)
{
    for (int i = 0; i < condition->count; i++) {
        cat_select_text_add(s, i ? " OR (" : "((", NULL);
        add_own_equality(s, table, condition->field, &condition->values[i]);
        cat_select_text_add(s, ")", NULL);
    }
    cat_select_text_add(s, ")", NULL);
}

/* The key of a missing value is empty, as that of a text of nothing but accents is. */
static void add_own_is_set(cat_select_text_t *s, const char *table, int field, int is_set)
{
    if (has_exact(s, field)) {
        cat_select_text_add(s, table, ".value", is_set ? " IS NOT NULL" : " IS NULL", NULL);
    } else if (is_set) {
        cat_select_text_add(s, table, ".value_key > ''", NULL);
    } else {
        compare_own(s, table, " = ", "");
    }
}

static void add_own_prefix(cat_select_text_t *s, const char *table, const char *begin)
{
    const char *end = cat_conditions_end_of_prefix(s->text.pool, begin);

    compare_own(s, table, " >= ", begin);
    if (end) {
        cat_select_text_add(s, " AND ", NULL);
        compare_own(s, table, " < ", end);
    }
}

static void add_own_comparison(cat_select_text_t *s, const char *table, const cat_query_condition_t *condition)
{
    const char *key = own_key(s, condition->field, condition->values);
    int is_above = condition->op == CAT_GT || condition->op == CAT_GTE;

    compare_own(s, table, operators[condition->op], key);
    if (!is_above || !*key) {
        cat_select_text_add(s, " AND ", NULL);
        add_own_is_set(s, table, condition->field, 1);
    }
}

/* Adds what a row of product_keys must be: of CAT_ALL, one of its first element. */
static void add_own(cat_select_text_t *s, const char *table, const cat_query_condition_t *condition)
{
    int field = condition->field;

    switch (condition->op) {
    case CAT_EQ:
    case CAT_ALL:
        add_own_equality(s, table, field, condition->values);
        break;
    case CAT_IN:
        add_own_list(s, table, condition);
        break;
    case CAT_NE:
        add_own_is_set(s, table, field, 1);
        cat_select_text_add(s, " AND NOT (", NULL);
        add_own_equality(s, table, field, condition->values);
        cat_select_text_add(s, ")", NULL);
        break;
    case CAT_PREFIX:
        add_own_prefix(s, table, own_key(s, field, condition->values));
        break;
    case CAT_EXISTS:
        add_own_is_set(s, table, field, condition->values->key != 0);
        break;
    default:
        add_own_comparison(s, table, condition);
    }
}

static void probe_keys(cat_select_text_t *s, const cat_query_condition_t *condition)
{
    begin_keys(s, "COUNT(*)", condition->field, condition->op != CAT_EQ);
    cat_select_text_add(s, " AND ", NULL);
    add_own(s, "c", condition);
    cat_select_text_add(s, ") > 0", NULL);
}

static void probe_elements(cat_select_text_t *s, const cat_query_condition_t *condition)
{
    for (int i = 0; i < condition->count; i++) {
        const cat_query_condition_t one = {condition->field, CAT_EQ, 1, &condition->values[i]};
        cat_select_text_add(s, i ? " AND " : "", NULL);
        probe_keys(s, &one);
    }
}

static void add_own_condition(cat_select_text_t *s, const cat_query_condition_t *condition)
{
    int is_list = cat_conditions_is_list(s->fields, condition->field);

    if (condition->op == CAT_ALL) {
        probe_elements(s, condition);
    } else if (condition->op == CAT_EXISTS && is_list) {
        begin_keys(s, "COUNT(*)", condition->field, 1);
        cat_select_text_add(s, condition->values->key ? ") > 0" : ") = 0", NULL);
    } else if (condition->field == s->own && !is_list) {
        add_own(s, s->keys, condition);
    } else {
        probe_keys(s, condition);
    }
}

void cat_conditions_add_walked(cat_select_text_t *s, const cat_query_condition_t *condition)
{
    add_own(s, s->keys, condition);
}

void cat_conditions_add_value(cat_select_text_t *s, const char *name, const cat_query_condition_t *condition)
{
    compare_field(s, name, condition->field);
    cat_select_text_add(s, " AND ", NULL);
    add_own(s, name, condition);
}

void cat_conditions_add_pair(cat_select_text_t *s, int pair, const cat_query_value_t *value)
{
    const char *begin = cat_own_keys_pair_begin(s->text.pool, s->registry, pair, value->text);
    const char *exact = cat_own_keys_pair_value(s->text.pool, s->registry, pair, value->text);

    cat_select_text_add(s, s->keys, ".field = ", s->registry->numbers[pair], " AND ", NULL);
    add_own_prefix(s, s->keys, begin);
    if (exact) {
        cat_select_text_add(s, " AND ", s->keys, ".value = ", NULL);
        cat_select_text_add_value(s, exact);
    }
}

static void add_own_for_index(cat_select_text_t *s, const cat_query_condition_t *condition)
{
    if (condition->op != CAT_EQ && condition->op != CAT_IN && condition->op != CAT_ALL) {
        add_own(s, s->keys, condition);
        return;
    }
    cat_select_text_add(s, s->keys, ".value_key IN (", NULL);
    for (int i = 0; i < condition->count && (i == 0 || condition->op == CAT_IN); i++) {
        cat_select_text_add(s, i ? ", " : "", NULL);
        cat_select_text_add_value(s, own_key(s, condition->field, &condition->values[i]));
    }
    cat_select_text_add(s, ")", NULL);
}

/* ---- any condition ---- */

void cat_conditions_add(cat_select_text_t *s, const cat_query_condition_t *condition)
{
    const cat_query_value_t *value = condition->values;
    int field = condition->field;

    if (is_own(field)) {
        add_own_condition(s, condition);
        return;
    }
    switch (condition->op) {
    case CAT_EQ:
        add_equality(s, field, value);
        break;
    case CAT_IN:
        add_in(s, condition);
        break;
    case CAT_NE:
        add_inequality(s, field, value);
        add_if_set(s, field);
        break;
    case CAT_PREFIX:
        add_prefix(s, field, value);
        break;
    case CAT_EXISTS:
        add_is_set(s, field, value->key != 0);
        break;
    default:
        compare_key(s, field, condition->op, value);
        add_if_set(s, field);
    }
}

int cat_conditions_is_indexed(const cat_fields_t *fields, const cat_query_condition_t *condition)
{
    int field = condition->field, has_index;

    if (is_own(field)) {
        return condition->op != CAT_NE && (condition->op != CAT_EXISTS || !cat_conditions_is_list(fields, field));
    }
    has_index = is_keyed(field) || field == CAT_PRODUCT_ID || field == CAT_PRODUCT_CREATED_AT;
    return has_index && condition->op != CAT_NE && (condition->op != CAT_EXISTS || columns[field].is_number);
}

static void add_key(cat_select_text_t *s, int field, const cat_query_value_t *value)
{
    if (field == CAT_PRODUCT_ID) {
        cat_select_text_add_key(s, cat_id_number(value->text));
    } else if (columns[field].is_number) {
        cat_select_text_add_key(s, value->key);
    } else {
        cat_select_text_add_value(s, field == CAT_PRODUCT_CATEGORY ? value->text : key_of_text(s, value));
    }
}

static void add_key_list(cat_select_text_t *s, const cat_query_condition_t *condition)
{
    int field = condition->field;

    if (field == CAT_PRODUCT_CREATED_AT) {
        add_in(s, condition);
        return;
    }
    add_column(s, field == CAT_PRODUCT_CATEGORY ? columns[field].own : cat_conditions_column(field));
    cat_select_text_add(s, field == CAT_PRODUCT_CATEGORY ? s->dialect->syntax->by_octets : "", " IN (", NULL);
    for (int i = 0; i < condition->count; i++) {
        cat_select_text_add(s, i ? ", " : "", NULL);
        add_key(s, field, &condition->values[i]);
    }
    cat_select_text_add(s, ")", NULL);
}

int cat_conditions_add_for_index(cat_select_text_t *s, const cat_query_condition_t *condition)
{
    if (!cat_conditions_is_indexed(s->fields, condition)) {
        return 0;
    }
    cat_select_text_add_condition(s);
    if (is_own(condition->field)) {
        add_own_for_index(s, condition);
    } else if (condition->op == CAT_EQ || condition->op == CAT_IN) {
        add_key_list(s, condition);
    } else {
        cat_conditions_add(s, condition);
    }
    return 1;
}

static int is_word_found(const cat_found_t *found, const char *word)
{
    return word == found->words[0] || word == found->words[1];
}

/* Of most products one look or two tell that they do not have all words, whatever stands for these. */
void cat_conditions_add_all(cat_select_text_t *s, const cat_list_query_t *query, const cat_found_t *found)
{
    for (int i = query->condition_count - 1; i >= 0; i--) {
        const cat_query_condition_t *condition = &query->conditions[i];
        if (!(found->conditions & APR_UINT64_C(1) << i)) {
            cat_select_text_add_condition(s);
            cat_conditions_add(s, condition);
        }
    }
    for (int i = 0; i < query->word_count; i++) {
        if (!is_word_found(found, query->words[i])) {
            cat_select_text_add_part(s, query->words[i], query->others[i]);
        }
    }
    for (int i = 0; i < query->word_count; i++) {
        if (!is_word_found(found, query->words[i])) {
            cat_select_text_add_condition(s);
            cat_select_text_add_word(s, query->words[i], query->others[i]);
        }
    }
}
