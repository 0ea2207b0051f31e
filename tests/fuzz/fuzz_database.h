/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_DATABASE_H
#define FUZZ_DATABASE_H

/* A database in a new directory, for targets that call the functions of routes. */

#include <sqlite3.h>
#include <unistd.h>

#include "catalogue/product/registry.h"
#include "db/pool/pool.h"
#include "db/schema/migration.h"
#include "fuzz.h"
#include "http/answer.h"
#include "http/request.h"
#include "lib/json.h"

/* A connection that has been idle for long is closed, and another one opened, at any input. What it holds, and what the fields have, only pools
 * know, whose memory LeakSanitizer does not search: Debian's APR maps it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static char fuzz_directory[] = "/tmp/fuzz_database.XXXXXX";

static void fuzz_remove_directory(void)
{
    static const char *const names[] = {"/db", "/db-wal", "/db-shm", ""};

    for (int i = 0; i < 4; i++) {
        char path[sizeof(fuzz_directory) + 8];
        snprintf(path, sizeof(path), "%s%s", fuzz_directory, names[i]);
        remove(path);
    }
}

static void fuzz_ignore_log(void *, cat_log_level_t, apr_status_t, const char *)
{
}

static const cat_log_t fuzz_nowhere = {.write = fuzz_ignore_log};

/* The database as another program sees it. */
static sqlite3 *fuzz_other;

static inline void fuzz_execute(const char *statements)
{
    FUZZ_CHECK(sqlite3_exec(fuzz_other, statements, NULL, NULL, NULL) == SQLITE_OK);
}

static inline int fuzz_select_number(const char *select)
{
    sqlite3_stmt *statement;
    int number;

    FUZZ_CHECK(sqlite3_prepare_v2(fuzz_other, select, -1, &statement, NULL) == SQLITE_OK);
    FUZZ_CHECK(sqlite3_step(statement) == SQLITE_ROW);
    number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* The first statement creates the schema. An empty catalogue has the keys of all fields. */
static void fuzz_open_other(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source, const char *begin)
{
    cat_db_t *db = cat_db_make(pool, conf, source, &fuzz_nowhere);
    const cat_registry_t *registry;
    const char *const *row;

    FUZZ_CHECK(cat_db_one(db, SQL_HEALTH, CAT_NO_VALUES, &row) == APR_SUCCESS);
    FUZZ_CHECK(cat_registry_get(db, &registry) == APR_SUCCESS);
    cat_db_release(db);
    FUZZ_CHECK(sqlite3_open(source->path, &fuzz_other) == SQLITE_OK);
    fuzz_execute(begin);
}

/* begin: statements after the schema was created. */
static cat_source_t *fuzz_open(const cat_conf_t *conf, const char *begin)
{
    static cat_source_t *source;
    cat_write_locks_t *locks;
    cat_file_registry_t *registry;
    apr_pool_t *pool;
    const char *path;

    if (source) {
        return source;
    }
    FUZZ_CHECK(mkdtemp(fuzz_directory) != NULL);
    atexit(fuzz_remove_directory);
    apr_pool_create(&pool, NULL);
    path = apr_pstrcat(pool, fuzz_directory, "/db", NULL);
    source = cat_pool_create(pool, "sqlite3", path);
    source->path = path;
    FUZZ_CHECK(cat_write_lock_create(&locks, pool, pool) == APR_SUCCESS);
    FUZZ_CHECK(cat_file_registry_create(&registry, pool) == APR_SUCCESS);
    FUZZ_CHECK(cat_source_child_init(source, pool, locks, registry, cat_migration_try) == APR_SUCCESS);
    fuzz_open_other(pool, conf, source, begin);
    return source;
}

/* The body of an answer, which is JSON and says whether it is a success. */
static inline const json_t *fuzz_parse_answer(apr_pool_t *pool, const cat_answer_t *answer)
{
    const char *why;
    const json_t *body = cat_json_parse(pool, answer->body, answer->length, &why);

    FUZZ_CHECK(json_is_object(body));
    FUZZ_CHECK(json_is_true(json_object_get(body, "success")) == (answer->status < 400));
    return body;
}

#endif
