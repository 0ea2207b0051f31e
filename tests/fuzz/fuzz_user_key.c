/* SPDX-License-Identifier: Apache-2.0 */
/* The body with which an editor creates a key: one that is accepted has a row whose role is not above the editor's and that ends within ten years,
 * and a token that names it; what is refused has none. */
#include "accounts/user_key.h"
#include "api/user_keys.h"
#include "fuzz_database.h"
#include "jose/token.h"
#include "shm/semaphore.h"

#include <argon2.h>

#define USER "01a1fdf9-d28a-7c59-b8ec-000000000003"
#define PASSWORD "correct horse"
#define BEGIN                                                                                                          \
    "INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at, role)"                \
    " VALUES ('" USER "', 'ada', 'ada', 'ada@example.com', 'ada@example.com', '%s', 0, 'editor')"
#define FORGET "DELETE FROM user_keys; DELETE FROM audit; DELETE FROM login_failures"
#define GOOD_KEYS                                                                                                      \
    "SELECT COUNT(*) FROM user_keys WHERE role IN ('user', 'editor') AND length(name) BETWEEN 1 AND 100"               \
    " AND expires_at - created_at BETWEEN 0 AND 315360000000"

static cat_keyring_t *make_keys(void)
{
    static cat_keyring_t *keys;
    apr_pool_t *pool;
    char path[] = "/tmp/fuzz_user_key.XXXXXX";
    int fd;

    if (!keys) {
        apr_pool_create(&pool, NULL);
        fd = mkstemp(path);
        FUZZ_CHECK(fd >= 0 && write(fd, "A-secret-of-this-test,-32-octets-at-least", 41) == 41);
        close(fd);
        FUZZ_CHECK(!cat_keyring_open_file(pool, path, &keys));
        remove(path);
    }
    return keys;
}

/* The user's password has a hash that costs little. */
static const char *write_begin(apr_pool_t *pool)
{
    char hash[200];

    FUZZ_CHECK(
        !argon2id_hash_encoded(1, 8, 1, PASSWORD, strlen(PASSWORD), "a salt of test16", 16, 32, hash, sizeof(hash)));
    return apr_psprintf(pool, BEGIN, hash);
}

static cat_semaphore_t *make_hashing(void)
{
    static cat_semaphore_t *hashing;
    apr_pool_t *pool;

    if (!hashing) {
        apr_pool_create(&pool, NULL);
        FUZZ_CHECK(!cat_semaphore_create(&hashing, pool, &(cat_semaphore_size_t){.slots = 1, .queue = 1}));
    }
    return hashing;
}

static void check_answer(apr_pool_t *pool, const cat_answer_t *answer)
{
    const json_t *body = fuzz_parse_answer(pool, answer);

    FUZZ_CHECK(answer->status == 201 || answer->status == 400);
    FUZZ_CHECK(fuzz_select_number("SELECT COUNT(*) FROM user_keys") == (answer->status == 201));
    if (answer->status == 201) {
        FUZZ_CHECK(fuzz_select_number(GOOD_KEYS) == 1);
        FUZZ_CHECK(json_string_length(json_object_get(body, "token")) <= CAT_TOKEN_MAX);
        fuzz_execute(FORGET);
    }
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    static cat_conf_t conf = {.max_connections = 1, .migrate = 1, .max_keys = 10, .issuer = "shop", .audience = "shop"};
    static const cat_claims_t user = {.subject = USER, .username = "ada", .role = "editor"};
    cat_request_t q = {.pool = pool, .log = &fuzz_nowhere, .conf = &conf, .now = apr_time_now(), .user = &user};
    cat_source_t *source;
    const cat_answer_t *answer;
    const char *why;

    conf.keys = make_keys();
    source = fuzz_open(&conf, write_begin(pool));
    q.strict = size && *data == ' ';
    q.body = cat_json_parse(pool, (const char *)data, size, &why);
    if (!json_is_object(q.body)) {
        return;
    }
    if (json_is_string(json_object_get(q.body, "password"))) {
        json_object_set_new(q.body, "password", json_string(PASSWORD));
    }
    q.hashing = make_hashing();
    q.client = q.network = "127.0.0.1";
    q.db = cat_db_make(pool, &conf, source, &fuzz_nowhere);
    answer = cat_user_keys_create(&q);
    cat_db_release(q.db);
    check_answer(pool, answer);
}
