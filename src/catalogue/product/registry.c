/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and fills the table catalog_fields.
 *
 *     number  name    definition                       complete  counted  claimed
 *     1       sku     string index unique              1         1        1
 *     2       color   choice values="red|blue" facet   0         0        1        its keys are being filled in
 *
 * A definition is what decides the keys of a field, in the words of CatalogField, so the same reader makes a field table of the rows. It
 * only ever gets more options and values, and the order of values is that of the newest configuration: servers with different lines would
 * otherwise change it in turn, and fill in the keys again and again.
 * A server reads the table once a second at most. A field that it does not know yet is added before the first write or list that needs
 * the table; if there are products, the job (catalogue/search/key_filler.h) gives them its keys.
 *
 * As long as no product was ever written, a field is complete at once: no server that does not know of it can have written one. The row of level 3
 * of product_counts says so. A transaction that adds fields locks that row. A server that begins to write products notes it there before it
 * reads the table, and from then on its process forgets what it has read before (docs/decisions/0077).
 *
 * What was read is kept for the life of the process, as threads may use it for as long as they like. The table changes with the
 * configuration and when a field is complete, so there are few of them: a thread that reads what another one has read before takes that.
 */
#include "catalogue/product/registry.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/list_key.h"
#include "catalogue/product/product.h"
#include "lib/buffer.h"
#include "lib/number.h"

/* What was read is used for so long; and a transaction that has gone by it for longer looks again before it commits. */
#define AGE apr_time_from_sec(1)
#define CONFIRMED_AGE (2 * AGE)

#define ADDITIONS 5 /* tries to add fields, while others do */
#define NOTICE_INTERVAL apr_time_from_sec(60)
#define KEPT (CAT_INDEXED | CAT_UNIQUE | CAT_SEARCHED | CAT_FACET)

/* ---- reading ---- */

typedef struct reading_t {
    apr_pool_t *pool;
    apr_array_header_t *rows; /* const char *: COLUMNS of each */
    cat_buffer_t text;
} reading_t;

enum { NUMBER, NAME, DEFINITION, COMPLETE, COUNTED, CLAIMED, ORDERED_AT, COLUMNS };

static apr_status_t keep_row(void *baton, const char *const *values, int count)
{
    reading_t *r = baton;

    for (int i = 0; i < count; i++) {
        APR_ARRAY_PUSH(r->rows, const char *) = apr_pstrdup(r->pool, values[i]);
        cat_buffer_add_text(&r->text, values[i]);
        cat_buffer_add_text(&r->text, "\n");
    }
    return APR_SUCCESS;
}

static apr_status_t read_table(cat_db_t *db, reading_t *r)
{
    *r = (reading_t){.pool = db->pool, .rows = apr_array_make(db->pool, 4 * COLUMNS, sizeof(const char *))};
    cat_buffer_init(&r->text, db->pool, 256);
    return cat_db_each(db, SQL_FIELDS_LIST, CAT_NO_VALUES, keep_row, r);
}

static const char *const *row_of(const reading_t *r, int i)
{
    return (const char *const *)r->rows->elts + i * COLUMNS;
}

static void note_flags(cat_registry_t *registry, int flags)
{
    registry->has_keys |= (flags & CAT_INDEXED) != 0;
    registry->has_unique |= (flags & CAT_UNIQUE) != 0;
    registry->has_words |= (flags & CAT_SEARCHED) != 0;
    registry->has_facets |= (flags & CAT_FACET) != 0;
}

