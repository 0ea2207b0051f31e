/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/log.h"

#include <stdarg.h>

#include <apr_strings.h>

#define LINE_LENGTH 1000

/* Replaces control characters by spaces, so that the words of a driver or a server cannot start a second line in the
 * log. */
void cat_log(const cat_log_t *log, cat_log_level_t level, apr_status_t rv, const char *format, ...)
{
    char line[LINE_LENGTH + 1];
    va_list arguments;

    va_start(arguments, format);
    apr_vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++) {
        *c = (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c;
    }
    log->write(log->context, level, rv, line);
}

cat_log_level_t cat_log_busy_level(const cat_log_t *log)
{
    return log->is_background ? CAT_LOG_INFO : CAT_LOG_ERROR;
}
