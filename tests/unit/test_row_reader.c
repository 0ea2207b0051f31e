/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/product.h"
#include "catalogue/transfer/row_reader.h"
#include "lib/json.h"

typedef struct reading_t {
    apr_pool_t *pool;
    const char *rows; /* "1{...} 2:field code "; 0: the header */
    apr_status_t rv;  /* returned for each row */
} reading_t;

static apr_status_t take_row(void *baton, apr_int64_t row, const json_t *value, const cat_row_fault_t *fault)
{
    reading_t *r = baton;

    r->rows = value ? apr_psprintf(r->pool, "%s%d%s ", r->rows, (int)row, cat_json_text(r->pool, value))
                    : apr_psprintf(r->pool, "%s%d:%s %s ", r->rows, (int)row, fault->field, fault->code);
    return r->rv;
}

static apr_status_t feed(cat_row_reader_t *reader, const char *text, apr_size_t length, apr_size_t piece)
{
    apr_status_t rv = APR_SUCCESS;

    for (apr_size_t at = 0; at < length && rv == APR_SUCCESS; at += piece) {
        rv = cat_row_reader_feed(reader, text + at, length - at < piece ? length - at : piece);
    }
    return rv == APR_SUCCESS ? cat_row_reader_feed(reader, "", 0) : rv;
}

static void assert_rows(apr_pool_t *pool, const cat_row_options_t *options, const char *text, const char *expected,
                        apr_status_t rv)
{
    static const apr_size_t pieces[] = {1, 2, 7, 1000};

    for (size_t i = 0; i < UNIT_COUNT(pieces); i++) {
        reading_t r = {pool, "", APR_SUCCESS};
        assert_int_equal(feed(cat_row_reader_make(pool, options, take_row, &r), text, strlen(text), pieces[i]), rv);
        assert_string_equal(r.rows, expected);
    }
}

static const cat_row_options_t ndjson = {.kind = CAT_ROWS_NDJSON, .max = 60},
                               csv = {.kind = CAT_ROWS_CSV, .delimiter = ',', .max = 60},
                               csv_update = {.kind = CAT_ROWS_CSV, .delimiter = ',', .may_update = 1, .max = 60},
                               csv_strict = {.kind = CAT_ROWS_CSV, .delimiter = ',', .strict = 1, .max = 60};

static void test_lines_are_rows(void **state)
{
    assert_rows(*state, &ndjson, "", "", APR_SUCCESS);
    assert_rows(*state, &ndjson, "{\"a\":1}\n\n \t\r\n{}\r\n[]", "1{\"a\":1} 2{} 3[] ", APR_SUCCESS);
    assert_rows(*state, &ndjson, "\xef\xbb\xbf{}\n\xef\xbb\xbf{}\n", "1{} 2: format ", APR_SUCCESS);
    assert_rows(*state, &ndjson, "{\n}\n{}", "1: format 2: format 3{} ", APR_SUCCESS);
    assert_rows(*state, &ndjson, "{}\n{\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\n{}",
                "1{} 2: too_long ", APR_EINVAL);
}

static void test_cells_are_values(void **state)
{
    assert_rows(*state, &csv, "name,price\n", "", APR_SUCCESS);
    assert_rows(*state, &csv, "price,name,rating,inStock\r\n5,x,,\r\n1.50,5,\"\",TRUE\r\n",
                "1{\"price\":5,\"name\":\"x\"} 2{\"price\":1.5,\"name\":\"5\",\"inStock\":true} ", APR_SUCCESS);
    assert_rows(*state, &csv, "name,price,category,inStock\n\"\",x,\"\",maybe\n",
                "1{\"name\":\"\",\"price\":\"x\",\"category\":\"\",\"inStock\":\"maybe\"} ", APR_SUCCESS);
    assert_rows(*state, &csv, "id,name,price,,x,createdAt\n,x,1,2,3,\ny,x,1,,,\n",
                "1{\"name\":\"x\",\"price\":1} 2{\"id\":\"y\",\"name\":\"x\",\"price\":1} ", APR_SUCCESS);
    assert_rows(*state, &csv, "name,price\nx\n\xff,1\nx,1,2\ny,2\n",
                "1: format 2:name format 3: format 4{\"name\":\"y\",\"price\":2} ", APR_SUCCESS);
}

static void test_the_delimiter_is_the_callers(void **state)
{
    cat_row_options_t by_semicolon = csv, by_tab = csv;

    by_semicolon.delimiter = ';';
    by_tab.delimiter = '\t';
    assert_rows(*state, &by_semicolon, "name;price\na, b;1.5\n", "1{\"name\":\"a, b\",\"price\":1.5} ", APR_SUCCESS);
    assert_rows(*state, &by_tab, "name\tprice\na;b\t2\n", "1{\"name\":\"a;b\",\"price\":2} ", APR_SUCCESS);
}

