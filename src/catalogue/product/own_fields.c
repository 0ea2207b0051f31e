/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The field table with fields of the shop's own. Each section of the configuration has a table, which a line makes longer; httpd merges
 * those of a server and of its sections into the one of a mount. A table is never changed, so sections share the rows that they inherit.
 *
 *     server     id name ... createdAt | sku brand
 *     Location   id name ... createdAt | brand weight
 *     the mount  id name ... createdAt | sku brand weight       its brand is that of the Location
 *
 * Private fields are the last ones, in whatever order the lines are: so the table of those who may not see them is the same table, but
 * shorter, and a field has one index in both.
 */
#include "catalogue/product/own_fields.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/product.h"
#include "catalogue/product/product_images.h"

/* A table with room for more fields. */
typedef struct table_t {
    cat_fields_t fields;
    cat_field_t *all;
    const cat_own_field_t **own;
} table_t;

static table_t *copy_table(apr_pool_t *pool, const cat_fields_t *from, int more)
{
    table_t *table = apr_pcalloc(pool, sizeof(*table));
    apr_size_t count = (apr_size_t)from->count;

    table->all = apr_pcalloc(pool, (count + (apr_size_t)more) * sizeof(*table->all));
    table->own = apr_pcalloc(pool, (count + (apr_size_t)more) * sizeof(*table->own));
    memcpy(table->all, from->all, count * sizeof(*table->all));
    if (from->own) {
        memcpy(table->own, from->own, count * sizeof(*table->own));
    }
    table->fields = (cat_fields_t){table->all, from->count, table->own};
    return table;
}

static int count_public(const cat_fields_t *fields)
{
    int count = fields->count;

    while (count > CAT_PRODUCT_FIELDS && fields->all[count - 1].flags & CAT_PRIVATE) {
        count--;
    }
    return count;
}

/* Moves fields, as many as follow `from`, to `to`. */
static void move_fields(table_t *table, int to, int from)
{
    apr_size_t count = (apr_size_t)(table->fields.count - from);

    memmove(table->all + to, table->all + from, count * sizeof(*table->all));
    memmove(table->own + to, table->own + from, count * sizeof(*table->own));
    table->fields.count += to - from;
}

/* A field that takes the place of another one keeps it, unless one of them is private. */
static void put_field(table_t *table, int place, const cat_field_t *field, const cat_own_field_t *own)
{
    cat_fields_t *fields = &table->fields;
    int is_new = place == fields->count;

    if (!is_new && (fields->all[place].flags ^ field->flags) & CAT_PRIVATE) {
        move_fields(table, place, place + 1);
        is_new = 1;
    }
    if (is_new) {
        place = field->flags & CAT_PRIVATE ? fields->count : count_public(fields);
        move_fields(table, place + 1, place);
    }
    table->all[place] = *field;
    table->own[place] = own;
}

const char *cat_own_fields_add(apr_pool_t *pool, const cat_fields_t *before, const char *line,
                               const cat_fields_t **after)
{
    const cat_fields_t *fields = before ? before : &cat_product_built_in;
    cat_own_field_t *own = apr_palloc(pool, sizeof(*own));
    cat_field_t field;
    const char *fault = cat_own_field_read(pool, fields, line, &field, own);

    if (!fault) {
        table_t *table = copy_table(pool, fields, 1);
        put_field(table, fields->count, &field, own);
        *after = &table->fields;
    }
    return fault;
}

const cat_fields_t *cat_own_fields_merge(apr_pool_t *pool, const cat_fields_t *base, const cat_fields_t *over)
{
    table_t *table = copy_table(pool, base, over->count);

    for (int i = CAT_PRODUCT_FIELDS; i < over->count; i++) {
        put_field(table, cat_own_field_find(&table->fields, over->all[i].name), &over->all[i], over->own[i]);
    }
    return &table->fields;
}

const cat_fields_t *cat_own_fields_without_images(apr_pool_t *pool, const cat_fields_t *fields)
{
    int place = fields ? cat_product_images_find(fields) : 0;
    table_t *table;

    if (!fields || place == fields->count) {
        return fields;
    }
    table = copy_table(pool, fields, 0);
    move_fields(table, place, place + 1);
    return table->fields.count > CAT_PRODUCT_FIELDS ? &table->fields : NULL;
}

