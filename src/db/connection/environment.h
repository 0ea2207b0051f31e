/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_ENVIRONMENT_H
#define CAT_DB_CONNECTION_ENVIRONMENT_H

#include <apr_pools.h>
#include <jansson.h>

/*
 * The environment variables that the databases' client libraries read: libpq's (PGSSLMODE, PGSERVICEFILE, ...), MariaDB's (MYSQL_HOME, ...),
 * those of OpenSSL and Kerberos, and HOME, in which libpq looks for .postgresql/, .pgpass and .pg_service.conf, and MariaDB for .my.cnf.
 * httpd and catalogctl connect alike only if they agree. All functions are for processes with one thread.
 */

/* Returns the variables of this process as an object of names and values, which lives as long as the pool. */
json_t *cat_environment_read(apr_pool_t *pool);

/* Replaces the variables of this process with these, as `cat_environment_read` returns them. */
void cat_environment_replace(apr_pool_t *pool, const json_t *variables);

/*
 * Removes HOME from a process that has given up root's rights; libpq then takes the directory that the password database names. With
 * root's HOME, libpq may not look for certificates there, and connects without TLS where sslmode lets it.
 */
void cat_environment_leave_home(void);

#endif
