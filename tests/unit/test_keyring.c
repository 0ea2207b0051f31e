/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "jose/keyring.h"
#include "lib/json.h"

#define SECRET "0123456789abcdef0123456789abcdef"
#define SECOND_SECRET "fedcba9876543210fedcba9876543210"
#define TOKEN_OF_SECOND "eyJhbGciOiJIUzI1NiJ9.e30.sDDtr62suqYDq9THibSK9Pofl8vaFqXQh8s6FiCpCJk"
#define SECOND APR_USEC_PER_SEC
#define TICK 20000 /* Longer than a kernel tick, which is the resolution of file times. */

static const char *add(apr_pool_t *pool, const char *directory, const char *name)
{
    return unit_write(pool, directory, name, 0600, SECRET, 32);
}

/* Sets the modification time of a file back. The time of the inode's last change stays the present, because no program
 * can set it back. */
static void date(const char *path, int seconds_ago)
{
    const time_t then = time(NULL) - seconds_ago;
    const struct timespec times[] = {{then, 0}, {then, 0}};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static cat_keyring_t *open_directory(apr_pool_t *pool, const char *directory)
{
    cat_keyring_t *ring = NULL;

    assert_null(cat_keyring_open_directory(pool, directory, &ring));
    return ring;
}

static cat_keyring_t *open_in_child(apr_pool_t *pool, const char *directory)
{
    cat_keyring_t *ring = open_directory(pool, directory);

    assert_int_equal(cat_keyring_child_init(ring, pool), APR_SUCCESS);
    return ring;
}

/* Adds a key to the directory, and opens the directory as a child does. */
static cat_keyring_t *open_with(apr_pool_t *pool, const char *directory, const char *name)
{
    add(pool, directory, name);
    return open_in_child(pool, directory);
}

/* Returns the ids of the keys at that time in their order, each followed by a space. Fails if the keyring reports a
 * fault. */
static const char *ids_at(apr_pool_t *pool, cat_keyring_t *ring, apr_time_t now)
{
    const char *fault, *ids = "";
    const cat_keys_t *keys = cat_keyring_get(ring, now, &fault);

    assert_null(fault);
    for (int i = 0; i < keys->count; i++) {
        ids = apr_pstrcat(pool, ids, cat_key_id(keys->all[i]), " ", NULL);
    }
    return ids;
}

static const char *ids_after(apr_pool_t *pool, cat_keyring_t *ring, int seconds)
{
    return ids_at(pool, ring, apr_time_now() + apr_time_from_sec(seconds));
}

static const char *fault_after(cat_keyring_t *ring, double seconds)
{
    const char *fault;

    assert_non_null(cat_keyring_get(ring, apr_time_now() + (apr_time_t)(seconds * SECOND), &fault));
    return fault;
}

static void test_a_file_is_the_only_key(void **state)
{
    const char *directory = unit_directory(*state), *path = add(*state, directory, "token.key");
    cat_keyring_t *ring = NULL;

    assert_null(cat_keyring_open_file(*state, path, &ring));
    assert_int_equal(cat_keyring_child_init(ring, *state), APR_SUCCESS);
    assert_null(cat_keyring_directory(ring));
    add(*state, directory, "other.key");
    unlink(path);
    assert_string_equal(ids_after(*state, ring, 0), "token ");
    assert_string_equal(ids_after(*state, ring, 10), "token ");
}

static void test_the_newest_comes_first(void **state)
{
    const char *directory = unit_directory(*state);

    date(add(*state, directory, "b.key"), 300);
    date(add(*state, directory, "a.key"), 100);
    date(add(*state, directory, "c.key"), 200);
    assert_string_equal(ids_after(*state, open_in_child(*state, directory), 10), "a c b ");
}

static void test_of_the_same_age_the_last_name_comes_first(void **state)
{
    const char *directory = unit_directory(*state);

    date(add(*state, directory, "2026-11.key"), 100);
    date(add(*state, directory, "2026-12.key"), 100);
    date(add(*state, directory, "2025-12.key"), 100);
    assert_string_equal(ids_after(*state, open_in_child(*state, directory), 10), "2026-12 2026-11 2025-12 ");
}

static void test_ignores_files_that_are_no_keys(void **state)
{
    const char *directory = unit_directory(*state);

    unit_write(*state, directory, ".new.key", 0644, "", 0);
    unit_write(*state, directory, "a.key~", 0644, "", 0);
    unit_write(*state, directory, "README", 0644, "", 0);
    unit_write(*state, directory, "a.key.bak", 0644, "", 0);
    unit_write(*state, directory, "key", 0644, "", 0);
    assert_int_equal(mkdir(apr_pstrcat(*state, directory, "/old", NULL), 0700), 0);
    date(add(*state, directory, "old/b.key"), 100);
    date(add(*state, directory, "a.key"), 200);
    assert_int_equal(symlink("old/b.key", apr_pstrcat(*state, directory, "/b.key", NULL)), 0);
    assert_string_equal(ids_after(*state, open_in_child(*state, directory), 10), "b a ");
}

static void check_refused(apr_pool_t *pool, const char *directory, const char *words)
{
    cat_keyring_t *ring = NULL;
    const char *fault = cat_keyring_open_directory(pool, directory, &ring);

    unit_says(fault, words);
    assert_int_equal(strncmp(fault, directory, strlen(directory)), 0);
    assert_null(ring);
}

static void test_refuses_a_directory_without_good_keys(void **state)
{
    const char *directory = unit_directory(*state);
    const char *bad = apr_pstrcat(*state, directory, "/b.pem", NULL);
    cat_keyring_t *ring = NULL;

    check_refused(*state, apr_pstrcat(*state, directory, "/none", NULL), "No such file");
    check_refused(*state, directory, "contains no file whose name ends in .key or .pem");
    unit_run(strchr(cat_keyring_open_directory(*state, directory, &ring), '('));
    assert_string_equal(ids_after(*state, open_directory(*state, directory), 0), "1 ");

    unit_write(*state, directory, "b.pem", 0600, "", 0);
    check_refused(*state, directory, "this has 0");
    assert_int_equal(cat_keyring_open_file(*state, bad, &ring) != NULL, 1);
    unlink(bad);
    assert_int_equal(symlink("nowhere", bad), 0);
    check_refused(*state, directory, "no such file");
    unlink(bad);
    add(*state, directory, "1.pem");
    check_refused(*state, directory, "has the id \"1\" too");
}

static void test_takes_64_keys(void **state)
{
    const char *directory = unit_directory(*state);

    for (int i = 0; i < CAT_KEYRING_MAX; i++) {
        add(*state, directory, apr_psprintf(*state, "%d.key", i));
    }
    assert_int_equal(cat_keyring_get(open_directory(*state, directory), 0, NULL)->count, 64);
    add(*state, directory, "64.key");
    check_refused(*state, directory, "more than 64 files");
}

static void test_only_a_child_reads_the_directory_again(void **state)
{
    const char *directory = unit_directory(*state);
    cat_keyring_t *ring;

    add(*state, directory, "a.key");
    ring = open_directory(*state, directory);
    add(*state, directory, "b.key");
    assert_string_equal(cat_keyring_directory(ring), directory);
    assert_string_equal(ids_after(*state, ring, 10), "a ");
    assert_int_equal(cat_keyring_child_init(ring, *state), APR_SUCCESS);
    /* The second call is for another mount with the same keyring. */
    assert_int_equal(cat_keyring_child_init(ring, *state), APR_SUCCESS);
    assert_string_equal(ids_after(*state, ring, 10), "b a ");
}

/* Another child may read the directory a second later, and receive tokens that this child has signed before that. */
static void test_a_new_key_verifies_at_once_and_signs_after_two_seconds(void **state)
{
    const char *directory = unit_directory(*state);
    cat_keyring_t *ring = open_with(*state, directory, "old.key");
    apr_time_t now;

    apr_sleep(2 * SECOND);
    now = apr_time_now();
    assert_string_equal(ids_at(*state, ring, now), "old ");
    add(*state, directory, "new.key");
    assert_string_equal(ids_at(*state, ring, now + SECOND - 1), "old ");
    assert_string_equal(ids_at(*state, ring, now + SECOND), "old new ");
    assert_string_equal(ids_at(*state, ring, now + 3 * SECOND), "new old ");
}

/* Another child may have read the directory before the second key was in it. */
static void test_if_all_keys_are_new_the_oldest_one_signs(void **state)
{
    const char *directory = unit_directory(*state);
    cat_keyring_t *ring;

    add(*state, directory, "first.key");
    apr_sleep(TICK);
    add(*state, directory, "second.key");
    ring = open_in_child(*state, directory);
    assert_string_equal(ids_after(*state, ring, 0), "first second ");
    assert_string_equal(ids_after(*state, ring, 3), "second first ");
}

static void test_notices_deleted_and_changed_files(void **state)
{
    const char *directory = unit_directory(*state), *a, *b;
    cat_keyring_t *ring;

    date(a = add(*state, directory, "a.key"), 100);
    date(b = add(*state, directory, "b.key"), 200);
    ring = open_in_child(*state, directory);
    assert_string_equal(ids_after(*state, ring, 10), "a b ");
    date(b, 50);
    assert_string_equal(ids_after(*state, ring, 20), "b a ");
    rename(b, apr_pstrcat(*state, directory, "/c.key", NULL));
    assert_string_equal(ids_after(*state, ring, 30), "c a ");
    unlink(a);
    assert_string_equal(ids_after(*state, ring, 40), "c ");
}

/* The name, the length and the modification time of the file stay the same; the key does not. */
static void test_notices_another_content(void **state)
{
    const char *directory = unit_directory(*state), *path = add(*state, directory, "a.key"), *fault;
    cat_keyring_t *ring;
    const cat_keys_t *keys;

    date(path, 100);
    ring = open_in_child(*state, directory);
    apr_sleep(TICK);
    date(unit_write(*state, directory, "a.key", 0600, SECOND_SECRET, 32), 100);
    keys = cat_keyring_get(ring, apr_time_now(), &fault);
    assert_null(fault);
    assert_true(cat_key_verify(*state, keys->all[0], TOKEN_OF_SECOND));
}

static void test_sets_outlive_their_files(void **state)
{
    const char *directory = unit_directory(*state);
    cat_keyring_t *ring = open_with(*state, directory, "a.key");
    const cat_keys_t *before;
    jwt_t *jwt;

    before = cat_keyring_get(ring, apr_time_now(), NULL);
    unlink(apr_pstrcat(*state, directory, "/a.key", NULL));
    add(*state, directory, "b.key");
    assert_string_equal(ids_after(*state, ring, 10), "b ");
    assert_int_equal(before->count, 1);
    assert_string_equal(cat_key_id(before->all[0]), "a");
    assert_int_equal(jwt_new(&jwt), 0);
    assert_non_null(cat_key_sign(*state, before->all[0], jwt));
    jwt_free(jwt);
}

static void test_keeps_the_old_keys_if_a_new_one_is_bad(void **state)
{
    const char *directory = unit_directory(*state), *bad;
    cat_keyring_t *ring;

    date(add(*state, directory, "a.key"), 100);
    ring = open_in_child(*state, directory);
    bad = unit_write(*state, directory, "b.key", 0644, SECRET, 32);
    unit_says(fault_after(ring, 10), "b.key: is accessible to others");
    assert_string_equal(ids_after(*state, ring, 20), "a "); /* The keyring reports no second fault. */
    assert_int_equal(chmod(bad, 0600), 0);
    assert_string_equal(ids_after(*state, ring, 30), "b a ");
}

/* A write through a mapping whose page is already dirty does not change the file's times. */
static void test_reads_again_after_a_fault_without_a_change(void **state)
{
    static const char bad[] = "-----BEGIN PRIVATE KEY-----\nnone";
    const char *directory = unit_directory(*state);
    cat_keyring_t *ring;
    char *content;
    int file;

    date(add(*state, directory, "a.key"), 100);
    ring = open_in_child(*state, directory);
    file = open(unit_write(*state, directory, "b.key", 0600, bad, 32), O_RDWR);
    content = mmap(NULL, 32, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(content != MAP_FAILED);
    memcpy(content, bad, 32);
    unit_says(fault_after(ring, 10), "b.key");
    assert_null(fault_after(ring, 11)); /* The fault was reported already. */
    memcpy(content, SECRET, 32);
    assert_string_equal(ids_after(*state, ring, 12), "b a ");
    munmap(content, 32);
    close(file);
}

/* The fault does not change when the bad file becomes old enough to sign. */
static void test_a_fault_is_reported_once(void **state)
{
    const char *directory = unit_directory(*state);
    cat_keyring_t *ring = open_with(*state, directory, "a.key");

    unit_write(*state, directory, "b.key", 0600, "", 0);
    unit_says(fault_after(ring, 0), "b.key");
    assert_null(fault_after(ring, 10));
    unit_write(*state, directory, "b.key", 0600, "x", 1);
    assert_non_null(fault_after(ring, 20));
}

static void test_keeps_the_old_keys_if_the_directory_is_gone(void **state)
{
    const char *above = unit_directory(*state), *directory = apr_pstrcat(*state, above, "/keys", NULL);
    const char *away = apr_pstrcat(*state, above, "/away", NULL);
    cat_keyring_t *ring;

    assert_int_equal(mkdir(directory, 0700), 0);
    ring = open_with(*state, directory, "a.key");
    assert_int_equal(rename(directory, away), 0);
    unit_says(fault_after(ring, 10), "No such file");
    assert_string_equal(ids_after(*state, ring, 20), "a ");
    assert_int_equal(rename(away, directory), 0);
    add(*state, directory, "b.key");
    assert_string_equal(ids_after(*state, ring, 30), "b a ");
    unlink(apr_pstrcat(*state, directory, "/a.key", NULL));
    unlink(apr_pstrcat(*state, directory, "/b.key", NULL));
    unit_says(fault_after(ring, 40), "contains no file whose name ends in .key or .pem");
    assert_string_equal(ids_after(*state, ring, 50), "b a ");
}

static void test_a_fault_is_kept_for_the_next_caller(void **state)
{
    const char *directory = unit_directory(*state);
    cat_keyring_t *ring = open_with(*state, directory, "a.key");

    unit_write(*state, directory, "b.key", 0600, "", 0);
    assert_int_equal(cat_keyring_get(ring, apr_time_now() + 10 * SECOND, NULL)->count, 1);
    unit_says(fault_after(ring, 10.5), "this has 0");
    assert_null(fault_after(ring, 11));
}

static void test_a_repaired_fault_is_not_reported(void **state)
{
    const char *directory = unit_directory(*state);
    cat_keyring_t *ring = open_with(*state, directory, "a.key");

    unit_write(*state, directory, "b.key", 0600, "", 0);
    assert_int_equal(cat_keyring_get(ring, apr_time_now() + 10 * SECOND, NULL)->count, 1);
    add(*state, directory, "b.key");
    assert_int_equal(cat_keyring_get(ring, apr_time_now() + 20 * SECOND, NULL)->count, 2);
    assert_null(fault_after(ring, 30));
}

static void test_a_clock_that_is_set_back_does_no_harm(void **state)
{
    const char *directory = unit_directory(*state);
    cat_keyring_t *ring = open_with(*state, directory, "a.key");

    assert_string_equal(ids_after(*state, ring, 100000), "a ");
    add(*state, directory, "b.key");
    assert_string_equal(ids_after(*state, ring, 10), "b a ");
    unlink(apr_pstrcat(*state, directory, "/a.key", NULL));
    assert_string_equal(ids_after(*state, ring, -100000), "b ");
}

static void test_publishes_the_public_halves(void **state)
{
    const char *directory = unit_directory(*state);
    json_t *set;

    date(add(*state, directory, "a.key"), 100);
    set = cat_keyring_jwks(*state, cat_keyring_get(open_directory(*state, directory), 0, NULL));
    assert_string_equal(cat_json_text(*state, set), "{\"keys\":[]}");

    unit_run(apr_psprintf(*state, "umask 077; openssl genrsa -out %s/b.pem 2048 2>/dev/null", directory));
    unit_run(apr_psprintf(*state, "umask 077; openssl ecparam -name prime256v1 -genkey -out %s/c.pem", directory));
    date(apr_pstrcat(*state, directory, "/b.pem", NULL), 200);
    date(apr_pstrcat(*state, directory, "/c.pem", NULL), 300);
    set =
        json_object_get(cat_keyring_jwks(*state, cat_keyring_get(open_directory(*state, directory), 0, NULL)), "keys");
    assert_int_equal(json_array_size(set), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(set, 0), "kid")), "b");
    assert_string_equal(json_string_value(json_object_get(json_array_get(set, 1), "kid")), "c");
}

