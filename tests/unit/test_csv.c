/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/csv.h"

typedef struct reading_t {
    apr_pool_t *pool;
    const char *rows; /* "<cell><cell>|<cell>|"; an absent cell is "-" */
} reading_t;

static apr_status_t add_row(void *baton, const cat_csv_cell_t *cells, int count)
{
    reading_t *r = baton;

    for (int i = 0; i < count; i++) {
        r->rows = cells[i].text ? apr_pstrcat(r->pool, r->rows, "<", cells[i].text, ">", NULL)
                                : apr_pstrcat(r->pool, r->rows, "-", NULL);
        assert_int_equal(cells[i].text ? strlen(cells[i].text) : 0, cells[i].length);
    }
    r->rows = apr_pstrcat(r->pool, r->rows, "|", NULL);
    return APR_SUCCESS;
}

/* Feeds the text in pieces of a size. */
static apr_status_t read_by(apr_pool_t *pool, char delimiter, const char *text, apr_size_t max, apr_size_t piece,
                            const char **rows)
{
    reading_t r = {pool, ""};
    cat_csv_reader_t *reader = cat_csv_reader_make(pool, delimiter, max, add_row, &r);
    apr_status_t rv = APR_SUCCESS;

    for (const char *end = text + strlen(text); text < end && rv == APR_SUCCESS; text += piece) {
        rv = cat_csv_reader_feed(reader, text, (apr_size_t)(end - text) < piece ? (apr_size_t)(end - text) : piece);
    }
    rv = rv == APR_SUCCESS ? cat_csv_reader_feed(reader, "", 0) : rv;
    *rows = r.rows;
    return rv;
}

static apr_status_t read_in(apr_pool_t *pool, const char *text, apr_size_t max, apr_size_t piece, const char **rows)
{
    return read_by(pool, ',', text, max, piece, rows);
}

static void assert_rows_by(apr_pool_t *pool, char delimiter, const char *text, const char *expected)
{
    for (apr_size_t piece = 1; piece < 20; piece++) {
        const char *rows;
        assert_int_equal(read_by(pool, delimiter, text, 1000, piece, &rows), APR_SUCCESS);
        assert_string_equal(rows, expected);
    }
}

static void assert_rows(apr_pool_t *pool, const char *text, const char *expected)
{
    assert_rows_by(pool, ',', text, expected);
}

static void assert_fault(apr_pool_t *pool, const char *text, apr_status_t expected)
{
    for (apr_size_t piece = 1; piece < 20; piece++) {
        const char *rows;
        assert_int_equal(read_in(pool, text, 50, piece, &rows), expected);
    }
}

static void test_rows_are_read(void **state)
{
    assert_rows(*state, "", "");
    assert_rows(*state, "a,b\r\nc,d\r\n", "<a><b>|<c><d>|");
    assert_rows(*state, "a,b\nc,d", "<a><b>|<c><d>|");
    assert_rows(*state, "a\rb\r", "<a>|<b>|");
    assert_rows(*state, "\r\n\na\n\n\r\nb\n\n", "<a>|<b>|");
    assert_rows(*state, "\"a,\"\"b\"\"\r\nc\",\" d \"\n", "<a,\"b\"\r\nc>< d >|");
    assert_rows(*state, " a , b\tc\t\n", "< a >< b\tc\t>|");
}

static void test_the_delimiter_is_the_callers(void **state)
{
    assert_rows_by(*state, ';', "a, b;1,5;\r\n\"c;\n\"\"d\"\"\";;\"\"\n", "<a, b><1,5>-|<c;\n\"d\">-<>|");
    assert_rows_by(*state, '\t', "a\tb;c, d\t \n\t\"e\tf\"\t", "<a><b;c, d>< >|-<e\tf>-|");
}

static void test_an_absent_cell_differs_from_an_empty_one(void **state)
{
    assert_rows(*state, "a,,\"\"\n,\n\"\"\n", "<a>-<>|--|<>|");
}

static void test_a_byte_order_mark_is_skipped(void **state)
{
    assert_rows(*state,
                "\xef\xbb\xbf"
                "a,b\n",
                "<a><b>|");
    assert_rows(*state,
                "\xef\xbb\xbf"
                "\"a\"\n",
                "<a>|");
    assert_rows(*state,
                "\xef\xbb"
                "a\n",
                "<\xef\xbb"
                "a>|");
    assert_rows(*state, "\xef", "<\xef>|");
    assert_rows(*state, "a\xef\xbb\xbf\n", "<a\xef\xbb\xbf>|");
}

typedef struct places_t {
    apr_pool_t *pool;
    const cat_csv_reader_t *reader;
    const char *text; /* "begin-end " of each row */
} places_t;

static apr_status_t add_place(void *baton, const cat_csv_cell_t *cells, int count)
{
    places_t *p = baton;
    cat_octets_t place = cat_csv_reader_place(p->reader);

    (void)cells;
    (void)count;
    p->text = apr_psprintf(p->pool, "%s%d-%d ", p->text, (int)place.begin, (int)place.end);
    return APR_SUCCESS;
}

