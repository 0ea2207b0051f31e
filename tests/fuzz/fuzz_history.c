/* SPDX-License-Identifier: Apache-2.0 */
/* First line: what is asked of the history; second: the segment of the path; the rest: the query string, or the body. Against a database with
 * a product that was changed, and one that was deleted: each question has an answer, and what is refused changes nothing. */
#include "api/change_batches.h"
#include "api/changes.h"
#include "catalogue/product/change_notes.h"
#include "fuzz_database.h"
#include "fuzz_fields.h"
#include "jose/token.h"

#define KETTLE "'01a1fdf9-d28a-7c59-b8ec-000000000001'"
#define KETTLE_NUMBER "1882469035349400035"
#define POT "'01a1fdf9-d28b-7c59-b8ec-000000000002'"
#define NOW "CAST(strftime('%s', 'now') AS INTEGER) * 1000"
#define RESTORE                                                                                                        \
    "DELETE FROM products; DELETE FROM product_keys; DELETE FROM product_unique; DELETE FROM product_words;"           \
    " DELETE FROM changes; DELETE FROM change_batches; DELETE FROM audit;"                                             \
    " INSERT INTO products (n, id, name, price, category, in_stock, extra)"                                            \
    " VALUES (" KETTLE_NUMBER ", " KETTLE ", 'Kettle', '12.5', 'Light', 1, '{\"sku\":\"A\"}');"                        \
    " INSERT INTO product_unique (field, value, n) SELECT number, 'A', " KETTLE_NUMBER                                 \
    " FROM catalog_fields WHERE name = 'sku';"                                                                         \
    " INSERT INTO change_batches (id, at, source, row_count, after_number)"                                            \
    " VALUES (11, " NOW ", 'batch', 2, 0), (12, " NOW ", 'request', 1, 2), (13, " NOW ", 'request', 1, 3);"            \
    " INSERT INTO changes (number, product_id, at, batch, op, former) VALUES (1, " KETTLE ", " NOW                     \
    ", 11, 'create', NULL), (2, " POT ", " NOW ", 11, 'create', NULL), (3, " KETTLE ", " NOW                           \
    ", 12, 'update', '{\"price\":11,\"rating\":4.5,\"sku\":null,\"tags\":[\"red\"]}'), (4, " POT ", " NOW              \
    ", 13, 'delete', '{\"name\":\"Pot\",\"price\":3,\"category\":\"\",\"inStock\":true,\"createdAt\":1795262370443,"   \
    "\"sku\":\"B\"}')"

static const struct question_t {
    const char *name;
    cat_handler_t *run;
    int has_body;
} questions[] = {
    {"changes", cat_changes_list, 0},    {"history", cat_changes_history, 0},  {"batches", cat_change_batches_list, 0},
    {"restore", cat_changes_restore, 1}, {"undo", cat_change_batches_undo, 0},
};

static const struct question_t *find_question(const char *name)
{
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        if (!strcmp(questions[i].name, name)) {
            return &questions[i];
        }
    }
    return NULL;
}

static int count_changes(void)
{
    return fuzz_select_number("SELECT COUNT(*) FROM changes");
}

static void check_answer(apr_pool_t *pool, const cat_answer_t *answer)
{
    const json_t *body = fuzz_parse_answer(pool, answer), *next = json_object_get(body, "next");
    int changed = (int)json_integer_value(json_object_get(body, "changed"));

    FUZZ_CHECK(answer->status == 200 || answer->status == 400 || answer->status == 404 || answer->status == 409 ||
               answer->status == 410);
    FUZZ_CHECK(!next || json_integer_value(next) >= 0);
    FUZZ_CHECK(count_changes() >= 4 + changed && (answer->status == 200 || count_changes() == 4));
    if (count_changes() > 4) {
        fuzz_execute(RESTORE);
    }
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    static const int history = 30 * 86400;
    static cat_conf_t conf = {.max_connections = 1, .migrate = 1, .default_limit = 10, .max_limit = 100};
    static const cat_claims_t user = {.subject = "01a1fdf9-d28a-7c59-b8ec-000000000003"};
    cat_request_t q = {.pool = pool, .log = &fuzz_nowhere, .conf = &conf, .now = apr_time_now(), .user = &user};
    cat_author_t author = {.user_id = user.subject, .source = CAT_SOURCE_REQUEST};
    const struct question_t *question = find_question(fuzz_line(pool, &data, &size));
    cat_source_t *source;
    const cat_answer_t *answer;
    const char *why;

    conf.fields = fuzz_fields();
    conf.history = &history;
    source = fuzz_open(&conf, RESTORE);
    q.params[0] = fuzz_line(pool, &data, &size);
    q.strict = size && *data == ' ';
    q.query = question && !question->has_body ? fuzz_text(pool, data, size) : NULL;
    q.body = question && question->has_body ? cat_json_parse(pool, (const char *)data, size, &why) : NULL;
    if (!question || !*q.params[0] || (question->has_body && !q.body)) {
        return;
    }
    q.db = cat_db_make(pool, &conf, source, &fuzz_nowhere);
    q.db->author = &author;
    answer = question->run(&q);
    cat_db_release(q.db);
    check_answer(pool, answer);
}