typedef struct reader_t {
    cat_keyring_t *ring;
    const _Atomic apr_time_t *now;
    atomic_int stop;
    int reads, wrong, faults;
    pthread_t thread;
} reader_t;

/* Reads the keys until the test ends. Each set must contain the key "always" once, although the other files change. */
static void *read_on(void *data)
{
    reader_t *r = data;

    while (!atomic_load_explicit(&r->stop, memory_order_acquire)) {
        const char *fault;
        const cat_keys_t *keys = cat_keyring_get(r->ring, atomic_load_explicit(r->now, memory_order_acquire), &fault);
        int found = 0;
        for (int i = 0; i < keys->count; i++) {
            found += strcmp(cat_key_id(keys->all[i]), "always") == 0;
        }
        r->wrong += found != 1;
        r->faults += fault != NULL;
        r->reads++;
    }
    return NULL;
}

static void test_threads_get_whole_sets_while_files_change(void **state)
{
    const char *directory = unit_directory(*state);
    _Atomic apr_time_t now = apr_time_now();
    cat_keyring_t *ring = open_with(*state, directory, "always.key");
    reader_t readers[4];

    for (size_t i = 0; i < UNIT_COUNT(readers); i++) {
        readers[i] = (reader_t){.ring = ring, .now = &now};
        pthread_create(&readers[i].thread, NULL, read_on, &readers[i]);
    }
    for (int i = 0; i < 200; i++) {
        const char *hidden = add(*state, directory, ".new");
        rename(hidden, apr_psprintf(*state, "%s/%d.key", directory, i % 10));
        unlink(apr_psprintf(*state, "%s/%d.key", directory, (i + 5) % 10));
        atomic_fetch_add_explicit(&now, SECOND, memory_order_acq_rel);
        apr_sleep(1000);
    }
    for (size_t i = 0; i < UNIT_COUNT(readers); i++) {
        atomic_store_explicit(&readers[i].stop, 1, memory_order_release);
        pthread_join(readers[i].thread, NULL);
        assert_int_equal(readers[i].wrong, 0);
        assert_true(readers[i].reads > 200);
    }
    assert_int_equal(cat_keyring_get(ring, now + SECOND, NULL)->count, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_file_is_the_only_key),
        UNIT_TEST(test_the_newest_comes_first),
        UNIT_TEST(test_of_the_same_age_the_last_name_comes_first),
        UNIT_TEST(test_ignores_files_that_are_no_keys),
        UNIT_TEST(test_refuses_a_directory_without_good_keys),
        UNIT_TEST(test_takes_64_keys),
        UNIT_TEST(test_only_a_child_reads_the_directory_again),
        UNIT_TEST(test_a_new_key_verifies_at_once_and_signs_after_two_seconds),
        UNIT_TEST(test_if_all_keys_are_new_the_oldest_one_signs),
        UNIT_TEST(test_notices_deleted_and_changed_files),
        UNIT_TEST(test_notices_another_content),
        UNIT_TEST(test_sets_outlive_their_files),
        UNIT_TEST(test_keeps_the_old_keys_if_a_new_one_is_bad),
        UNIT_TEST(test_reads_again_after_a_fault_without_a_change),
        UNIT_TEST(test_a_fault_is_reported_once),
        UNIT_TEST(test_keeps_the_old_keys_if_the_directory_is_gone),
        UNIT_TEST(test_a_fault_is_kept_for_the_next_caller),
        UNIT_TEST(test_a_repaired_fault_is_not_reported),
        UNIT_TEST(test_a_clock_that_is_set_back_does_no_harm),
        UNIT_TEST(test_publishes_the_public_halves),
        UNIT_TEST(test_threads_get_whole_sets_while_files_change),
    };
    return UNIT_RUN(tests);
}
