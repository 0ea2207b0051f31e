/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_SITE_H
#define CTL_SITE_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <apr_user.h>
#include <jansson.h>

/* The options of the command line; NULL: not given. */
typedef struct ctl_options_t {
    const char *config;
    const char *httpd;
    apr_array_header_t *defines; /* const char * */
    const char *server;
    const char *mount;
    const char *driver;
    const char *params;
    apr_array_header_t *fields; /* const char *: lines of CatalogField */
    const char *role;
    const char *type;
    const char *products; /* format of a file of products */
    const char *delimiter;
    const char *decimal;
    const char *encoding;
    const char *list;
    const char *columns;
    const char *key; /* a field; with api, a file */
    const char *api; /* the URL of a server */
    const char *by;  /* with api: a field */
    const char *days;
    const char *images; /* directory of the files that a column names */
    int parts;
    int no_header;
    int bom;
    int safe;
    int verified;
    int generate;
    int json;
    int upsert;
    int dry_run;
    int force;
    const char *name;  /* of an invited user */
    const char *actor; /* filters of the audit table */
    const char *target;
    const char *action;
    const char *since;
} ctl_options_t;

/* A catalogue, from httpd's configuration or from --driver and --params. */
typedef struct ctl_site_t {
    const char *server; /* NULL: not from a configuration, and then there are no keys and no user */
    const char *mount;
    const char *driver;
    const char *params;
    const char *database; /* httpd's cat_server_database_key; NULL: not from a configuration */
    const char *key_file; /* either this or key_dir */
    const char *key_dir;
    const char *issuer;      /* of tokens */
    const char *audience;    /* of tokens */
    const char *blocklist;   /* NULL: none */
    const char *mail;        /* CatalogMail; NULL: not set */
    const char *invite_link; /* of an invitation, with CAT_MAILER_TOKEN for the token; NULL: not from a configuration */
    int invite_ttl;          /* seconds for which it is valid */
    const char *index;       /* CatalogIndex, in its words; NULL: all parts */
    const json_t *fields;    /* array of the lines of CatalogField, in the order of the products' fields */
    const apr_array_header_t
        *lines;          /* const json_t *: the same of each mount with this database; NULL: not from a configuration */
    const char *visible; /* CatalogVisible; NULL: all */
    const char *mount_uri;              /* addresses of pictures begin with this */
    const char *strangers;              /* which catalogues of this database have other tokens; NULL: none */
    int images;                         /* flag: CatalogImages On */
    const char *image_program;          /* NULL: the default */
    int image_quota;                    /* MiB; 0: none */
    int history;                        /* seconds for which changes of products are kept; 0: none are */
    const char *undo_mount;             /* whose servers keep them so long, as bulk_jobs names it; NULL: not known */
    const apr_array_header_t *warnings; /* const char *: httpd's, of the whole configuration; NULL: not from one */
    const json_t *environment; /* httpd's, of the databases' client libraries; NULL: not from a configuration */
    apr_uid_t uid;             /* of httpd's children, when root starts it */
    apr_gid_t gid;
} ctl_site_t;

/* Finds the catalogue that the options select. Returns a fault; if httpd refuses the configuration, httpd's own message. */
const char *ctl_site_find(apr_pool_t *pool, const ctl_options_t *options, ctl_site_t *site);

#endif
