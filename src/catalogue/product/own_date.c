/* SPDX-License-Identifier: Apache-2.0 */
/* The type date: days such as 2026-11-21, whose texts are in the order of time. */
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/own_rule.h"
#include "lib/time.h"

static const char *refuse_date(const char *text)
{
    char time[sizeof("2026-11-21T00:00:00Z")];
    apr_int64_t milliseconds;

    apr_snprintf(time, sizeof(time), "%sT00:00:00Z", text);
    return strlen(text) == strlen("2026-11-21") && cat_time_parse(time, &milliseconds)
               ? NULL
               : "must be a date such as 2026-11-21";
}

const cat_text_form_t cat_own_date = {.format = "date", .refuse = refuse_date, .is_compared = 1};
