/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The start of the server and of its children. check_config finds the mounts; "httpd -t" runs it too. post_config
 * creates the data that the children share, in memory that they inherit. child_init creates the data of one child and
 * starts its jobs.
 */
#include "httpd/lifecycle.h"

#include <ap_mpm.h>
#include <apr_allocator.h>
#include <apr_hash.h>
#include <apr_shm.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <curl/curl.h>
#include <http_config.h>
#include <http_core.h>
#include <http_log.h>
#include <jansson.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "db/setup.h"
#include "httpd/conf.h"
#include "httpd/config_tree.h"
#include "httpd/dbd.h"
#include "httpd/jobs.h"
#include "httpd/log.h"
#include "httpd/mount_database.h"
#include "httpd/precedence.h"
#include "httpd/routes.h"
#include "httpd/server.h"
#include "httpd/signals.h"
#include "httpd/site_checks.h"
#include "httpd/mount_conflicts.h"
#include "jose/keyring.h"
#include "lib/log.h"
#include "lib/process.h"

APLOG_USE_MODULE(catalog);

/* Length of the queue for each request that hashes a password. One network may have half of the queue. The last request
 * in the queue waits about a second. */
#define HASH_QUEUE_FACTOR 32

/* Number of entries of a child's token cache, for about as many active users. */
#define TOKENS_SEEN 2048

/* Increment the number when the segment's layout changes: a graceful restart may load another version of this
 * module. */
#define SEGMENT_KEY "catalog:segment:3"

/* ---- finding the mounts ---- */

/* Merges the settings as httpd would for a request for this path: all sections above it, in the order of the
 * configuration. */
static const cat_conf_t *settings_for(apr_pool_t *pool, server_rec *s, const char *mount)
{
    const core_server_config *core = ap_get_core_module_config(s->module_config);
    ap_conf_vector_t **sections = (ap_conf_vector_t **)core->sec_url->elts;
    const cat_conf_t *conf = cat_conf_get(s->lookup_defaults);

    for (int i = 0; i < core->sec_url->nelts; i++) {
        const core_dir_config *section = ap_get_core_module_config(sections[i]);
        cat_conf_t *over = cat_conf_get(sections[i]);
        if (over && !section->r && section->d && cat_config_tree_is_below(mount, section->d)) {
            conf = cat_conf_merge_ahead(pool, conf, over);
        }
    }
    return conf;
}

static const char *add_mount(apr_pool_t *pool, server_rec *s, const char *prefix)
{
    cat_server_t *server = cat_server_get(s);
    cat_mount_t *mount = apr_pcalloc(pool, sizeof(*mount));
    const char *error;

    mount->conf = settings_for(pool, s, prefix);
    mount->server = s;
    if (!mount->conf->enable) {
        return NULL; /* A later section has disabled the mount. */
    }
    mount->source = cat_server_source(s, mount->conf);
    APR_ARRAY_PUSH(server->mounts, cat_mount_t *) = mount;
    APR_ARRAY_PUSH(server->all_mounts, cat_mount_t *) = mount;
    error = cat_conf_check(pool, mount->conf);
    error = error ? error : cat_site_checks_files(pool, mount);
    return error ? error : cat_mount_database_check(pool, mount);
}

static const char *find_mounts(apr_pool_t *pool, server_rec *s, const char **prefix)
{
    const core_server_config *core = ap_get_core_module_config(s->module_config);
    ap_conf_vector_t **sections = (ap_conf_vector_t **)core->sec_url->elts;
    const char *error = NULL;

    for (int i = 0; i < core->sec_url->nelts && !error; i++) {
        const cat_conf_t *conf = cat_conf_get(sections[i]);
        if (conf && conf->enable == 1 && conf->mount) {
            *prefix = conf->mount;
            error = add_mount(pool, s, conf->mount);
        }
    }
    return error;
}

/* Returns true if a mount uses the source. Virtual hosts inherit the main server's sections, and may disable a mount or
 * give it another database. */
static int is_source_used(const apr_array_header_t *mounts, const cat_source_t *source)
{
    for (int i = 0; i < mounts->nelts; i++) {
        if (APR_ARRAY_IDX(mounts, i, cat_mount_t *)->source == source) {
            return 1;
        }
    }
    return 0;
}

/* Returns true if the section covers a whole mount of any server. A virtual host also inherits sections for mounts of
 * the main server that lie below a mount of its own. */
static int covers_mount(const apr_array_header_t *mounts, const core_dir_config *section)
{
    for (int i = 0; i < mounts->nelts; i++) {
        if (cat_config_tree_is_below(APR_ARRAY_IDX(mounts, i, cat_mount_t *)->conf->mount, section->d)) {
            return 1;
        }
    }
    return 0;
}

