/* SPDX-License-Identifier: Apache-2.0 */
#include "mail/transport.h"

#include <apr_file_io.h>
#include <apr_strings.h>
#include <string.h>

#include "mail/smtp.h"

#define FILE_SCHEME "file:"

const char *cat_transport_directory(const char *url)
{
    return strncmp(url, FILE_SCHEME, strlen(FILE_SCHEME)) ? NULL : url + strlen(FILE_SCHEME);
}

static const char *check_directory(apr_pool_t *pool, const char *url)
{
    const char *directory = cat_transport_directory(url);
    apr_finfo_t info;

    if (!*directory) {
        return "requires a directory, such as file:/var/spool/catalog";
    }
    return apr_stat(&info, directory, APR_FINFO_TYPE, pool) != APR_SUCCESS || info.filetype != APR_DIR
               ? apr_pstrcat(pool, "cannot be used: there is no directory ", directory, NULL)
               : NULL;
}

/* Writes one .eml file for each message, for development. A reader finds a file complete or not at all. */
static cat_delivery_t write_file(apr_pool_t *pool, const cat_relay_t *relay, const cat_letter_t *letter,
                                 const char **detail)
{
    const char *name = apr_pstrcat(pool, cat_transport_directory(relay->url), "/", letter->id, ".eml", NULL);
    const char *unfinished = apr_pstrcat(pool, name, ".part", NULL);
    apr_file_t *file;
    apr_status_t rv = apr_file_open(&file, unfinished, APR_FOPEN_CREATE | APR_FOPEN_WRITE | APR_FOPEN_TRUNCATE,
                                    APR_FPROT_UREAD | APR_FPROT_UWRITE | APR_FPROT_GREAD, pool);

    if (rv == APR_SUCCESS) {
        rv = apr_file_write_full(file, letter->text, strlen(letter->text), NULL);
        apr_file_close(file);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_rename(unfinished, name, pool);
    }
    if (rv != APR_SUCCESS) {
        char why[120];
        *detail = apr_pstrcat(pool, apr_strerror(rv, why, sizeof(why)), ": ", name, NULL);
    }
    return rv == APR_SUCCESS ? CAT_DELIVERY_SENT : CAT_DELIVERY_SETUP;
}

static const cat_transport_t transports[] = {
    {FILE_SCHEME, check_directory, write_file},
    {"", cat_smtp_check_url, cat_smtp_send},
};

const cat_transport_t *cat_transport_find(const char *url)
{
    const cat_transport_t *transport = transports;

    while (strncmp(url, transport->scheme, strlen(transport->scheme))) {
        transport++;
    }
    return transport;
}