/* Without fields, but with room for `count` of them. */
static cat_registry_t *make_empty(const char *text, int count)
{
    apr_size_t places = CAT_PRODUCT_FIELDS + (apr_size_t)count;
    cat_registry_t *registry;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    registry = apr_pcalloc(pool, sizeof(*registry));
    registry->pool = pool;
    registry->made = apr_time_now();
    registry->refused = apr_pcalloc(pool, sizeof(*registry->refused));
    registry->fields = &cat_product_built_in;
    registry->numbers = apr_pcalloc(pool, places * sizeof(*registry->numbers));
    registry->is_complete = apr_pcalloc(pool, places);
    registry->is_counted = apr_pcalloc(pool, places);
    registry->is_claimed = apr_pcalloc(pool, places);
    registry->ordered_at = apr_pcalloc(pool, places * sizeof(*registry->ordered_at));
    registry->older = apr_pcalloc(pool, sizeof(*registry->older));
    registry->text = apr_pstrdup(pool, text);
    return registry;
}

static int says_counted(const char *const *row, int flags)
{
    return *row[COUNTED] == '1' && flags & CAT_FACET;
}

static const char *write_line(apr_pool_t *pool, const char *const *row)
{
    return apr_pstrcat(pool, row[NAME], " ", row[DEFINITION], NULL);
}

/* NULL, or what this version does not understand of the row. */
static const char *add_row(cat_registry_t *registry, const char *const *row)
{
    int field = registry->fields->count;
    const char *line = write_line(registry->pool, row);
    const cat_fields_t *before = field > CAT_PRODUCT_FIELDS ? registry->fields : NULL;
    int is_pair = strchr(row[NAME], ',') != NULL;
    const char *fault = is_pair ? NULL : cat_own_fields_add(registry->pool, before, line, &registry->fields);

    if (is_pair) {
        registry->fields = cat_own_fields_add_pair(registry->pool, before, line);
        registry->has_pairs = 1;
    }
    if (fault) {
        return apr_pstrcat(registry->pool, line, ": ", fault, NULL);
    }
    registry->numbers[field] = apr_pstrdup(registry->pool, row[NUMBER]);
    registry->is_complete[field] = *row[COMPLETE] == '1';
    registry->is_counted[field] = says_counted(row, registry->fields->all[field].flags) != 0;
    registry->is_claimed[field] = registry->is_complete[field] || *row[CLAIMED] == '1';
    registry->ordered_at[field] = apr_atoi64(row[ORDERED_AT]);
    registry->is_filling |= !registry->is_complete[field];
    note_flags(registry, registry->fields->all[field].flags);
    return NULL;
}

/* CAT_ENOTREADY: a later version has written a definition that this one does not understand. */
static apr_status_t make_registry(const cat_db_t *db, reading_t *r, const cat_registry_t **made)
{
    int count = r->rows->nelts / COLUMNS;
    cat_registry_t *registry = make_empty(cat_buffer_text(&r->text), count);
    const char *fault = NULL;

    for (int i = 0; i < count && !fault; i++) {
        fault = add_row(registry, row_of(r, i));
    }
    if (fault) {
        cat_log(db->log, CAT_LOG_ERROR, 0,
                "CAT087: %s: the table catalog_fields has a field that this version does not understand: %s",
                cat_db_name(db), fault);
        apr_pool_destroy(registry->pool);
        return CAT_ENOTREADY;
    }
    *made = registry;
    return APR_SUCCESS;
}

int cat_registry_find(const cat_registry_t *registry, const char *name)
{
    int i = cat_own_fields_find(registry->fields, name);

    return i < CAT_PRODUCT_FIELDS ? registry->fields->count : i;
}

int cat_registry_find_field(const cat_registry_t *registry, const cat_fields_t *fields, int field)
{
    return cat_registry_find(registry, fields->all[field].name);
}

int cat_registry_find_number(const cat_registry_t *registry, const char *number)
{
    int i = CAT_PRODUCT_FIELDS;

    while (i < registry->fields->count && strcmp(registry->numbers[i], number) != 0) {
        i++;
    }
    return i;
}

int cat_registry_has_counts(const cat_registry_t *registry, int field)
{
    return field < registry->fields->count && registry->is_complete[field] && registry->is_counted[field];
}

/* ---- adding the fields of the mount ---- */

