/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/precedence.h"

#include <http_core.h>
#include <string.h>

#include "httpd/server.h"

ap_HOOK_translate_name_t *cat_precedence_find_alias(void)
{
    const apr_array_header_t *hooks = ap_hook_get_translate_name();

    for (int i = 0; hooks && i < hooks->nelts; i++) {
        const ap_LINK_translate_name_t *hook = &APR_ARRAY_IDX(hooks, i, ap_LINK_translate_name_t);
        if (!strcmp(hook->szName, "mod_alias.c")) {
            return hook->pFunc;
        }
    }
    return NULL;
}

/* mod_alias's hook handles Alias lines too. They are for files, which a mount does not have: cat_mount_map overwrites
 * what the hook sets for them. */
int cat_precedence_redirect(request_rec *r)
{
    ap_HOOK_translate_name_t *translate = cat_server_get(r->server)->alias;
    int status = translate ? translate(r) : DECLINED;
    return status == DECLINED ? OK : status;
}
