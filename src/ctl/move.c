/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What export and import have in common: the table of the tables that move, with the columns of each, and the checksum of
 * a file.
 */
#include "ctl/move.h"

#include <float.h>
#include <signal.h>
#include <unistd.h>

#include <apr_escape.h>
#include <apr_strings.h>

#include "catalogue/store.h"
#include "db/db.h"
#include "db/dialects/product.def"
#include "db/setup.h"
#include "lib/number.h"

/* ---- the tables ---- */

/* clang-format off */
/* Limits: the narrowest column of all schemas. */
#define KEY(column, most) {column, CAT_STRING, CAT_REQUIRED, 1, most, NULL, NULL, NULL, NULL}
#define TEXT(column, most) {column, CAT_STRING, CAT_REQUIRED, 0, most, NULL, NULL, NULL, NULL}
#define TEXT_OR_NULL(column, most) {column, CAT_STRING, 0, 0, most, NULL, NULL, NULL, NULL}
#define WHOLE(column) {column, CAT_NUMBER, CAT_REQUIRED | CAT_WHOLE, 0, (double)CAT_NUMBER_SAFE_MAX, NULL, NULL, NULL, NULL}
#define WHOLE_OR_NULL(column) {column, CAT_NUMBER, CAT_WHOLE, 0, (double)CAT_NUMBER_SAFE_MAX, NULL, NULL, NULL, NULL}

/* Of products: THE FIELD TABLE's columns (db/dialects/product.def). What is stored moves, even if the API would refuse such a text; a file that
 * was written before a field was added has what a product is created with. */
#define PRODUCT_CAT_STRING(column, flags, least, most, absent) {column, CAT_STRING, flags, 0, most, absent, NULL, NULL, NULL},
#define PRODUCT_CAT_NUMBER(column, flags, least, most, absent) {column, CAT_NUMBER, flags, least, most, absent, NULL, NULL, NULL},
#define PRODUCT_CAT_BOOLEAN(column, flags, least, most, absent) {column, CAT_BOOLEAN, flags, 0, 0, absent, NULL, NULL, NULL},
#define PRODUCT_CAT_TIME(column, flags, least, most, absent) WHOLE("created_at"),
#define FLAGS_KEY CAT_REQUIRED
#define FLAGS_FIXED CAT_REQUIRED
#define FLAGS_FIRST 0
#define FLAGS_SET 0
#define FLAGS_CLEAR 0
#define PRODUCT(name, field, column, update, compare, kind, flags, least, most, absent, ...) \
    PRODUCT_##kind(column, FLAGS_##update | ((flags) & CAT_REQUIRED), least, most, absent)