const cat_fields_t *cat_own_fields_with_images(apr_pool_t *pool, const cat_fields_t *fields, const char *mount_uri)
{
    const cat_fields_t *others = cat_own_fields_without_images(pool, fields);
    const cat_field_t images = cat_product_images_field(pool, mount_uri);
    table_t *table = copy_table(pool, others ? others : &cat_product_built_in, 1);

    put_field(table, table->fields.count, &images, &cat_product_images_own);
    return &table->fields;
}

int cat_own_fields_find(const cat_fields_t *fields, const char *name)
{
    int i = 0;

    while (i < fields->count && strcmp(fields->all[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* A text is made of a field that comes before its own, so that no two are made of each other. */
static const char *check_from(apr_pool_t *pool, const cat_fields_t *fields, int place)
{
    const char *from = fields->own[place]->from, *fault = NULL;
    int source = from ? cat_own_fields_find(fields, from) : 0;

    if (from && source < fields->count) {
        fault = cat_own_field_check_source(pool, &fields->all[place], &fields->all[source]);
    }
    return fault || !from || source < place
               ? fault
               : apr_psprintf(pool, "from=%s must name a field that comes before this one", from);
}

static const char *check_by(apr_pool_t *pool, const cat_fields_t *fields, int place)
{
    const char *by = fields->own[place]->by;
    int order = by ? cat_own_fields_find(fields, by) : 0;

    if (!by) {
        return NULL;
    }
    return order < fields->count ? cat_own_field_check_order(pool, &fields->all[order])
                                 : apr_psprintf(pool, "by=%s: there is no such field", by);
}

const char *cat_own_fields_name_pair(apr_pool_t *pool, const cat_fields_t *fields, int field)
{
    const char *by = fields->own[field]->of ? NULL : fields->own[field]->by;

    return by ? apr_pstrcat(pool, fields->all[field].name, ",", by, NULL) : NULL;
}

const cat_fields_t *cat_own_fields_add_pair(apr_pool_t *pool, const cat_fields_t *before, const char *line)
{
    table_t *table = copy_table(pool, before ? before : &cat_product_built_in, 1);
    apr_size_t length = strcspn(line, " ");
    const char *name = apr_pstrndup(pool, line, length), *comma = strchr(name, ',');
    static const cat_own_type_t pair = {.name = "pair", .kind = CAT_STRING};
    cat_field_t field = {.name = name, .kind = pair.kind, .flags = CAT_OWN};
    cat_own_field_t *own = apr_pcalloc(pool, sizeof(*own));

    field.flags |= strstr(line + length, " index") ? CAT_INDEXED : 0;
    own->line = line;
    own->type = &pair;
    own->of = apr_pstrndup(pool, name, (apr_size_t)(comma - name));
    own->by = comma + 1;
    put_field(table, table->fields.count, &field, own);
    return &table->fields;
}

const cat_fields_t *cat_own_fields_without_pairs(apr_pool_t *pool, const cat_fields_t *fields)
{
    table_t *table = copy_table(pool, fields, 0);

    for (int i = table->fields.count - 1; i >= CAT_PRODUCT_FIELDS; i--) {
        if (table->own[i]->of) {
            move_fields(table, i, i + 1);
        }
    }
    return &table->fields;
}

static const char *check_field(apr_pool_t *pool, const cat_fields_t *fields, int place)
{
    return cat_own_field_check_values(pool, fields->own[place], CAT_OWN_CHOICES, CAT_OWN_DEFINITION)
               ? check_from(pool, fields, place)
               : "a choice has at most " APR_STRINGIFY(CAT_OWN_CHOICES) " values, and " APR_STRINGIFY(
                     CAT_OWN_DEFINITION) " characters in all of them, those for which a backslash is required being "
                                         "counted up to four times";
}

const char *cat_own_fields_check(apr_pool_t *pool, const cat_fields_t *fields, const char **line)
{
    int most = CAT_OWN_FIELDS_MAX + (cat_product_images_find(fields) < fields->count);
    const char *fault = NULL;

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count && !fault; i++) {
        *line = fields->own[i]->line;
        fault = i - CAT_PRODUCT_FIELDS < most ? check_field(pool, fields, i)
                                              : "there may be at most " APR_STRINGIFY(
                                                    CAT_OWN_FIELDS_MAX) " fields, including those of outer sections";
        fault = fault ? fault : check_by(pool, fields, i);
    }
    return fault;
}

const cat_fields_t *cat_own_fields_public(apr_pool_t *pool, const cat_fields_t *fields)
{
    cat_fields_t *shown;

    if (count_public(fields) == fields->count) {
        return fields;
    }
    shown = apr_pmemdup(pool, fields, sizeof(*fields));
    shown->count = count_public(fields);
    return shown;
}
