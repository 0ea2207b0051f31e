/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_CONF_H
#define CAT_LIB_CONF_H

#include <apr_tables.h>

/*
 * The merged settings of one mount. A member that no directive has set is CAT_UNSET or NULL until httpd/conf.c sets the
 * default.
 *
 * This header has no functions that interpret the members. The types of pointers are defined where they are used.
 */
#define CAT_UNSET (-1)

typedef struct cat_keyring_t cat_keyring_t;
typedef struct cat_trust_chain_t cat_trust_chain_t;
typedef struct cat_blocklist_t cat_blocklist_t;
typedef struct cat_origins_t cat_origins_t;
typedef struct cat_rate_t cat_rate_t;
typedef struct cat_source_t cat_source_t;
typedef struct cat_fields_t cat_fields_t;
typedef struct cat_visible_t cat_visible_t;
typedef struct cat_synonyms_t cat_synonyms_t;

typedef struct cat_conf_t {
    int enable;
    const char *mount;     /* path prefix without trailing slash, "" for "/"; taken from the section that has
                            * CatalogEnable */
    const char *mount_uri; /* path at which clients reach the mount, percent-encoded: base_path followed by mount */

    const char *key_file;
    const char *key_dir;
    cat_keyring_t *keys; /* keys read from key_file or key_dir when httpd reads its configuration */
    const char *issuer;
    const char *audience;
    const cat_trust_chain_t *trusts; /* other trusted issuers, at most CAT_TRUSTS_MAX */
    int token_ttl;                   /* lifetime of an access token in seconds */
    int refresh_ttl;                 /* seconds after which an unused session ends */
    int session_ttl;                 /* seconds after which a session ends even if it is used */
    int refresh_grace;               /* seconds for which a refresh token is accepted again after its use */
    int max_sessions;                /* maximum per user */
    int max_keys;                    /* maximum number of API keys per user */
    int revocation_delay;            /* seconds */

    int write_role;   /* cat_role_t: least role that may write products */
    int registration; /* 1 if visitors may register */
    const char *blocklist_file;
    const cat_blocklist_t *blocklist;
    const char *const *reserved_names; /* NULL-terminated */
    const cat_rate_t *rates;           /* indexed by cat_rate_kind_t; NULL until a directive or the defaults set it */

    const cat_origins_t *origins; /* origins of web pages that may use the API; NULL until a directive or the default
                                   * sets it */
    const char *allow_headers;    /* further request headers that such pages may send, such as ", traceparent,
                                   * tracestate"; "" if none */
    int cookie_same_site;         /* cat_same_site_t of api/token_response.h */

    int server_timing; /* 1 if responses have a Server-Timing header */

    int default_limit;
    int max_limit;
    int count_limit;            /* largest number of products that a list with conditions counts */
    int query_timeout;          /* seconds that the database may spend on a search */
    int max_body;               /* bytes */
    int max_batch;              /* operations */
    int max_import;             /* bytes */
    int images;                 /* 1 if products have pictures */
    int max_image;              /* bytes */
    int image_quota;            /* MiB of pictures in the database; 0 means no limit */
    const char *image_cache;    /* directory of the picture files that httpd sends */
    const char *image_program;  /* path of vipsthumbnail */
    const int *history;         /* seconds for which changes of products are kept; 0 means that none are kept */
    int strict;                 /* 1 if unknown fields and query parameters are refused instead of ignored */
    int idempotency_ttl;        /* seconds */
    const int *index;           /* bit set of the indexed parts of a product (catalogue/product/product_keys.h) */
    const cat_fields_t *fields; /* fields of products; NULL means the built-in fields (catalogue/product/product.h) */
    const char *synonyms_file;
    const cat_synonyms_t *synonyms; /* synonyms for the query parameter q, read with the configuration; NULL if none */
    const char *visible_text;       /* conditions that select the products readers see; NULL means all products */
    /* The members below are derived from the members above when sections are merged (catalogue/query/visible.h). */
    const struct cat_conf_t *readers; /* settings of users who may not write; NULL if the same */
    const struct cat_conf_t *writers; /* set only in the settings of readers: the settings that they were derived
                                       * from */
    const cat_visible_t *visible;     /* set only in the settings of readers: conditions on products; NULL if none */
    const char *view;                 /* part of the keys of cached answers, a hash; NULL for the built-in fields */
    const char *fault; /* error message about visible_text, or NULL; while it is set, readers see no products */

    const char *currency; /* currency of prices, three letters (ISO 4217); NULL if not set */

    const apr_array_header_t *webhooks; /* array of const cat_webhook_t *, without two of the same URL; NULL if none */

    cat_source_t *database; /* database of CatalogDatabase; NULL means the virtual host's mod_dbd pool */
    int max_connections;    /* per child process */
    int max_exports;        /* per child process */
    int export_timeout;     /* seconds; 0 means no limit */
    int export_rate;        /* least bytes per second that the client must read; 0 means no limit */
    int export_wal;         /* largest size of SQLite's WAL in bytes during an export; 0 means no limit */
    int max_searches;       /* maximum for the whole server; 0 derives it from max_connections */
    int migrate;            /* 1 if the schema is created and updated at start */

    const char *mail; /* smtp://, smtps:// or file:DIR; NULL means that mails wait in the outbox */
    const char *mail_from;
    const char *mail_templates; /* directory; NULL means the built-in texts */
    apr_table_t *mail_texts;    /* texts by name, "confirm", or by language and name, "de/confirm"; read with the
                                 * configuration */
    apr_array_header_t *mail_languages; /* languages (const char *) that mail_texts has */
    const char *mail_credentials;       /* path of the file */
    const char *mail_user;              /* user name read from mail_credentials */
    const char *mail_password;          /* password read from mail_credentials */
    const char *mail_ca_file;
    int mail_tls; /* 1 if TLS is required */
    const char *base_url;
    const char *base_path;    /* path of base_url, percent-encoded, without trailing slash; NULL if base_url is NULL */
    const char *pages_url;    /* URL of the pages; NULL means base_url */
    const char *link_confirm; /* template of the links in mails, with %t for the token; NULL means links to the pages */
    const char *link_reset;
    const char *link_new_email;
    int confirm_ttl; /* seconds */
    int reset_ttl;   /* seconds */

    int hash_concurrency; /* maximum for the whole server */
    int image_jobs;       /* maximum for the whole server */
    int cache_size;       /* bytes for the whole server; 0 means no cache */
    int cache_max_age;    /* seconds; 0 means no cache on databases that do not report writes by other servers */

    const struct cat_conf_t *known_base; /* merging this section onto known_base gives known_result; NULL if not
                                          * merged yet */
    const struct cat_conf_t *known_result;
} cat_conf_t;

/* Returns the path of the mount as in its <Location> section: "/" for the root. */
static inline const char *cat_conf_location(const cat_conf_t *conf)
{
    return *conf->mount ? conf->mount : "/";
}

/* Returns the URL of the pages. Returns NULL if neither CatalogPagesURL nor CatalogBaseURL is set. */
static inline const char *cat_conf_pages_url(const cat_conf_t *conf)
{
    return conf->pages_url ? conf->pages_url : conf->base_url;
}

/* Returns the seconds for which changes of products are kept. Returns 0 if they are not kept. */
static inline int cat_conf_history(const cat_conf_t *conf)
{
    return conf->history ? *conf->history : 0;
}

#endif
