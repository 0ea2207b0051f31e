/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl check: looks for problems, one line each, and exits with 1 if there is any. Each check adds lines to a
 * report, a good one too, so that the output shows what was looked at; what cannot be read is a problem, and the checks
 * that depend on it are left out.
 */
#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "catalogue/index.h"
#include "catalogue/lists.h"
#include "catalogue/store.h"
#include "ctl/database.h"
#include "ctl/index.h"
#include "ctl/table.h"
#include "db/db.h"
#include "db/setup.h"
#include "jose/key.h"
#include "jose/keyring.h"
#include "lib/file.h"
#include "lib/time.h"

/* In a larger catalogue, about the number of products whose keys of fields are compared. */
#define FIELDS_SAMPLE 20000

#define COUNT_SECONDS 300 /* longest time for counting the products that readers see */

#define EQUAL_MOST 10 /* largest number of pairs with equal values that are reported */

#define WEBHOOK_IS_LATE apr_time_from_sec(3600)

/* A mail that was not accepted is tried again after at most 15 minutes. */
#define MAIL_IS_LATE apr_time_from_sec(3600)

#define OTHERS (APR_FPROT_WREAD | APR_FPROT_WWRITE | APR_FPROT_WEXECUTE)

#define TAKES_WRITES 2 /* a column of SQL_HEALTH */

enum { STATE, WHAT, DETAIL, FIELDS };
static const cat_field_t fields[FIELDS] = {
    [STATE] = {.name = "state", .kind = CAT_STRING},
    [WHAT] = {.name = "what", .kind = CAT_STRING},
    [DETAIL] = {.name = "detail", .kind = CAT_STRING},
};

typedef struct report_t {
    ctl_t *ctl;
    ctl_table_t table;
    int problems;
} report_t;

static void add_finding(report_t *r, int good, const char *what, const char *detail)
{
    ctl_table_row(&r->table, r->ctl->pool, (const char *const[FIELDS]){good ? "ok" : "problem", what, detail});
    r->problems += !good;
}

/* ---- keys ---- */

/* Read as the server's user, because the children read a CatalogKeyDir. A single file is read by root only, and httpd
 * has just read it with the configuration. */
static void check_keys(report_t *r)
{
    apr_pool_t *pool = r->ctl->pool;
    const ctl_site_t *site = &r->ctl->site;
    cat_keyring_t *ring;
    const cat_keys_t *keys;
    const char *fault;

    if (!site->key_dir) {
        add_finding(r, 1, "keys", site->key_file);
        return;
    }
    fault = cat_keyring_open_directory(pool, site->key_dir, &ring);
    if (fault) {
        add_finding(r, 0, "keys", fault);
        return;
    }
    keys = cat_keyring_get(ring, r->ctl->now, NULL);
    add_finding(r, 1, "keys",
                apr_psprintf(pool, "%s: %d, %s signs with %s", site->key_dir, keys->count, cat_key_id(keys->all[0]),
                             cat_key_algorithm(keys->all[0])));
}

/* ---- configuration ---- */

static void check_configuration(report_t *r)
{
    const ctl_site_t *site = &r->ctl->site;

    add_finding(r, 1, "configuration", apr_pstrcat(r->ctl->pool, site->server, " ", site->mount, NULL));
    for (int i = 0; i < site->warnings->nelts; i++) {
        add_finding(r, 0, "configuration", APR_ARRAY_IDX(site->warnings, i, const char *));
    }
}

static void check_sending(report_t *r)
{
    const char *mail = r->ctl->site.mail;

    add_finding(r, mail != NULL, "mail",
                mail ? mail
                     : "CatalogMail is not set: nobody gets a link to confirm an address or to set a new password");
}

/* ---- database ---- */