static void test_absent_cells_of_an_update_clear(void **state)
{
    assert_rows(*state, &csv_update, "id,rating\nx,\n,\nx,5\n",
                "1{\"id\":\"x\",\"rating\":null} 2{\"id\":\"x\",\"rating\":5} ", APR_SUCCESS);
    assert_rows(*state, &csv_update, "rating\n5\n", "0:name required 0:price required ", APR_EINVAL);
}

static void test_headers_are_checked(void **state)
{
    assert_rows(*state, &csv, "", "0: required ", APR_EINVAL);
    assert_rows(*state, &csv, "price,price\n1,2\n", "0:price duplicate 0:name required ", APR_EINVAL);
    assert_rows(*state, &csv, "\"na\"me,price\nx,1\n", "0: format ", APR_EINVAL);
    assert_rows(*state, &csv_strict, "name,price,x,\nx,1,2,\n", "0:x unknown ", APR_EINVAL);
    assert_rows(*state, &csv_strict, "name,price,,\nx,1,,\n", "1{\"name\":\"x\",\"price\":1} ", APR_SUCCESS);
    assert_rows(*state, &csv_strict, "name,,price,,\nx,,1\ny,,2,,9\nz,3\n",
                "1{\"name\":\"x\",\"price\":1} 2{\"name\":\"y\",\"price\":2} 3: format ", APR_SUCCESS);
}

static void test_what_is_no_csv_ends_the_reading(void **state)
{
    assert_rows(*state, &csv, "name,price\nx,1\n\"y\"\"\" ,1\nz,1\n", "1{\"name\":\"x\",\"price\":1} 2: format ",
                APR_EINVAL);
    assert_rows(*state, &csv, "name,price\n\"x,1\n", "1: format ", APR_EINVAL);
    assert_rows(*state, &csv, "name,price\nx\n\"x,1\n", "1: format 2: format ", APR_EINVAL);
    assert_rows(*state, &csv, "name,price\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,1\n",
                "1: too_long ", APR_EINVAL);
}

static void test_unknown_columns_are_ignored(void **state)
{
    reading_t r = {*state, "", APR_SUCCESS};
    cat_row_reader_t *reader = cat_row_reader_make(*state, &csv, take_row, &r);

    assert_int_equal(feed(reader, "name,, ,Preis,price\n", 20, 20), APR_SUCCESS);
    assert_int_equal(cat_row_reader_ignored(reader)->nelts, 1);
    assert_string_equal(APR_ARRAY_IDX(cat_row_reader_ignored(reader), 0, const char *), "Preis");
}

static void test_names_of_columns_are_matched_loosely(void **state)
{
    assert_rows(*state, &csv, "NAME, Price ,In_Stock,created-at\nx,1,0,y\n",
                "1{\"name\":\"x\",\"price\":1,\"inStock\":false,\"createdAt\":\"y\"} ", APR_SUCCESS);
    assert_rows(*state, &csv, "name,price,in stock,inStock\n", "0:inStock duplicate ", APR_EINVAL);
    assert_rows(*state, &csv, "names,nam,price\n", "0:name required ", APR_EINVAL);
}

static void test_empty_cells_and_rows_are_passed_over(void **state)
{
    assert_rows(*state, &csv, ",,\n\nname,price,,\n,,,\nx,1,,\n \t,\"\"\ny,2,,,, ,\nz,3,,,4\n,,,\n",
                "1{\"name\":\"x\",\"price\":1} 2{\"name\":\"y\",\"price\":2} 3: format ", APR_SUCCESS);
    assert_rows(*state, &csv, ",,\n", "0: required ", APR_EINVAL);
}

static void test_other_encodings_are_read(void **state)
{
    cat_row_options_t latin = csv;

    latin.encoding = CAT_WINDOWS_1252;
    assert_rows(*state, &latin, "name,price\n\x80\xfc,1\n", "1{\"name\":\"\u20ac\u00fc\",\"price\":1} ", APR_SUCCESS);
    assert_rows(*state, &latin, "\xef\xbb\xbfname,price\n\xc3\xbc,1\n", "1{\"name\":\"\u00fc\",\"price\":1} ",
                APR_SUCCESS);
    assert_rows(*state, &latin, "name,price\nx,1\ny\x81,2\nz,3\n", "1{\"name\":\"x\",\"price\":1} 2: format ",
                APR_EINVAL);
}

