/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the cells of a CSV file as people and spreadsheets write them.
 *
 *     cell          with a decimal comma     JSON
 *     1 299.50      1.299,50                 1299.5
 *     .5  +5  0012  ,5                       0.5  5  12
 *     Ja  0  FALSE                           true  false  false
 *     red | blue                             ["red", "blue"]
 *
 * A number is spelled anew, digit by digit, and then parsed by the one reader of JSON, so that a cell and a body with the same number are the
 * same product: nothing is rounded here. What could be read in two ways is refused: a mark between thousands must stand before each group of
 * three digits, and 0.500 is not five hundred.
 */
#include "catalogue/transfer/cell_value.h"

#include <apr_strings.h>
#include <string.h>

#include "lib/json.h"
#include "lib/list_text.h"
#include "lib/number.h"

/* ---- blanks ---- */

/* The cell's text without blanks around it, each of those within it a space; on the pool. */
static const char *trim(apr_pool_t *pool, const cat_csv_cell_t *cell)
{
    char *text = apr_palloc(pool, cell->length + 1), *end = text, *kept = text;

    for (const char *at = cell->text; *at;) {
        apr_size_t blank = cat_csv_measure_blank(at);
        if (blank && end == text) {
            at += blank;
            continue;
        }
        *end++ = blank ? ' ' : *at;
        at += blank ? blank : 1;
        kept = blank ? kept : end;
    }
    *kept = '\0';
    return text;
}

/* ---- numbers ---- */

static apr_size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Adds the digits before the decimal mark, without the marks between thousands, and returns what follows: a mark, if the digits behind it are
 * no thousands, so that nothing takes the text for a number. Nobody writes thousands behind a zero: there a point is a decimal mark. */
static const char *add_whole(cat_buffer_t *b, const char *at, const char *marks)
{
    apr_size_t length = count_digits(at);
    char mark = at[length];
    int has_marks = length > 0 && length <= 3 && *at != '0' && mark && strchr(marks, mark);

    cat_buffer_add(b, at, length);
    for (at += length; has_marks && *at == mark && count_digits(at + 1) == 3; at += 4) {
        cat_buffer_add(b, at + 1, 3);
    }
    return at;
}

/* The number as JSON has it, on the pool; NULL: the text is none. An exponent is left to the reader of JSON. */
static const char *spell_number(apr_pool_t *pool, const char *text, int has_comma)
{
    int is_signed = *text == '-' || *text == '+', has_point;
    apr_size_t fraction;
    const char *digits, *at;
    cat_buffer_t whole;

    cat_buffer_init(&whole, pool, 32);
    at = add_whole(&whole, text + is_signed, has_comma ? " ." : " ");
    digits = cat_buffer_text(&whole);
    has_point = *at == (has_comma ? ',' : '.');
    fraction = has_point ? count_digits(at + 1) : 0;
    if (whole.length + fraction == 0 || !strchr("eE", at[has_point + fraction])) {
        return NULL;
    }
    digits += strspn(digits, "0");
    return apr_pstrcat(pool, *text == '-' ? "-" : "", *digits ? digits : "0", fraction ? "." : "",
                       apr_pstrmemdup(pool, at + has_point, fraction), at + has_point + fraction, NULL);
}

static json_t *read_number(apr_pool_t *pool, const char *text, int has_comma)
{
    const char *number = spell_number(pool, text, has_comma), *why;
    json_t *value;

    if (number && cat_number_is_beyond_integer(number, strlen(number))) {
        number = apr_pstrcat(pool, number, ".0", NULL);
    }
    value = number ? cat_json_parse(pool, number, strlen(number), &why) : NULL;
    return json_is_real(value) && !cat_number_is_exact(pool, number, strlen(number)) ? cat_json_make_inexact(number)
                                                                                     : json_incref(value);
}

/* ---- booleans ---- */

static json_t *read_boolean(const char *text)
{
    static const char *const words[][2] = {
        {"false", "true"}, {"0", "1"}, {"no", "yes"}, {"nein", "ja"}, {"falsch", "wahr"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        for (int value = 0; value < 2; value++) {
            if (!strcasecmp(text, words[i][value])) {
                return json_boolean(value);
            }
        }
    }
    return NULL;
}

/* ---- all kinds ---- */

/* A text that is no number with a decimal comma is not looked at for one: lib/fields.c explains the decimal point to those who wrote a comma. */
json_t *cat_cell_value_read(apr_pool_t *pool, cat_kind_t kind, const cat_csv_cell_t *cell, int has_comma,
                            char list_mark)
{
    json_t *value = NULL;

    if (kind == CAT_LIST) {
        return cat_list_text_json(pool, cell->text, list_mark);
    }
    if (kind == CAT_VALUE) {
        return json_incref(cat_json_parse_value(pool, cell->text, cell->length));
    }
    if (kind == CAT_TIME) {
        return json_string(trim(pool, cell));
    }
    if (kind == CAT_NUMBER) {
        value = read_number(pool, trim(pool, cell), has_comma);
        value = value || !has_comma ? value : json_string("");
    } else if (kind == CAT_BOOLEAN) {
        value = read_boolean(trim(pool, cell));
    }
    return value ? value : json_stringn(cell->text, cell->length);
}
