/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes values of fields that have from=, where a product is created without one.
 *
 *     slug string unique from=name      Blue Kettle, 2 l  ->  blue-kettle-2-l
 *                                       the next of them  ->  blue-kettle-2-l-2
 *
 * Only the index of unique values decides whether a value is free. Look-ups say which suffix to try next: they double it until one is
 * free, and then look for the end of the taken ones between, so that a shop with a thousand products of one name needs twenty of them.
 */
#include "catalogue/product/own_slug.h"

#include <limits.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/own_keys.h"
#include "catalogue/product/product.h"
#include "lib/fold.h"
#include "lib/json.h"
#include "lib/text.h"
#include "lib/words.h"

/* The first `most` characters of the joined words, without a "-" at the end. */
static const char *cut_words(apr_pool_t *pool, const char *words, apr_size_t most)
{
    apr_size_t length = 0;

    for (; words[length] && most > 0; most--) {
        do {
            length++;
        } while ((words[length] & 0xc0) == 0x80);
    }
    while (words[length] && length > 0 && words[length - 1] == '-') {
        length--;
    }
    return apr_pstrmemdup(pool, words, length);
}

/* The words of another field, folded, with "-" between them. NULL: it has no letter or digit. */
static const char *make_text(apr_pool_t *pool, const cat_fields_t *fields, const char *const *record, int field,
                             int attempt)
{
    const char *from = fields->own[field]->from, *suffix = attempt > 1 ? apr_psprintf(pool, "-%d", attempt) : "", *text;
    apr_size_t most = (apr_size_t)fields->all[field].most;
    int source = 0;

    while (from && source < field && strcmp(fields->all[source].name, from) != 0) {
        source++;
    }
    if (!from || source == field || !record[source] || most <= strlen(suffix)) {
        return NULL;
    }
    text = apr_array_pstrcat(pool, cat_words_split(pool, cat_fold_text(pool, record[source])), '-');
    text = cut_words(pool, text, most - strlen(suffix));
    return *text ? apr_pstrcat(pool, text, suffix, NULL) : NULL;
}

static void fill_field(apr_pool_t *pool, const cat_fields_t *fields, int field, cat_input_t *input)
{
    const cat_field_t *f = &fields->all[field];
    const char *text = make_text(pool, fields, (const char *const *)input->values, field, 1), *checked;
    cat_field_fault_t fault;

    if (!text) {
        return;
    }
    fault = cat_fields_read_value(pool, f, cat_json_own(pool, json_string(text)), &checked);
    if (fault.code) {
        cat_fields_add_error(pool, input, f->name, fault.code, fault.message);
    }
    input->made = input->made ? input->made : apr_pcalloc(pool, (apr_size_t)fields->count * sizeof(*input->made));
    input->made[field] = 1;
    input->values[field] = text;
}

void cat_own_slugs_complete(apr_pool_t *pool, const cat_fields_t *fields, cat_input_t *input)
{
    const char *extra;

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        if (!input->values[i] && fields->own[i]->from) {
            fill_field(pool, fields, i, input);
        }
    }
    cat_product_stamp(pool, fields, input->values,
                      apr_time_now()); /* counts for the length; set when the product is made */
    extra = cat_product_write_extra(pool, fields, input->values, NULL);
    if (extra && strlen(extra) > CAT_PRODUCT_EXTRA_MAX) {
        cat_fields_add_error(pool, input, "", "too_long", CAT_PRODUCT_TOO_LONG);
    }
}

/* Returns N if the value ends with "-N", N at least 2; else 1. */
static int read_attempt(const char *value)
{
    const char *suffix = strrchr(value, '-');
    apr_int64_t attempt = suffix ? apr_atoi64(suffix + 1) : 1;

    return attempt > 1 && attempt < INT_MAX ? (int)attempt : 1;
}

cat_own_slugs_t cat_own_slugs_recognize(apr_pool_t *pool, const cat_fields_t *fields, const char *const *record)
{
    cat_own_slugs_t slugs = NULL;

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        int is_candidate = record[i] && fields->all[i].flags & CAT_UNIQUE && fields->own[i]->from;
        int attempt = is_candidate ? read_attempt(record[i]) : 1;
        if (is_candidate && !cat_text_is_same(make_text(pool, fields, record, i, attempt), record[i])) {
            attempt = 1; /* words that end with a number: "teapot-2000" */
            is_candidate = cat_text_is_same(make_text(pool, fields, record, i, 1), record[i]);
        }
        if (is_candidate) {
            slugs = slugs ? slugs : apr_pcalloc(pool, (apr_size_t)fields->count * sizeof(*slugs));
            slugs[i] = attempt;
        }
    }
    return slugs;
}

