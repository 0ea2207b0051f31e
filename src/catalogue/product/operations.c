/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs several writes of products in one transaction, as POST /products/batch asks for.
 *
 * All products that the operations update or delete are locked first, in the order of their ids, so two batches that share
 * products wait for each other instead of forming a deadlock. From then on no other writer changes them, so the run keeps
 * them in a table, by id, and judges each operation by what those before it have made of its product:
 *
 *     update A   if stored A meets the condition        -> A'
 *     update A   if A' meets the condition              -> A''
 *     delete A                                          -> none
 *     update A                                          -> APR_NOTFOUND
 *
 * A product that has a name (catalogue/product/product_name.h) is found when the products are locked; afterwards each operation that
 * sets, changes or deletes the value changes what the name stands for, so a product can be created and updated by name in one run.
 *
 * A unique value that another product has waits for the end of an atomic run: an operation after it may free the value. Two updates that swap
 * their values are written like this, where sku=1 and sku=2 stand for A and B until they have given these up:
 *
 *     update sku=1 (A) to 2      A waits for 2; nobody has 1
 *     update sku=2 (B) to 1      B has 1; nobody has 2
 *     the end                    A has 2
 *
 * An atomic run stops writing at the first failure, and is rolled back; the operations after it are still judged, as if all
 * had been written, so that the client learns of every fault at once. In a run that is not atomic, each operation is written
 * within a savepoint (cat_db_attempt), so that a failure takes back itself alone.
 */
#include "catalogue/product/operations.h"

#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "catalogue/product/product_images.h"
#include "db/db.h"
#include "lib/id.h"
#include "lib/text.h"

/* What the name of an operation stands for, as the operations so far leave it. */
typedef struct naming_t {
    const cat_product_name_t *name;
    const char *id;      /* NULL: no product has it */
    const char *waiting; /* id of the product that gets the name once `id` gives it up; NULL: none waits for it */
    int is_unknown;      /* flag: nobody knows which product has it, as the keys of the field are being filled in */
} naming_t;

typedef struct run_t {
    apr_pool_t *pool;
    cat_db_t *db;
    cat_operations_t *operations;
    apr_hash_t *products;        /* by id: those that are locked, as the operations so far leave them */
    apr_array_header_t *names;   /* naming_t: in the order of the operations that have one */
    apr_array_header_t *changed; /* const char *: ids of products that were updated or deleted */
    int succeeded;
    cat_operation_t *current; /* the one that write_operation writes */
} run_t;

/* ---- locking ---- */

static apr_status_t find_name(const run_t *run, naming_t *naming)
{
    apr_status_t rv = cat_product_name_find(run->db, naming->name, &naming->id);

    naming->id = rv == APR_SUCCESS ? apr_pstrdup(run->pool, naming->id) : NULL;
    naming->is_unknown = rv == CAT_EFILLING && !run->operations->is_atomic;
    return rv == APR_NOTFOUND || naming->is_unknown ? APR_SUCCESS : rv;
}

static apr_status_t find_names(run_t *run)
{
    apr_status_t rv = APR_SUCCESS;

    run->names = apr_array_make(run->pool, 8, sizeof(naming_t));
    for (int i = 0; i < run->operations->count && rv == APR_SUCCESS; i++) {
        const cat_operation_t *o = &run->operations->list[i];
        if (o->kind != CAT_OPERATION_NONE && o->name) {
            naming_t *naming = apr_array_push(run->names);
            *naming = (naming_t){.name = o->name};
            rv = find_name(run, naming);
        }
    }
    return rv;
}

static naming_t *list_names(const run_t *run)
{
    return (naming_t *)run->names->elts;
}