static int has_values(const char *const *all, const char *const *some)
{
    for (; some && *some; some++) {
        const char *const *one = all;
        while (*one && strcmp(*one, *some) != 0) {
            one++;
        }
        if (!*one) {
            return 0;
        }
    }
    return 1;
}

/* Has the database what the line says of the keys, perhaps with more options and values? */
static int covers_line(const cat_registry_t *registry, int known, const cat_fields_t *fields, int i)
{
    const char *const *values = fields->own[i]->values;
    int wanted = fields->all[i].flags & KEPT, there = registry->fields->all[known].flags & KEPT;

    return !(wanted & ~there) && (!values || has_values(registry->fields->own[known]->values, values));
}

/* Once a minute. */
static apr_status_t refuse_field(const cat_db_t *db, const cat_registry_t *registry, const char *why)
{
    apr_time_t now = apr_time_now(), last = atomic_load(registry->refused);

    if (last && now - last < NOTICE_INTERVAL && now >= last) {
        return CAT_ENOTREADY;
    }
    atomic_store(registry->refused, now);
    cat_log(db->log, CAT_LOG_ERROR, 0, "CAT088: %s: %s", cat_db_name(db), why);
    return CAT_ENOTREADY;
}

typedef struct addition_t {
    cat_db_t *db;
    const cat_registry_t *registry;
    const char *claimed, *complete; /* of a field or an option that is new */
    int added;                      /* how many were added */
} addition_t;

/* *is_unwritten: no product was ever written, and until this transaction ends nobody begins to. Where writers take turns that is so. */
static apr_status_t lock_unwritten(cat_db_t *db, int *is_unwritten)
{
    *is_unwritten = 1;
    return cat_db_has_one_writer(db) ? APR_SUCCESS : cat_db_exec(db, SQL_UNWRITTEN_LOCK, CAT_NO_VALUES, is_unwritten);
}

/* In an empty catalogue no product has a value that is not claimed. It has all keys that there can be, too, but where several transactions
 * write at once, and products were written before, some may have products that nobody else sees yet, with values that were claimed for them. */