/* Refuses a directive for a mount as a whole if its section has a pattern or covers only some paths of a mount. Jobs,
 * the OpenAPI description and catalogctl know only the settings of the mount's own path. */
static const char *check_whole(apr_pool_t *pool, const server_rec *s, const core_dir_config *section,
                               const cat_conf_t *over, const cat_conf_t *merged)
{
    const char *name = cat_conf_find_whole(over);
    int is_pattern = section->r || section->d_is_fnmatch;

    return name && (is_pattern || (merged->enable == 1 && !covers_mount(cat_server_get(s)->all_mounts, section)))
               ? apr_pstrcat(pool, "has a ", name,
                             ", which is for a mount as a whole; move it to the section with CatalogEnable, or to the "
                             "server",
                             NULL)
               : NULL;
}

/* Checks a section. Refuses a CatalogDatabase that no mount uses, because children open the databases of mounts
 * only. */
static const char *check_section(apr_pool_t *pool, server_rec *s, const core_dir_config *section,
                                 const cat_conf_t *conf)
{
    const cat_conf_t *merged;
    const char *error;

    if (conf->database && !conf->mount && !is_source_used(cat_server_get(s)->all_mounts, conf->database)) {
        return "has a CatalogDatabase that no mount uses; move it to the section with CatalogEnable, or to the server";
    }
    merged = settings_for(pool, s, section->d ? section->d : "");
    error = check_whole(pool, s, section, conf, merged);
    error = error ? error : cat_conf_check_fields(pool, merged);
    return error ? error : cat_conf_check_trusts(pool, merged);
}

static const char *check_sections(apr_pool_t *pool, server_rec *s, const char **prefix)
{
    const core_server_config *core = ap_get_core_module_config(s->module_config);
    ap_conf_vector_t **sections = (ap_conf_vector_t **)core->sec_url->elts;
    const char *error = NULL;

    for (int i = 0; i < core->sec_url->nelts && !error; i++) {
        const core_dir_config *section = ap_get_core_module_config(sections[i]);
        const cat_conf_t *conf = cat_conf_get(sections[i]);
        *prefix = section->d ? section->d : "";
        error = conf ? check_section(pool, s, section, conf) : NULL;
    }
    return error;
}

static const char *check_guards(apr_pool_t *pool, server_rec *s, const char **prefix)
{
    const ap_directive_t *d = s->is_virtual ? cat_config_tree_section(s) : ap_conftree;
    const char *error = NULL;

    for (; d && !error; d = d->next) {
        const char *path = strcasecmp(d->directive, "<Location") ? NULL : cat_config_tree_path(pool, d);
        if (path && *path == '/' && cat_mount_conflicts_is_guard(pool, d)) {
            const cat_conf_t *conf = settings_for(pool, s, path);
            *prefix = path;
            error = conf->enable ? NULL : cat_mount_conflicts_check_guard(pool, s, conf);
        }
    }
    return error;
}

/* Creates the server's data. create_server_config cannot do that: a virtual host without a directive of this module
 * would share the main server's data. */
static void create_server(apr_pool_t *pool, server_rec *s, const server_rec *main_server)
{
    cat_server_t *server = apr_pcalloc(pool, sizeof(*server));

    server->mounts = apr_array_make(pool, 2, sizeof(cat_mount_t *));
    server->all_mounts =
        s == main_server ? apr_array_make(pool, 2, sizeof(cat_mount_t *)) : cat_server_get(main_server)->all_mounts;
    server->started_by_root = geteuid() == 0;
    server->dbd = s != main_server && cat_dbd_is_inherited(s, main_server) ? cat_server_get(main_server)->dbd
                                                                           : cat_dbd_create(pool, s);
    server->alias = cat_precedence_find_alias();
    ap_set_module_config(s->module_config, &catalog_module, server);
}

static int refuse_section(const server_rec *s, const char *prefix, const char *error)
{
    ap_log_error(APLOG_MARK, APLOG_EMERG, 0, s, "CAT030: <Location \"%s\"> of %s %s", *prefix ? prefix : "/",
                 s->server_hostname, error);
    return HTTP_INTERNAL_SERVER_ERROR;
}

