/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_fields.h"

#include "catalogue/bulk/bulk.h"

#define DEFINITIONS "SELECT group_concat(name || ' ' || definition, ' | ') FROM catalog_fields ORDER BY number"

/* ---- what is kept ---- */

typedef struct reading_t {
    cat_db_t *db;
    const cat_registry_t *registry;
    unit_database_t *database;
} reading_t;

static apr_status_t read_within(void *baton)
{
    reading_t *r = baton;

    return cat_registry_get(r->db, &r->registry);
}

static const cat_registry_t *read_in_transaction(unit_database_t *database)
{
    reading_t r = {.db = unit_database_use(database->pool, database)};

    assert_int_equal(cat_db_transact(r.db, read_within, &r), APR_SUCCESS);
    cat_db_release(r.db);
    return r.registry;
}

/* Else a child that only updates products would keep one for each update. */
static void test_transactions_share_what_they_read(void **state)
{
    unit_database_t *database = unit_database(*state);
    const cat_registry_t *first;

    database->conf.fields = unit_fields_read(*state, "sku string unique\n");
    read_in_transaction(database); /* adds the field */
    first = read_in_transaction(database);
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(read_in_transaction(database), first);
    }
    unit_database_sql(database, "UPDATE catalog_fields SET definition = 'string index unique search'");
    assert_ptr_not_equal(read_in_transaction(database), first);
    unit_database_sql(database, "UPDATE catalog_fields SET definition = 'string unique'");
    assert_ptr_not_equal(read_in_transaction(database), first); /* it is new again, and the job waits again */
}

static apr_status_t look_twice(void *baton)
{
    reading_t *r = baton;
    unit_database_t *database = r->database;
    const cat_registry_t *first, *now;
    apr_status_t rv = cat_registry_get_now(r->db, &first);

    unit_database_sql(database, "UPDATE catalog_fields SET definition = 'string index unique search'");
    assert_int_equal(cat_registry_get_now(unit_database_use(database->pool, database), &now), APR_SUCCESS);
    for (int i = 0; i < 3 && rv == APR_SUCCESS; i++) {
        rv = cat_registry_get_now(r->db, &r->registry);
        assert_ptr_equal(r->registry, first);
    }
    assert_ptr_not_equal(now, first);
    return rv;
}

/* An export looks again for each portion, for hours, and has always the same before it. */
static void test_a_view_keeps_what_it_has_read(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "sku string unique\n");
    reading_t r = {unit_database_use(*state, database), NULL, database};

    unit_database_sql(database, "UPDATE catalog_fields SET definition = 'string unique search'");
    assert_int_equal(cat_db_view(r.db, look_twice, &r), APR_SUCCESS);
}

/* ---- changes of several servers ---- */

static void test_nobody_overwrites_what_another_server_has_changed(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "color choice values=\"red|blue\" index\n");
    cat_db_t *db = unit_database_use(*state, database);
    const cat_registry_t *registry;

    assert_int_equal(cat_registry_get(db, &registry), APR_SUCCESS);
    unit_database_sql(database, "UPDATE catalog_fields SET definition = 'choice values=\"red|blue|green\" index'");
    assert_int_equal(cat_registry_retire(db, registry, CAT_PRODUCT_FIELDS), CAT_ECONFLICT);
    assert_string_equal(unit_database_sql(database, DEFINITIONS), "color choice values=\"red|blue|green\" index");
    cat_db_release(db);
    /* What was read is less than a second old, so this server changes it, too. */
    database->conf.fields = unit_fields_read(*state, "color choice values=\"red|blue|pink\" facet\n");
    db = unit_database_use(*state, database);
    assert_int_equal(cat_registry_get(db, &registry), APR_SUCCESS);
    assert_string_equal(unit_database_sql(database, DEFINITIONS), "color choice values=\"red|blue|green|pink\" facet");
}

/* As long as products have the words, they must be known to be the field's, or readers would find them. */
static void test_retired_fields_keep_their_words(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "about text search\nbrand string unique facet search\n");
    cat_db_t *db = unit_database_use(*state, database);
    const cat_registry_t *registry;

    assert_int_equal(cat_registry_get(db, &registry), APR_SUCCESS);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cat_registry_retire(db, registry, CAT_PRODUCT_FIELDS + i), APR_SUCCESS);
    }
    assert_string_equal(unit_database_sql(database, DEFINITIONS), "about text search | brand string search");
    unit_fields_age(database);
    database->conf.fields = NULL;
    assert_int_equal(cat_registry_get(db, &registry), APR_SUCCESS);
    assert_true(registry->has_words);
    assert_true(cat_registry_is_retired(*state, registry, CAT_PRODUCT_FIELDS));
    assert_int_equal(cat_registry_retire(db, registry, CAT_PRODUCT_FIELDS), APR_SUCCESS);
}

