/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl key new: makes a key and writes it where the server will look. The file appears whole, under its final name,
 * and never replaces another one; it is readable by the server's user or group alone. Its name is the time, so names sort
 * by age.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_portable.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "ctl/ctl.h"
#include "lib/secret.h"
#include "lib/time.h"

#define RSA_BITS 3072

/* The server reads keys as root when it starts; its children, through the group, when they look for new ones. */
#define MODE 0640

/* ---- making ---- */

static char *make_secret(apr_pool_t *pool)
{
    const char *secret = cat_secret_make(pool);

    return secret ? apr_pstrcat(pool, secret, "\n", NULL) : NULL;
}

static char *write_pem(apr_pool_t *pool, EVP_PKEY *pair)
{
    BIO *pem = BIO_new(BIO_s_secmem());
    char *data, *text = NULL;

    if (pair && PEM_write_bio_PrivateKey(pem, pair, NULL, NULL, 0, NULL, NULL) == 1) {
        long length = BIO_get_mem_data(pem, &data);
        text = apr_pstrmemdup(pool, data, (apr_size_t)length);
    }
    BIO_free(pem);
    EVP_PKEY_free(pair);
    return text;
}

static char *make_curve_pair(apr_pool_t *pool)
{
    return write_pem(pool, EVP_EC_gen("P-256"));
}

static char *make_rsa_pair(apr_pool_t *pool)
{
    return write_pem(pool, EVP_RSA_gen(RSA_BITS));
}

static const struct kind_t {
    const char *type;
    const char *extension;
    char *(*make)(apr_pool_t *pool); /* the file's content; NULL: no random numbers */
} kinds[] = {
    {"hs256", ".key", make_secret},
    {"es256", ".pem", make_curve_pair},
    {"rs256", ".pem", make_rsa_pair},
};

/* NULL names the first one. */
static const struct kind_t *find_kind(const char *type)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!type || !strcasecmp(kinds[i].type, type)) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* ---- where to ---- */

typedef struct place_t {
    const char *path;
    apr_gid_t group; /* that may read it */
} place_t;

/* The time of creation, so names sort by age: 20261121T093000123Z.key */
static const char *make_name(ctl_t *ctl, const struct kind_t *kind)
{
    char time[CAT_TIME_LENGTH + 1], *end = time;

    cat_time_format(time, apr_time_as_msec(ctl->now));
    for (const char *c = time; *c; c++) {
        if (!strchr("-:.", *c)) {
            *end++ = *c;
        }
    }
    *end = '\0';
    return apr_pstrcat(ctl->pool, time, kind->extension, NULL);
}

static const char *find_in_site(ctl_t *ctl, const struct kind_t *kind, place_t *place)
{
    const char *fault = ctl->options->driver ? "name the directory or the file to create" : NULL;

    fault = fault ? fault : ctl_site_find(ctl->pool, ctl->options, &ctl->site);
    if (fault) {
        return fault;
    }
    if (!ctl->site.key_dir) {
        return apr_psprintf(ctl->pool, "the catalogue has one key, %s; to have several, set CatalogKeyDir",
                            ctl->site.key_file);
    }
    place->path = apr_pstrcat(ctl->pool, ctl->site.key_dir, "/", make_name(ctl, kind), NULL);
    place->group = ctl->site.gid;
    return NULL;
}

static const char *directory_of(apr_pool_t *pool, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? apr_pstrmemdup(pool, path, slash == path ? 1 : (apr_size_t)(slash - path)) : ".";
}

/* httpd may refuse the configuration until there is a key, so the group is that of the directory. */
static const char *find_in_operand(ctl_t *ctl, const struct kind_t *kind, place_t *place)
{
    const char *path = ctl->args[0], *directory = path;
    char reason[120];
    apr_finfo_t info;
    apr_status_t rv = apr_stat(&info, path, APR_FINFO_TYPE | APR_FINFO_OWNER, ctl->pool);

    if (rv != APR_SUCCESS || info.filetype != APR_DIR) {
        directory = directory_of(ctl->pool, path);
        rv = apr_stat(&info, directory, APR_FINFO_TYPE | APR_FINFO_OWNER, ctl->pool);
    } else {
        path = apr_pstrcat(ctl->pool, path, "/", make_name(ctl, kind), NULL);
    }
    if (rv != APR_SUCCESS) {
        return apr_psprintf(ctl->pool, "%s: %s", directory, apr_strerror(rv, reason, sizeof(reason)));
    }
    *place = (place_t){path, info.group};
    return NULL;
}

/* ---- writing ---- */

static apr_status_t open_to_group(apr_file_t *file, apr_gid_t group)
{
    apr_os_file_t fd = -1;

    apr_os_file_get(&fd, file);
    if ((geteuid() == 0 && fchown(fd, (uid_t)-1, group) != 0) || fchmod(fd, MODE) != 0) {
        return apr_get_os_error();
    }
    return APR_SUCCESS;
}

/* A server may look at any time, so the file appears as a whole or not at all, and replaces no other. The server ignores the
 * temporary name, which begins with a dot; closing the file removes it. */
static apr_status_t write_file(apr_pool_t *pool, const place_t *place, const char *text)
{
    const char *slash = strrchr(place->path, '/');
    char *temporary =
        apr_pstrcat(pool, directory_of(pool, place->path), "/.", slash ? slash + 1 : place->path, ".XXXXXX", NULL);
    apr_file_t *file;
    apr_status_t rv = apr_file_mktemp(&file, temporary, 0, pool);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = apr_file_write_full(file, text, strlen(text), NULL);
    if (rv == APR_SUCCESS) {
        rv = open_to_group(file, place->group);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_sync(file);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_link(temporary, place->path);
    }
    apr_file_close(file);
    return rv;
}

int ctl_keys_make(ctl_t *ctl)
{
    const struct kind_t *kind = find_kind(ctl->options->type);
    char *text, reason[120];
    const char *fault;
    place_t place = {"", 0};
    apr_status_t rv;

    if (!kind) {
        return ctl_fail(ctl->options->type, "is not a type of key; use hs256, es256 or rs256");
    }
    fault = ctl->count ? find_in_operand(ctl, kind, &place) : find_in_site(ctl, kind, &place);
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    text = kind->make(ctl->pool);
    if (!text) {
        return ctl_fail(NULL, "the system provides no random numbers");
    }
    rv = write_file(ctl->pool, &place, text);
    OPENSSL_cleanse(text, strlen(text));
    if (rv != APR_SUCCESS) {
        return ctl_fail(place.path, apr_strerror(rv, reason, sizeof(reason)));
    }
    puts(place.path);
    return CTL_DONE;
}