int cat_lifecycle_check_config(apr_pool_t *pconf, apr_pool_t *, apr_pool_t *ptemp, server_rec *main_server)
{
    const char *prefix = "", *error;
    const cat_mount_t *mount;

    error = cat_site_checks_sections(ptemp, &prefix);
    if (error) {
        return refuse_section(main_server, prefix, error);
    }
    for (server_rec *s = main_server; s; s = s->next) {
        cat_conf_fill(pconf, cat_conf_get(s->lookup_defaults));
        create_server(pconf, s, main_server);
        error = find_mounts(pconf, s, &prefix);
        if (error) {
            return refuse_section(s, prefix, error);
        }
    }
    for (server_rec *s = main_server; s; s = s->next) { /* These checks need the mounts of all servers. */
        error = check_sections(pconf, s, &prefix);
        error = error ? error : check_guards(pconf, s, &prefix);
        if (error) {
            return refuse_section(s, prefix, error);
        }
    }
    error = cat_mount_conflicts_check(ptemp, main_server, &mount);
    if (error) {
        return refuse_section(mount->server, mount->conf->mount, error);
    }
    cat_site_checks_warn(ptemp, main_server);
    return OK;
}

/* ---- start ---- */

static int count_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

/* Finds or creates the shared segment. Limits, ended sessions and generations must survive a graceful restart, so the
 * segment lives as long as the parent process. */
static apr_status_t find_segment(server_rec *main_server, char **base)
{
    apr_pool_t *pool = main_server->process->pool;
    apr_size_t size = cat_revoked_size() + cat_limit_size() + cat_generations_size();
    apr_uint64_t seed;
    apr_shm_t *shm;
    void *kept = NULL;
    apr_status_t rv;

    apr_pool_userdata_get(&kept, SEGMENT_KEY, pool);
    if (kept) {
        *base = kept;
        return APR_SUCCESS;
    }
    rv = apr_shm_create(&shm, size, NULL, pool); /* Anonymous memory is zeroed. */
    if (rv == APR_SUCCESS) {
        rv = apr_generate_random_bytes((unsigned char *)&seed, sizeof(seed));
    }
    if (rv == APR_SUCCESS) {
        *base = apr_shm_baseaddr_get(shm);
        cat_limit_start((cat_limit_t *)(*base + cat_revoked_size()), seed);
        rv = apr_pool_userdata_set(*base, SEGMENT_KEY, NULL, pool); /* Copies the key. */
    }
    return rv;
}

/* Returns how many searches a child may run at once, so that connections remain for its other requests, and processor
 * cores for the other children. A child without threads never needs more than one connection, so its connections do not
 * count. */
static int share_of(const cat_conf_t *conf)
{
    int threads = 1, cores = 2 * count_cores(), half = (conf->max_connections + 1) / 2;

    ap_mpm_query(AP_MPMQ_MAX_THREADS, &threads);
    return threads <= 1 || cores < half ? cores : half;
}

/* Returns how many requests may wait in a queue: all requests that the server handles at once. One network may have
 * half of them. */
static int count_waiting(void)
{
    int threads = 1, children = 1;

    ap_mpm_query(AP_MPMQ_MAX_THREADS, &threads);
    ap_mpm_query(AP_MPMQ_MAX_DAEMONS, &children);
    return threads * children;
}

/* Creates a queue. If it has more than two slots, the last one is for networks that hold none. */
static apr_status_t create_queue(apr_pool_t *pool, int slots, cat_semaphore_t **queue)
{
    return cat_semaphore_create(queue, pool, &(cat_semaphore_size_t){slots, count_waiting(), slots > 2});
}

/* Gives the mount's source the queues of its database. Mounts with the same driver and parameters share the queues,
 * whose size the first of these mounts sets. */
static apr_status_t share_queues(apr_pool_t *pool, const cat_mount_t *mount, apr_hash_t *sources)
{
    const char *driver, *params, *key = cat_server_database_key(pool, mount);
    cat_source_t *source = mount->source, *first = apr_hash_get(sources, key, APR_HASH_KEY_STRING);
    int share = share_of(mount->conf), most = mount->conf->max_searches, has_one_writer;
    apr_status_t rv;

    if (first) {
        source->searches = first->searches;
        source->long_writes = first->long_writes;
        return APR_SUCCESS;
    }
    apr_hash_set(sources, key, APR_HASH_KEY_STRING, source);
    cat_server_database(pool, mount, &driver, &params);
    has_one_writer = driver && !strcmp(driver, "sqlite3");
    rv = create_queue(pool, most ? most : share, &source->searches);
    return rv == APR_SUCCESS ? create_queue(pool, has_one_writer ? 1 : share, &source->long_writes) : rv;
}

