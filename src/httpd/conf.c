/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings, from the rows of httpd/directives.def. Each row names a field of cat_conf_t. Setters, range checks, merging
 * and defaults all work on the rows, so a new directive needs no code here.
 *
 *     read       a setter stores the value in its field
 *     merge      server -> virtual host -> <Location>: the innermost value wins. httpd merges again for each request,
 *                so the result for a mount is kept
 *     fill       before the server starts, each field without a value gets its default
 */
#include "httpd/conf.h"

#include <apr_strings.h>
#include <stddef.h>
#include <stdlib.h>

#include "accounts/role.h"
#include "catalogue/lists.h"
#include "catalogue/store.h"
#include "http/uri.h"
#include "httpd/directive_checks.h"
#include "jose/token.h"

extern module AP_MODULE_DECLARE_DATA catalog_module;

cat_conf_t *cat_conf_get(ap_conf_vector_t *vector)
{
    return ap_get_module_config(vector, &catalog_module);
}

typedef enum { DERIVED_FIELD, ON_OFF, NUMBER, WORD, TEXT, SEVERAL, ADDED } kind_t;
typedef enum { MOUNT, ANYWHERE, WHOLE, GLOBAL } place_t;

typedef struct directive_t {
    const char *name; /* NULL for a field that the check of another row sets. */
    kind_t kind;
    apr_size_t field; /* Offset in cat_conf_t. */
    const char *standard;
    int least, most;
    const char *words; /* For WORD: words such as "any|editor|admin". The value is the index of the word. */
    place_t where;
    union {
        cat_directive_checks_text_t *text;
        cat_directive_checks_texts2_t *texts2;
        cat_directive_checks_texts3_t *texts3;
        cat_directive_checks_pairs_t *pairs; /* For PAIRS and WORDS. */
    } check;                                 /* `text` may be NULL. */
    cat_directive_checks_merge_t *merge;     /* For ADDED. */
} directive_t;

enum {
#define DIRECTIVE(id, ...) ROW_##id,
#define CHOICE(id, ...) ROW_##id,
#define TEXTS2(id, ...) ROW_##id,
#define TEXTS3(id, ...) ROW_##id,
#define PAIRS(id, ...) ROW_##id,
#define LINES(id, ...) ROW_##id,
#define WORDS(id, ...) ROW_##id,
#define DERIVED(id) ROW_##id,
#include "httpd/directives.def"
    ROW_COUNT
};

