/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/audit.h"

#include <apr_strings.h>

#include "ctl/ctl.h"
#include "ctl/list.h"
#include "lib/number.h"
#include "lib/time.h"
#include "mail/email.h"

int ctl_audit_list(ctl_t *ctl)
{
    const ctl_options_t *o = ctl->options;
    cat_audit_filter_t filter = {cat_audit_read_party(ctl->pool, o->actor), cat_audit_read_party(ctl->pool, o->target),
                                 o->action ? cat_email_fold(ctl->pool, o->action) : "", "0"};
    apr_int64_t since;

    if (o->since && !cat_time_parse(o->since, &since)) {
        return ctl_fail(o->since, "is not a time such as 2026-11-21T09:30:00Z");
    }
    if (o->since) {
        filter.since = cat_number_write(ctl->pool, since);
    }
    return ctl_list_print(ctl, cat_audit_fields, CAT_AUDIT_FIELDS, SQL_AUDIT_LIST,
                          CAT_VALUES(CAT_AUDIT_FILTER_VALUES(&filter)));
}