/* The side files exist only while the database is in use. The user who opened the database may read and write all of them. */
static void check_file(report_t *r, const char *suffix)
{
    apr_pool_t *pool = r->ctl->pool;
    const char *path = apr_pstrcat(pool, r->ctl->site.params, suffix, NULL);
    apr_finfo_t info;

    if (apr_stat(&info, path, APR_FINFO_PROT, pool) != APR_SUCCESS) {
        return;
    }
    if (info.protection & OTHERS) {
        add_finding(
            r, 0, "file",
            apr_psprintf(pool, "%s: is accessible to others; run: chmod o-rwx %s", path, cat_file_quote(pool, path)));
    } else {
        add_finding(r, 1, "file", path);
    }
}

/* Without tables, MySQL cannot be asked for their character set. */
static void check_traits(report_t *r, int is_empty)
{
    for (const cat_trait_t *trait = cat_db_dialect(r->ctl->db)->traits; trait->name; trait++) {
        const char *value = NULL;
        apr_status_t rv = cat_db_ask(r->ctl->db, trait->ask, &value);
        int good = rv == APR_SUCCESS && value && !strcmp(value, trait->want);

        if (rv != APR_SUCCESS && is_empty) {
            continue;
        }
        add_finding(r, good, trait->name,
                    good ? value
                         : apr_psprintf(r->ctl->pool, "%s, not %s%s%s", value ? value : "unknown", trait->want,
                                        trait->advice ? "; " : "", trait->advice ? trait->advice : ""));
    }
}

/* Beginning a transaction proves nothing: SQLite begins one on a read-only file. */
static apr_status_t write_nothing(void *db)
{
    return cat_db_exec(db, SQL_SESSION_DELETE, CAT_VALUES("", ""), NULL);
}

/* Flag: the tables can be read. */
static int check_schema(report_t *r)
{
    ctl_t *ctl = r->ctl;
    int version, needed;

    if (cat_migration_read_version(ctl->db, &version, &needed) != APR_SUCCESS) {
        add_finding(r, 0, "database", "cannot be read; the cause is above");
        return 0;
    }
    check_traits(r, version == 0);
    if (version < needed) {
        add_finding(
            r, 0, "schema",
            apr_psprintf(ctl->pool, "version %d, version %d is required; run: catalogctl migrate", version, needed));
        return 0;
    }
    add_finding(r, 1, "schema", apr_psprintf(ctl->pool, "version %d", version));
    return 1;
}

static void check_counts(report_t *r)
{
    int wrong;

    if (cat_counts_check(r->ctl->db, &wrong) != APR_SUCCESS) {
        add_finding(r, 0, "counts", "cannot be read; the cause is above");
    } else if (wrong) {
        add_finding(r, 0, "counts", apr_psprintf(r->ctl->pool, "%d are wrong; run: catalogctl recount", wrong));
    } else {
        add_finding(r, 1, "counts", "match the products");
    }
}

/* ---- index ---- */

static void check_database_index(report_t *r, const cat_index_status_t *status)
{
    apr_pool_t *pool = r->ctl->pool;
    const char *name = status->index->name;

    switch (status->state) {
    case CAT_INDEX_MISSING:
        add_finding(r, 0, "index", apr_pstrcat(pool, name, " is missing; run: catalogctl index", NULL));
        break;
    case CAT_INDEX_INVALID:
        add_finding(
            r, 0, "index",
            apr_pstrcat(pool, name, " is invalid, because its creation was interrupted; run: catalogctl index", NULL));
        break;
    case CAT_INDEX_UNUSED:
        add_finding(r, 1, "index", apr_pstrcat(pool, name, " is not used; to drop it, run: catalogctl index", NULL));
        break;
    default:;
    }
}

/* Unused indexes are no problem: the schema creates all. */
static apr_status_t check_database_indexes(report_t *r)
{
    cat_db_t *db = r->ctl->db;
    cat_index_status_t status[CAT_INDEX_COUNT];
    apr_status_t rv = cat_index_builder_look(db, cat_product_keys_kept(db), status);

    for (int i = 0; i < CAT_INDEX_COUNT && rv == APR_SUCCESS; i++) {
        check_database_index(r, &status[i]);
    }
    return rv;
}