/* ---- where one is taken ---- */

/* A field of a record, and its number in the registry. */
typedef struct making_t {
    cat_db_t *db;
    const cat_fields_t *fields;
    const cat_registry_t *registry;
    const char **record;
    int field;
    int known; /* the same field in the registry */
} making_t;

/* NULL: there is none that the field takes. */
static const char *make_other(const making_t *m, int attempt)
{
    const cat_field_t *field = &m->fields->all[m->field];
    const char *text = make_text(m->db->pool, m->fields, m->record, m->field, attempt);
    int is_refused = text && (cat_fields_check_length(m->db->pool, field, text).code ||
                              (field->rule && field->rule->refuse && field->rule->refuse(field->rule, text)));

    return is_refused ? NULL : text;
}

/* Sets *taken to whether another product has the value that the attempt makes. */
static apr_status_t look_up(const making_t *m, int attempt, int *taken)
{
    const char *text = make_other(m, attempt);

    *taken = 0;
    return text ? cat_own_keys_find_other(m->db, m->registry->numbers[m->known], text, m->record[CAT_PRODUCT_ID], taken)
                : APR_SUCCESS;
}

/* *attempt: one whose value is taken; afterwards, one whose value is not. */
static apr_status_t find_free(const making_t *m, int *attempt)
{
    int low = *attempt, high = low, taken = 1;
    apr_status_t rv = APR_SUCCESS;

    while (taken && rv == APR_SUCCESS) {
        low = high;
        high *= 2;
        rv = look_up(m, high, &taken);
    }
    while (high - low > 1 && rv == APR_SUCCESS) {
        int middle = low + (high - low) / 2;
        rv = look_up(m, middle, &taken);
        *(taken ? &low : &high) = middle;
    }
    *attempt = high;
    return rv;
}

static apr_status_t begin_making(making_t *m, cat_db_t *db, const char **record)
{
    *m = (making_t){.db = db, .fields = cat_product_fields_of(db->conf), .record = record};
    return cat_registry_get(db, &m->registry);
}

/* Is the next field to be made, and unique? */
static int choose_field(making_t *m, const int *slugs, int field)
{
    if (!slugs[field] || !(m->fields->all[field].flags & CAT_UNIQUE)) {
        return 0;
    }
    m->field = field;
    m->known = cat_registry_find_field(m->registry, m->fields, field);
    return 1;
}

apr_status_t cat_own_slugs_renew(cat_db_t *db, cat_own_slugs_t slugs, const char **record)
{
    making_t m;
    int taken, renewed = 0;
    apr_status_t rv = slugs ? begin_making(&m, db, record) : APR_EEXIST;

    for (int i = CAT_PRODUCT_FIELDS; rv == APR_SUCCESS && i < m.fields->count; i++) {
        if (!choose_field(&m, slugs, i)) {
            continue;
        }
        rv = look_up(&m, slugs[i], &taken);
        if (rv == APR_SUCCESS && taken) {
            rv = find_free(&m, &slugs[i]);
            record[i] = make_other(&m, slugs[i]);
            renewed = 1;
        }
    }
    return rv == APR_SUCCESS && !renewed ? APR_EEXIST : rv;
}

static apr_status_t claim_field(const making_t *m, int *attempt)
{
    apr_status_t rv = APR_EEXIST;

    for (int tries = 0; rv == APR_EEXIST && tries < CAT_OWN_SLUG_TRIES; tries++) {
        const char *text = make_other(m, *attempt);
        m->record[m->field] = text;
        rv = text ? cat_own_keys_take(m->db, m->registry, m->known, text, m->record[CAT_PRODUCT_ID]) : APR_SUCCESS;
        if (rv == APR_EEXIST) {
            apr_status_t found = find_free(m, attempt);
            rv = found == APR_SUCCESS ? rv : found;
        }
    }
    return rv;
}

apr_status_t cat_own_slugs_claim(cat_db_t *db, cat_own_slugs_t slugs, const char **record)
{
    making_t m;
    apr_status_t rv = slugs ? begin_making(&m, db, record) : APR_SUCCESS;

    for (int i = CAT_PRODUCT_FIELDS; slugs && rv == APR_SUCCESS && i < m.fields->count; i++) {
        if (choose_field(&m, slugs, i)) {
            rv = claim_field(&m, &slugs[i]);
        }
    }
    return rv;
}
