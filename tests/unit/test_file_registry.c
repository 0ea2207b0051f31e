/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "db/sqlite/file_registry.h"

static cat_file_registry_t *create_registry(apr_pool_t *pool)
{
    cat_file_registry_t *registry;

    assert_int_equal(cat_file_registry_create(&registry, pool), APR_SUCCESS);
    return registry;
}

static cat_files_t files_of(const char *path, apr_uint64_t database, apr_uint64_t wal, apr_uint64_t index)
{
    return (cat_files_t){.paths = {path}, .identities = {database, wal, index}};
}

static void test_replaced_file_is_noticed(void **state)
{
    cat_file_registry_t *registry = create_registry(*state);
    cat_files_t first = files_of("/a.db", 1, 0, 0), second = files_of("/a.db", 2, 0, 0),
                other = files_of("/b.db", 2, 0, 0);

    assert_true(cat_file_registry_is_same_file(registry, &first));
    assert_true(cat_file_registry_is_same_file(registry, &first));
    assert_false(cat_file_registry_is_same_file(registry, &second));
    assert_true(cat_file_registry_is_same_file(registry, &other));
}

/* SQLite deletes both or none, so where one is as registered and the other is not, another program has removed that. */
static void test_removed_wal_or_index_is_noticed(void **state)
{
    cat_file_registry_t *registry = create_registry(*state);
    cat_files_t registered = files_of("/a.db", 1, 2, 3), other_wal = files_of("/a.db", 1, 4, 3),
                no_index = files_of("/a.db", 1, 2, 0), neither = files_of("/a.db", 1, 0, 0),
                both_new = files_of("/a.db", 1, 4, 5);

    assert_int_equal(cat_file_registry_find_removed(registry, &registered), CAT_FILES);
    cat_file_registry_note_wal(registry, &registered);
    assert_int_equal(cat_file_registry_find_removed(registry, &registered), CAT_FILES);
    assert_int_equal(cat_file_registry_find_removed(registry, &other_wal), CAT_FILE_WAL);
    assert_int_equal(cat_file_registry_find_removed(registry, &no_index), CAT_FILE_INDEX);
    assert_int_equal(cat_file_registry_find_removed(registry, &neither), CAT_FILES);
    assert_int_equal(cat_file_registry_find_removed(registry, &both_new), CAT_FILES);
    cat_file_registry_note_wal(registry, &both_new);
    assert_int_equal(cat_file_registry_find_removed(registry, &both_new), CAT_FILES);
}

static void test_children_share_the_registry(void **state)
{
    cat_file_registry_t *registry = create_registry(*state);
    pid_t child = fork();

    if (child == 0) {
        cat_file_registry_note_schema(registry, "/a.db");
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(cat_file_registry_had_schema(registry, "/a.db"));
    assert_false(cat_file_registry_had_schema(registry, "/b.db"));
}

/* More than there are entries: those that came first are registered, wherever their hashes lead. */
static void test_registry_has_room_for_16_files(void **state)
{
    cat_file_registry_t *registry = create_registry(*state);

    for (int i = 0; i < 17; i++) {
        const char *path = apr_psprintf(*state, "/%d.db", i);
        cat_files_t first = files_of(path, 1, 0, 0), second = files_of(path, 2, 0, 0);
        assert_true(cat_file_registry_is_same_file(registry, &first));
        assert_int_equal(cat_file_registry_is_same_file(registry, &second), i == 16);
        cat_file_registry_note_schema(registry, path);
        assert_int_equal(cat_file_registry_had_schema(registry, path), i < 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_replaced_file_is_noticed),
        UNIT_TEST(test_removed_wal_or_index_is_noticed),
        UNIT_TEST(test_children_share_the_registry),
        UNIT_TEST(test_registry_has_room_for_16_files),
    };
    return UNIT_RUN(tests);
}