static const cat_field_t products[] = {CAT_PRODUCT_TABLE(PRODUCT) TEXT_OR_NULL("extra", CAT_PRODUCT_EXTRA_MAX)};
static const cat_field_t users[] = {
    KEY("id", 36), TEXT("username", 64), TEXT("username_key", 64), TEXT("email", 254), TEXT("email_key", 254),
    TEXT("password_hash", 255), WHOLE_OR_NULL("confirmed_at"), WHOLE("created_at"), TEXT("role", 16),
    WHOLE_OR_NULL("locked_at"), WHOLE_OR_NULL("signed_in_at"), TEXT_OR_NULL("language", 8),
};
static const cat_field_t sessions[] = {
    KEY("id", 36), TEXT("user_id", 36), WHOLE("created_at"), WHOLE("used_at"), WHOLE("expires_at"), TEXT("client", 64),
    TEXT("agent", 200),
};
static const cat_field_t refresh_tokens[] = {
    KEY("token_hash", 64), TEXT("session_id", 36), WHOLE("created_at"), WHOLE("expires_at"), WHOLE_OR_NULL("used_at"),
    TEXT("family_hash", 64), TEXT_OR_NULL("seed", 64),
};
static const cat_field_t user_keys[] = {
    KEY("id", 36), TEXT("user_id", 36), TEXT("name", 100), TEXT("role", 16), WHOLE("created_at"), WHOLE("expires_at"),
    WHOLE_OR_NULL("used_at"), TEXT_OR_NULL("client", 64),
};
static const cat_field_t mail_tokens[] = {
    KEY("token_hash", 64), TEXT("purpose", 32), TEXT("user_id", 36), WHOLE("created_at"), WHOLE("expires_at"),
    TEXT("email", 254),
};
static const cat_field_t outbox[] = {
    KEY("id", 36), TEXT("template", 32), TEXT_OR_NULL("user_id", 36), TEXT_OR_NULL("email_key", 254), TEXT("state", 16),
    WHOLE("attempts"), WHOLE("next_at"), TEXT("lease", 64), WHOLE("created_at"),
    TEXT_OR_NULL("email", 254), TEXT_OR_NULL("error", 255),
};
static const cat_field_t revoked_sessions[] = {
    KEY("session_id", 36), WHOLE("ended_at"),
};
static const cat_field_t released_names[] = {
    KEY("name_hash", 64), TEXT("user_id", 36), WHOLE("expires_at"),
};
static const cat_field_t audit[] = {
    KEY("id", 36), WHOLE("created_at"), TEXT("source", 16), TEXT_OR_NULL("actor_id", 36), TEXT("actor", 255),
    TEXT_OR_NULL("client", 64), TEXT_OR_NULL("request_id", 128), TEXT("action", 32), TEXT_OR_NULL("target_id", 36),
    TEXT_OR_NULL("target", 255), TEXT_OR_NULL("changes", 1000),
};

static const cat_field_t images[] = {
    KEY("id", 36), TEXT("product_id", 36), WHOLE("octets"), WHOLE("width"), TEXT("digest", 64), WHOLE("created_at"),
    WHOLE_OR_NULL("dropped_at"),
};
static const cat_field_t image_parts[] = {
    KEY("part", 64), TEXT("content", 64000),
};

/* THE MOVE TABLE. It leaves out login_failures, idempotency_keys and bulk_jobs, which matter for a day; the history of products, whose numbers
 * mean nothing in another database (import.c makes programs that follow it begin again); webhooks, whose positions are numbers of that history;
 * and the tables that each database maintains itself. */
#define COLUMNS(table) #table, table, sizeof(table) / sizeof(table[0])
#define TABLE(table, read, add) {COLUMNS(table), read, add, NULL, 0}
const ctl_move_table_t ctl_move_tables[CTL_MOVE_TABLES] = {
    {COLUMNS(products), SQL_MOVE_PRODUCTS, 0, cat_products_insert_many, 1},
    TABLE(users, SQL_MOVE_USERS, SQL_MOVE_USER),
    TABLE(sessions, SQL_MOVE_SESSIONS, SQL_SESSION_INSERT),
    TABLE(refresh_tokens, SQL_MOVE_REFRESH_TOKENS, SQL_MOVE_REFRESH_TOKEN),
    TABLE(user_keys, SQL_MOVE_USER_KEYS, SQL_MOVE_USER_KEY),
    TABLE(mail_tokens, SQL_MOVE_MAIL_TOKENS, SQL_MAIL_TOKEN_INSERT),
    TABLE(outbox, SQL_MOVE_OUTBOX, SQL_MOVE_MAIL),
    TABLE(revoked_sessions, SQL_MOVE_REVOKED, SQL_MOVE_REVOCATION),
    TABLE(audit, SQL_MOVE_AUDIT, SQL_AUDIT_INSERT),
    TABLE(released_names, SQL_MOVE_NAMES, SQL_NAME_RELEASE),
    TABLE(images, SQL_MOVE_IMAGES, SQL_IMAGE_INSERT),
    TABLE(image_parts, SQL_MOVE_IMAGE_PARTS, SQL_IMAGE_PART_INSERT),
};
/* clang-format on */

const char *ctl_move_position(apr_pool_t *pool, const ctl_move_table_t *table, const char *key)
{
    return table->is_numbered ? cat_id_number_text(pool, key) : key;
}

