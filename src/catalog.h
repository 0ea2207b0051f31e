/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CATALOG_H
#define CATALOG_H

/*
 * Plain data that every layer may see. No Apache header is included here, so
 * that api/, db/ and lib/ can be read, and tested, as plain C.
 *
 * Pools, in ten lines:
 *   1. Every function that allocates takes the pool first; the result lives as long as that pool.
 *   2. A request's data is on q->pool (r->pool); it needs no free.
 *   3. Configuration is on pconf: made while the configuration is read, never written afterwards.
 *   4. What a child keeps (sources, caches) is on its pchild.
 *   5. A job gets a pool of its own that is cleared after each run.
 *   6. A loop without a small bound uses a sub-pool that it clears each round.
 *   7. A foreign object (json_t, jwt_t, CURL) is given to a pool in the line after it is made.
 *   8. Values read from the database are copied to the caller's pool at once.
 *   9. Nothing on a longer-lived pool points into a shorter-lived one.
 *  10. Pools are not shared between threads.
 */

#include <apr_pools.h>
#include <apr_time.h>
#include <jansson.h>

#include "lib/answer.h"
#include "lib/blocklist.h"
#include "lib/etag.h"
#include "lib/log.h"
#include "lib/token.h"
#include "shm/limit.h"
#include "shm/revoked.h"

#define CAT_VERSION "0.1.0"

typedef struct cat_db_t cat_db_t;         /* db/db.h: a request's or a job's use of the database */
typedef struct cat_source_t cat_source_t; /* db/source.h: where connections come from */
typedef struct cat_gate_t cat_gate_t;     /* lib/gate.h: how many may do a costly thing at once */

/*
 * What the directives of httpd/conf.c say, merged for one mount. A member that
 * no directive set holds CAT_UNSET or NULL until conf.c fills in the default.
 */
#define CAT_UNSET (-1)

/* Each may what the one before it may. CAT_ROLE_USER is every account. */
typedef enum { CAT_ROLE_USER, CAT_ROLE_EDITOR, CAT_ROLE_ADMIN, CAT_ROLE_COUNT } cat_role_t;

/* What is counted per client; the kinds of CatalogRateLimit. */
typedef enum { CAT_RATE_NONE, CAT_RATE_LOGIN, CAT_RATE_REGISTER, CAT_RATE_MAIL, CAT_RATE_COUNT } cat_rate_kind_t;

#define CAT_TRUSTS_MAX 15

/* The issuers of CatalogTrust, the last one first. */
typedef struct cat_trust_chain_t {
    cat_trust_t trust;
    const struct cat_trust_chain_t *next;
} cat_trust_chain_t;

typedef struct cat_conf_t {
    int enable;
    const char *mount; /* path prefix without trailing slash, "" for "/"; set where CatalogEnable stands */

    const char *key_file;
    const char *key_dir;
    cat_keyring_t *keys; /* of key_file or key_dir, read with the configuration */
    const char *issuer;
    const char *audience;
    const cat_trust_chain_t *trusts; /* other issuers: at most CAT_TRUSTS_MAX */
    int token_ttl;                   /* seconds */
    int refresh_ttl;                 /* seconds without use after which a session ends */
    int session_ttl;                 /* seconds after which a session ends in any case */
    int refresh_grace;               /* seconds */
    int revocation_delay;            /* seconds */

    int write_role;   /* cat_role_t: who may write products */
    int registration; /* flag: open */
    const char *blocklist_file;
    const cat_blocklist_t *blocklist;
    const cat_rate_t *rates; /* by cat_rate_kind_t; NULL until a directive or the defaults set it */

    int default_limit;
    int max_limit;
    int max_body; /* bytes */
    int strict;   /* flag */

    cat_source_t *database; /* of CatalogDatabase; NULL: the virtual host's mod_dbd pool */
    int max_connections;    /* per child */
    int migrate;            /* flag */

    const char *mail; /* smtp://, smtps:// or file:DIR; NULL: mails wait in the outbox */
    const char *mail_from;
    const char *mail_templates; /* directory; NULL: the built-in texts */
    const char *mail_confirm;   /* the templates' texts, read with the configuration */
    const char *mail_reset;
    const char *mail_changed;
    const char *mail_credentials; /* file name */
    const char *mail_user;        /* from mail_credentials */
    const char *mail_password;    /* from mail_credentials */
    const char *mail_ca_file;
    int mail_tls; /* flag: insist on TLS */
    const char *base_url;
    int confirm_ttl; /* seconds */
    int reset_ttl;   /* seconds */

    int hash_concurrency; /* server-wide */
    int cache_size;       /* bytes, server-wide; 0: no answers are kept */
    int cache_max_age;    /* seconds; 0: none are, of a database that others may write to unseen */

    const struct cat_conf_t *known_base; /* merged onto this it is known_result; NULL: not known */
    const struct cat_conf_t *known_result;
} cat_conf_t;

