/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/log.h"

typedef struct line_t {
    int count;
    cat_log_level_t level;
    apr_status_t rv;
    char message[2000];
} line_t;

static void keep(void *context, cat_log_level_t level, apr_status_t rv, const char *message)
{
    line_t *line = context;
    line->count++;
    line->level = level;
    line->rv = rv;
    apr_cpystrn(line->message, message, sizeof(line->message));
}

static void test_formats_and_passes_on(void **)
{
    line_t line = {0};
    const cat_log_t log = {.write = keep, .context = &line};

    cat_log(&log, CAT_LOG_WARNING, APR_EINVAL, "CAT001: %s has %d of %" APR_INT64_T_FMT, "table", 3,
            APR_INT64_C(1) << 40);
    assert_int_equal(line.count, 1);
    assert_int_equal(line.level, CAT_LOG_WARNING);
    assert_int_equal(line.rv, APR_EINVAL);
    assert_string_equal(line.message, "CAT001: table has 3 of 1099511627776");
}

static void test_cuts_at_1000_bytes(void **state)
{
    line_t line = {0};
    const cat_log_t log = {.write = keep, .context = &line};
    char *text = apr_palloc(*state, 5001);

    memset(text, 'x', 5000);
    text[5000] = '\0';
    cat_log(&log, CAT_LOG_ERROR, 0, "%s", text);
    assert_int_equal(line.count, 1);
    assert_int_equal(strlen(line.message), 1000);
    cat_log(&log, CAT_LOG_ERROR, 0, "%s", text + 4000);
    assert_string_equal(line.message, text + 4000);
}

static void test_stays_one_line(void **)
{
    line_t line = {0};
    const cat_log_t log = {.write = keep, .context = &line};

    cat_log(&log, CAT_LOG_ERROR, 0, "CAT001: %s", "a\r\nCAT002: forged\x1b[31m\x7f\t\xc3\xa9");
    assert_string_equal(line.message, "CAT001: a  CAT002: forged [31m  \xc3\xa9");
}

static void test_values_are_not_formats(void **)
{
    line_t line = {0};
    const cat_log_t log = {.write = keep, .context = &line};

    cat_log(&log, CAT_LOG_DEBUG, 0, "%s", "100% %s %n");
    assert_string_equal(line.message, "100% %s %n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_formats_and_passes_on),
        UNIT_TEST(test_cuts_at_1000_bytes),
        UNIT_TEST(test_stays_one_line),
        UNIT_TEST(test_values_are_not_formats),
    };
    return UNIT_RUN(tests);
}