static apr_status_t look_for_products(addition_t *a)
{
    const char *const *row;
    int is_unwritten;
    apr_status_t rv = lock_unwritten(a->db, &is_unwritten);

    if (rv == APR_SUCCESS) {
        rv = cat_db_one(a->db, SQL_PRODUCT_LIST_AFTER, CAT_VALUES(CAT_LIST_KEY_NEWEST, "1"), &row);
    }
    a->claimed = rv == APR_NOTFOUND ? "1" : "0";
    a->complete = is_unwritten ? a->claimed : "0";
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* The first ones, then those of the others that are not among them; ends with NULL. */
static const char *const *join_values(apr_pool_t *pool, const char *const *first, const char *const *others)
{
    apr_array_header_t *all = apr_array_make(pool, 8, sizeof(const char *));

    for (int i = 0; first[i]; i++) {
        APR_ARRAY_PUSH(all, const char *) = first[i];
    }
    for (int i = 0; others[i]; i++) {
        if (!has_values(first, (const char *const[]){others[i], NULL})) {
            APR_ARRAY_PUSH(all, const char *) = others[i];
        }
    }
    APR_ARRAY_PUSH(all, const char *) = NULL;
    return (const char *const *)all->elts;
}

/* As a line has it of which nothing but its keys is known. */
static const char *define_pair(int is_indexed)
{
    return is_indexed ? "pair index" : "pair";
}

static const char *define_known(apr_pool_t *pool, const cat_registry_t *registry, int known)
{
    return registry->fields->own[known]->of
               ? define_pair(registry->fields->all[known].flags & CAT_INDEXED)
               : cat_own_field_define(pool, registry->fields->own[known], registry->fields->all[known].flags);
}

/* What a row gets, whose keys are to be filled in from the newest product on. */
typedef struct state_t {
    const char *definition, *complete, *counted, *claimed;
} state_t;

/* *changed 0: another server was first; then the next look at the table finds what it has made of the field. */
static apr_status_t change_row(cat_db_t *db, const cat_registry_t *registry, int known, const state_t *after,
                               int *changed)
{
    return cat_db_exec(db, SQL_FIELDS_CHANGE,
                       CAT_VALUES(after->definition, after->complete, after->counted, after->claimed,
                                  CAT_LIST_KEY_NEWEST, registry->numbers[known],
                                  define_known(db->pool, registry, known)),
                       changed);
}

/* A field that becomes unique may have values in products that were there before, also in those that nobody else sees yet. */
static const char *says_claimed(const addition_t *a, int known)
{
    return a->registry->is_claimed[known] && a->registry->fields->all[known].flags & CAT_UNIQUE ? "1" : a->complete;
}

/* Values that come behind the others leave their keys as they are, and no product has them yet, unless it was restored from an export. */
static apr_status_t choose_complete(const addition_t *a, int known, int has_new_options, const char **complete)
{
    const char *const *row;
    apr_status_t rv = APR_NOTFOUND;

    if (has_new_options) {
        *complete = a->complete;
        return APR_SUCCESS;
    }
    if (a->registry->is_complete[known]) {
        rv = cat_db_one(a->db, SQL_KEYS_STRANGE, CAT_VALUES(a->registry->numbers[known]), &row);
    }
    *complete = a->registry->is_complete[known] && rv == APR_NOTFOUND ? "1" : "0";
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

static apr_status_t change_field(const addition_t *a, int known, const cat_fields_t *fields, int i)
{
    const cat_registry_t *registry = a->registry;
    int there = registry->fields->all[known].flags & KEPT, flags = there | (fields->all[i].flags & KEPT);
    cat_own_field_t both = *registry->fields->own[known];
    state_t after = {.claimed = says_claimed(a, known)};
    apr_status_t rv = choose_complete(a, known, flags != there, &after.complete);

    if (both.values) {
        both.values = join_values(a->db->pool, both.values, fields->own[i]->values);
    }
    after.counted = registry->is_counted[known] ? "1" : after.complete;
    after.definition = cat_own_field_define(a->db->pool, &both, flags);
    return rv == APR_SUCCESS ? change_row(a->db, registry, known, &after, NULL) : rv;
}

const char *cat_registry_define_filled(apr_pool_t *pool, const cat_registry_t *registry, int field)
{
    cat_own_field_t own = *registry->fields->own[field];

    own.preset = NULL;
    return own.of ? define_known(pool, registry, field)
                  : cat_own_field_define(pool, &own, registry->fields->all[field].flags);
}

static const char *define_retired(apr_pool_t *pool, const cat_registry_t *registry, int known)
{
    cat_own_field_t own = *registry->fields->own[known];

    own.preset = NULL;
    return own.of ? define_pair(0)
                  : cat_own_field_define(pool, &own, registry->fields->all[known].flags & CAT_SEARCHED);
}

int cat_registry_is_retired(apr_pool_t *pool, const cat_registry_t *registry, int field)
{
    return !strcmp(define_known(pool, registry, field), define_retired(pool, registry, field));
}

apr_status_t cat_registry_retire(cat_db_t *db, const cat_registry_t *registry, int field)
{
    const state_t after = {define_retired(db->pool, registry, field), "1", "0", "1"};
    int changed = 1;
    apr_status_t rv = cat_registry_is_retired(db->pool, registry, field)
                          ? APR_SUCCESS
                          : change_row(db, registry, field, &after, &changed);

    return rv == APR_SUCCESS && !changed ? CAT_ECONFLICT : rv;
}

/* Values are counted from the beginning: who does not know of the field writes none of its rows, and deletes none (value_counts.h).
 * Another server that adds a field at the same time takes the number or the name: then the next look at the table finds that. */
static apr_status_t insert_row(addition_t *a, const char *name, const char *definition, const char *complete)
{
    int last = a->registry->fields->count - 1;
    int number = ++a->added + (last >= CAT_PRODUCT_FIELDS ? atoi(a->registry->numbers[last]) : 0);

    return cat_db_insert(
        a->db, SQL_FIELDS_ADD,
        CAT_VALUES(apr_itoa(a->db->pool, number), name, definition, complete, "1", a->claimed, CAT_LIST_KEY_NEWEST));
}

/* Adds a field to the database. If there are products, a field with keys or a default is incomplete until the key filler has given them both. */
static apr_status_t add_field(addition_t *a, const cat_fields_t *fields, int i)
{
    cat_own_field_t own = *fields->own[i];
    const char *complete;

    own.preset = *a->complete == '1' ? NULL : own.preset;
    complete = fields->all[i].flags & KEPT || own.preset ? a->complete : "1";
    return insert_row(a, fields->all[i].name, cat_own_field_define(a->db->pool, &own, fields->all[i].flags), complete);
}

/* Does the database keep the pair of the field, if it has one? */
static int covers_pair(apr_pool_t *pool, const cat_registry_t *registry, const cat_fields_t *fields, int i)
{
    const char *name = cat_own_fields_name_pair(pool, fields, i);
    int known = name ? cat_registry_find(registry, name) : 0;

    return !name || (known < registry->fields->count && registry->fields->all[known].flags & CAT_INDEXED);
}

static apr_status_t add_pair(addition_t *a, const char *name)
{
    const state_t after = {define_pair(1), a->complete, "1", "1"};
    int known = cat_registry_find(a->registry, name);

    return known == a->registry->fields->count ? insert_row(a, name, after.definition, a->complete)
                                               : change_row(a->db, a->registry, known, &after, NULL);
}

static apr_status_t add_missing(void *baton)
{
    addition_t *a = baton;
    const cat_fields_t *fields = cat_product_fields_of(a->db->conf);
    apr_status_t rv = look_for_products(a);

    a->added = 0;
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count && rv == APR_SUCCESS; i++) {
        int known = cat_registry_find(a->registry, fields->all[i].name);
        if (!(fields->all[i].flags & CAT_OWN)) {
            continue; /* pictures have no keys */
        }
        if (known == a->registry->fields->count) {
            rv = add_field(a, fields, i);
        } else if (!covers_line(a->registry, known, fields, i)) {
            rv = change_field(a, known, fields, i);
        }
        if (rv == APR_SUCCESS && !covers_pair(a->db->pool, a->registry, fields, i)) {
            rv = add_pair(a, cat_own_fields_name_pair(a->db->pool, fields, i));
        }
    }
    return rv;
}

/* Is there room for the values of the line beside those that the database has? */
static int have_room(const cat_db_t *db, const cat_own_field_t *known, const cat_own_field_t *own)
{
    cat_own_field_t both = *known;

    both.values = own->values ? join_values(db->pool, known->values, own->values) : NULL;
    return !both.values || cat_own_field_check_values(db->pool, &both, CAT_OWN_CHOICES_KNOWN, CAT_OWN_DEFINITION_KNOWN);
}

static const char *explain_type(apr_pool_t *pool, const cat_registry_t *registry, int known)
{
    const char *name = registry->fields->all[known].name, *type = registry->fields->own[known]->type->name;

    return apr_psprintf(pool, "the database has the field %s with the type %s; write: CatalogField %s %s", name, type,
                        name, type);
}

static const char *explain_values(apr_pool_t *pool, const char *name)
{
    return apr_psprintf(pool,
                        "with those of former lines, the field %s has more values than the database keeps; give the "
                        "line a new name, and run: catalogctl fields rename %s NAME",
                        name, name);
}

/* How a line contradicts the database, and what to do; NULL: it does not. Names differ by more than case, as everywhere. */
static const char *find_fault(const cat_db_t *db, const cat_registry_t *registry, const cat_fields_t *fields, int i)
{
    int known = cat_own_field_find(registry->fields, fields->all[i].name);

    if (!(fields->all[i].flags & CAT_OWN) || known == registry->fields->count) {
        return NULL; /* pictures, or a field that is new */
    }
    if (strcmp(registry->fields->all[known].name, fields->all[i].name) != 0 ||
        strcmp(registry->fields->own[known]->type->name, fields->own[i]->type->name) != 0) {
        return explain_type(db->pool, registry, known);
    }
    return covers_line(registry, known, fields, i) || have_room(db, registry->fields->own[known], fields->own[i])
               ? NULL
               : explain_values(db->pool, fields->all[i].name);
}

static apr_status_t compare_field(const cat_db_t *db, const cat_registry_t *registry, int i, int *missing)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    const char *fault = find_fault(db, registry, fields, i);
    int known = cat_registry_find(registry, fields->all[i].name);

    if (fault) {
        return refuse_field(db, registry, fault);
    }
    if (fields->all[i].flags & CAT_OWN) {
        *missing |= known == registry->fields->count || !covers_pair(db->pool, registry, fields, i) ||
                    !covers_line(registry, known, fields, i);
    }
    return APR_SUCCESS;
}

