/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/dbd.h"

#include <apr_dbd.h>
#include <apr_optional.h>
#include <apr_strings.h>
#include <mod_dbd.h>

typedef struct dbd_t {
    server_rec *server;
    APR_OPTIONAL_FN_TYPE(ap_dbd_open) *open;
    APR_OPTIONAL_FN_TYPE(ap_dbd_close) *close;
} dbd_t;

/* ap_dbd_open and not ap_dbd_acquire, which would keep the connection until the client has read the response. */
static apr_status_t open_link(void *context, apr_pool_t *pool, cat_link_t *link)
{
    dbd_t *dbd = context;
    ap_dbd_t *rec = dbd->open(pool, dbd->server);

    if (!rec) {
        return APR_EGENERAL;
    }
    link->driver = rec->driver;
    link->handle = rec->handle;
    link->pool = rec->pool;
    link->owner = rec;
    return APR_SUCCESS;
}

static void close_link(void *context, cat_link_t *link)
{
    dbd_t *dbd = context;
    dbd->close(dbd->server, link->owner);
}

static const cat_connector_t connector = {open_link, close_link, NULL};

cat_source_t *cat_dbd_create(apr_pool_t *pool, server_rec *s)
{
    dbd_t *dbd = apr_pcalloc(pool, sizeof(*dbd));
    dbd->server = s;
    dbd->open = APR_RETRIEVE_OPTIONAL_FN(ap_dbd_open);
    dbd->close = APR_RETRIEVE_OPTIONAL_FN(ap_dbd_close);
    if (!dbd->open || !dbd->close) {
        return NULL;
    }
    return cat_source_create(pool, apr_pstrcat(pool, "the DBD of ", s->server_hostname, NULL), &connector, dbd);
}
