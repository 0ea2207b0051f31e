/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "lib/id.h"

static void test_has_the_form_of_a_uuid(void **state)
{
    for (int i = 0; i < 1000; i++) {
        const char *id = cat_id_make(*state, apr_time_now());
        assert_non_null(id);
        assert_int_equal(strlen(id), CAT_ID_LENGTH);
        assert_int_equal(cat_id_check(id), 1);
    }
}

/* The time of RFC 9562's example A.6. */
static void test_holds_the_time(void **state)
{
    assert_memory_equal(cat_id_make(*state, apr_time_from_msec(APR_INT64_C(0x017F22E279B0))), "017f22e2-79b0-7", 15);
    assert_memory_equal(cat_id_make(*state, 0), "00000000-0000-7", 15);
    assert_memory_equal(cat_id_make(*state, 999), "00000000-0000-7", 15);
    assert_memory_equal(cat_id_make(*state, 1000), "00000000-0001-7", 15);
}

/* RFC 9562, 6.2, method 3: rand_a is the fraction of the millisecond, times 4096. */
static void test_holds_the_microsecond(void **state)
{
    static const struct {
        apr_time_t time;
        const char *head;
    } cases[] = {
        {0, "00000000-0000-7000-"},
        {1, "00000000-0000-7004-"},
        {250, "00000000-0000-7400-"},
        {500, "00000000-0000-7800-"},
        {999, "00000000-0000-7ffb-"},
        {1000, "00000000-0001-7000-"},
        {APR_INT64_C(0x017F22E279B0) * 1000 + 125, "017f22e2-79b0-7200-"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_memory_equal(cat_id_make(*state, cases[i].time), cases[i].head, 19);
    }
}

static void test_sorts_by_microsecond(void **state)
{
    const char *before = cat_id_make(*state, 0);

    for (apr_time_t t = 1; t <= 2000; t++) {
        const char *id = cat_id_make(*state, t);
        assert_true(strcmp(before, id) < 0);
        before = id;
    }
}

static void test_sorts_by_time(void **state)
{
    const char *before = cat_id_make(*state, 0);

    for (apr_time_t t = apr_time_from_msec(1); t < apr_time_from_sec(APR_INT64_C(200000000000)); t *= 3) {
        const char *id = cat_id_make(*state, t);
        assert_true(strcmp(before, id) < 0);
        before = id;
    }
}

static void test_is_unique_within_a_microsecond(void **state)
{
    apr_hash_t *seen = apr_hash_make(*state);

    for (int i = 0; i < 20000; i++) {
        const char *id = cat_id_make(*state, 0);
        assert_null(apr_hash_get(seen, id, CAT_ID_LENGTH));
        apr_hash_set(seen, id, CAT_ID_LENGTH, id);
    }
}

static void test_variant_digit_takes_all_four_values(void **state)
{
    int counts[256] = {0};

    for (int i = 0; i < 1000; i++) {
        counts[(unsigned char)cat_id_make(*state, 0)[19]]++;
    }
    assert_true(counts['8'] && counts['9'] && counts['a'] && counts['b']);
    assert_int_equal(counts['8'] + counts['9'] + counts['a'] + counts['b'], 1000);
}

static void test_check_accepts_ids(void **)
{
    assert_int_equal(cat_id_check("00000000-0000-7000-8000-000000000000"), 1);
    assert_int_equal(cat_id_check("ffffffff-ffff-7fff-bfff-ffffffffffff"), 1);
}

static void test_check_refuses_other_texts(void **)
{
    static const char *const texts[] = {
        "",
        "0",
        "'",
        "%",
        "_",
        "\n",
        "\xff",
        "..",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f/",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f ",
        " 017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
        "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", /* version 4 */
        "017f22e2-79b0-7cc3-c8c4-dc0c0c07398f", /* another variant */
        "017f22e2-79b0-7cc3-78c4-dc0c0c07398f",
        "017f22e279b07cc398c4dc0c0c07398f",
        "017f22e2_79b0-7cc3-98c4-dc0c0c07398f",
        "017f22e-279b0-7cc3-98c4-dc0c0c07398f",
        "g17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "xxxxxxxx-xxxx-7xxx-vxxx-xxxxxxxxxxxx",
        "{17f22e2-79b0-7cc3-98c4-dc0c0c07398}",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398\xff",
        "' OR '1'='1' --                     ",
    };

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        if (cat_id_check(texts[i])) {
            fail_msg("%s was taken", texts[i]);
        }
    }
}

/* Each cut has an allocation of its own, so that AddressSanitizer reports a read past its end. */
static void test_check_refuses_every_cut(void **state)
{
    const char *id = cat_id_make(*state, apr_time_now());

    for (int length = 0; length < CAT_ID_LENGTH; length++) {
        char *cut = strndup(id, length);
        assert_int_equal(cat_id_check(cut), 0);
        free(cut);
    }
}