/* *missing: whether the database lacks a field of the mount, or what its line says. */
static apr_status_t compare_fields(const cat_db_t *db, const cat_registry_t *registry, int *missing)
{
    apr_status_t rv = APR_SUCCESS;

    *missing = 0;
    for (int i = CAT_PRODUCT_FIELDS; i < cat_product_fields_of(db->conf)->count && rv == APR_SUCCESS; i++) {
        rv = compare_field(db, registry, i, missing);
    }
    return rv;
}

/* ---- the order of the values of a choice ---- */

/* Are those of the line in its order, perhaps with others between them? */
static int has_order(const char *const *all, const char *const *some)
{
    for (; *all && *some; all++) {
        some += !strcmp(*all, *some);
    }
    return !*some;
}

static apr_status_t reorder_field(cat_db_t *db, const cat_registry_t *registry, int known, const char *const *values)
{
    const cat_own_field_t *own = registry->fields->own[known];
    int flags = registry->fields->all[known].flags;
    const char *now = cat_number_write(db->pool, cat_db_configured(db));
    cat_own_field_t ordered = *own;

    ordered.values = join_values(db->pool, values, own->values);
    return cat_db_exec(db, SQL_FIELDS_REORDER,
                       CAT_VALUES(cat_own_field_define(db->pool, &ordered, flags), now, CAT_LIST_KEY_NEWEST,
                                  registry->numbers[known], now, cat_own_field_define(db->pool, own, flags)),
                       NULL);
}