#define ROW(id, kind_of, member, ...)                                                                                  \
    [ROW_##id] = {.kind = (kind_of), .field = offsetof(cat_conf_t, member), __VA_ARGS__},

static const directive_t rows[ROW_COUNT] = {
#define DIRECTIVE(id, kind, member, default, low, high, place, function, help)                                         \
    ROW(id, kind, member, .name = #id, .standard = default, .least = low, .most = high, .where = place,                \
        .check.text = function)
#define CHOICE(id, member, default, choices, place, help)                                                              \
    ROW(id, WORD, member, .name = #id, .standard = default, .words = choices, .where = place)
#define TEXTS2(id, member, place, function, help)                                                                      \
    ROW(id, SEVERAL, member, .name = #id, .where = place, .check.texts2 = function)
#define TEXTS3(id, member, place, function, help)                                                                      \
    ROW(id, SEVERAL, member, .name = #id, .where = place, .check.texts3 = function)
#define PAIRS(id, member, default, place, function, help)                                                              \
    ROW(id, SEVERAL, member, .name = #id, .standard = default, .where = place, .check.pairs = function)
#define LINES(id, member, place, function, merging, help)                                                              \
    ROW(id, ADDED, member, .name = #id, .where = place, .check.text = function, .merge = merging)
#define WORDS PAIRS
#define DERIVED(member) ROW(member, DERIVED_FIELD, member, .name = NULL)
#include "httpd/directives.def"
};

static int *number_of(void *conf, const directive_t *row)
{
    return (int *)((char *)conf + row->field);
}

static const void **pointer_of(void *conf, const directive_t *row)
{
    return (const void **)((char *)conf + row->field);
}

static int is_int(const directive_t *row)
{
    return row->kind == ON_OFF || row->kind == NUMBER || row->kind == WORD;
}

/* ---- setting ---- */

static const char *parse_flag(cmd_parms *cmd, const char *value, int *flag)
{
    if (strcasecmp(value, "On") && strcasecmp(value, "Off")) {
        return apr_psprintf(cmd->pool, "%s must be On or Off, not '%s'", cmd->cmd->name, value);
    }
    *flag = !strcasecmp(value, "On");
    return NULL;
}

static const char *parse_number(cmd_parms *cmd, const directive_t *row, const char *value, int *number)
{
    char *end;
    apr_int64_t n = apr_strtoi64(value, &end, 10);

    if (!*value || *end || n < row->least || n > row->most) {
        return apr_psprintf(cmd->pool, "%s must be a whole number from %d to %d, not '%s'", row->name, row->least,
                            row->most, value);
    }
    *number = (int)n;
    return NULL;
}

/* Returns the index of `value` in words such as "any|editor|admin", ignoring case. Returns -1 if it is not one of
 * them. */
static int find_word(const char *words, const char *value)
{
    apr_size_t length = strlen(value);
    int place = 0;

    for (const char *word = words;; word += strcspn(word, "|") + 1, place++) {
        apr_size_t end = strcspn(word, "|");
        if (end == length && !strncasecmp(word, value, length)) {
            return place;
        }
        if (!word[end]) {
            return -1;
        }
    }
}

static const char *parse_word(cmd_parms *cmd, const directive_t *row, const char *value, int *place)
{
    *place = find_word(row->words, value);
    return *place < 0 ? apr_psprintf(cmd->pool, "%s must be one of %s, not '%s'", row->name, row->words, value) : NULL;
}

static const char *check_mount_section(cmd_parms *cmd)
{
    const ap_directive_t *section = cmd->directive->parent;

    return section && !strncasecmp(section->directive, "<Location", 9)
               ? NULL
               : apr_psprintf(cmd->pool,
                              "%s belongs in the <Location> that serves the catalogue; write: "
                              "<Location \"/api\">, %s %s, </Location>, each on a line of its own",
                              cmd->cmd->name, cmd->cmd->name, cmd->directive->args);
}

/* Checks that the directive may be used in its section. Refuses <Directory> and <Files>, which would never apply,
 * because requests below a mount do not reach the file system. */
static const char *check_place(cmd_parms *cmd, const directive_t *row)
{
    const char *error = row->where == MOUNT ? check_mount_section(cmd) : NULL;
    unsigned forbidden = row->where == GLOBAL
                             ? GLOBAL_ONLY
                             : NOT_IN_DIRECTORY | NOT_IN_FILES | NOT_IN_LIMIT | NOT_IN_HTACCESS | NOT_IN_PROXY;

    return error ? error : ap_check_cmd_context(cmd, forbidden);
}

static const char *store_value(cmd_parms *cmd, const directive_t *row, void *conf, const char *value)
{
    switch (row->kind) {
    case ON_OFF:
        return parse_flag(cmd, value, number_of(conf, row));
    case NUMBER:
        return parse_number(cmd, row, value, number_of(conf, row));
    case WORD:
        return parse_word(cmd, row, value, number_of(conf, row));
    default:
        *pointer_of(conf, row) = value;
        return *value ? NULL : apr_psprintf(cmd->pool, "%s must not be empty", row->name);
    }
}

/* The setters of httpd's command_rec. cmd->info is the directive's row. */

static const char *set_text(cmd_parms *cmd, void *conf, const char *value)
{
    const directive_t *row = cmd->info;
    const char *error = check_place(cmd, row);

    error = error ? error : store_value(cmd, row, conf, value);
    return !error && row->check.text ? row->check.text(cmd, conf, value) : error;
}

static const char *set_texts2(cmd_parms *cmd, void *conf, const char *one, const char *two)
{
    const directive_t *row = cmd->info;
    const char *error = check_place(cmd, row);
    return error ? error : row->check.texts2(cmd, conf, one, two);
}

static const char *set_texts3(cmd_parms *cmd, void *conf, const char *one, const char *two, const char *three)
{
    const directive_t *row = cmd->info;
    const char *error = check_place(cmd, row);
    return error ? error : row->check.texts3(cmd, conf, one, two, three);
}

static const char *set_line(cmd_parms *cmd, void *conf, const char *line)
{
    const directive_t *row = cmd->info;
    const char *error = check_place(cmd, row);
    return error ? error : row->check.text(cmd, conf, line);
}

/* Stores the row's default, so that limits that the directive does not name keep it. */
static void set_default_pairs(apr_pool_t *pool, const directive_t *row, void *conf)
{
    char **words;
    int count = 0;

    apr_tokenize_to_argv(row->standard, &words, pool);
    while (words[count]) {
        count++;
    }
    row->check.pairs(pool, conf, count, words);
}

static const char *set_pairs(cmd_parms *cmd, void *conf, int count, char *const words[])
{
    const directive_t *row = cmd->info;
    const char *error = check_place(cmd, row);

    if (error) {
        return error;
    }
    set_default_pairs(cmd->pool, row, conf);
    return row->check.pairs(cmd->pool, conf, count, words);
}

#define INFO(id) (void *)&rows[ROW_##id]
#define OVERRIDE(where) ((where) == GLOBAL ? RSRC_CONF : RSRC_CONF | ACCESS_CONF)

const command_rec cat_conf_directives[] = {
#define DIRECTIVE(id, kind, member, default, low, high, place, function, help)                                         \
    AP_INIT_TAKE1(#id, set_text, INFO(id), OVERRIDE(place), help),
#define CHOICE(id, member, default, choices, place, help) AP_INIT_TAKE1(#id, set_text, INFO(id), OVERRIDE(place), help),
#define TEXTS2(id, member, place, function, help) AP_INIT_TAKE12(#id, set_texts2, INFO(id), OVERRIDE(place), help),
#define TEXTS3(id, member, place, function, help) AP_INIT_TAKE3(#id, set_texts3, INFO(id), OVERRIDE(place), help),
#define PAIRS(id, member, default, place, function, help)                                                              \
    AP_INIT_TAKE_ARGV(#id, set_pairs, INFO(id), OVERRIDE(place), help),
#define LINES(id, member, place, function, merging, help)                                                              \
    AP_INIT_RAW_ARGS(#id, set_line, INFO(id), OVERRIDE(place), help),
#define WORDS PAIRS
#define DERIVED(member)
#include "httpd/directives.def"
    {.name = NULL}};

/* ---- create and merge ---- */

static cat_conf_t *create_unset(apr_pool_t *pool)
{
    cat_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (is_int(&rows[i])) {
            *number_of(conf, &rows[i]) = CAT_UNSET;
        }
    }
    return conf;
}

void *cat_conf_create(apr_pool_t *pool, char *)
{
    return create_unset(pool);
}

static cat_conf_t *merge(apr_pool_t *pool, const cat_conf_t *base, cat_conf_t *over)
{
    cat_conf_t *merged = apr_pmemdup(pool, base, sizeof(*merged));

    merged->known_base = NULL;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const directive_t *row = &rows[i];
        if (is_int(row)) {
            if (*number_of(over, row) != CAT_UNSET) {
                *number_of(merged, row) = *number_of(over, row);
            }
        } else if (row->merge && *pointer_of(over, row) && *pointer_of(merged, row)) {
            *pointer_of(merged, row) = row->merge(pool, *pointer_of(merged, row), *pointer_of(over, row));
        } else if (*pointer_of(over, row)) {
            *pointer_of(merged, row) = *pointer_of(over, row);
        }
    }
    if (merged->mount) {
        merged->mount_uri = apr_pstrcat(pool, merged->base_path ? merged->base_path : "",
                                        cat_uri_encode_path(pool, merged->mount), NULL);
    }
    cat_visible_derive(pool, merged);
    return merged;
}

/* httpd calls this again for each request, so the result of cat_conf_merge_ahead is reused. */
void *cat_conf_merge(apr_pool_t *pool, void *base, void *over)
{
    const cat_conf_t *o = over;
    return o->known_base == base ? (void *)o->known_result : merge(pool, base, over);
}

const cat_conf_t *cat_conf_merge_ahead(apr_pool_t *pool, const cat_conf_t *base, cat_conf_t *over)
{
    over->known_result = merge(pool, base, over);
    over->known_base = base;
    return over->known_result;
}

void cat_conf_fill(apr_pool_t *pool, cat_conf_t *conf)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const directive_t *row = &rows[i];
        if (row->kind == ON_OFF && *number_of(conf, row) == CAT_UNSET) {
            *number_of(conf, row) = !strcmp(row->standard, "On");
        } else if (row->kind == NUMBER && *number_of(conf, row) == CAT_UNSET) {
            *number_of(conf, row) = atoi(row->standard);
        } else if (row->kind == WORD && *number_of(conf, row) == CAT_UNSET) {
            *number_of(conf, row) = find_word(row->words, row->standard);
        } else if (row->kind == TEXT && !*pointer_of(conf, row)) {
            *pointer_of(conf, row) = row->standard;
        } else if (row->kind == SEVERAL && row->standard && !*pointer_of(conf, row)) {
            set_default_pairs(pool, row, conf);
        }
    }
    cat_directive_checks_fill(pool, conf);
}

const char *cat_conf_find_whole(const cat_conf_t *section)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const directive_t *row = &rows[i];
        int is_set = is_int(row) ? *number_of((cat_conf_t *)section, row) != CAT_UNSET
                                 : *pointer_of((cat_conf_t *)section, row) != NULL;
        if (row->where == WHOLE && row->name && is_set) {
            return row->name;
        }
    }
    return NULL;
}

const char *cat_conf_check_fields(apr_pool_t *pool, const cat_conf_t *conf)
{
    const char *line = NULL, *fault = conf->fields ? cat_own_fields_check(pool, conf->fields, &line) : NULL;

    if (fault) {
        return apr_psprintf(pool, "has a CatalogField that does not fit in, on %s: %s",
                            cat_directive_checks_place_field(pool, line), fault);
    }
    return conf->fault ? apr_psprintf(pool, "has a CatalogVisible that cannot be used: %s", conf->fault) : NULL;
}

const char *cat_conf_check(apr_pool_t *pool, const cat_conf_t *conf)
{
    if (!conf->keys) {
        return "has no CatalogKeyFile and no CatalogKeyDir; set CatalogKeyFile FILE, and create that file with: (umask "
               "077; openssl rand -base64 32 >FILE)";
    }
    if (conf->default_limit > conf->max_limit) {
        return apr_psprintf(
            pool, "has a CatalogDefaultLimit of %d above its CatalogMaxLimit of %d; lower the one or raise the other",
            conf->default_limit, conf->max_limit);
    }
    if (conf->mail && !conf->base_url && !conf->pages_url &&
        !(conf->link_confirm && conf->link_reset && conf->link_new_email)) {
        return "has CatalogMail but no CatalogBaseURL for the links in mails; set CatalogBaseURL to the public address "
               "of the site, such as https://shop.example.com";
    }
    if (conf->mail && !conf->mail_from) {
        return "has CatalogMail but no CatalogMailFrom; set it to the sender of mails, such as "
               "no-reply@shop.example.com";
    }
    if (conf->images && !conf->image_cache) {
        return "has CatalogImages but no CatalogImageCache; set it to a directory, such as /var/cache/catalog/images";
    }
    if (conf->webhooks && !cat_conf_history(conf)) {
        return "has CatalogWebhook but CatalogHistory Off; set CatalogHistory to a time such as 30d, because webhooks "
               "send changes from the history";
    }
    return cat_conf_check_fields(pool, conf);
}

const char *cat_conf_check_trusts(apr_pool_t *pool, const cat_conf_t *conf)
{
    for (const cat_trust_chain_t *t = conf->trusts; t; t = t->next) {
        if (!strcmp(t->trust.issuer, conf->issuer)) {
            return apr_psprintf(pool,
                                "has a CatalogTrust for %s, which is its own CatalogIssuer; remove that CatalogTrust",
                                conf->issuer);
        }
    }
    return NULL;
}
