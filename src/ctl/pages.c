/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl pages export: a directory of static pages, one for each product that visitors may see, for search engines and for programs that
 * preview links.
 *
 *     DIR/blue-kettle.html        the page of a product (ctl/page_text.c), named by its slug or else by its id
 *     DIR/index.html              links to the first 1,000 products; list_2.html and so on to the others
 *     DIR/sitemap.xml             names the parts of the sitemap, sitemap_1.xml and so on, with 10,000 addresses each
 *     DIR/robots.txt              names sitemap.xml, where DIR is the root of its host
 *     DIR/.catalog-pages          says that the directory is ours, and is locked while a command writes
 *
 * The command makes the text of each file and compares it with what is there; a file that has changed is replaced at once, by renaming.
 * So the time of a file is that of its last change, which the sitemap tells, and a command that was interrupted is continued by running it
 * again (docs/decisions/0095-static-pages-are-compared.md). Files that no product has any longer are removed at the end, if all products
 * were read. Of the files it has made, the command keeps a hash of the name each.
 */
#include "ctl/ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_file_info.h>
#include <apr_fnmatch.h>
#include <apr_strings.h>

#include "catalogue/files.h"
#include "catalogue/index.h"
#include "catalogue/lists.h"
#include "ctl/database.h"
#include "ctl/move.h"
#include "ctl/page_text.h"
#include "ctl/progress.h"
#include "lib/hash.h"
#include "lib/text.h"
#include "lib/time.h"

#define MARKER ".catalog-pages"
#define TEMPORARY ".catalog-page"
#define LIST_LINKS 1000
#define SITEMAP_ADDRESSES 10000
#define QUERY_TIMEOUT 60 /* seconds: of a portion */

/* A file that grows by a line for each product, and is followed by another one when it is full. */
typedef struct series_t {
    apr_pool_t *pool; /* of the file */
    cat_buffer_t text;
    int count; /* lines in it */
    int files; /* before it */
} series_t;

typedef struct pages_t {
    ctl_t *ctl;
    const char *directory;
    ctl_page_site_t site;
    cat_conf_t conf;          /* of visitors */
    apr_pool_t *pool;         /* of a portion */
    apr_array_header_t *seen; /* apr_uint64_t: hashes of the names of files, ascending once all are made */
    series_t lists, sitemaps;
    int written, unchanged, removed;
    ctl_progress_t progress;
} pages_t;

static const char *explain(apr_pool_t *pool, const char *path, apr_status_t rv)
{
    char reason[120];

    return apr_psprintf(pool, "%s: %s", path, apr_strerror(rv, reason, sizeof(reason)));
}

static const char *place(const pages_t *p, const char *name)
{
    return apr_pstrcat(p->pool, p->directory, "/", name, NULL);
}

/* ---- files ---- */

static apr_uint64_t hash_name(const char *name)
{
    return cat_hash(name, strlen(name));
}

static int compare_hashes(const void *one, const void *other)
{
    apr_uint64_t a = *(const apr_uint64_t *)one, b = *(const apr_uint64_t *)other;

    return a < b ? -1 : a > b;
}

/* Has the file this text? *changed: when it was written. */
static int has_text(const pages_t *p, const char *path, const char *text, apr_size_t length, apr_time_t *changed)
{
    apr_finfo_t info;
    apr_file_t *file;
    char *before;
    int is_same;

    if (apr_stat(&info, path, APR_FINFO_SIZE | APR_FINFO_MTIME | APR_FINFO_TYPE, p->pool) != APR_SUCCESS ||
        info.filetype != APR_REG || info.size != (apr_off_t)length ||
        apr_file_open(&file, path, APR_FOPEN_READ, 0, p->pool) != APR_SUCCESS) {
        return 0;
    }
    before = apr_palloc(p->pool, length + 1);
    is_same = apr_file_read_full(file, before, length, NULL) == APR_SUCCESS && !memcmp(before, text, length);
    apr_file_close(file);
    *changed = info.mtime;
    return is_same;
}