apr_status_t cat_registry_reorder(cat_db_t *db, const cat_registry_t *registry, const char **overruled)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    apr_status_t rv = APR_SUCCESS;

    *overruled = NULL;
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count && rv == APR_SUCCESS; i++) {
        int known = cat_registry_find(registry, fields->all[i].name);
        const char *const *values = fields->own[i]->values;
        if (!values || !(registry->fields->all[known].flags & CAT_INDEXED) ||
            has_order(registry->fields->own[known]->values, values)) {
            continue;
        }
        if (registry->ordered_at[known] < cat_db_configured(db)) {
            rv = reorder_field(db, registry, known, values);
        } else {
            *overruled = fields->all[i].name;
        }
    }
    return rv;
}

/* ---- all of it ---- */

static int is_made_of(const cat_registry_t *registry, const char *text)
{
    return registry && !strcmp(registry->text, text);
}

/* one, other: what was read before; NULL: nothing was. */
static apr_status_t read_registry(cat_db_t *db, const cat_registry_t *one, const cat_registry_t *other,
                                  const cat_registry_t **registry)
{
    reading_t r;
    apr_status_t rv = read_table(db, &r);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    *registry = is_made_of(one, cat_buffer_text(&r.text))     ? one
                : is_made_of(other, cat_buffer_text(&r.text)) ? other
                                                              : NULL;
    return *registry ? APR_SUCCESS : make_registry(db, &r, registry);
}

