/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>
#include <string.h>

#include <apr_strings.h>

#include "jose/token_cache.h"

#define TOKEN "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define EXPIRES 1800000000 /* In seconds. */
#define SECOND APR_USEC_PER_SEC

/* The cache identifies a set of keys by its address and does not read the keys. */
static const cat_keys_t keys, other_keys;

static const cat_claims_t claims = {.issuer = "https://shop.example.org",
                                    .audience = "catalog",
                                    .subject = "user",
                                    .session = "session",
                                    .id = "token",
                                    .username = "ann",
                                    .role = "editor",
                                    .verified = 1,
                                    .issued = (EXPIRES - 900) * SECOND,
                                    .expires = EXPIRES * SECOND};

static cat_token_cache_t *create(apr_pool_t *pool, int size)
{
    cat_token_cache_t *seen;

    assert_int_equal(cat_token_cache_create(&seen, pool, size), APR_SUCCESS);
    return seen;
}

static const cat_claims_t *find(apr_pool_t *pool, cat_token_cache_t *seen, const char *token)
{
    return cat_token_cache_find(seen, pool, &keys, (EXPIRES - 1) * SECOND, token);
}

static void check_claims(const cat_claims_t *found, const cat_claims_t *expected)
{
    assert_string_equal(found->issuer, expected->issuer);
    assert_string_equal(found->audience, expected->audience);
    assert_string_equal(found->subject, expected->subject);
    assert_string_equal(found->role, expected->role);
    assert_int_equal(found->verified, expected->verified);
    assert_true(found->issued == expected->issued);
    assert_true(found->expires == expected->expires);
    assert_ptr_equal(found->keys, &keys);
}

static void test_remembers_a_token_and_its_claims(void **state)
{
    cat_token_cache_t *seen = create(*state, 16);
    const cat_claims_t *found;

    assert_null(find(*state, seen, TOKEN));
    cat_token_cache_add(seen, &keys, TOKEN, &claims);
    found = find(*state, seen, TOKEN);
    check_claims(found, &claims);
    assert_string_equal(found->session, "session");
    assert_string_equal(found->id, "token");
    assert_string_equal(found->username, "ann");
}

static void test_remembers_absent_claims(void **state)
{
    cat_token_cache_t *seen = create(*state, 1);
    cat_claims_t foreign = claims;
    const cat_claims_t *found;

    cat_token_cache_add(seen, &keys, TOKEN, &claims);
    foreign.session = foreign.id = foreign.username = NULL;
    foreign.verified = 0;
    cat_token_cache_add(seen, &keys, TOKEN, &foreign);
    found = find(*state, seen, TOKEN);
    check_claims(found, &foreign);
    assert_null(found->session);
    assert_null(found->id);
    assert_null(found->username);
}

/* In a table with one entry, only the comparison distinguishes tokens. */
static void test_finds_no_other_token(void **state)
{
    static const char *const others[] = {"", "a", "dBjftJeZ", "A" TOKEN, (TOKEN "A")};
    cat_token_cache_t *seen = create(*state, 1);

    cat_token_cache_add(seen, &keys, TOKEN, &claims);
    for (size_t i = 0; i < strlen(TOKEN); i++) {
        char *other = apr_pstrdup(*state, TOKEN);
        other[i]++;
        assert_null(find(*state, seen, other));
        assert_null(find(*state, seen, apr_pstrmemdup(*state, TOKEN, i)));
        assert_null(find(*state, seen, &TOKEN[i + 1]));
    }
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        assert_null(find(*state, seen, others[i]));
    }
    assert_non_null(find(*state, seen, TOKEN));
}

static void test_an_entry_is_valid_for_its_keys_only(void **state)
{
    cat_token_cache_t *seen = create(*state, 16);

    cat_token_cache_add(seen, &other_keys, TOKEN, &claims);
    assert_null(find(*state, seen, TOKEN));
    cat_token_cache_add(seen, &keys, TOKEN, &claims);
    assert_non_null(find(*state, seen, TOKEN));
    assert_null(cat_token_cache_find(seen, *state, &other_keys, 0, TOKEN));
}

static void test_an_entry_is_valid_until_the_token_expires(void **state)
{
    const apr_time_t end = (EXPIRES + CAT_TOKEN_LEEWAY) * SECOND;
    cat_token_cache_t *seen = create(*state, 16);

    cat_token_cache_add(seen, &keys, TOKEN, &claims);
    assert_non_null(cat_token_cache_find(seen, *state, &keys, end - 1, TOKEN));
    assert_null(cat_token_cache_find(seen, *state, &keys, end, TOKEN));
}