static void check_products(report_t *r)
{
    ctl_t *ctl = r->ctl;
    ctl_index_found_t found;

    if (ctl_index_compare(ctl, cat_indexes_compare, 0, &found) != APR_SUCCESS) {
        add_finding(r, 0, "index", "cannot be read; the cause is above");
    } else if (found.wrong) {
        add_finding(r, 0, "index",
                    apr_psprintf(ctl->pool,
                                 "%" APR_INT64_T_FMT " products were written by another program, such as %s; "
                                 "run: catalogctl index",
                                 found.wrong, found.example));
    } else if (found.unknown) {
        add_finding(r, 0, "index", "the dictionary lacks words of products; run: catalogctl index");
    } else {
        add_finding(r, 1, "index", "matches the products");
    }
}

/* Returns "sku, brand": the fields with one of the flags, or 0 for any flags, whose keys some products still lack. Only fields with a line
 * and fields that are searched count: requests of this mount do not use the others. Returns NULL if there are none. */
static const char *name_incomplete(const report_t *r, const cat_registry_t *registry, int flags)
{
    const cat_fields_t *lines = cat_product_fields_of(&r->ctl->conf);
    const char *names = NULL;

    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count; i++) {
        const char *name = registry->fields->all[i].name;
        int has = registry->fields->all[i].flags;
        int is_used = cat_own_fields_find(lines, name) < lines->count || has & CAT_SEARCHED;
        if (!registry->is_complete[i] && !registry->fields->own[i]->of && is_used && (!flags || has & flags)) {
            names = apr_pstrcat(r->ctl->pool, names ? names : "", names ? ", " : "", name, NULL);
        }
    }
    return names;
}

static apr_status_t check_equal_values(report_t *r)
{
    apr_array_header_t *found = apr_array_make(r->ctl->pool, 4, sizeof(cat_equal_values_t));
    apr_status_t rv = cat_key_filler_find_equal(r->ctl->db, found);

    for (int i = 0; rv == APR_SUCCESS && i < found->nelts && i < EQUAL_MOST; i++) {
        const cat_equal_values_t *equal = &APR_ARRAY_IDX(found, i, cat_equal_values_t);
        add_finding(
            r, 0, "fields",
            apr_psprintf(r->ctl->pool,
                         "%s is unique, but the products %s and %s both have the value %s; give %s another value",
                         equal->field, equal->ids[0], equal->ids[1], equal->value, equal->ids[0]));
    }
    return rv;
}

/* Reports the fields whose keys some products still lack, and equal values that keep a field from becoming unique. Other causes of a delay are only
 * in the log of the server. Sets *is_filling to whether keys are missing. */
static apr_status_t check_filling(report_t *r, int *is_filling)
{
    apr_pool_t *pool = r->ctl->pool;
    const cat_registry_t *registry;
    int percent;
    apr_status_t rv = cat_registry_get(r->ctl->db, &registry);
    const char *names = rv == APR_SUCCESS ? name_incomplete(r, registry, 0) : NULL;

    *is_filling = names != NULL;
    rv = names ? cat_key_filler_percent(r->ctl->db, &percent) : rv;
    if (rv == APR_SUCCESS && names) {
        add_finding(
            r, 0, "fields",
            apr_psprintf(pool,
                         "%s: %d %% of the products have the keys; until a server has given them to all, requests "
                         "that use the field return 503. If it waits, CAT089 or CAT094 in its error log says why",
                         names, percent));
        rv = check_equal_values(r);
    }
    return rv;
}

