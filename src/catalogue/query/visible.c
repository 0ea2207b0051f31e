/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes of a mount's settings those of its readers: users who may not write products, and clients without a token.
 *
 *     conf            fields: id ... createdAt sku brand cost    visible: NULL            cached by: a number of all lines
 *     conf->readers   fields: id ... createdAt sku brand         visible: published=true  cached by: that of the lines that readers
 *                                                                                         see, and of the conditions
 *
 * A request has the one or the other. Everything that asks the settings for the fields, the checks of parameters as well as the JSON of
 * a product, follows from that; a private field does not exist for readers. A mount without private fields and without CatalogVisible
 * has no settings of readers, and one without fields of the shop's own has no such number either: its answers are cached as they were.
 */
#include "catalogue/query/visible.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/own_fields.h"
#include "catalogue/query/synonyms.h"
#include "lib/hash.h"

const cat_query_condition_t *cat_visible_add(apr_pool_t *pool, const cat_visible_t *visible,
                                             const cat_query_condition_t *conditions, int *count)
{
    int sum = *count + visible->count;
    cat_query_condition_t *all = apr_palloc(pool, (apr_size_t)sum * sizeof(*all));

    memcpy(all, visible->conditions, (apr_size_t)visible->count * sizeof(*all));
    if (*count) {
        memcpy(all + visible->count, conditions, (apr_size_t)*count * sizeof(*all));
    }
    qsort(all, (size_t)sum, sizeof(*all), cat_query_conditions_compare);
    *count = sum;
    return all;
}

/* ---- the directive ---- */

static void read_conditions(cat_parameters_t *p, const cat_conf_t *conf, cat_query_conditions_t *conditions)
{
    cat_parameter_t parameter;

    while (cat_parameters_next(p, &parameter)) {
        if (!cat_query_conditions_take(conditions, p, conf, &parameter)) {
            cat_parameters_add_error(p, parameter.name, "unknown", "is not a field");
        }
    }
}

/* Clients may ask for a choice that the line does not allow any more. Here it is a slip, by which "state[ne]=hiden" would show what it is to hide. */
static void check_choices(cat_parameters_t *p, const cat_conf_t *conf, const cat_query_conditions_t *conditions)
{
    const cat_fields_t *fields = cat_product_fields_of(conf);

    for (int i = 0; i < conditions->count; i++) {
        const cat_query_condition_t *condition = &conditions->all[i];
        const cat_field_t *field = &fields->all[condition->field];
        int is_choice = field->rule && field->rule->words && condition->op != CAT_EXISTS;
        const char *fault = NULL;
        for (int k = 0; k < condition->count && is_choice && !fault; k++) {
            fault = field->rule->refuse(field->rule, condition->values[k].text);
        }
        if (fault) {
            cat_parameters_add_error(p, field->name, "format", fault);
        }
    }
}

const char *cat_visible_parse(apr_pool_t *pool, const cat_conf_t *conf, const char *text, const cat_visible_t **visible)
{
    cat_query_conditions_t conditions = {.all = NULL};
    cat_visible_t *made = apr_palloc(pool, sizeof(*made));
    cat_parameters_t parameters;
    cat_buffer_t b;

    *visible = NULL;
    if (!text || !strcasecmp(text, "all")) {
        return NULL;
    }
    cat_parameters_init(&parameters, pool, 0, text);
    read_conditions(&parameters, conf, &conditions);
    check_choices(&parameters, conf, &conditions);
    if (parameters.errors) {
        return cat_fields_summary(pool, parameters.errors);
    }
    if (!conditions.count) {
        return "it must have a condition, such as published=true";
    }
    cat_buffer_init(&b, pool, 64);
    cat_query_conditions_write(&b, cat_product_fields_of(conf), conditions.all, conditions.count);
    *made = (cat_visible_t){conditions.all, conditions.count, cat_buffer_text(&b)};
    *visible = made;
    return NULL;
}

/* ---- what derives ---- */

/* NULL: the built-in fields of all products. */
static const char *name_view(apr_pool_t *pool, const cat_conf_t *conf)
{
    const cat_fields_t *fields = cat_product_fields_of(conf);
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        cat_buffer_add_text(&b, fields->own[i]->line);
        cat_buffer_add_text(&b, "\n");
    }
    if (conf->visible) {
        cat_buffer_add_text(&b, conf->visible->text);
    }
    cat_buffer_add_text(&b, cat_synonyms_name(conf->synonyms));
    if (conf->images == 1) { /* their addresses are below the mount */
        cat_buffer_add_text(&b, "\n");
        cat_buffer_add_text(&b, conf->mount_uri);
    }
    return b.length ? apr_psprintf(pool, "%016" APR_UINT64_T_HEX_FMT, cat_hash(b.data, b.length)) : NULL;
}

static cat_conf_t *make_readers(apr_pool_t *pool, const cat_conf_t *conf, const cat_fields_t *fields,
                                const cat_visible_t *visible)
{
    cat_conf_t *readers = apr_pmemdup(pool, conf, sizeof(*readers));

    readers->fields = fields;
    readers->visible = visible;
    readers->view = name_view(pool, readers);
    readers->readers = readers;
    readers->writers = conf;
    return readers;
}

void cat_visible_derive(apr_pool_t *pool, cat_conf_t *conf)
{
    const cat_fields_t *fields;
    const cat_visible_t *visible;

    conf->fields = conf->images == 1 ? cat_own_fields_with_images(pool, conf->fields, conf->mount_uri)
                                     : cat_own_fields_without_images(pool, conf->fields);
    fields = conf->fields ? cat_own_fields_public(pool, conf->fields) : NULL;
    conf->readers = NULL;
    conf->visible = NULL;
    conf->view = conf->fault = NULL;
    if (!conf->fields && !conf->visible_text && !conf->synonyms) {
        return;
    }
    conf->fault = cat_visible_parse(pool, conf, conf->visible_text, &visible);
    conf->view = name_view(pool, conf);
    if (fields != conf->fields || visible || conf->fault) {
        conf->readers = make_readers(pool, conf, fields, visible);
    }
}
