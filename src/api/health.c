/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes for load balancers and monitoring:
 *
 *     GET /health/live    does this server answer? Uses no database
 *     GET /health/ready   can this server serve requests? One statement shows that the database answers, accepts writes
 *                         and has the schema; in addition, no line of CatalogField may contradict the database
 *     GET /database       which database is it?
 */
#include "api/health.h"

#include "api/failure.h"
#include "catalogue/store.h"
#include "db/db.h"
#include "lib/json.h"
#include "lib/time.h"

enum { SCHEMA, OLDEST_MAIL, TAKES_WRITES };                /* Columns of SQL_HEALTH. */
enum { DATABASE_NAME, DATABASE_VERSION, DATABASE_SCHEMA }; /* Columns of SQL_DATABASE. */

static cat_answer_t *forbid_caching(cat_request_t *q, cat_answer_t *answer)
{
    cat_answer_header(answer, q->pool, "Cache-Control", "no-store");
    return answer;
}

cat_answer_t *cat_health_live(cat_request_t *q)
{
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 32);
    CAT_BUFFER_LITERAL(&b, "{\"status\":\"live\"}");
    return forbid_caching(q, cat_answer_success(q->pool, 200, &b, NULL));
}

static cat_answer_t *answer_ready(cat_request_t *q, const char *const *row)
{
    cat_buffer_t b;
    char since[CAT_TIME_LENGTH + 1];

    cat_buffer_init(&b, q->pool, 128);
    CAT_BUFFER_LITERAL(&b, "{\"status\":\"ready\",\"schema\":");
    cat_buffer_add_text(&b, row[SCHEMA]);
    if (row[OLDEST_MAIL]) {
        cat_time_format(since, apr_time_as_msec(cat_time_read(row[OLDEST_MAIL])));
        CAT_BUFFER_LITERAL(&b, ",\"oldestMail\":\"");
        cat_buffer_add_text(&b, since);
        CAT_BUFFER_LITERAL(&b, "\"");
    }
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_answer_success(q->pool, 200, &b, NULL);
}

/* Returns an error text if a line of CatalogField contradicts the database, otherwise NULL. The text names no field,
 * because anybody may send this request and fields can be private. */
static const char *find_contradiction(cat_request_t *q)
{
    const cat_conf_t *whole = q->conf->writers ? q->conf->writers : q->conf;
    const char *fault;
    apr_status_t rv = cat_registry_check(q->db, cat_product_fields_of(whole), &fault);

    return rv != APR_SUCCESS ? "the fields of products cannot be read"
           : fault ? "a line of CatalogField contradicts the database; run catalogctl check for the line to write"
                   : NULL;
}

cat_answer_t *cat_health_ready(cat_request_t *q)
{
    const char *obstacle;
    const char *const *row;
    apr_status_t rv;

    cat_db_go_first(q->db); /* waits for no other request: a busy server is ready, too */
    rv = cat_db_one(q->db, SQL_HEALTH, CAT_NO_VALUES, &row);

    if (rv != APR_SUCCESS || !row[SCHEMA]) {
        return forbid_caching(q, cat_answer_problem(q->pool, CAT_PROBLEM_NOT_READY, NULL));
    }
    obstacle = find_contradiction(q);
    obstacle = obstacle ? obstacle : cat_db_find_obstacle(q->db, row[TAKES_WRITES]);
    return forbid_caching(q, obstacle ? cat_answer_problem(q->pool, CAT_PROBLEM_NOT_READY, obstacle)
                                      : answer_ready(q, row));
}

cat_answer_t *cat_health_database(cat_request_t *q)
{
    const char *const *row;
    cat_buffer_t b;
    apr_status_t rv = cat_db_one(q->db, SQL_DATABASE, CAT_NO_VALUES, &row);

    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    cat_buffer_init(&b, q->pool, 128);
    cat_json_add_member(&b, "{\"name\":", row[DATABASE_NAME]);
    cat_json_add_member(&b, ",\"version\":", row[DATABASE_VERSION]);
    CAT_BUFFER_LITERAL(&b, ",\"schema\":");
    cat_buffer_add_text(&b, row[DATABASE_SCHEMA]);
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_answer_success(q->pool, 200, &b, NULL);
}