static void test_the_caller_names_the_columns(void **state)
{
    static const int columns[] = {CAT_PRODUCT_PRICE, CAT_PRODUCT_FIELDS, CAT_PRODUCT_NAME};
    const cat_row_options_t named = {.kind = CAT_ROWS_CSV, .delimiter = ',', .max = 60, .columns = columns, .count = 3};
    const cat_row_options_t two = {.kind = CAT_ROWS_CSV, .delimiter = ',', .max = 60, .columns = columns, .count = 2};
    cat_row_options_t bare = named;

    assert_rows(*state, &named, "Preis,name,Titel\n5,x,y\n", "1{\"price\":5,\"name\":\"y\"} ", APR_SUCCESS);
    assert_rows(*state, &named, "Preis,Titel\n5,x\n", "0: format ", APR_EINVAL);
    assert_rows(*state, &two, "Preis,Titel\n5,x\n", "0:name required ", APR_EINVAL);
    assert_rows(*state, &named, "", "0: required ", APR_EINVAL);
    bare.lacks_header = 1;
    assert_rows(*state, &bare, "5,x,y\n6,x\n7,x,z",
                "1{\"price\":5,\"name\":\"y\"} 2: format 3{\"price\":7,\"name\":\"z\"} ", APR_SUCCESS);
    assert_rows(*state, &bare, "", "", APR_SUCCESS);
    bare.count = 2;
    assert_rows(*state, &bare, "5,x\n", "0:name required ", APR_EINVAL);
}

static void assert_place(apr_pool_t *pool, const cat_row_options_t *options, const char *text, int begin, int end,
                         const char *rows)
{
    for (apr_size_t piece = 1; piece < 20; piece++) {
        reading_t r = {pool, "", APR_SUCCESS};
        cat_row_reader_t *reader = cat_row_reader_make(pool, options, take_row, &r);
        feed(reader, text, strlen(text), piece);
        assert_int_equal(cat_row_reader_place(reader).begin, begin);
        assert_int_equal(cat_row_reader_place(reader).end, end);
        assert_string_equal(r.rows, rows);
    }
}

static void test_a_row_that_is_cut_is_left_alone(void **state)
{
    cat_row_options_t lines = ndjson, cells = csv;

    assert_place(*state, &lines, "{}\n\n[]\n{\"a\"", 7, 11, "1{} 2[] 3: format ");
    assert_place(*state, &cells, "name,price\nx,1\ny,2", 15, 18,
                 "1{\"name\":\"x\",\"price\":1} 2{\"name\":\"y\",\"price\":2} ");
    lines.is_cut = cells.is_cut = 1;
    assert_place(*state, &lines, "{}\n\n[]\n{\"a\"", 4, 7, "1{} 2[] ");
    assert_place(*state, &cells, "name,price\nx,1\n\"y\n", 11, 15, "1{\"name\":\"x\",\"price\":1} ");
    assert_place(*state, &cells, "name,pr", 0, 0, "");
    assert_place(*state, &cells, "name,price\nx,1\n\"y\"z,2\nz,3\n", 15, 15,
                 "1{\"name\":\"x\",\"price\":1} 2: format ");
}

static void test_the_callers_status_ends_the_reading(void **state)
{
    static const char *const texts[] = {"{}\n{}\n", "name,price\nx,1\ny,2\n", "name\n", "{\n{}\n"};

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        reading_t r = {*state, "", APR_EGENERAL};
        const cat_row_options_t *options = i == 1 || i == 2 ? &csv : &ndjson;
        cat_row_reader_t *reader = cat_row_reader_make(*state, options, take_row, &r);
        assert_int_equal(feed(reader, texts[i], strlen(texts[i]), 3), APR_EGENERAL);
        assert_non_null(strchr(r.rows, ' '));
        assert_int_equal(strspn(r.rows, "012"), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_lines_are_rows),
        UNIT_TEST(test_cells_are_values),
        UNIT_TEST(test_the_delimiter_is_the_callers),
        UNIT_TEST(test_absent_cells_of_an_update_clear),
        UNIT_TEST(test_headers_are_checked),
        UNIT_TEST(test_what_is_no_csv_ends_the_reading),
        UNIT_TEST(test_unknown_columns_are_ignored),
        UNIT_TEST(test_names_of_columns_are_matched_loosely),
        UNIT_TEST(test_empty_cells_and_rows_are_passed_over),
        UNIT_TEST(test_other_encodings_are_read),
        UNIT_TEST(test_the_caller_names_the_columns),
        UNIT_TEST(test_a_row_that_is_cut_is_left_alone),
        UNIT_TEST(test_the_callers_status_ends_the_reading),
    };
    return UNIT_RUN(tests);
}