/* ---- what lists go by ---- */

#define BRANDS "brand string index by=price\n"

static void test_lists_use_pairs_that_are_complete_now(void **state)
{
    unit_database_t *database = unit_fields_database(*state, BRANDS);

    for (int i = 0; i < 3; i++) {
        assert_int_equal(unit_fields_insert(database, i, "{\"brand\":\"Acme\"}"), APR_SUCCESS);
    }
    assert_string_equal(unit_fields_list(database, &database->conf, "brand=Acme&sort=price"), "0 1 2");
    unit_database_sql(database, "DELETE FROM product_keys WHERE field = 2;"
                                "UPDATE catalog_fields SET complete = 0 WHERE name = 'brand,price'");
    unit_fields_age(database);
    assert_string_equal(unit_fields_list(database, &database->conf, "brand=Acme&sort=price"), "0 1 2");
    unit_database_sql(database, "UPDATE catalog_fields SET complete = 0 WHERE name = 'brand'");
    unit_fields_age(database);
    assert_string_equal(unit_fields_list(database, &database->conf, "brand=Acme&sort=price"), "filling");
}

typedef struct matching_t {
    cat_db_t *db;
    cat_list_query_t query;
    apr_array_header_t *ids;
} matching_t;

static apr_status_t match(void *baton)
{
    const matching_t *m = baton;

    return cat_bulk_match(m->db, &m->query, m->ids);
}

static void test_changes_wait_for_the_keys_of_choices(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "color choice values=\"red|blue\" index\n");
    matching_t m = {unit_database_use(*state, database), unit_fields_query(*state, &database->conf, "color=red"),
                    apr_array_make(*state, 1, sizeof(const char *))};

    assert_int_equal(unit_fields_insert(database, 1, "{\"color\":\"blue\"}"), APR_SUCCESS);
    APR_ARRAY_PUSH(m.ids, const char *) = unit_product_id(*state, 1);
    /* Another server has given the values another order. */
    unit_database_sql(database,
                      "UPDATE catalog_fields SET definition = 'choice values=\"blue|red\" index', complete = 0");
    assert_int_equal(cat_db_transact(m.db, match, &m), CAT_EFILLING);
    assert_int_equal(m.ids->nelts, 1);
    unit_database_sql(database, "UPDATE catalog_fields SET complete = 1;"
                                "UPDATE product_keys SET value_key = '000'");
    assert_int_equal(cat_db_transact(m.db, match, &m), APR_SUCCESS);
    assert_int_equal(m.ids->nelts, 0);
}

/* A server has been restarted with a private field, and has stored a product; this one has just been restarted, too. */
static void test_words_of_a_new_private_field_are_hidden_at_once(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "note string\n"),
                    *other = unit_database_make(*state, database->path);
    cat_conf_t readers;

    other->conf.fields = unit_fields_read(*state, "note string\nsecret string search private\n");
    assert_int_equal(unit_fields_insert(other, 1, "{\"secret\":\"hidden\"}"), APR_SUCCESS);
    readers = database->conf;
    readers.fields = cat_own_fields_public(*state, other->conf.fields);
    assert_string_equal(unit_fields_list(database, &readers, "q=hidden"), "");
    assert_string_equal(unit_fields_list(database, &readers, "q=light"), "1");
    database->conf.fields = other->conf.fields;
    assert_string_equal(unit_fields_list(database, &database->conf, "q=hidden"), "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_transactions_share_what_they_read),
        UNIT_TEST(test_a_view_keeps_what_it_has_read),
        UNIT_TEST(test_nobody_overwrites_what_another_server_has_changed),
        UNIT_TEST(test_retired_fields_keep_their_words),
        UNIT_TEST(test_lists_use_pairs_that_are_complete_now),
        UNIT_TEST(test_changes_wait_for_the_keys_of_choices),
        UNIT_TEST(test_words_of_a_new_private_field_are_hidden_at_once),
    };
    return UNIT_RUN(tests);
}
