/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdlib.h>
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
    const cat_csv_options_t options = {delimiter, CAT_UTF_8, max};
    cat_csv_reader_t *reader = cat_csv_reader_make(pool, &options, add_row, &r);
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

static void test_the_first_line_may_name_the_delimiter(void **state)
{
    assert_rows(*state, "sep=;\r\na;b,c\r\n", "<a><b,c>|");
    assert_rows(*state, "\xef\xbb\xbfSEP=\t\na\tb,c\n", "<a><b,c>|");
    assert_rows_by(*state, ';', "sep=,\ra;b,c\r", "<a;b><c>|");
    assert_rows_by(*state, ';', "sep=;", "<sep=>-|");
    assert_rows(*state, "sep=;", "<sep=;>|");
    assert_rows(*state, "sep=;a\nb\n", "<sep=;a>|<b>|");
    assert_rows(*state, "sep=|\nb\n", "<sep=|>|<b>|");
    assert_rows(*state, "sex,a\nb\n", "<sex><a>|<b>|");
    assert_rows(*state, "a\nsep=;\nb;c\n", "<a>|<sep=;>|<b;c>|");
    assert_rows(*state, "sep=,\n\n\na,b", "<a><b>|");
}

static void test_other_encodings_are_read(void **state)
{
    static const char le[] = "\xff\xfe"
                             "a\0,\0\xfc\0\n\0\x3d\xd8\x00\xde,\0\r\0\n\0";
    static const char be[] = "\xfe\xff"
                             "\0a\0,\0\xfc\0\n\xd8\x3d\xde\x00\0,\0\r\0\n";
    static const struct {
        const char *text;
        apr_size_t length;
    } files[] = {{le, sizeof(le) - 1}, {be, sizeof(be) - 1}};

    for (size_t i = 0; i < UNIT_COUNT(files); i++) {
        for (apr_size_t piece = 1; piece <= files[i].length; piece++) {
            reading_t r = {*state, ""};
            const cat_csv_options_t options = {',', CAT_WINDOWS_1252, 100};
            cat_csv_reader_t *reader = cat_csv_reader_make(*state, &options, add_row, &r);
            for (apr_size_t at = 0; at < files[i].length; at += piece) {
                apr_size_t rest = files[i].length - at;
                assert_int_equal(cat_csv_reader_feed(reader, files[i].text + at, rest < piece ? rest : piece),
                                 APR_SUCCESS);
            }
            assert_int_equal(cat_csv_reader_feed(reader, "", 0), APR_SUCCESS);
            assert_string_equal(r.rows, "<a><\u00fc>|<\U0001f600>-|");
            assert_int_equal(cat_csv_reader_place(reader).end, files[i].length - 2);
            assert_int_equal(cat_csv_reader_encoding(reader), i ? CAT_UTF_16BE : CAT_UTF_16LE);
        }
    }
}

typedef struct places_t {
    apr_pool_t *pool;
    const cat_csv_reader_t *reader;
    const char *text; /* "begin-end@line " of each row */
} places_t;

static apr_status_t add_place(void *baton, const cat_csv_cell_t *, int)
{
    places_t *p = baton;
    cat_octets_t place = cat_csv_reader_place(p->reader);

    p->text = apr_psprintf(p->pool, "%s%d-%d@%d ", p->text, (int)place.begin, (int)place.end, (int)place.line);
    return APR_SUCCESS;
}

static void assert_places_in(apr_pool_t *pool, const cat_csv_options_t *options, const char *text, const char *expected)
{
    apr_size_t length = strlen(text);

    for (apr_size_t piece = 1; piece <= length; piece++) {
        places_t p = {.pool = pool, .text = ""};
        cat_csv_reader_t *reader = cat_csv_reader_make(pool, options, add_place, &p);
        p.reader = reader;
        assert_int_equal(cat_csv_reader_place(reader).end, 0);
        for (apr_size_t at = 0; at < length; at += piece) {
            cat_csv_reader_feed(reader, text + at, length - at < piece ? length - at : piece);
        }
        cat_csv_reader_feed(reader, "", 0);
        assert_string_equal(p.text, expected);
    }
}

static void assert_places(apr_pool_t *pool, const char *text, const char *expected)
{
    assert_places_in(pool, &(cat_csv_options_t){',', CAT_UTF_8, 1000}, text, expected);
}

/* The octets of a row begin after the empty lines before it, and end after the first octet of its line's end. */
static void test_the_place_of_a_row_is_known(void **state)
{
    const cat_csv_options_t latin = {',', CAT_WINDOWS_1252, 1000};

    assert_places(*state, "a,b\nc\n\n\nd", "0-4@1 4-6@2 8-9@5 ");
    assert_places(*state, "a\r\n\r\nb\r\n", "0-2@1 5-7@3 ");
    assert_places(*state, "a\rb\r\rc", "0-2@1 2-4@2 5-6@4 ");
    assert_places(*state, "\"a\n\nb\",c\n\"\"\n", "0-9@1 9-12@4 ");
    assert_places(*state, "sep=;\r\na\r\nb", "7-9@2 10-11@3 ");
    assert_places(*state,
                  "\xef\xbb\xbf"
                  "a\nb\n",
                  "3-5@1 5-7@2 ");
    assert_places(*state,
                  "\xef\xbb"
                  "a\nb\n",
                  "0-4@1 4-6@2 ");
    assert_places(*state, "a\n\"b\"\"c\n\"d\n", "0-2@1 ");
    assert_places_in(*state, &latin, "\xfc\x80,\xe4\n\x99\n", "0-5@1 5-7@2 ");
    assert_places_in(*state, &latin, "a\nb\x81\nc\n", "0-2@1 ");
}