/* Who may use a route. */
typedef enum {
    CAT_ANYONE,
    CAT_USER,  /* an account: a valid access token of our own */
    CAT_WRITER /* a valid access token, and the role of CatalogWriteRole */
} cat_access_t;

/* What a route takes as its request body. */
typedef enum {
    CAT_NO_BODY, /* whatever comes is not read */
    CAT_QUERY,   /* the same; the query is for everyone to see. Other queries are kept out of the logs */
    CAT_JSON,    /* bounded, parsed: q->body is never NULL */
    CAT_MAY_JSON /* the same, and {} when no body was sent */
} cat_body_t;

typedef struct cat_request_t cat_request_t;

/* A resource's handler: never returns NULL. The answer lives on q->pool. */
typedef cat_answer_t *cat_handler_t(cat_request_t *q);

/* A row of THE ROUTE TABLE, httpd/routes.c. A segment of the path that starts with ':' matches any one segment. */
typedef struct cat_route_t {
    const char *method;
    const char *path;
    cat_handler_t *run;
    cat_access_t who;
    cat_body_t body;
    cat_rate_kind_t rate; /* counted against who sends a body before it is read */
} cat_route_t;

#define CAT_PARAMS_MAX 2

/* One request below a mount, as the resources see it. */
struct cat_request_t {
    apr_pool_t *pool;
    const cat_log_t *log;
    const cat_conf_t *conf;
    cat_gate_t *hashing; /* held around every password hash */
    apr_time_t now;      /* when the request came, microseconds since the epoch */

    const cat_route_t *route;
    const char *params[CAT_PARAMS_MAX]; /* the ':' segments of the path, decoded, in order */
    const char *query;                  /* raw query string, NULL when there is none */
    json_t *body;                       /* only where the route's row says CAT_JSON */
    cat_conditions_t conditions;        /* a GET's are judged by its answer, which handler.c does */
    int strict;                         /* unknown members are an error: CatalogStrict or Prefer: handling=strict */

    /* Who sent a body; where the route's row takes none, nothing is known of that. */
    const char *client;  /* the address it comes from */
    const char *network; /* what limits count: the IPv4 address, or the /64 of an IPv6 address */
    const char *agent;   /* User-Agent, "" when there is none */
    const char *cookies; /* Cookie, NULL when there is none */
    int secure;          /* it came over TLS */

    cat_limit_t *limits;
    cat_revoked_t *revoked;

    const cat_claims_t *user; /* who asks; NULL: nobody known. Never NULL where the route's row says CAT_USER */
    int may_write;            /* flag: the user's role is that of CatalogWriteRole or above it */
    cat_db_t *db;             /* opens its connection on first use */
};

/* A background job's run for one mount. APR_SUCCESS: run again after the job's interval. Anything else has been logged, and
 * the next run waits longer, up to a minute. */
typedef struct cat_job_t {
    apr_pool_t *pool; /* cleared after the run */
    const cat_log_t *log;
    const cat_conf_t *conf;
    cat_db_t *db;
    cat_source_t *source; /* of db's connections */
    cat_revoked_t *revoked;
    apr_time_t *last;   /* a note of the job's own from run to run; 0 at first */
    volatile int *stop; /* becomes non-zero when the server stops */
} cat_job_t;

typedef apr_status_t cat_job_run_t(cat_job_t *job);

#endif
