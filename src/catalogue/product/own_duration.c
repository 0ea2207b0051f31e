/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type duration: durations of ISO 8601, such as PT1H30M, compared by their length. Years and months have no length, and JSON Schema's
 * format knows no fractions.
 *
 *     P2W    P1DT12H    PT90M
 */
#include <math.h>
#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "catalogue/product/own_rule.h"

#define DIGITS 9 /* of a number: the sum of the largest ones is exact as a double */

static const struct {
    const char *unit; /* with the T before the units of time */
    double seconds;
} parts[] = {{"W", 604800}, {"D", 86400}, {"TH", 3600}, {"TM", 60}, {"TS", 1}};

#define PARTS ((int)(sizeof(parts) / sizeof(parts[0])))

/* Reads "90M". is_time: true if a T was before it. Returns the place in the table, or -1. */
static int read_part(const char **text, int is_time, double *seconds)
{
    int digits = 0, place = 0;
    double number = 0;

    for (; digits <= DIGITS && apr_isdigit((*text)[digits]); digits++) {
        number = number * 10 + ((*text)[digits] - '0');
    }
    *text += digits;
    while (place < PARTS && ((*parts[place].unit == 'T') != is_time || parts[place].unit[is_time] != **text)) {
        place++;
    }
    if (digits == 0 || digits > DIGITS || place == PARTS) {
        return -1;
    }
    ++*text;
    *seconds += number * parts[place].seconds;
    return place;
}

/* Returns the seconds, or -1 if the text is no duration. Weeks stand alone, and the units are in their order. */
static double measure_duration(const char *text)
{
    double seconds = 0;
    int last = -1, is_time = 0;

    if (*text++ != 'P' || !*text) {
        return -1;
    }
    while (*text) {
        int begins_time = *text == 'T' && !is_time, place;
        text += begins_time;
        is_time |= begins_time;
        place = read_part(&text, is_time, &seconds);
        if (place <= last || (place == 0 && *text)) {
            return -1;
        }
        last = place;
    }
    return seconds;
}

/* Writes days, hours, minutes and seconds. */
static const char *write_duration(apr_pool_t *pool, double seconds)
{
    double days = floor(seconds / 86400), rest = seconds - days * 86400;
    const char *text = days > 0 ? apr_psprintf(pool, "P%.0fD", days) : "P";
    int is_time = 0;

    for (int i = 2; i < PARTS; i++) {
        double number = floor(rest / parts[i].seconds);
        if (number > 0) {
            text = apr_psprintf(pool, "%s%s%.0f%s", text, is_time ? "" : "T", number, parts[i].unit + 1);
            is_time = 1;
        }
        rest -= number * parts[i].seconds;
    }
    return seconds > 0 ? text : "PT0S";
}

static const char *refuse_duration(const char *text)
{
    apr_size_t days = strcspn(text, "T");

    if (measure_duration(text) >= 0) {
        return NULL;
    }
    return *text == 'P' && strcspn(text, "YM") < days
               ? "must have weeks or days instead of years and months, which differ in length, such as P30D"
               : "must be a duration such as PT1H30M, P2D or P2W";
}

const cat_text_form_t cat_own_duration = {.format = "duration",
                                          .refuse = refuse_duration,
                                          .is_compared = 1,
                                          .measure = measure_duration,
                                          .write = write_duration};