static apr_status_t create_all_queues(apr_pool_t *pool, const server_rec *main_server)
{
    const apr_array_header_t *mounts = cat_server_get(main_server)->all_mounts;
    apr_hash_t *sources = apr_hash_make(pool);
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < mounts->nelts && rv == APR_SUCCESS; i++) {
        rv = share_queues(pool, APR_ARRAY_IDX(mounts, i, cat_mount_t *), sources);
    }
    return rv;
}

static apr_status_t create_shared(apr_pool_t *pconf, server_rec *main_server)
{
    char *base = NULL;
    const cat_conf_t *conf = cat_conf_get(main_server->lookup_defaults);
    int places = conf->hash_concurrency ? conf->hash_concurrency : count_cores();
    const cat_semaphore_size_t size = {.slots = places, .queue = places * HASH_QUEUE_FACTOR};
    cat_semaphore_t *hashing, *imaging;
    cat_write_locks_t *locks;
    cat_file_registry_t *registry;
    cat_metrics_t *metrics;
    apr_status_t rv = cat_semaphore_create(&hashing, pconf, &size);

    rv = rv ? rv : create_queue(pconf, conf->image_jobs ? conf->image_jobs : (count_cores() + 1) / 2, &imaging);
    rv = rv ? rv : cat_write_lock_create(&locks, pconf, main_server->process->pool);
    rv = rv ? rv : cat_file_registry_create(&registry, pconf);
    rv = rv ? rv : cat_metrics_create(&metrics, pconf, main_server->process->pool, cat_routes);
    rv = rv ? rv : create_all_queues(pconf, main_server);
    rv = rv ? rv : find_segment(main_server, &base);
    for (server_rec *s = main_server; s && rv == APR_SUCCESS; s = s->next) {
        cat_server_t *server = cat_server_get(s);
        server->hashing = hashing;
        server->imaging = imaging;
        server->write_locks = locks;
        server->registry = registry;
        server->metrics = metrics;
        server->revoked = (cat_revoked_t *)base;
        server->limits = (cat_limit_t *)(base + cat_revoked_size());
    }
    return rv;
}

/* Creates the response cache. Mounts with the same driver and parameters share the generations of their database. */
static apr_status_t create_cache(apr_pool_t *pconf, apr_pool_t *ptemp, server_rec *main_server)
{
    const cat_conf_t *conf = cat_conf_get(main_server->lookup_defaults);
    cat_response_cache_t *cache = NULL;
    apr_status_t rv =
        conf->cache_size ? cat_response_cache_create(&cache, pconf, (apr_size_t)conf->cache_size) : APR_SUCCESS;

    for (server_rec *s = main_server; s && cache; s = s->next) {
        cat_server_t *server = cat_server_get(s);
        server->cache = cache;
        for (int i = 0; i < server->mounts->nelts; i++) {
            const cat_mount_t *mount = APR_ARRAY_IDX(server->mounts, i, cat_mount_t *);
            void *segment = (char *)server->limits + cat_limit_size();
            mount->source->generations = cat_generations_find(segment, cat_server_database_key(ptemp, mount));
            mount->source->cache = mount->source->generations ? cache : NULL;
        }
    }
    return rv;
}

static void describe_mount(apr_pool_t *pconf, cat_mount_t *mount)
{
    const cat_conf_t *conf = mount->conf, *readers = conf->readers;

    mount->openapi = cat_routes_describe(pconf, conf);
    mount->openapi_of_readers =
        readers && readers->fields != conf->fields ? cat_routes_describe(pconf, readers) : mount->openapi;
}

/* Creates the OpenAPI descriptions. check_config does not create them, because that would double the time of "httpd
 * -t". */
static void describe_mounts(apr_pool_t *pconf, const server_rec *main_server)
{
    const apr_array_header_t *mounts = cat_server_get(main_server)->all_mounts;

    for (int i = 0; i < mounts->nelts; i++) {
        describe_mount(pconf, APR_ARRAY_IDX(mounts, i, cat_mount_t *));
    }
#ifdef __GLIBC__
    /* Otherwise 4 MB that were freed while the descriptions were made would be resident in each child. */
    malloc_trim(0);
#endif
}

static apr_status_t end_curl(void *)
{
    curl_global_cleanup();
    return APR_SUCCESS;
}

/* Logs that an older kernel confines the picture program less. Pictures are decoded nevertheless. */
static void log_decoder(const server_rec *main_server)
{
    const apr_array_header_t *mounts = cat_server_get(main_server)->all_mounts;
    const char *lack = cat_process_lack();
    int images = 0;

    for (int i = 0; i < mounts->nelts; i++) {
        images |= APR_ARRAY_IDX(mounts, i, cat_mount_t *)->conf->images;
    }
    if (images && lack) {
        ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, main_server,
                     "CAT121: %s, so a program that decodes pictures is less confined; see "
                     "CatalogImageProgram",
                     lack);
    }
}