static apr_status_t add_fields(cat_db_t *db, const cat_registry_t **registry)
{
    addition_t a = {.db = db, .registry = *registry};
    apr_status_t rv = cat_db_in_transaction(db) ? add_missing(&a) : cat_db_transact(db, add_missing, &a);

    return rv == APR_SUCCESS || rv == APR_EEXIST ? read_registry(db, *registry, NULL, registry) : rv;
}

typedef struct look_t {
    const cat_registry_t *noted, *registry;
    const cat_registry_t *kept; /* what this transaction, or the last thread that looked, has read; NULL: nothing */
    apr_time_t since;
    int is_new; /* flag: the table was read */
} look_t;

/* What a transaction reads is not noted, but the next one takes the same if the table still says that: where writes share a transaction, one
 * of those before may have added what is rolled back afterwards. */
static apr_status_t look_at_table(cat_db_t *db, int is_anew, look_t *look)
{
    apr_time_t now = apr_time_now();
    apr_status_t rv;

    look->noted = look->registry = cat_db_registry(db, &look->since);
    look->is_new =
        is_anew || !look->noted || now - look->since > AGE || now < look->since || look->since <= cat_db_written_at(db);
    if (!look->is_new) {
        return APR_SUCCESS;
    }
    look->since = now;
    rv = read_registry(db, look->noted, look->kept ? look->kept : cat_db_kept_registry(db), &look->registry);
    if (rv == APR_SUCCESS) {
        cat_db_keep_registry(db, look->registry);
    }
    return rv;
}

static apr_status_t add_what_is_missing(cat_db_t *db, look_t *look)
{
    int missing;
    apr_status_t rv = compare_fields(db, look->registry, &missing);

    for (int tries = 0; rv == APR_SUCCESS && missing; tries++) { /* others may add fields at the same time */
        look->is_new = 1;                                        /* else what is noted would never be old */
        rv = tries < ADDITIONS ? add_fields(db, &look->registry) : CAT_EBUSY;
        rv = rv == APR_SUCCESS ? compare_fields(db, look->registry, &missing) : rv;
    }
    return rv;
}

/* ---- what a transaction goes by ---- */

/* Does the table still say the same of the keys that writers make? */
static int says_the_same(const reading_t *r, const cat_registry_t *registry)
{
    int count = r->rows->nelts / COLUMNS, is_same = count == registry->fields->count - CAT_PRODUCT_FIELDS;

    for (int i = 0; i < count && is_same; i++) {
        int field = CAT_PRODUCT_FIELDS + i;
        const char *const *row = row_of(r, i);
        is_same = !strcmp(registry->numbers[field], row[NUMBER]) &&
                  !strcmp(registry->fields->own[field]->line, write_line(r->pool, row)) &&
                  registry->is_counted[field] == says_counted(row, registry->fields->all[field].flags);
    }
    return is_same;
}

static apr_status_t confirm_registry(cat_db_t *db, const cat_basis_t *basis)
{
    apr_time_t now = apr_time_now();
    reading_t r;
    apr_status_t rv;

    if (now - basis->since < CONFIRMED_AGE && now >= basis->since) {
        return APR_SUCCESS;
    }
    rv = read_table(db, &r);
    return rv == APR_SUCCESS && !says_the_same(&r, basis->what) ? CAT_ECONFLICT : rv;
}

/* Of what this transaction notes itself others know when it is committed. */
static apr_status_t end_unwritten(cat_db_t *db)
{
    int is_first;
    apr_status_t rv;

    if (cat_db_has_one_writer(db) || cat_db_written_at(db)) {
        return APR_SUCCESS;
    }
    rv = cat_db_exec(db, SQL_UNWRITTEN_END, CAT_NO_VALUES, &is_first);
    if (rv == APR_SUCCESS && !(is_first && cat_db_in_transaction(db))) {
        cat_db_note_written(db);
    }
    return rv;
}