static apr_status_t replace_file(const pages_t *p, const char *path, const char *text, apr_size_t length)
{
    const char *temporary = place(p, TEMPORARY);
    apr_file_t *file;
    apr_status_t closed, rv;

    apr_file_remove(temporary, p->pool); /* of a command that was interrupted */
    rv = apr_file_open(&file, temporary, APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_EXCL, APR_FPROT_OS_DEFAULT,
                       p->pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = apr_file_write_full(file, text, length, NULL);
    closed = apr_file_close(file);
    rv = rv == APR_SUCCESS ? closed : rv;
    rv = rv == APR_SUCCESS ? apr_file_mtime_set(temporary, p->ctl->now, p->pool) : rv;
    return rv == APR_SUCCESS ? apr_file_rename(temporary, path, p->pool) : rv;
}

/* *changed: when the file got its text. Returns a fault. */
static const char *write_file(pages_t *p, const char *name, const char *text, apr_size_t length, apr_time_t *changed)
{
    const char *path = place(p, name);
    apr_status_t rv;

    APR_ARRAY_PUSH(p->seen, apr_uint64_t) = hash_name(name);
    if (has_text(p, path, text, length, changed)) {
        p->unchanged++;
        return NULL;
    }
    rv = replace_file(p, path, text, length);
    *changed = p->ctl->now;
    p->written++;
    return rv == APR_SUCCESS ? NULL : explain(p->ctl->pool, path, rv);
}

static const char *write_text(pages_t *p, const char *name, const char *text)
{
    apr_time_t changed;

    return write_file(p, name, text, strlen(text), &changed);
}

/* ---- lists and sitemaps ---- */

static const char *name_list(const pages_t *p, int number)
{
    return number == 1 ? "index.html" : apr_psprintf(p->pool, "list_%d.html", number);
}

static const char *end_list(pages_t *p, int is_last)
{
    series_t *s = &p->lists;

    ctl_page_end_list(&s->text, &p->site, is_last ? NULL : name_list(p, s->files + 2));
    s->files++;
    s->count = 0;
    return write_text(p, name_list(p, s->files), cat_buffer_text(&s->text));
}

static void begin_series(series_t *s)
{
    apr_pool_clear(s->pool);
    cat_buffer_init(&s->text, s->pool, 65536);
}

static const char *add_to_list(pages_t *p, const ctl_page_t *page)
{
    series_t *s = &p->lists;
    const char *fault = s->count == LIST_LINKS ? end_list(p, 0) : NULL;

    if (s->count == 0) {
        begin_series(s);
        ctl_page_begin_list(&s->text, &p->site, name_list(p, s->files + 1));
    }
    if (page) {
        ctl_page_add_link(&s->text, &p->site, page);
        s->count++;
    }
    return fault;
}

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define SITEMAPS "http://www.sitemaps.org/schemas/sitemap/0.9"

static const char *end_sitemap(pages_t *p)
{
    series_t *s = &p->sitemaps;

    CAT_BUFFER_LITERAL(&s->text, "</urlset>\n");
    s->files++;
    s->count = 0;
    return write_text(p, apr_psprintf(p->pool, "sitemap_%d.xml", s->files), cat_buffer_text(&s->text));
}

static const char *add_to_sitemap(pages_t *p, const char *name, apr_time_t changed)
{
    series_t *s = &p->sitemaps;
    const char *fault = s->count == SITEMAP_ADDRESSES ? end_sitemap(p) : NULL;
    char time[CAT_TIME_LENGTH + 1];

    if (s->count++ == 0) {
        begin_series(s);
        CAT_BUFFER_LITERAL(&s->text, XML "<urlset xmlns=\"" SITEMAPS "\">\n");
    }
    cat_time_format(time, apr_time_as_msec(changed));
    cat_buffer_add_text(&s->text, "<url><loc>");
    cat_buffer_add_text(&s->text, ctl_page_address(p->pool, &p->site, name));
    cat_buffer_add_text(&s->text, "</loc><lastmod>");
    cat_buffer_add_text(&s->text, time);
    cat_buffer_add_text(&s->text, "</lastmod></url>\n");
    return fault;
}

static const char *write_sitemap_index(pages_t *p)
{
    cat_buffer_t b;

    cat_buffer_init(&b, p->pool, 1024);
    CAT_BUFFER_LITERAL(&b, XML "<sitemapindex xmlns=\"" SITEMAPS "\">\n");
    for (int i = 1; i <= p->sitemaps.files; i++) {
        const char *name = apr_psprintf(p->pool, "sitemap_%d.xml", i);
        cat_buffer_add_text(&b, apr_pstrcat(p->pool, "<sitemap><loc>", ctl_page_address(p->pool, &p->site, name),
                                            "</loc></sitemap>\n", NULL));
    }
    CAT_BUFFER_LITERAL(&b, "</sitemapindex>\n");
    return write_text(p, "sitemap.xml", cat_buffer_text(&b));
}

static const char *write_ends(pages_t *p)
{
    const char *fault = p->lists.count ? NULL : add_to_list(p, NULL);

    fault = fault ? fault : end_list(p, 1);
    fault = fault || !p->sitemaps.count ? fault : end_sitemap(p);
    fault = fault ? fault : write_sitemap_index(p);
    return fault ? fault
                 : write_text(p, "robots.txt",
                              apr_pstrcat(p->pool, "User-agent: *\nAllow: /\nSitemap: ", p->site.base, "/sitemap.xml\n",
                                          NULL));
}

/* ---- products ---- */

static const char *write_page(pages_t *p, const ctl_page_t *page)
{
    const char *name = apr_pstrcat(p->pool, page->name, ".html", NULL), *fault;
    apr_time_t changed;

    fault = write_file(p, name, page->text, strlen(page->text), &changed);
    fault = fault ? fault : add_to_list(p, page);
    return fault ? fault : add_to_sitemap(p, name, changed);
}

static const char *write_portion(pages_t *p, const char *data, apr_size_t length)
{
    const char *end = data + length, *fault = NULL;
    ctl_page_t page;

    apr_pool_clear(p->pool);
    while (!fault && ctl_page_next(&data, end, &page)) {
        fault = write_page(p, &page);
    }
    return fault;
}

static const char *write_products(pages_t *p, cat_export_t *export)
{
    const char *data, *fault = NULL;
    apr_size_t length = 1;
    apr_status_t rv = APR_SUCCESS;

    p->progress.unit = "pages";
    while (!fault && rv == APR_SUCCESS && length) {
        rv = cat_export_read(export, &data, &length);
        fault = rv == APR_SUCCESS && length ? write_portion(p, data, length) : NULL;
        ctl_progress_show(&p->progress, cat_export_count(export), 0);
    }
    cat_export_close(export);
    return fault || rv == APR_SUCCESS ? fault : "the products cannot be read; the cause is above";
}

/* ---- what is left over ---- */

static int is_ours(const apr_finfo_t *entry)
{
    return entry->filetype == APR_REG && (apr_fnmatch("*.html", entry->name, APR_FNM_PERIOD) == APR_SUCCESS ||
                                          apr_fnmatch("sitemap_*.xml", entry->name, APR_FNM_PERIOD) == APR_SUCCESS);
}

static const char *remove_others(pages_t *p)
{
    apr_array_header_t *seen = p->seen;
    apr_status_t rv;
    apr_finfo_t info;
    apr_dir_t *directory;

    qsort(seen->elts, (size_t)seen->nelts, sizeof(apr_uint64_t), compare_hashes);
    rv = apr_dir_open(&directory, p->directory, p->pool);
    while (rv == APR_SUCCESS && apr_dir_read(&info, APR_FINFO_NAME | APR_FINFO_TYPE, directory) == APR_SUCCESS) {
        apr_uint64_t hash = hash_name(info.name);
        if (is_ours(&info) && !bsearch(&hash, seen->elts, (size_t)seen->nelts, sizeof(hash), compare_hashes)) {
            rv = apr_file_remove(place(p, info.name), p->pool);
            p->removed += rv == APR_SUCCESS;
        }
    }
    return rv == APR_SUCCESS ? NULL : explain(p->ctl->pool, p->directory, rv);
}

/* ---- before ---- */

/* Without the slash at its end; NULL: the text is no address. */
static const char *trim_address(apr_pool_t *pool, const char *text)
{
    char *address = text && cat_text_host(text) && !strncmp(text, "http", 4) ? apr_pstrdup(pool, text) : NULL;

    for (apr_size_t length = address ? strlen(address) : 0; length && address[length - 1] == '/'; length--) {
        address[length - 1] = '\0';
    }
    return address;
}

static const char *set_site(pages_t *p)
{
    const ctl_options_t *o = p->ctl->options;
    const ctl_site_t *site = &p->ctl->site;
    apr_pool_t *pool = p->ctl->pool;
    int language = o->language ? cat_text_find(ctl_page_languages, o->language) : 0;

    if (!site->server) {
        return "the pages need httpd's configuration, which says what visitors see";
    }
    if (site->others) {
        return site->others;
    }
    p->site =
        (ctl_page_site_t){.pages = trim_address(pool, site->pages), .brand = o->brand, .currency = site->currency};
    if (!p->site.pages) {
        return "the pages are not known: set CatalogBaseURL to their address";
    }
    p->site.base = o->base ? trim_address(pool, o->base) : apr_pstrcat(pool, p->site.pages, "/p", NULL);
    if (!p->site.base) {
        return "--base must be an address such as https://shop.example.com/p";
    }
    if (!ctl_page_languages[language]) {
        return apr_pstrcat(pool, "--language must be ", cat_text_join(pool, ctl_page_languages), NULL);
    }
    p->site.words = ctl_page_words(language);
    p->site.origin = apr_pstrndup(pool, p->site.pages,
                                  (apr_size_t)(cat_text_host(p->site.pages) - p->site.pages) +
                                      strcspn(cat_text_host(p->site.pages), "/"));
    return NULL;
}

/* The settings of those who may not write products. */
static const char *set_visitors(pages_t *p)
{
    const ctl_site_t *site = &p->ctl->site;
    cat_conf_t *conf = &p->ctl->conf;

    conf->visible_text = site->visible;
    conf->images = site->images;
    conf->mount_uri = site->mount_uri;
    cat_visible_derive(p->ctl->pool, conf);
    p->conf = conf->readers ? *conf->readers : *conf;
    p->conf.max_exports = 1;
    p->conf.query_timeout = QUERY_TIMEOUT;
    p->site.fields = cat_product_fields_of(&p->conf);
    return conf->fault;
}

static const char *open_export(pages_t *p, cat_export_t **export)
{
    cat_db_t *db = cat_db_make(p->ctl->pool, &p->conf, p->ctl->source, &p->ctl->log);
    const cat_export_style_t style = {.baton = &p->site};
    cat_list_query_t query;
    cat_indexes_state_t state;
    apr_status_t rv;

    cat_query_parse_all(p->ctl->pool, &p->conf, 0, NULL, NULL, &query);
    rv = cat_key_filler_check(db, &query, &state);
    if (rv == APR_SUCCESS && (state.absent || state.filling || state.is_keying)) {
        return "the products are not indexed as CatalogVisible requires; run catalogctl index, or wait for the server";
    }
    rv = rv == APR_SUCCESS ? cat_export_open(db, &query, &ctl_page_format, &style, export) : rv;
    return rv == APR_SUCCESS ? NULL : "the products cannot be read; the cause is above";
}

/* Returns a fault. */
static const char *check_empty(apr_pool_t *pool, const char *path)
{
    const char *fault = NULL;
    apr_dir_t *directory;
    apr_finfo_t info;
    apr_status_t rv = apr_dir_open(&directory, path, pool);

    if (rv != APR_SUCCESS) {
        return explain(pool, path, rv);
    }
    while (!fault && apr_dir_read(&info, APR_FINFO_NAME, directory) == APR_SUCCESS) {
        if (strcmp(info.name, ".") != 0 && strcmp(info.name, "..") != 0) {
            fault = apr_pstrcat(pool, path, ": has files that this command has not made; name a directory of its own",
                                NULL);
        }
    }
    apr_dir_close(directory);
    return fault;
}

/* Files of others are neither replaced nor removed, so the directory must be empty or ours. The lock ends with the process. */
static const char *take_directory(pages_t *p)
{
    apr_pool_t *pool = p->ctl->pool;
    const char *marker = place(p, MARKER), *fault;
    apr_file_t *file;
    apr_finfo_t info;
    apr_status_t rv = apr_dir_make(p->directory, APR_FPROT_OS_DEFAULT, pool);

    if (rv != APR_SUCCESS && !APR_STATUS_IS_EEXIST(rv)) {
        return explain(pool, p->directory, rv);
    }
    fault = apr_stat(&info, marker, APR_FINFO_TYPE, pool) == APR_SUCCESS ? NULL : check_empty(pool, p->directory);
    if (fault) {
        return fault;
    }
    rv = apr_file_open(&file, marker, APR_FOPEN_WRITE | APR_FOPEN_CREATE, APR_FPROT_OS_DEFAULT, pool);
    if (rv != APR_SUCCESS) {
        return explain(pool, marker, rv);
    }
    return apr_file_lock(file, APR_FLOCK_EXCLUSIVE | APR_FLOCK_NONBLOCK) == APR_SUCCESS
               ? NULL
               : apr_pstrcat(pool, p->directory, ": another command writes there", NULL);
}

/* ---- all of it ---- */

static void init_pages(pages_t *p, ctl_t *ctl)
{
    *p = (pages_t){.ctl = ctl, .directory = ctl->args[0]};
    apr_pool_create(&p->pool, ctl->pool);
    apr_pool_create(&p->lists.pool, ctl->pool);
    apr_pool_create(&p->sitemaps.pool, ctl->pool);
    p->seen = apr_array_make(ctl->pool, 1024, sizeof(apr_uint64_t));
    ctl_progress_begin(&p->progress);
}

static const char *prepare(pages_t *p)
{
    const char *fault = set_site(p);

    fault = fault ? fault : ctl_move_check(p->ctl);
    fault = fault ? fault : set_visitors(p);
    return fault ? fault : take_directory(p);
}

int ctl_pages_export(ctl_t *ctl)
{
    pages_t p;
    cat_export_t *export;
    const char *fault;

    init_pages(&p, ctl);
    fault = prepare(&p);
    fault = fault ? fault : open_export(&p, &export);
    fault = fault ? fault : write_products(&p, export);
    fault = fault ? fault : write_ends(&p);
    fault = fault ? fault : remove_others(&p);
    ctl_progress_leave(&p.progress);
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    printf("%d files written, %d unchanged, %d removed\n", p.written, p.unchanged, p.removed);
    return CTL_DONE;
}