/* ---- descriptions ---- */

static const char *const live_words[] = {"live", NULL}, *const ready_words[] = {"ready", NULL};
static const cat_text_rule_t live_rule = {.words = live_words}, ready_rule = {.words = ready_words};
static const cat_shape_t live = {.kind = CAT_SHAPE_TEXT, .rule = &live_rule};
static const cat_member_t live_members[] = {
    {"status", &live, CAT_ALWAYS, "`live`"},
    CAT_MEMBER_END,
};
static const cat_shape_t live_data = {.kind = CAT_SHAPE_OBJECT, .members = live_members};
static const cat_member_t live_body[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &live_data, CAT_ALWAYS, "The state of the server"},
    CAT_MEMBER_END,
};
static const cat_shape_t live_answer = {.kind = CAT_SHAPE_OBJECT, .name = "Liveness", .members = live_body};

static const cat_shape_t ready = {.kind = CAT_SHAPE_TEXT, .rule = &ready_rule};
static const cat_member_t ready_members[] = {
    {"status", &ready, CAT_ALWAYS, "`ready`"},
    {"schema", &cat_schema_whole, CAT_ALWAYS, "The version of the database's schema"},
    {"oldestMail", &cat_schema_time, CAT_RARELY, "Since when the oldest mail has been waiting; absent if none is"},
    CAT_MEMBER_END,
};
static const cat_shape_t ready_data = {.kind = CAT_SHAPE_OBJECT, .members = ready_members};
static const cat_member_t ready_body[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &ready_data, CAT_ALWAYS, "The state of the database"},
    CAT_MEMBER_END,
};
static const cat_shape_t ready_answer = {.kind = CAT_SHAPE_OBJECT, .name = "Readiness", .members = ready_body};
static const cat_problem_t ready_problems[] = {CAT_PROBLEM_NOT_READY, CAT_PROBLEM_COUNT};

static const cat_member_t database_members[] = {
    {"name", &cat_schema_text, CAT_ALWAYS, "`SQLite`, `MariaDB`, `MySQL` or `PostgreSQL`"},
    {"version", &cat_schema_text, CAT_ALWAYS, "Its version, such as `15.13`"},
    {"schema", &cat_schema_whole, CAT_ALWAYS, "The version of the database's schema"},
    CAT_MEMBER_END,
};
static const cat_shape_t database_data = {.kind = CAT_SHAPE_OBJECT, .members = database_members};
static const cat_member_t database_body[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &database_data, CAT_ALWAYS, "The database"},
    CAT_MEMBER_END,
};
static const cat_shape_t database_answer = {.kind = CAT_SHAPE_OBJECT, .name = "Database", .members = database_body};

const cat_description_t cat_health_about_live = {
    .id = "checkLiveness",
    .tag = "Server",
    .summary = "Ask whether the server runs",
    .status = 200,
    .answered = "The server runs",
    .shape = &live_answer,
    .needs_no_database = 1,
};

const cat_description_t cat_health_about_ready = {
    .id = "checkReadiness",
    .tag = "Server",
    .summary = "Ask whether the server can serve requests",
    .about = "It can if the database answers, has its schema and accepts writes.",
    .status = 200,
    .answered = "The server is ready",
    .shape = &ready_answer,
    .problems = ready_problems,
};

const cat_description_t cat_health_about_database = {
    .id = "describeDatabase",
    .tag = "Server",
    .summary = "Read what database the catalogue is in",
    .about = "Where the server has several databases behind one address, another of them may answer the next request.",
    .status = 200,
    .answered = "The database and its version",
    .shape = &database_answer,
};
