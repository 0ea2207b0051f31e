/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between times in RFC 3339 and times in the database, which are milliseconds since the epoch in decimal.
 * Computes dates by arithmetic, because a list has a time in each row and gmtime_r takes a lock of the whole process.
 */
#include "lib/time.h"

#include <string.h>
#include <time.h>

#include <apr_strings.h>

#define LEAST APR_INT64_C(-62167219200000) /* 0000-01-01T00:00:00.000Z */
#define MOST APR_INT64_C(253402300799999)  /* 9999-12-31T23:59:59.999Z */

#define MILLISECONDS_A_DAY (24 * 60 * 60 * 1000)
#define DAYS_OF_400_YEARS 146097

apr_time_t cat_time_monotonic(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail, because POSIX requires this clock */
    return apr_time_make(now.tv_sec, now.tv_nsec / 1000);
}

const char *cat_time_store(apr_pool_t *pool, apr_time_t t)
{
    return apr_off_t_toa(pool, apr_time_as_msec(t));
}

static void put_digits(char *out, int digits, unsigned value)
{
    while (digits-- > 0) {
        out[digits] = (char)('0' + value % 10);
        value /= 10;
    }
}

/* Implements Howard Hinnant's civil_from_days (https://howardhinnant.github.io/date_algorithms.html): years begin in
 * March, so that a leap day is the last day of its year. `days` is counted from 0000-01-01, 60 days before the first of
 * March. Adds 400 years, which always have the same number of days, during the computation so that no value is
 * negative. */
static void put_date(char *out, unsigned days)
{
    unsigned since = days + DAYS_OF_400_YEARS - 60, era = since / DAYS_OF_400_YEARS, day = since % DAYS_OF_400_YEARS;
    unsigned year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    unsigned of_year = day - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * of_year + 2) / 153; /* 0 for March */

    put_digits(out, 4, era * 400 + year - 400 + (month >= 10));
    put_digits(out + 5, 2, month < 10 ? month + 3 : month - 9);
    put_digits(out + 8, 2, of_year - (153 * month + 2) / 5 + 1);
}

/* Reads this number of digits and advances *text. Returns -1 if there are fewer digits. */
static int take_digits(const char **text, int digits)
{
    int value = 0;

    for (; digits > 0; digits--, ++*text) {
        if (**text < '0' || **text > '9') {
            return -1;
        }
        value = value * 10 + (**text - '0');
    }
    return value;
}

static int take_character(const char **text, const char *allowed)
{
    if (!**text || !strchr(allowed, **text)) {
        return 0;
    }
    return *(*text)++;
}

static int count_days(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && is_leap);
}

/* Returns the days since 0000-01-01. Reverses put_date. */
static apr_int64_t count_days_until(int year, int month, int day)
{
    int before = year + 400 - 1;
    apr_int64_t days = (apr_int64_t)before * 365 + before / 4 - before / 100 + before / 400 - (DAYS_OF_400_YEARS - 366);

    for (int i = 1; i < month; i++) {
        days += count_days(year, i);
    }
    return days + day - 1;
}

static int take_date(const char **text, apr_int64_t *milliseconds)
{
    int year = take_digits(text, 4), month, day;

    if (year < 0 || !take_character(text, "-") || (month = take_digits(text, 2)) < 1 || month > 12 ||
        !take_character(text, "-") || (day = take_digits(text, 2)) < 1 || day > count_days(year, month)) {
        return 0;
    }
    *milliseconds = LEAST + count_days_until(year, month, day) * MILLISECONDS_A_DAY;
    return 1;
}

/* Reads "09:30" as minutes. Returns -1 if the text does not begin with such a time. */
static int take_hours_and_minutes(const char **text)
{
    int hours = take_digits(text, 2), minutes;

    if (hours < 0 || hours > 23 || !take_character(text, ":") || (minutes = take_digits(text, 2)) < 0 || minutes > 59) {
        return -1;
    }
    return hours * 60 + minutes;
}

/* Reads ".5" as milliseconds, without further digits. Returns 0 if there is no point, and -1 if no digit follows the
 * point. */
static int take_fraction(const char **text)
{
    int value = 0, unit = 100;

    if (!take_character(text, ".")) {
        return 0;
    }
    do {
        int digit = take_digits(text, 1);
        if (digit < 0) {
            return -1;
        }
        value += digit * unit;
        unit /= 10;
    } while (**text >= '0' && **text <= '9');
    return value;
}

static int take_time(const char **text, apr_int64_t *milliseconds)
{
    int minutes = take_hours_and_minutes(text), seconds, fraction;

    if (minutes < 0 || !take_character(text, ":") || (seconds = take_digits(text, 2)) < 0 || seconds > 59 ||
        (fraction = take_fraction(text)) < 0) {
        return 0;
    }
    *milliseconds += ((apr_int64_t)minutes * 60 + seconds) * 1000 + fraction;
    return 1;
}

static int take_offset(const char **text, apr_int64_t *milliseconds)
{
    int sign = take_character(text, "Zz+-"), minutes = 0;

    if (sign == '+' || sign == '-') {
        minutes = take_hours_and_minutes(text);
    }
    if (!sign || minutes < 0) {
        return 0;
    }
    *milliseconds += (apr_int64_t)(sign == '-' ? minutes : -minutes) * 60 * 1000;
    return 1;
}

int cat_time_parse(const char *text, apr_int64_t *milliseconds)
{
    return take_date(&text, milliseconds) && take_character(&text, "Tt") && take_time(&text, milliseconds) &&
           take_offset(&text, milliseconds) && !*text && *milliseconds >= LEAST && *milliseconds <= MOST;
}

/* Does not use strftime, which is slow for a list with a time in each row. */
void cat_time_format(char out[CAT_TIME_LENGTH + 1], apr_int64_t milliseconds)
{
    apr_int64_t held = milliseconds < LEAST ? LEAST : milliseconds > MOST ? MOST : milliseconds;
    apr_uint64_t since = (apr_uint64_t)(held - LEAST); /* not negative for times before 1970 either */
    unsigned of_day = (unsigned)(since % MILLISECONDS_A_DAY);

    memcpy(out, "YYYY-MM-DDThh:mm:ss.000Z", CAT_TIME_LENGTH + 1);
    put_date(out, (unsigned)(since / MILLISECONDS_A_DAY));
    put_digits(out + 11, 2, of_day / 3600000);
    put_digits(out + 14, 2, of_day / 60000 % 60);
    put_digits(out + 17, 2, of_day / 1000 % 60);
    put_digits(out + 20, 3, of_day % 1000);
}

apr_time_t cat_time_read(const char *stored)
{
    char *end;
    apr_int64_t milliseconds = apr_strtoi64(stored, &end, 10);
    return *end || milliseconds < LEAST || milliseconds > MOST ? 0 : apr_time_from_msec(milliseconds);
}
