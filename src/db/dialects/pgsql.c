/* SPDX-License-Identifier: Apache-2.0 */
#include "db/dialect.h"

#include "http/answer.h"

static const char *const session[] = {
    "SET client_encoding = 'UTF8'; SET statement_timeout = 5000; SET lock_timeout = 3000;"
    " SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED",
    NULL,
};

static const char *const snapshot[] = {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL};

/* The lock's number is this module's: the first eight octets of the SHA-256 of "mod_catalog". It ends with the transaction. */
static const char *const step[] = {
    "BEGIN",
    "SET LOCAL statement_timeout = 0",
    "SELECT CASE WHEN pg_try_advisory_xact_lock(x'14a9328d9fd66f6b'::bigint) THEN 1 ELSE 0 END",
    NULL,
};

static const cat_trait_t traits[] = {
    {"server_encoding", "SHOW server_encoding", "UTF8",
     "make a database with: createdb --encoding UTF8 --template template0"},
    {NULL, NULL, NULL, NULL},
};

/* All its results are 7, and its texts are in the server's language. */
static apr_status_t judge_result(int result, const char *text)
{
    (void)result;
    (void)text;
    return CAT_EDOWN;
}

/* The statements whose text is not the common one. */
static const char *const overrides[SQL_COUNT] = {
#define Q(name, text)
#define MYSQL(name, text)
#define PGSQL(name, text) [name] = text,
#include "db/sql.def"
#undef Q
#undef MYSQL
#undef PGSQL
};

const cat_dialect_t cat_dialect_pgsql = {
    .driver = "pgsql",
    .session = session,
    .begin = "BEGIN",
    .snapshot = snapshot,
    .prepare = cat_dialect_nothing,
    .step = step,
    .step_end = cat_dialect_nothing,
    .has_versions = "SELECT CASE WHEN to_regclass('schema_version') IS NULL THEN 0 ELSE 1 END",
    .traits = traits,
    .needs = cat_dialect_nothing,
    .no_error_codes = 1,
    .reconnects_silently = 1,
    .overrides = overrides,
    .judge = judge_result,
};
