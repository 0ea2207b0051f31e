/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/product/product_keys.h"

static const cat_registry_t no_own_fields = {.fields = &cat_product_built_in};

static const char **make_product(apr_pool_t *pool, const char *name, const char *category)
{
    const char **product = unit_product(pool, 1);

    product[CAT_PRODUCT_NAME] = name;
    product[CAT_PRODUCT_CATEGORY] = category;
    return product;
}

static void test_keys_of_all_parts(void **state)
{
    const char **product = make_product(*state, "Red Kettle, red", "Té 2"), *keys[CAT_PRODUCT_KEYS];

    cat_product_keys_make(*state, CAT_INDEX_ALL, &no_own_fields, product, keys);
    assert_string_equal(keys[CAT_PRODUCT_KEY_NAME], "red kettle, red");
    assert_string_equal(keys[CAT_PRODUCT_KEY_CATEGORY], "te 2");
    assert_string_equal(keys[CAT_PRODUCT_KEY_PRICE], "4623226492472524800"); /* 12.5 */
    assert_string_equal(keys[CAT_PRODUCT_KEY_RATING], "-1");
    assert_string_equal(keys[CAT_PRODUCT_KEY_WORDS], " kettle red : 2 te te2 ");
    product[CAT_PRODUCT_RATING] = "0";
    cat_product_keys_make(*state, CAT_INDEX_ALL, &no_own_fields, product, keys);
    assert_string_equal(keys[CAT_PRODUCT_KEY_RATING], "0");
}

static void test_no_keys_of_other_parts(void **state)
{
    static const struct {
        int part, key;
    } cases[] = {{CAT_INDEX_CATEGORY, CAT_PRODUCT_KEY_CATEGORY},
                 {CAT_INDEX_PRICE, CAT_PRODUCT_KEY_PRICE},
                 {CAT_INDEX_NAME, CAT_PRODUCT_KEY_NAME},
                 {CAT_INDEX_RATING, CAT_PRODUCT_KEY_RATING},
                 {CAT_INDEX_SEARCH, CAT_PRODUCT_KEY_WORDS}};
    const char *keys[CAT_PRODUCT_KEYS];

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_product_keys_make(*state, cases[i].part, &no_own_fields, make_product(*state, "Mug", "Tea"), keys);
        for (int key = 0; key < CAT_PRODUCT_KEYS; key++) {
            assert_int_equal(keys[key] != NULL, key == cases[i].key);
        }
    }
}

static void test_words_may_be_none(void **state)
{
    const char *keys[CAT_PRODUCT_KEYS];

    cat_product_keys_make(*state, CAT_INDEX_ALL, &no_own_fields, make_product(*state, "-!-", ""), keys);
    assert_string_equal(keys[CAT_PRODUCT_KEY_WORDS], " : ");
    assert_int_equal(cat_product_keys_words(*state, " : ")->nelts, 0);
    assert_int_equal(cat_product_keys_words(*state, NULL)->nelts, 0);
}

/* 200 characters that become 18 each. */
static void test_long_keys_are_cut_off(void **state)
{
    char name[601] = "";
    const char *keys[CAT_PRODUCT_KEYS];

    for (int i = 0; i < 200; i++) {
        memcpy(name + 3 * i, "\xef\xb7\xba", 4);
    }
    cat_product_keys_make(*state, CAT_INDEX_ALL, &no_own_fields, make_product(*state, name, name), keys);
    assert_true(strlen(keys[CAT_PRODUCT_KEY_NAME]) <= CAT_PRODUCT_KEY_SIZE);
    assert_true(strlen(keys[CAT_PRODUCT_KEY_NAME]) > CAT_PRODUCT_KEY_SIZE - 4);
    assert_true(strlen(keys[CAT_PRODUCT_KEY_CATEGORY]) <= CAT_PRODUCT_KEY_SIZE);
}

static void test_long_words_are_cut_off(void **state)
{
    const char *word = "0123456789012345678901234567890123456789012345678901234567890123"; /* 64 */
    const char *list = apr_psprintf(*state, " 0 %s %sb %sc d ", word, word, word);
    apr_array_header_t *words = cat_product_keys_words(*state, list);

    assert_int_equal(words->nelts, 3);
    assert_string_equal(APR_ARRAY_IDX(words, 1, cat_product_word_t).text, word);
    assert_string_equal(APR_ARRAY_IDX(words, 2, cat_product_word_t).text, "d");
    list = apr_psprintf(*state, " %.63s %sb %.63s\u00b5 ", word, word, word);
    words = cat_product_keys_words(*state, list);
    assert_int_equal(words->nelts, 2);
    assert_string_equal(APR_ARRAY_IDX(words, 1, cat_product_word_t).text, word);
}