/* Fields that the first transaction adds itself are complete, as it has written nothing yet. */
static apr_status_t look_as_writer(cat_db_t *db, int is_anew, look_t *look)
{
    int is_first = !cat_db_has_one_writer(db) && !cat_db_written_at(db), is_unwritten;
    apr_status_t rv = is_first ? lock_unwritten(db, &is_unwritten) : APR_SUCCESS;

    rv = rv == APR_SUCCESS ? look_at_table(db, is_anew || is_first || cat_db_has_one_writer(db), look) : rv;
    rv = rv == APR_SUCCESS ? add_what_is_missing(db, look) : rv;
    return rv == APR_SUCCESS && is_first ? end_unwritten(db) : rv;
}

/* A transaction that only reads cannot add fields. */
static apr_status_t look_within(cat_db_t *db, cat_basis_t *basis, int is_anew)
{
    look_t look = {.kept = basis->what};
    apr_status_t rv = basis->is_writing ? look_as_writer(db, is_anew, &look) : look_at_table(db, is_anew, &look);

    if (rv == APR_SUCCESS) {
        basis->what = look.registry;
        basis->since = look.since;
        basis->is_anew = look.is_new;
        basis->confirm = confirm_registry;
    }
    return rv;
}

/* Only what is committed is noted for other threads. */
static apr_status_t look_outside(cat_db_t *db, int is_anew, const cat_registry_t **registry)
{
    look_t look = {.kept = NULL};
    apr_status_t rv = look_at_table(db, is_anew, &look);

    rv = rv == APR_SUCCESS ? add_what_is_missing(db, &look) : rv;
    if (rv == APR_SUCCESS && look.is_new) {
        cat_db_note_registry(db, look.noted, look.registry, look.since);
    }
    cat_db_release(db);
    *registry = look.registry;
    return rv;
}

static apr_status_t get_registry(cat_db_t *db, int is_anew, const cat_registry_t **registry)
{
    cat_basis_t *basis = cat_db_basis(db);
    apr_status_t rv = APR_SUCCESS;

    if (!basis) {
        return look_outside(db, is_anew, registry);
    }
    if (!basis->what || (is_anew && !basis->is_anew && !basis->is_writing)) {
        rv = look_within(db, basis, is_anew);
    }
    *registry = basis->what;
    return rv;
}

apr_status_t cat_registry_get(cat_db_t *db, const cat_registry_t **registry)
{
    return get_registry(db, 0, registry);
}

apr_status_t cat_registry_get_now(cat_db_t *db, const cat_registry_t **registry)
{
    return get_registry(db, 1, registry);
}

/* The fields of the mount are added before, so that they are complete at once. What was read then may lack fields that another server has added
 * until this one was noted as a writer. */
apr_status_t cat_registry_begin_writing(cat_db_t *db, const cat_registry_t **registry)
{
    int is_noted = cat_db_has_one_writer(db) || cat_db_written_at(db);
    apr_status_t rv = cat_registry_get(db, registry);

    if (rv != APR_SUCCESS || is_noted) {
        return rv;
    }
    rv = end_unwritten(db);
    return rv == APR_SUCCESS ? cat_registry_get(db, registry) : rv;
}

apr_status_t cat_registry_check(cat_db_t *db, const cat_fields_t *fields, const char **fault)
{
    look_t look = {.kept = NULL};
    apr_status_t rv = fields->count > CAT_PRODUCT_FIELDS ? look_at_table(db, 0, &look) : APR_SUCCESS;

    *fault = NULL;
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count && rv == APR_SUCCESS && !*fault; i++) {
        *fault = find_fault(db, look.registry, fields, i);
    }
    return rv;
}

apr_status_t cat_registry_get_filled(cat_db_t *db, const cat_registry_t **registry)
{
    apr_status_t rv = cat_registry_get(db, registry);

    return rv == APR_SUCCESS && (*registry)->is_filling ? cat_registry_get_now(db, registry) : rv;
}