/* Of a large catalogue a sample, as each field costs a statement for each hundred products. */
static void check_fields(report_t *r)
{
    apr_pool_t *pool = r->ctl->pool;
    const cat_fields_t *lines = cat_product_fields_of(&r->ctl->conf);
    ctl_index_found_t found, owners;
    const char *fault;
    int is_filling = 0;

    if (lines->count == CAT_PRODUCT_FIELDS) {
        return;
    }
    if (cat_registry_check(r->ctl->db, lines, &fault) == APR_SUCCESS && fault) {
        add_finding(r, 0, "fields", fault);
    } else if (check_filling(r, &is_filling) != APR_SUCCESS ||
               ctl_index_compare(r->ctl, cat_key_check_compare, FIELDS_SAMPLE, &found) != APR_SUCCESS ||
               ctl_index_compare(r->ctl, cat_key_check_compare_owners, 0, &owners) != APR_SUCCESS) {
        add_finding(r, 0, "fields", "the keys of CatalogField cannot be read; the cause is above");
    } else if (found.wrong) {
        add_finding(r, 0, "fields",
                    apr_psprintf(pool,
                                 "%" APR_INT64_T_FMT " of %" APR_INT64_T_FMT
                                 " products do not have the keys of their fields, such as %s; run: catalogctl index",
                                 found.wrong, found.rows, found.example));
    } else if (found.gone || owners.gone) {
        add_finding(r, 0, "fields",
                    apr_psprintf(pool,
                                 "there are keys or unique values of products that are gone, such as n = %s; run: "
                                 "catalogctl index",
                                 found.gone ? found.example : owners.example));
    } else if (!is_filling) {
        add_finding(r, 1, "fields", "match the products");
    }
}

/* Reports how many products readers see. */
static void check_visible(report_t *r)
{
    apr_pool_t *pool = r->ctl->pool;
    cat_conf_t conf = r->ctl->conf;
    apr_int64_t visible = -1, total;

    conf.visible_text = r->ctl->site.visible;
    conf.query_timeout = COUNT_SECONDS;
    cat_visible_derive(pool, &conf);
    if (!conf.visible_text || !conf.readers) {
        return;
    }
    if (cat_key_filler_count_visible(r->ctl->db, conf.readers, CAT_COUNT_EXACT, &visible) != APR_SUCCESS ||
        cat_db_number(r->ctl->db, SQL_PRODUCT_TOTAL, CAT_NO_VALUES, &total) != APR_SUCCESS) {
        add_finding(r, 0, "visible", "the products that meet CatalogVisible cannot be counted; the cause is above");
    } else if (visible >= 0) {
        add_finding(r, visible || !total, "visible",
                    apr_psprintf(pool, "%" APR_INT64_T_FMT " of %" APR_INT64_T_FMT " products meet CatalogVisible %s",
                                 visible, total, conf.visible_text));
    }
}

/* Other faults of what is derived of products cannot be told before that. 1: it has been reported. 0 as well if the fields
 * cannot be read: check_fields says why. */
static int check_words(report_t *r)
{
    cat_db_t *db = r->ctl->db;
    const cat_registry_t *registry;
    const char *names, *fault;
    int percent;

    if (cat_registry_check(db, cat_product_fields_of(&r->ctl->conf), &fault) != APR_SUCCESS || fault ||
        cat_registry_get(db, &registry) != APR_SUCCESS) {
        return 0;
    }
    names = name_incomplete(r, registry, CAT_SEARCHED);
    if (names && cat_key_filler_percent(db, &percent) == APR_SUCCESS) {
        add_finding(r, 0, "index",
                    apr_psprintf(r->ctl->pool,
                                 "%s: %d %% of the products have the words; until a server has given them to all, "
                                 "searches return 503",
                                 names, percent));
        return 1;
    }
    return 0;
}

static void check_index(report_t *r)
{
    ctl_t *ctl = r->ctl;
    cat_indexes_state_t state;
    apr_status_t rv = check_database_indexes(r);

    rv = rv == APR_SUCCESS ? cat_indexes_check(ctl->db, cat_product_keys_kept(ctl->db), &state) : rv;
    if (rv != APR_SUCCESS) {
        add_finding(r, 0, "index", "cannot be read; the cause is above");
    } else if (state.unbuilt) {
        add_finding(r, 0, "index",
                    apr_psprintf(ctl->pool, "%s: not built, or not completely; run: catalogctl index",
                                 cat_product_keys_write_set(ctl->pool, state.unbuilt)));
    } else if (state.filling) {
        add_finding(r, 0, "index",
                    apr_psprintf(ctl->pool,
                                 "%s: %d %% of the products are indexed; until a server has indexed all, requests that "
                                 "need it return 503",
                                 cat_product_keys_write_set(ctl->pool, state.filling), state.percent));
    } else if (!check_words(r)) {
        check_products(r);
    }
}