/* In the table of words, a word is there once, whichever fields have it. */
static void test_marked_words_are_words_without_their_mark(void **state)
{
    static const char *const expected[] = {"1", "acme", "kettle", "red", "tea"};
    apr_array_header_t *words = cat_product_keys_words(*state, " kettle red :1:1 :1:acme :1:red :12:acme :12:tea ");

    assert_int_equal(words->nelts, UNIT_COUNT(expected));
    for (size_t i = 0; i < UNIT_COUNT(expected); i++) {
        assert_string_equal(APR_ARRAY_IDX(words, (int)i, cat_product_word_t).text, expected[i]);
    }
    assert_string_equal(cat_product_keys_mark(*state, "12"), ":12:");
}

/* A word that one field has joined, and another one so, is not joined. */
static void test_joined_words_are_marked(void **state)
{
    const char *keys[CAT_PRODUCT_KEYS];
    apr_array_header_t *words;

    cat_product_keys_make(*state, CAT_INDEX_ALL, &no_own_fields, make_product(*state, "A spoon, wi fi", "wifi"), keys);
    assert_string_equal(keys[CAT_PRODUCT_KEY_WORDS], " a aspoon = fi spoon wi wifi = : wifi ");
    words = cat_product_keys_words(*state, keys[CAT_PRODUCT_KEY_WORDS]);
    assert_int_equal(words->nelts, 6);
    for (int i = 0; i < words->nelts; i++) {
        const cat_product_word_t *word = &APR_ARRAY_IDX(words, i, cat_product_word_t);
        assert_int_equal(word->is_joined, !strcmp(word->text, "aspoon"));
        assert_int_equal(word->in_name, 1);
    }
    words = cat_product_keys_words(*state, " tea : :1:tshirt = :1:shirt ");
    assert_int_equal(words->nelts, 3);
    assert_true(APR_ARRAY_IDX(words, 2, cat_product_word_t).is_joined);
    assert_false(APR_ARRAY_IDX(words, 0, cat_product_word_t).is_joined);
}

/* Behind each word of the name a "!". */
static const char *list_words(unit_database_t *database)
{
    const char *words = unit_database_sql(database, "SELECT GROUP_CONCAT(word, ' ') FROM"
                                                    " (SELECT word || CASE in_name WHEN 1 THEN '!' ELSE '' END AS word"
                                                    " FROM product_words ORDER BY word, n)");
    return words ? words : "";
}

typedef struct change_t {
    cat_db_t *db;
    const char *before, *after;
} change_t;

static apr_status_t change_words(void *baton)
{
    const change_t *c = baton;

    return cat_product_keys_change(c->db, c->before, c->after, "1000");
}

static void check_change(unit_database_t *database, const char *before, const char *after, const char *words)
{
    change_t c = {unit_database_use(database->pool, database), before, after};

    assert_int_equal(cat_db_transact(c.db, change_words, &c), APR_SUCCESS);
    assert_string_equal(list_words(database), words);
}

static void test_words_follow_a_change(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *many = " : 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 ";

    check_change(database, NULL, " kettle red : tea :1:red :1:xl ", "kettle! red! tea xl");
    check_change(database, " kettle red : tea :1:red :1:xl ", " red tea : kettle ", "kettle red! tea!");
    check_change(database, " red tea : kettle ", " green kettle : ", "green! kettle!");
    check_change(database, NULL, " green kettle : ", "green! kettle!"); /* they are there already */
    check_change(database, " green kettle : ", " : ", "");
    check_change(database, " : ", many, "00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19");
    check_change(database, many, NULL, "");
}

static void test_sets_have_one_address(void **)
{
    for (int parts = 0; parts <= CAT_INDEX_ALL; parts++) {
        assert_int_equal(*cat_product_keys_set(parts), parts);
        assert_ptr_equal(cat_product_keys_set(parts), cat_product_keys_set(parts));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_keys_of_all_parts),
        UNIT_TEST(test_no_keys_of_other_parts),
        UNIT_TEST(test_words_may_be_none),
        UNIT_TEST(test_long_keys_are_cut_off),
        UNIT_TEST(test_marked_words_are_words_without_their_mark),
        UNIT_TEST(test_joined_words_are_marked),
        UNIT_TEST(test_long_words_are_cut_off),
        UNIT_TEST(test_words_follow_a_change),
        UNIT_TEST(test_sets_have_one_address),
    };
    return UNIT_RUN(tests);
}