static void assert_places(apr_pool_t *pool, const char *text, const char *expected)
{
    apr_size_t length = strlen(text);

    for (apr_size_t piece = 1; piece <= length; piece++) {
        places_t p = {.pool = pool, .text = ""};
        cat_csv_reader_t *reader = cat_csv_reader_make(pool, ',', 1000, add_place, &p);
        p.reader = reader;
        assert_int_equal(cat_csv_reader_place(reader).end, 0);
        for (apr_size_t at = 0; at < length; at += piece) {
            cat_csv_reader_feed(reader, text + at, length - at < piece ? length - at : piece);
        }
        cat_csv_reader_feed(reader, "", 0);
        assert_string_equal(p.text, expected);
    }
}

/* The octets of a row begin after the empty lines before it, and end after the first octet of its line's end. */
static void test_the_place_of_a_row_is_known(void **state)
{
    assert_places(*state, "a,b\nc\n\n\nd", "0-4 4-6 8-9 ");
    assert_places(*state, "a\r\n\r\nb\r\n", "0-2 5-7 ");
    assert_places(*state, "\"a\n\nb\",c\n\"\"\n", "0-9 9-12 ");
    assert_places(*state,
                  "\xef\xbb\xbf"
                  "a\nb\n",
                  "3-5 5-7 ");
    assert_places(*state,
                  "\xef\xbb"
                  "a\nb\n",
                  "0-4 4-6 ");
    assert_places(*state, "a\nb\"\nc\n", "0-2 ");
}

static void test_misplaced_quotes_are_refused(void **state)
{
    assert_fault(*state, "a\"b\n", APR_EINVAL);
    assert_fault(*state, "\"a\"b\n", APR_EINVAL);
    assert_fault(*state, "\"a", APR_EINVAL);
    assert_fault(*state, "a,\"b\nc\n", APR_EINVAL);
}

static void test_long_rows_are_refused(void **state)
{
    const char *rows;
    char *cells = apr_palloc(*state, 3001), *cell = apr_palloc(*state, 100001);

    assert_fault(*state, "123456789012345678901234567890123456789012345678901\n", APR_ENOSPC);
    assert_fault(*state, "12345678901234567890123456,12345678901234567890123456\n", APR_ENOSPC);
    assert_fault(*state, "\"1234567890\n1234567890\n1234567890\n1234567890\n1234567890\n\"\n", APR_ENOSPC);
    memset(cells, ',', 3000);
    cells[3000] = '\0';
    assert_int_equal(read_in(*state, cells, 100000, 3000, &rows), APR_ENOSPC);
    memset(cell, 'x', 100000);
    cell[100000] = '\0';
    assert_int_equal(read_in(*state, cell, 65536, 8192, &rows), APR_ENOSPC);
}

static apr_status_t refuse_row(void *baton, const cat_csv_cell_t *cells, int count)
{
    (void)cells;
    (void)count;
    ++*(int *)baton;
    return APR_EGENERAL;
}

static void test_a_failure_ends_the_reading(void **state)
{
    int rows = 0;
    cat_csv_reader_t *reader = cat_csv_reader_make(*state, ',', 100, refuse_row, &rows);

    assert_int_equal(cat_csv_reader_feed(reader, "a\nb\nc\n", 6), APR_EGENERAL);
    assert_int_equal(cat_csv_reader_feed(reader, "d\n", 2), APR_EGENERAL);
    assert_int_equal(cat_csv_reader_feed(reader, "", 0), APR_EGENERAL);
    assert_int_equal(rows, 1);
}

static const char *cell_of(apr_pool_t *pool, const char *text)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 1);
    cat_csv_add_cell(&b, text);
    return cat_buffer_text(&b);
}

static void test_cells_are_written(void **state)
{
    assert_string_equal(cell_of(*state, NULL), "");
    assert_string_equal(cell_of(*state, ""), "\"\"");
    assert_string_equal(cell_of(*state, "a b"), "a b");
    assert_string_equal(cell_of(*state, " a"), "\" a\"");
    assert_string_equal(cell_of(*state, "a "), "\"a \"");
    assert_string_equal(cell_of(*state, "a,b"), "\"a,b\"");
    assert_string_equal(cell_of(*state, "a\"b\""), "\"a\"\"b\"\"\"");
    assert_string_equal(cell_of(*state, "a\nb"), "\"a\nb\"");
    assert_string_equal(cell_of(*state, "\r"), "\"\r\"");
}

static void test_formulas_are_known(void **state)
{
    static const char *const formulas[] = {"=1",  "+1",      "-1",      "@1",      "\t1",    "\r1",
                                           "\n1", "\uFF1D1", "\uFF0B1", "\uFF0D1", "\uFF201"};
    static const char *const others[] = {"", "1=1", "'=1", " =1", "\uFF1C1", "\xEF\xBC", "\xEF"};

    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(formulas); i++) {
        assert_true(cat_csv_is_formula(formulas[i]));
    }
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        assert_false(cat_csv_is_formula(others[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_rows_are_read),
        UNIT_TEST(test_the_delimiter_is_the_callers),
        UNIT_TEST(test_an_absent_cell_differs_from_an_empty_one),
        UNIT_TEST(test_a_byte_order_mark_is_skipped),
        UNIT_TEST(test_the_place_of_a_row_is_known),
        UNIT_TEST(test_misplaced_quotes_are_refused),
        UNIT_TEST(test_long_rows_are_refused),
        UNIT_TEST(test_a_failure_ends_the_reading),
        UNIT_TEST(test_cells_are_written),
        UNIT_TEST(test_formulas_are_known),
    };
    return UNIT_RUN(tests);
}