static void test_a_new_token_replaces_an_old_one(void **state)
{
    cat_token_cache_t *seen = create(*state, 1);
    cat_claims_t other = claims;
    const cat_claims_t *before;

    cat_token_cache_add(seen, &keys, TOKEN, &claims);
    before = find(*state, seen, TOKEN);
    other.subject = "somebody else";
    cat_token_cache_add(seen, &keys, "another token", &other);
    assert_null(find(*state, seen, TOKEN));
    check_claims(find(*state, seen, "another token"), &other);
    check_claims(before, &claims); /* The cache returned a copy. */
}

/* If the token or its claims are too long, the old entry stays as it was. */
static void test_stores_nothing_that_is_too_long(void **state)
{
    cat_token_cache_t *seen = create(*state, 1);
    char *text = memset(apr_pcalloc(*state, 4097), 'x', 4096);
    cat_claims_t wordy = claims;
    int remembered = 0;

    for (int length = 1; length <= 4096; length++) {
        const char *token = text + 4096 - length;
        cat_token_cache_add(seen, &keys, TOKEN, &claims);
        cat_token_cache_add(seen, &keys, token, &claims);
        remembered += find(*state, seen, token) != NULL;
        assert_true((find(*state, seen, token) == NULL) == (find(*state, seen, TOKEN) != NULL));
        wordy.subject = token;
        cat_token_cache_add(seen, &keys, TOKEN, &wordy);
        assert_non_null(find(*state, seen, TOKEN) ? find(*state, seen, TOKEN) : find(*state, seen, token));
    }
    assert_true(remembered >= 1200 && remembered < 1536);
}

static void test_most_of_many_are_found_again(void **state)
{
    cat_token_cache_t *seen = create(*state, 2048);
    apr_pool_t *pool;
    int found = 0;

    apr_pool_create(&pool, *state);
    for (int i = 0; i < 256; i++) {
        cat_token_cache_add(seen, &keys, apr_psprintf(pool, "%06x" TOKEN "%06x", i, i), &claims);
    }
    for (int i = 0; i < 256; i++) {
        found += find(pool, seen, apr_psprintf(pool, "%06x" TOKEN "%06x", i, i)) != NULL;
    }
    assert_true(found > 200);
}

enum { THREADS = 4, TOKENS = 8, ROUNDS = 20000 };

typedef struct user_t {
    cat_token_cache_t *seen;
    int number, found, wrong;
    pthread_t thread;
} user_t;

static void look_up(user_t *u, apr_pool_t *pool, const char *token)
{
    const cat_claims_t *found = find(pool, u->seen, token);

    u->found += found != NULL;
    u->wrong += found && strcmp(found->subject, token) != 0;
}

/* Looks a token up before this thread adds it, when other threads may have added it, and again afterwards. The claims
 * of each token contain the token. */
static void *use(void *data)
{
    user_t *u = data;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        const char *token = apr_psprintf(pool, "%0*d", 20 + 100 * (i % TOKENS), i % TOKENS);
        cat_claims_t own = claims;
        look_up(u, pool, token);
        own.subject = token;
        own.session = i % 2 ? token : NULL;
        cat_token_cache_add(u->seen, &keys, token, &own);
        look_up(u, pool, token);
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
    return NULL;
}

static void test_threads_never_see_half_an_entry(void **state)
{
    user_t users[THREADS] = {0};
    int found = 0;

    for (int i = 0; i < THREADS; i++) {
        users[i].seen = i == 0 ? create(*state, 2) : users[0].seen;
        pthread_create(&users[i].thread, NULL, use, &users[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(users[i].thread, NULL);
        assert_int_equal(users[i].wrong, 0);
        found += users[i].found;
    }
    assert_true(found > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_remembers_a_token_and_its_claims),
        UNIT_TEST(test_remembers_absent_claims),
        UNIT_TEST(test_finds_no_other_token),
        UNIT_TEST(test_an_entry_is_valid_for_its_keys_only),
        UNIT_TEST(test_an_entry_is_valid_until_the_token_expires),
        UNIT_TEST(test_a_new_token_replaces_an_old_one),
        UNIT_TEST(test_stores_nothing_that_is_too_long),
        UNIT_TEST(test_most_of_many_are_found_again),
        UNIT_TEST(test_threads_never_see_half_an_entry),
    };
    return UNIT_RUN(tests);
}