int cat_lifecycle_post_config(apr_pool_t *pconf, apr_pool_t *, apr_pool_t *ptemp, server_rec *main_server)
{
    apr_status_t rv;

    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG) {
        return OK; /* In its first pass, httpd only checks the configuration. */
    }
    describe_mounts(pconf, main_server);
    rv = create_shared(pconf, main_server);
    if (rv == APR_SUCCESS) {
        rv = create_cache(pconf, ptemp, main_server);
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, main_server,
                     "CAT031: the memory that the children share cannot be created");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, 0, main_server,
                     "CAT032: libcurl cannot be initialized; check its installation");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    apr_pool_cleanup_register(pconf, NULL, end_curl, apr_pool_cleanup_null);
    cat_sqlite_reader_set_up();
    log_decoder(main_server);
    return cat_jobs_register(pconf, main_server);
}

/* ---- children ---- */

/* Prepares the source of a mount in this child without connecting: a child that waits for a hung database would not
 * serve static files either. The first user of the source, in most cases a job, checks the schema. */
static void start_source(apr_pool_t *pchild, const cat_mount_t *mount, const cat_server_t *shared)
{
    apr_status_t rv;

    if (mount->source->mutex) {
        return; /* Another mount shares the source and has prepared it. */
    }
    mount->source->database.metrics = shared->metrics;
    rv = cat_source_child_init(mount->source, pchild, shared->write_locks, shared->registry, cat_migration_try);
    if (rv != APR_SUCCESS) {
        cat_log(cat_log_for_server(mount->server, pchild), CAT_LOG_ERROR, rv, "CAT033: %s cannot be used",
                mount->source->name);
    }
}

static void start_keyring(apr_pool_t *pchild, server_rec *s, const cat_conf_t *conf)
{
    apr_status_t rv = conf && conf->keys ? cat_keyring_child_init(conf->keys, pchild) : APR_SUCCESS;
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s,
                     "CAT043: this child cannot watch CatalogKeyDir; restart httpd to use new signing keys");
    }
}

/* Starts the keyrings of mounts and of other sections with "AuthType Catalog". */
static void start_keyrings(apr_pool_t *pchild, server_rec *s)
{
    const core_server_config *core = ap_get_core_module_config(s->module_config);
    ap_conf_vector_t **sections = (ap_conf_vector_t **)core->sec_url->elts;

    start_keyring(pchild, s, cat_conf_get(s->lookup_defaults));
    for (int i = 0; i < core->sec_url->nelts; i++) {
        start_keyring(pchild, s, cat_conf_get(sections[i]));
    }
}

/* Gives the allocator of pchild a lock. The pools of a prefork child share an allocator without a lock, because that
 * MPM has no threads. But jobs are threads, and mod_dbd opens their connections on such a pool. The lock is recursive
 * because the signal handler that ends the child can run in the thread that holds it. */
static void lock_allocator(apr_pool_t *pchild)
{
    apr_allocator_t *allocator = apr_pool_allocator_get(pchild);
    apr_thread_mutex_t *mutex;

    if (!apr_allocator_mutex_get(allocator) &&
        apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_NESTED, pchild) == APR_SUCCESS) {
        apr_allocator_mutex_set(allocator, mutex);
    }
}

void cat_lifecycle_child_init(apr_pool_t *pchild, server_rec *main_server)
{
    cat_server_t *shared = cat_server_get(main_server);
    apr_status_t rv = cat_token_cache_create(&shared->seen, pchild, TOKENS_SEEN);

    rv = rv == APR_SUCCESS ? cat_key_states_create(&shared->keys, pchild) : rv;
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, main_server,
                     "CAT034: the token cache cannot be created; free memory and restart httpd");
    }
    lock_allocator(pchild);
    cat_signals_child_init();
    cat_metrics_child_init(shared->metrics, pchild);
    json_object_seed(0); /* Otherwise jansson seeds its hash function on first use, without a lock. */
    for (server_rec *s = main_server; s; s = s->next) {
        const apr_array_header_t *mounts = cat_server_get(s)->mounts;
        cat_server_get(s)->seen = shared->seen;
        cat_server_get(s)->keys = shared->keys;
        start_keyrings(pchild, s);
        for (int i = 0; i < mounts->nelts; i++) {
            start_source(pchild, APR_ARRAY_IDX(mounts, i, cat_mount_t *), shared);
        }
    }
    cat_jobs_child_init(pchild, main_server);
}