/* No more of the file is taken for a cell than what its writer can have meant. */
static void test_misplaced_quotes_are_refused(void **state)
{
    assert_fault(*state, "\"a\"b\n", APR_EINVAL);
    assert_fault(*state, "\"a", APR_EINVAL);
    assert_fault(*state, "a,\"b\nc\n", APR_EINVAL);
    assert_fault(*state, "a\"b,\"c\"d\n", APR_EINVAL);
}

static void test_a_quote_in_a_bare_cell_is_itself(void **state)
{
    assert_rows(*state, "a\"b\nc\n", "<a\"b>|<c>|");
    assert_rows(*state, "19\" screen,5\",\"6\"\"\", \"x\"\n", "<19\" screen><5\"><6\">< \"x\">|");
    assert_rows(*state, "a\"\"\"\n\"b\"\n", "<a\"\"\">|<b>|");
    assert_rows(*state, "a\"", "<a\">|");
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

static apr_status_t refuse_row(void *baton, const cat_csv_cell_t *, int)
{
    ++*(int *)baton;
    return APR_EGENERAL;
}

static void test_a_failure_ends_the_reading(void **state)
{
    int rows = 0;
    cat_csv_reader_t *reader =
        cat_csv_reader_make(*state, &(cat_csv_options_t){',', CAT_UTF_8, 100}, refuse_row, &rows);

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
    assert_string_equal(cell_of(*state, "a;b"), "\"a;b\"");
    assert_string_equal(cell_of(*state, "a\tb"), "\"a\tb\"");
    assert_string_equal(cell_of(*state, "\r"), "\"\r\"");
}

static const char *safe_cell_of(apr_pool_t *pool, const char *text)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 1);
    cat_csv_add_safe_cell(&b, text);
    return cat_buffer_text(&b);
}

static void test_safe_cells_begin_no_formula(void **state)
{
    static const char *const formulas[] = {"=1", "+1", "-1", "@1", "\uFF1D1", "\uFF0B1", "\uFF0D1", "\uFF201", " =1"};
    static const char *const others[] = {"x", "1=1", "'=1", "\uFF1C1", "\xEF\xBC", "\xEF", "a - b"};

    for (size_t i = 0; i < UNIT_COUNT(formulas); i++) {
        assert_string_equal(safe_cell_of(*state, formulas[i]), apr_pstrcat(*state, "'", formulas[i], NULL));
    }
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        assert_string_equal(safe_cell_of(*state, others[i]), others[i]);
    }
    assert_string_equal(safe_cell_of(*state, ""), "\"\"");
    assert_string_equal(safe_cell_of(*state, "\tx"), "\"'\tx\"");
    assert_string_equal(safe_cell_of(*state, "\nx"), "\"'\nx\"");
    assert_string_equal(safe_cell_of(*state, "\"=1"), "\"'\"\"=1\"");
}

/* Whatever a reader splits at, no part begins with a sign. */
static void test_safe_cells_have_no_formula_behind_a_separator(void **state)
{
    static const char *const separators[] = {",", ";", "\t", "|", "\n", "\r", "\r\n"};

    for (size_t i = 0; i < UNIT_COUNT(separators); i++) {
        const char *text = apr_pstrcat(*state, "a", separators[i], "=cmd|' /C calc'!A0", separators[i], "b", NULL);
        const char *quoted = apr_pstrcat(*state, "a", separators[i], " \"\"@x", separators[i], NULL);
        assert_string_equal(safe_cell_of(*state, text), apr_pstrcat(*state, "\"a", separators[i], "'=cmd|' /C calc'!A0",
                                                                    separators[i], "b\"", NULL));
        assert_string_equal(safe_cell_of(*state, quoted),
                            apr_pstrcat(*state, "\"a", separators[i], "' \"\"\"\"@x", separators[i], "\"", NULL));
    }
    assert_string_equal(safe_cell_of(*state, "a;b,c"), "\"a;b,c\"");
}

/* As a spreadsheet would split them: none of the parts of random texts begins with a sign, after blanks and quotes. */
static void test_random_safe_cells_have_no_formula(void **state)
{
    static const char letters[] = "=+-@,;\t|\r\n\"' a";

    srand(1);
    for (int round = 0; round < 20000; round++) {
        char text[12] = "";
        const char *cell;
        for (int i = 0; i < 11; i++) {
            text[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
        }
        cell = safe_cell_of(*state, text);
        for (const char *at = cell; *at; at += strcspn(at, ",;\t|\r\n")) {
            at += strspn(at, ",;\t|\r\n");
            assert_null(at[strspn(at, " \"")] ? strchr("=+-@", at[strspn(at, " \"")]) : NULL);
        }
        if (round % 1000 == 0) {
            apr_pool_clear(*state);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_rows_are_read),
        UNIT_TEST(test_the_delimiter_is_the_callers),
        UNIT_TEST(test_an_absent_cell_differs_from_an_empty_one),
        UNIT_TEST(test_a_byte_order_mark_is_skipped),
        UNIT_TEST(test_the_first_line_may_name_the_delimiter),
        UNIT_TEST(test_other_encodings_are_read),
        UNIT_TEST(test_the_place_of_a_row_is_known),
        UNIT_TEST(test_misplaced_quotes_are_refused),
        UNIT_TEST(test_a_quote_in_a_bare_cell_is_itself),
        UNIT_TEST(test_long_rows_are_refused),
        UNIT_TEST(test_a_failure_ends_the_reading),
        UNIT_TEST(test_cells_are_written),
        UNIT_TEST(test_safe_cells_begin_no_formula),
        UNIT_TEST(test_safe_cells_have_no_formula_behind_a_separator),
        UNIT_TEST(test_random_safe_cells_have_no_formula),
    };
    return UNIT_RUN(tests);
}