const char *ctl_move_check_row(const ctl_move_table_t *table, const char *const *row)
{
    return table->is_numbered &&
                   cat_id_number(row[CAT_PRODUCT_ID]) >> CAT_ID_TIME_SHIFT != apr_atoi64(row[CAT_PRODUCT_CREATED_AT])
               ? "created_at is not the time in the id"
               : NULL;
}

/* ---- the sum ---- */

static apr_status_t free_digest(void *digest)
{
    EVP_MD_CTX_free(digest);
    return APR_SUCCESS;
}

void ctl_move_sum_init(ctl_move_sum_t *sum, apr_pool_t *pool)
{
    *sum = (ctl_move_sum_t){.digest = EVP_MD_CTX_new()};
    apr_pool_cleanup_register(pool, sum->digest, free_digest, apr_pool_cleanup_null);
    EVP_DigestInit_ex(sum->digest, EVP_sha256(), NULL);
}

void ctl_move_sum_add(ctl_move_sum_t *sum, int table, const char *line, apr_size_t length)
{
    sum->rows[table]++;
    EVP_DigestUpdate(sum->digest, line, length);
}

apr_int64_t ctl_move_sum_rows(const ctl_move_sum_t *sum)
{
    apr_int64_t rows = 0;

    for (int i = 0; i < CTL_MOVE_TABLES; i++) {
        rows += sum->rows[i];
    }
    return rows;
}

const char *ctl_move_sum_digest(const ctl_move_sum_t *sum, apr_pool_t *pool)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size;

    EVP_DigestFinal_ex(sum->digest, digest, &size);
    return apr_pescape_hex(pool, digest, size, 0);
}

const char *ctl_move_sum_line(const ctl_move_sum_t *sum, apr_pool_t *pool)
{
    const char *line = "{\"end\":{";

    for (int i = 0; i < CTL_MOVE_TABLES; i++) {
        line = apr_psprintf(pool, "%s\"%s\":%" APR_INT64_T_FMT ",", line, ctl_move_tables[i].name, sum->rows[i]);
    }
    return apr_pstrcat(pool, line, "\"sha256\":\"", ctl_move_sum_digest(sum, pool), "\"}}\n", NULL);
}

/* ---- beginning ---- */

/* Closing the connection rolls back what was not committed, so exiting is enough. */
static void say_interrupted(int number)
{
    static const char text[] = "\ncatalogctl: interrupted; run the same command again: an export starts over, an import"
                               " continues where it stopped\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);

    (void)written;
    raise(number);
}

const char *ctl_move_check(ctl_t *ctl)
{
    int schema, needed;
    apr_status_t rv = cat_migration_read_version(ctl->db, &schema, &needed);

    cat_db_release(ctl->db);
    if (rv != APR_SUCCESS) {
        return "the database cannot be read; the cause is above";
    }
    if (schema < needed) {
        return apr_psprintf(ctl->pool, "the schema is at version %d, version %d is required; run: catalogctl migrate",
                            schema, needed);
    }
    if (schema > needed) {
        return apr_psprintf(ctl->pool, "the schema is at version %d, this program knows version %d; use a newer one",
                            schema, needed);
    }
    return NULL;
}

const char *ctl_move_take_fields(ctl_t *ctl)
{
    const cat_registry_t *registry;
    const char *fault = ctl_move_check(ctl);

    if (fault || ctl->site.server || ctl->conf.fields) {
        return fault;
    }
    if (cat_registry_get(ctl->db, &registry) != APR_SUCCESS) {
        return "the fields of the products cannot be read; the cause is above";
    }
    ctl->conf.fields = cat_own_fields_without_pairs(ctl->pool, registry->fields);
    return NULL;
}

const char *ctl_move_begin(ctl_t *ctl)
{
    struct sigaction action = {.sa_handler = say_interrupted, .sa_flags = SA_RESETHAND};
    const char *fault = ctl_move_check(ctl);

    if (!fault) {
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
    }
    return fault;
}
