/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_CTL_H
#define CTL_CTL_H

/*
 * catalogctl, the administrator's command: one process, one thread, one command. Functions here are called
 * ctl_<file>_<verb>; those of db/ and lib/ are the module's own. A `const char *` returned as a fault is on the
 * pool; NULL: no fault.
 */

#include <apr_tables.h>

#include "accounts/audit.h"
#include "catalogue/store.h"
#include "ctl/site.h"
#include "db/db.h"
#include "lib/conf.h"
#include "lib/log.h"

/* Exit codes; docs/catalogctl.8 explains them. */
enum { CTL_DONE, CTL_FAILED, CTL_MISUSED };

/* The context of a command. */
typedef struct ctl_t {
    apr_pool_t *pool;
    const ctl_options_t *options;
    const char *const *args; /* its operands, NULL-terminated; as many as its row allows */
    int count;
    apr_time_t now;
    cat_actor_t actor; /* the user who runs it */

    ctl_site_t site;    /* if the command's row asks for it */
    cat_log_t log;      /* to stderr */
    int quiet;          /* flag: log nothing, because the work may be tried again; */
    const char *unsaid; /* the last line that was not logged for it; NULL: none was */
    cat_conf_t conf;    /* of db */
    cat_source_t *source;
    apr_interval_time_t written; /* how long, since it last yielded to other writers */
    cat_author_t author;         /* of changes of products */
    cat_db_t *db;                /* if the command's row asks for it; made by ctl_database_open */
} ctl_t;

/* Runs a command and returns the exit code; has reported on stderr what failed. */
typedef int ctl_command_t(ctl_t *ctl);

/* Prints "catalogctl: subject: fault" to stderr; either may be NULL. Returns CTL_FAILED. */
int ctl_fail(const char *subject, const char *fault);

ctl_command_t ctl_schema_migrate;
ctl_command_t ctl_check_run;
ctl_command_t ctl_backup_run;
ctl_command_t ctl_counts_recount;
ctl_command_t ctl_index_run;
ctl_command_t ctl_fields_list;
ctl_command_t ctl_fields_drop;
ctl_command_t ctl_fields_rename;
ctl_command_t ctl_users_list;
ctl_command_t ctl_users_add;
ctl_command_t ctl_users_set_role;
ctl_command_t ctl_users_set_password;
ctl_command_t ctl_users_invite;
ctl_command_t ctl_users_lock;
ctl_command_t ctl_users_unlock;
ctl_command_t ctl_users_remove;
ctl_command_t ctl_users_revoke;
ctl_command_t ctl_users_make_key;
ctl_command_t ctl_keys_make;
ctl_command_t ctl_mails_list;
ctl_command_t ctl_mails_retry;
ctl_command_t ctl_webhooks_list;
ctl_command_t ctl_webhooks_retry;
ctl_command_t ctl_changes_list;
ctl_command_t ctl_changes_undo;
ctl_command_t ctl_audit_list;
ctl_command_t ctl_export_run;
ctl_command_t ctl_import_run;
ctl_command_t ctl_images_add;
ctl_command_t ctl_images_import;

#endif
