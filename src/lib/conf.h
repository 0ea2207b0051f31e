/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_CONF_H
#define CAT_LIB_CONF_H

#include <apr_tables.h>

/*
 * The settings of one mount, merged. A field that no directive has set is CAT_UNSET or NULL until httpd/conf.c sets the default. Plain
 * data: the room that uses a field knows what it points to.
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
    const char *mount;     /* path prefix without trailing slash, "" for "/"; of the section with CatalogEnable */
    const char *mount_uri; /* percent-encoded path at which clients reach the mount: base_path and mount */

    const char *key_file;
    const char *key_dir;
    cat_keyring_t *keys; /* from key_file or key_dir, read with the configuration */
    const char *issuer;
    const char *audience;
    const cat_trust_chain_t *trusts; /* other issuers: at most CAT_TRUSTS_MAX */
    int token_ttl;                   /* seconds */
    int refresh_ttl;                 /* seconds without use after which a session ends */
    int session_ttl;                 /* seconds after which a session ends in any case */
    int refresh_grace;               /* seconds */
    int max_sessions;                /* of a user */
    int max_keys;                    /* of a user */
    int revocation_delay;            /* seconds */

    int write_role;   /* cat_role_t: who may write products */
    int registration; /* flag: open */
    const char *blocklist_file;
    const cat_blocklist_t *blocklist;
    const char *const *reserved_names; /* ends with NULL */
    const cat_rate_t *rates;           /* by cat_rate_kind_t; NULL until a directive or the defaults set it */

    const cat_origins_t *origins; /* whose pages may use the API; NULL until a directive or the default sets it */
    const char *allow_headers;    /* what these pages may send besides: ", traceparent, tracestate"; "": nothing */
    int cookie_same_site;         /* cat_same_site_t of api/token_response.h */

    int server_timing; /* flag */

    int default_limit;
    int max_limit;
    int count_limit;            /* products that a list with conditions counts */
    int query_timeout;          /* seconds that a search may take in the database */
    int max_body;               /* bytes */
    int max_batch;              /* operations */
    int max_import;             /* bytes */
    int images;                 /* flag: products have pictures */
    int max_image;              /* bytes */
    int image_quota;            /* MiB of pictures in the database; 0: no limit */
    const char *image_cache;    /* directory of the files that httpd sends */
    const char *image_program;  /* vipsthumbnail */
    const int *history;         /* seconds for which changes of products are kept; 0: none are */
    int strict;                 /* flag */
    int idempotency_ttl;        /* seconds */
    const int *index;           /* what is indexed of products: a set of catalogue/product/product_keys.h */
    const cat_fields_t *fields; /* of products; NULL: the built-in ones (catalogue/product/product.h) */
    const char *synonyms_file;
    const cat_synonyms_t *synonyms; /* of words of q, read with the configuration; NULL: there are none */
    const char *visible_text;       /* which products readers see; NULL: all */
    /* What derives of fields and visible_text when sections are merged (catalogue/query/visible.h): */
    const struct cat_conf_t
        *readers; /* the settings for those who may not write products; NULL: everybody's are these */
    const struct cat_conf_t *writers; /* of readers: the settings that they were made of */
    const cat_visible_t *visible;     /* of readers: the conditions that products must meet; NULL: none */
    const char *view;  /* names fields, synonyms and conditions where answers are cached; NULL: it need not */
    const char *fault; /* what is wrong with visible_text; NULL: nothing. Then readers see nothing */

    const char *currency; /* of prices: three letters of ISO 4217; NULL: not set */

    const apr_array_header_t *webhooks; /* const cat_webhook_t *: no two with the same URL; NULL: there are none */

    cat_source_t *database; /* of CatalogDatabase; NULL: the virtual host's mod_dbd pool */
    int max_connections;    /* per child */
    int max_exports;        /* per child */
    int export_timeout;     /* seconds; 0: no limit */
    int export_rate;        /* octets a second, at least; 0: no limit */
    int export_wal;         /* octets of SQLite's WAL, at most; 0: no limit */
    int max_searches;       /* of the server; 0: a share of max_connections */
    int migrate;            /* flag */

    const char *mail; /* smtp://, smtps:// or file:DIR; NULL: mails wait in the outbox */
    const char *mail_from;
    const char *mail_templates; /* directory; NULL: the built-in texts */
    apr_table_t *mail_texts;    /* by "confirm", and by "de/confirm" for a language; read with the configuration */
    apr_array_header_t *mail_languages; /* of const char *: those of mail_texts */
    const char *mail_credentials;       /* file name */
    const char *mail_user;              /* from mail_credentials */
    const char *mail_password;          /* from mail_credentials */
    const char *mail_ca_file;
    int mail_tls; /* flag: require TLS */
    const char *base_url;
    const char *base_path;    /* path of base_url, percent-encoded, without a slash at its end; NULL without base_url */
    const char *pages_url;    /* NULL: base_url is */
    const char *link_confirm; /* what links in mails look like, with %t for the token; NULL: they lead to the pages */
    const char *link_reset;
    const char *link_new_email;
    int confirm_ttl; /* seconds */
    int reset_ttl;   /* seconds */

    int hash_concurrency; /* server-wide */
    int image_jobs;       /* server-wide */
    int cache_size;       /* bytes, server-wide; 0: no cache */
    int cache_max_age;    /* seconds; 0: no cache on databases that do not report foreign writes */

    const struct cat_conf_t *known_base; /* merging this onto known_base gives known_result; NULL: not known */
    const struct cat_conf_t *known_result;
} cat_conf_t;

/* The path of the mount as its <Location> has it. */
static inline const char *cat_conf_location(const cat_conf_t *conf)
{
    return *conf->mount ? conf->mount : "/";
}

/* The URL of the pages; NULL: none is set. */
static inline const char *cat_conf_pages_url(const cat_conf_t *conf)
{
    return conf->pages_url ? conf->pages_url : conf->base_url;
}

/* Seconds; 0: changes of products are not kept. */
static inline int cat_conf_history(const cat_conf_t *conf)
{
    return conf->history ? *conf->history : 0;
}

#endif