/* ---- mail ---- */

static apr_status_t check_mail(void *baton, const char *const *row, int)
{
    report_t *r = baton;
    const char *state = row[0], *number = row[1];
    apr_time_t oldest = cat_time_read(row[2]);
    char since[CAT_TIME_LENGTH + 1];

    cat_time_format(since, apr_time_as_msec(oldest));
    add_finding(r, strcmp(state, "dead") && oldest > r->ctl->now - MAIL_IS_LATE, "mail",
                apr_psprintf(r->ctl->pool, "%s %s, the oldest since %s", number, state, since));
    return APR_SUCCESS;
}

/* ---- webhooks ---- */

/* Those that a server still has in its configuration; one that fails for a moment is no problem. */
static void check_webhooks(report_t *r)
{
    apr_pool_t *pool = r->ctl->pool;
    const char *const *row, *hour_ago = cat_time_store(pool, r->ctl->now - WEBHOOK_IS_LATE);
    char since[CAT_TIME_LENGTH + 1];

    if (cat_db_one(r->ctl->db, SQL_WEBHOOK_FAILING, CAT_VALUES(hour_ago), &row) != APR_SUCCESS) {
        add_finding(r, 0, "webhooks", "cannot be read; the cause is above");
        return;
    }
    if (strcmp(row[0], "0")) {
        add_finding(r, 0, "webhooks", apr_psprintf(pool, "%s dead; see catalogctl webhook list", row[0]));
    }
    if (row[1] && cat_time_read(row[1]) <= r->ctl->now - WEBHOOK_IS_LATE) {
        cat_time_format(since, apr_time_as_msec(cat_time_read(row[1])));
        add_finding(r, 0, "webhooks",
                    apr_psprintf(pool, "one has failed since %s; see catalogctl webhook list", since));
    }
}

/* A transaction that writes nothing waits for no stand-by, so the database is asked what one that writes would wait for. */
static void check_writes(report_t *r)
{
    cat_db_t *db = r->ctl->db;
    const char *obstacle, *const *row;
    apr_status_t rv = ctl_database_write(r->ctl, write_nothing, db);

    rv = rv == APR_SUCCESS ? cat_db_one(db, SQL_HEALTH, CAT_NO_VALUES, &row) : rv;
    obstacle = rv == APR_SUCCESS ? cat_db_find_obstacle(db, row[TAKES_WRITES]) : "the cause is above";
    add_finding(r, !obstacle, "database",
                obstacle ? apr_pstrcat(r->ctl->pool, "cannot be written; ", obstacle, NULL)
                         : "can be read and written");
}

static void check_database(report_t *r)
{
    ctl_t *ctl = r->ctl;
    const cat_dialect_t *dialect = cat_dialect_find(ctl->site.driver);

    if (dialect->file) {
        check_file(r, "");
        check_file(r, "-wal");
        check_file(r, "-shm");
    }
    if (!check_schema(r)) {
        return;
    }
    check_writes(r);
    check_counts(r);
    check_index(r);
    check_fields(r);
    check_visible(r);
    if (cat_db_each(ctl->db, SQL_OUTBOX_COUNT, CAT_NO_VALUES, check_mail, r) != APR_SUCCESS) {
        add_finding(r, 0, "mail", "cannot be read; the cause is above");
    }
    check_webhooks(r);
}

int ctl_check_run(ctl_t *ctl)
{
    report_t r = {.ctl = ctl, .table = {.fields = fields, .count = FIELDS, .json = ctl->options->json}};
    const char *fault = ctl_database_open(ctl, 0);

    ctl_table_begin(&r.table);
    if (ctl->site.server) {
        check_configuration(&r);
        check_keys(&r);
        check_sending(&r);
    }
    if (fault) {
        add_finding(&r, 0, "database", fault);
    } else {
        check_database(&r);
    }
    ctl_table_end(&r.table);
    return r.problems ? CTL_FAILED : CTL_DONE;
}