static apr_array_header_t *list_ids(const run_t *run)
{
    apr_array_header_t *ids = apr_array_make(run->pool, run->operations->count, sizeof(const char *));

    for (int i = 0; i < run->names->nelts; i++) {
        if (list_names(run)[i].id) {
            APR_ARRAY_PUSH(ids, const char *) = list_names(run)[i].id;
        }
    }

    for (int i = 0; i < run->operations->count; i++) {
        const cat_operation_t *o = &run->operations->list[i];
        if ((o->kind == CAT_OPERATION_UPDATE || o->kind == CAT_OPERATION_DELETE) && !o->name && cat_id_check(o->id)) {
            APR_ARRAY_PUSH(ids, const char *) = o->id;
        }
    }
    qsort(ids->elts, (size_t)ids->nelts, sizeof(const char *), cat_text_compare);
    return ids;
}

static apr_status_t lock_product(run_t *run, const char *id)
{
    const char *const *product;
    apr_status_t rv = cat_products_lock(run->db, id, &product);

    apr_hash_set(run->products, id, APR_HASH_KEY_STRING, product);
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

static int is_named(const run_t *run, const naming_t *naming)
{
    const char *const *product = naming->id ? apr_hash_get(run->products, naming->id, APR_HASH_KEY_STRING) : NULL;

    return product && cat_product_name_fits(naming->name, product);
}

#define NAME_TRIES 3

/* Another writer may have given the name to another product before this one was locked. */
static apr_status_t confirm_name(run_t *run, naming_t *naming)
{
    apr_status_t rv = APR_SUCCESS;

    for (int tries = 0; tries < NAME_TRIES && naming->id && !is_named(run, naming) && rv == APR_SUCCESS; tries++) {
        rv = find_name(run, naming);
        rv = rv == APR_SUCCESS && naming->id ? lock_product(run, naming->id) : rv;
    }
    naming->id = is_named(run, naming) ? naming->id : NULL;
    return rv;
}

/* In the order of their ids, so that batches which change the same products wait for each other without a deadlock. */
static apr_status_t lock_products(run_t *run)
{
    apr_status_t rv = find_names(run);
    const apr_array_header_t *ids = list_ids(run);

    run->products = apr_hash_make(run->pool);
    for (int i = 0; i < ids->nelts && rv == APR_SUCCESS; i++) {
        const char *id = APR_ARRAY_IDX(ids, i, const char *);
        if (i == 0 || strcmp(id, APR_ARRAY_IDX(ids, i - 1, const char *)) != 0) {
            rv = lock_product(run, id);
        }
    }
    for (int i = 0; i < run->names->nelts && rv == APR_SUCCESS; i++) {
        rv = confirm_name(run, &list_names(run)[i]);
    }
    return rv;
}

static apr_status_t free_numbers(const run_t *run)
{
    const cat_operations_t *all = run->operations;
    const char ***created = apr_palloc(run->pool, (apr_size_t)all->count * sizeof(*created));
    int count = 0;

    for (int i = 0; i < all->count; i++) {
        if (all->list[i].kind == CAT_OPERATION_CREATE) {
            created[count++] = all->list[i].created;
        }
    }
    return count ? cat_products_free_numbers(run->db, (const char **const *)created, count) : APR_SUCCESS;
}

/* ---- one operation ---- */

static const char *const *find_product(const run_t *run, const cat_operation_t *o)
{
    return o->id ? apr_hash_get(run->products, o->id, APR_HASH_KEY_STRING) : NULL;
}

static apr_status_t judge_operation(const run_t *run, const cat_operation_t *o)
{
    const char *const *product;

    if (o->kind == CAT_OPERATION_CREATE) {
        return APR_SUCCESS;
    }
    product = find_product(run, o);
    if (!product) {
        return APR_NOTFOUND;
    }
    return o->condition ? o->condition->judge(o->condition->baton, product) : APR_SUCCESS;
}

static apr_status_t write_operation(void *baton)
{
    const run_t *run = baton;
    cat_operation_t *o = run->current;
    apr_status_t rv;

    switch (o->kind) {
    case CAT_OPERATION_CREATE:
        rv = cat_own_slugs_claim(run->db, o->slugs, o->created);
        o->product = (const char *const *)o->created;
        return rv == APR_SUCCESS ? cat_products_insert_within(run->db, o->product) : rv;
    case CAT_OPERATION_UPDATE:
        return cat_products_update_within(run->db, o->id, o->input, &o->product);
    case CAT_OPERATION_DELETE:
        return cat_products_delete_within(run->db, o->id);
    case CAT_OPERATION_NONE:
        break;
    }
    return APR_SUCCESS;
}

/* Instead of write_operation, for an operation that must not be written. */
static void suppose_operation(const run_t *run, cat_operation_t *o)
{
    if (o->kind == CAT_OPERATION_UPDATE) {
        o->product = cat_products_merge(run->pool, find_product(run, o), o->input);
    } else if (o->kind == CAT_OPERATION_CREATE) {
        o->product = (const char *const *)o->created;
    }
}

static int is_waiting(const run_t *run, const cat_product_name_t *name, const char *id)
{
    const cat_registry_t *registry;

    return run->db->waiting && cat_registry_get(run->db, &registry) == APR_SUCCESS &&
           cat_own_keys_is_waiting(
               run->db,
               registry->numbers[cat_registry_find_field(registry, cat_product_fields_of(run->db->conf), name->field)],
               id);
}

/* Updates the naming after a write of the product with the id. product: its record after the write; NULL: it was deleted. */
static void follow_name(const run_t *run, naming_t *naming, const char *id, const char *const *product)
{
    if (product && cat_product_name_fits(naming->name, product)) {
        *(naming->id && is_waiting(run, naming->name, id) ? &naming->waiting : &naming->id) = id;
        return;
    }
    if (naming->waiting && !strcmp(naming->waiting, id)) {
        naming->waiting = NULL;
    }
    if (naming->id && !strcmp(naming->id, id)) {
        naming->id = naming->waiting;
        naming->waiting = NULL;
    }
}

/* For the operations after it. */
static void note_success(run_t *run, const cat_operation_t *o)
{
    const char *id = o->kind == CAT_OPERATION_CREATE ? o->product[CAT_PRODUCT_ID] : o->id;

    run->succeeded++;
    apr_hash_set(run->products, id, APR_HASH_KEY_STRING, o->product); /* NULL, if it was deleted, removes it */
    for (int i = 0; i < run->names->nelts; i++) {
        follow_name(run, &list_names(run)[i], id, o->product);
    }
    if (o->kind != CAT_OPERATION_CREATE) {
        APR_ARRAY_PUSH(run->changed, const char *) = id;
    }
}

/* Does the status of a write end the transaction? CAT_EFILLING, while the keys of a field are being filled in, fails an atomic run as a
 * whole. */
static int is_fault(const cat_operations_t *all, apr_status_t rv)
{
    return rv != APR_SUCCESS && rv != APR_NOTFOUND && rv != APR_EEXIST && rv != CAT_EVALUE && rv != CAT_ETOOLONG &&
           rv != CAT_ENOIMAGE && (rv != CAT_EFILLING || all->is_atomic);
}

/* Which product it is about, if it has a name. named: how many operations before it have one. */
static apr_status_t take_name(const run_t *run, cat_operation_t *o, int *named)
{
    const naming_t *naming = o->name ? &list_names(run)[(*named)++] : NULL;

    o->id = naming ? naming->id : o->id;
    return naming && naming->is_unknown ? CAT_EFILLING : APR_SUCCESS;
}

/* Once one of an atomic run has failed, the others are only judged. named: as above. */
static apr_status_t run_operation(run_t *run, int index, int *named)
{
    cat_operations_t *all = run->operations;
    cat_operation_t *o = &all->list[index];

    o->refused = NULL;
    o->rv = take_name(run, o, named);
    o->rv = o->rv == APR_SUCCESS ? judge_operation(run, o) : o->rv;
    if (o->rv == APR_SUCCESS && all->failed >= 0) {
        suppose_operation(run, o);
    } else if (o->rv == APR_SUCCESS) {
        run->current = o;
        if (run->db->waiting) {
            run->db->waiting->writer = index;
        }
        o->rv = all->is_atomic ? write_operation(run) : cat_db_attempt(run->db, write_operation, run);
        o->taken = run->db->taken;
        if (is_fault(all, o->rv)) {
            all->failed = -1;
            return o->rv;
        }
    }
    if (o->rv == APR_SUCCESS) {
        note_success(run, o);
    } else if (all->is_atomic && all->failed < 0) {
        all->failed = index;
    }
    return APR_SUCCESS;
}

/* ---- all ---- */

/* Takes the unique values that other products had when operations of an atomic run set them. An operation fails with APR_EEXIST if another product
 * still has its value; the first such operation is all->failed. */
static apr_status_t take_waiting_values(run_t *run)
{
    cat_operations_t *all = run->operations;
    apr_array_header_t *refused = apr_array_make(run->pool, 2, sizeof(cat_waiting_value_t));
    apr_status_t rv = run->db->waiting ? cat_own_keys_take_waiting(run->db, refused) : APR_SUCCESS;

    for (int i = 0; i < refused->nelts; i++) {
        const cat_waiting_value_t *value = &APR_ARRAY_IDX(refused, i, cat_waiting_value_t);
        cat_operation_t *o = &all->list[value->writer];
        if (o->rv == APR_SUCCESS) {
            o->rv = APR_EEXIST;
            o->refused = apr_array_make(run->pool, 1, sizeof(cat_waiting_value_t));
        }
        APR_ARRAY_PUSH(o->refused, cat_waiting_value_t) = *value;
        all->failed = all->failed < 0 || value->writer < all->failed ? value->writer : all->failed;
    }
    return rv == APR_EEXIST ? APR_SUCCESS : rv;
}

/* APR_NOTFOUND rolls back, if there is nothing to store. */
static apr_status_t end_run(run_t *run)
{
    const cat_operations_t *all = run->operations;
    apr_status_t rv = all->failed < 0 ? take_waiting_values(run) : APR_SUCCESS;

    run->db->waiting = NULL;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (all->failed >= 0) {
        return all->list[all->failed].rv;
    }
    if (all->finish) {
        all->finish(all->baton);
    }
    return run->succeeded || cat_db_is_accompanied(run->db) ? APR_SUCCESS : APR_NOTFOUND;
}

/* Creations alone free no value, so the first that meets a taken one ends the run. */
static int may_free_values(const cat_operations_t *all)
{
    for (int i = 0; i < all->count; i++) {
        if (all->list[i].kind != CAT_OPERATION_CREATE && all->list[i].kind != CAT_OPERATION_NONE) {
            return 1;
        }
    }
    return 0;
}

static apr_status_t run_operations(void *baton)
{
    run_t *run = baton;
    cat_operations_t *all = run->operations;
    int named = 0;
    apr_status_t rv;

    run->changed->nelts = 0;
    run->succeeded = 0;
    all->failed = -1;
    if (all->is_atomic && may_free_values(all)) {
        cat_own_keys_wait(run->db, run->pool);
    }
    rv = lock_products(run);
    rv = rv == APR_SUCCESS ? free_numbers(run) : rv;
    for (int i = 0; i < all->count && rv == APR_SUCCESS; i++) {
        if (all->list[i].kind != CAT_OPERATION_NONE) {
            rv = run_operation(run, i, &named);
        }
    }
    return rv == APR_SUCCESS ? end_run(run) : rv;
}

apr_status_t cat_operations_run(apr_pool_t *pool, cat_db_t *db, cat_operations_t *operations)
{
    run_t run = {.pool = pool, .db = db, .operations = operations};
    apr_status_t rv;

    operations->failed = -1;
    run.changed = apr_array_make(pool, operations->count, sizeof(const char *));
    rv = cat_products_transact(db, run.changed, operations->count, run_operations, &run);
    db->waiting = NULL;
    return rv == APR_NOTFOUND && operations->failed < 0 ? APR_SUCCESS : rv;
}