static void test_check_refuses_every_changed_byte(void **state)
{
    const char *id = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";

    for (int at = 0; at < CAT_ID_LENGTH; at++) {
        for (int byte = 0; byte < 256; byte++) {
            char *changed = apr_pstrdup(*state, id);
            int hexadecimal = byte && strchr("0123456789abcdef", byte);
            changed[at] = (char)byte;
            if (id[at] == '-' || at == 14 || at == 19) {
                hexadecimal = byte == id[at] || (at == 19 && byte && strchr("89ab", byte));
            }
            assert_int_equal(cat_id_check(changed), hexadecimal != 0);
        }
    }
}

static void test_ids_of_clients_are_folded(void **state)
{
    const char *id = "01a1fee5-af25-7514-8a69-477230296f5b";
    static const char *const others[] = {"",
                                         "ABC",
                                         "01A1FEE5-AF25-4514-8A69-477230296F5B",
                                         "01A1FEE5_AF25-7514-8A69-477230296F5B",
                                         "01A1FEE5-AF25-7514-8A69-477230296F5G",
                                         "01A1FEE5-AF25-7514-8A69-477230296F5B0"};

    assert_ptr_equal(cat_id_fold(*state, id), id);
    assert_string_equal(cat_id_fold(*state, "01A1FEE5-AF25-7514-8A69-477230296F5B"), id);
    assert_string_equal(cat_id_fold(*state, "01a1FEE5-aF25-7514-8A69-477230296f5B"), id);
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        assert_ptr_equal(cat_id_fold(*state, others[i]), others[i]);
    }
}

static void test_numbers_have_time_fraction_and_eight_random_bits(void **state)
{
    static const struct {
        const char *id;
        apr_int64_t number;
    } cases[] = {
        {"00000000-0000-7000-8000-000000000000", 0},
        {"00000000-0000-7000-803f-ffffffffffff", 0},
        {"00000000-0000-7000-8040-000000000000", 1},
        {"00000000-0000-7000-bfff-ffffffffffff", 255},
        {"00000000-0000-7001-8000-000000000000", 256},
        {"00000000-0001-7000-8000-000000000000", 1 << 20},
        {"01a1fdf9-d28a-7c59-b8ec-c42b5a960857", APR_INT64_C(0x01a1fdf9d28a) << 20 | 0xc59 << 8 | 0xe3},
        {"07ffffff-ffff-7fff-bfbf-ffffffffffff", APR_INT64_MAX - 1},
        {"07ffffff-ffff-7fff-bfff-ffffffffffff", -1},
        {"08000000-0000-7000-8000-000000000000", -1}, /* 2^43 ms */
        {"ffffffff-ffff-7fff-bfff-ffffffffffff", -1},
        {"01a1fdf9-d28a-4c59-b8ec-c42b5a960857", -1},
        {"01A1FDF9-d28a-7c59-b8ec-c42b5a960857", -1},
        {"", -1},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_int_equal(cat_id_number(cases[i].id), cases[i].number);
    }
    assert_string_equal(cat_id_number_text(*state, "07ffffff-ffff-7fff-bfbf-ffffffffffff"), "9223372036854775806");
    assert_string_equal(cat_id_number_text(*state, "x"), "-1");
}

static void test_numbers_have_the_order_of_ids(void **state)
{
    const char *before = cat_id_make(*state, 0);

    for (int i = 0; i < 2000; i++) {
        const char *id = cat_id_make(*state, rand() % 10);
        if (cat_id_number(id) != cat_id_number(before)) {
            assert_int_equal(strcmp(before, id) < 0, cat_id_number(before) < cat_id_number(id));
        }
        before = id;
    }
}

static void test_redrawing_changes_eight_random_bits(void **state)
{
    const char *id = cat_id_make(*state, apr_time_now());
    char seen[256] = {0};
    int count = 0;

    for (int i = 0; i < 20000; i++) {
        const char *other = cat_id_redraw(*state, id);
        apr_int64_t number = cat_id_number(other);
        assert_int_equal(number >> 8, cat_id_number(id) >> 8);
        assert_memory_equal(other, id, 19);
        assert_string_equal(other + 22, id + 22);
        assert_int_equal(strtol((char[]){other[21], 0}, NULL, 16) & 3, strtol((char[]){id[21], 0}, NULL, 16) & 3);
        count += !seen[number & 255];
        seen[number & 255] = 1;
    }
    assert_int_equal(count, 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_has_the_form_of_a_uuid),
        UNIT_TEST(test_holds_the_time),
        UNIT_TEST(test_holds_the_microsecond),
        UNIT_TEST(test_sorts_by_microsecond),
        UNIT_TEST(test_sorts_by_time),
        UNIT_TEST(test_is_unique_within_a_microsecond),
        UNIT_TEST(test_variant_digit_takes_all_four_values),
        UNIT_TEST(test_check_accepts_ids),
        UNIT_TEST(test_check_refuses_other_texts),
        UNIT_TEST(test_check_refuses_every_cut),
        UNIT_TEST(test_check_refuses_every_changed_byte),
        UNIT_TEST(test_ids_of_clients_are_folded),
        UNIT_TEST(test_numbers_have_time_fraction_and_eight_random_bits),
        UNIT_TEST(test_numbers_have_the_order_of_ids),
        UNIT_TEST(test_redrawing_changes_eight_random_bits),
    };
    return UNIT_RUN(tests);
}
