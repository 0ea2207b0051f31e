/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_LOG_H
#define CAT_LIB_LOG_H

#include <apr_errno.h>

/*
 * Receives log lines from code that knows neither server nor request. httpd/ writes them to the error log; catalogctl
 * and unit tests have receivers of their own.
 *
 * A message begins with its id, "CAT017: ", never an AH number, and says what happened and what to do, in lower case
 * unless a name is first. It never contains a secret, a token, the text of a mail or a value of a statement.
 */
typedef enum { CAT_LOG_ERROR, CAT_LOG_WARNING, CAT_LOG_NOTICE, CAT_LOG_INFO, CAT_LOG_DEBUG } cat_log_level_t;

typedef struct cat_log_t {
    void (*write)(void *context, cat_log_level_t level, apr_status_t rv, const char *message);
    void *context;
    int is_background; /* true if the lines are from a background job, for which no client waits */
} cat_log_t;

/* Returns the level for messages that others kept the database busy: CAT_LOG_INFO for a background job, which tries
 * again a moment later, otherwise CAT_LOG_ERROR. */
cat_log_level_t cat_log_busy_level(const cat_log_t *log);

/* Formats with apr_snprintf's rules and writes one line of at most 1,000 bytes. `rv` is 0 if there is no system error
 * to append. */
void cat_log(const cat_log_t *log, cat_log_level_t level, apr_status_t rv, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
