/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/conf.h"

#include <apr_strings.h>
#include <stddef.h>
#include <stdlib.h>

#include "httpd/accept.h"

extern module AP_MODULE_DECLARE_DATA catalog_module;

cat_conf_t *cat_conf_get(ap_conf_vector_t *vector)
{
    return ap_get_module_config(vector, &catalog_module);
}

typedef enum { ON_OFF, NUMBER, WORD, TEXT, POINTER } kind_t;

typedef struct directive_t {
    const char *name; /* NULL: a member that another row's accept function sets */
    kind_t kind;
    apr_size_t member; /* offset in cat_conf_t */
    const char *standard;
    int least, most;
    cat_accept_t *accept;
    const char *words; /* WORD: "any|editor|admin"; the value is the word's place */
} directive_t;

static const directive_t rows[] = {
#define DIRECTIVE(name, kind, member, standard, least, most, where, accept, help)                                      \
    {#name, kind, offsetof(cat_conf_t, member), standard, least, most, accept, NULL},
#define CHOICE(name, member, standard, words, where, help)                                                             \
    {#name, WORD, offsetof(cat_conf_t, member), standard, 0, 0, NULL, words},
#define DIRECTIVE2(name, member, where, accept, help) DERIVED(member)
#define DIRECTIVE3(name, member, where, accept, help) DERIVED(member)
#define DIRECTIVE_ARGS(name, member, standard, where, accept, help) DERIVED(member)
#define DERIVED(member) {NULL, POINTER, offsetof(cat_conf_t, member), NULL, 0, 0, NULL, NULL},
#include "httpd/directives.def"
#undef DIRECTIVE
#undef CHOICE
#undef DIRECTIVE2
#undef DIRECTIVE3
#undef DIRECTIVE_ARGS
#undef DERIVED
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static int *number_of(void *conf, const directive_t *row)
{
    return (int *)((char *)conf + row->member);
}

static const void **pointer_of(void *conf, const directive_t *row)
{
    return (const void **)((char *)conf + row->member);
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

/* The word's place in "any|editor|admin", -1 when it is none of them. */
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

static const directive_t *find_row(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].name && !strcasecmp(rows[i].name, name)) {
            return &rows[i];
        }
    }
    return NULL;
}

/* A mount is served without the file system, so sections that follow it never apply. */
static const char *check_place(cmd_parms *cmd)
{
    return ap_check_cmd_context(cmd, NOT_IN_DIRECTORY | NOT_IN_FILES | NOT_IN_LIMIT | NOT_IN_HTACCESS | NOT_IN_PROXY);
}

static const char *set_value(cmd_parms *cmd, void *conf, const char *value)
{
    const directive_t *row = find_row(cmd->cmd->name);
    const char *error = check_place(cmd);

    if (!error && row->kind == ON_OFF) {
        error = parse_flag(cmd, value, number_of(conf, row));
    } else if (!error && row->kind == NUMBER) {
        error = parse_number(cmd, row, value, number_of(conf, row));
    } else if (!error && row->kind == WORD) {
        error = parse_word(cmd, row, value, number_of(conf, row));
    } else if (!error && !*value) {
        error = apr_psprintf(cmd->pool, "%s must not be empty", row->name);
    } else if (!error) {
        *pointer_of(conf, row) = value;
    }
    return !error && row->accept ? row->accept(cmd, conf, value) : error;
}

static const char *set_global_value(cmd_parms *cmd, void *conf, const char *value)
{
    const char *error = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    return error ? error : set_value(cmd, conf, value);
}

static const char *set_database(cmd_parms *cmd, void *conf, const char *driver, const char *params)
{
    const char *error = check_place(cmd);
    return error ? error : cat_accept_database(cmd, conf, driver, params);
}

static const char *set_trust(cmd_parms *cmd, void *conf, const char *issuer, const char *audience, const char *file)
{
    const char *error = check_place(cmd);
    return error ? error : cat_accept_trust(cmd, conf, issuer, audience, file);
}

static const char *set_rates(cmd_parms *cmd, void *conf, int argc, char *const argv[])
{
    const char *error = check_place(cmd);
    return error ? error : cat_accept_rates(cmd, conf, argc, argv);
}

#define MOUNT AP_INIT_TAKE1, set_value, ACCESS_CONF
#define ANYWHERE AP_INIT_TAKE1, set_value, RSRC_CONF | ACCESS_CONF
#define GLOBAL AP_INIT_TAKE1, set_global_value, RSRC_CONF
#define EXPAND(macro, ...) macro(__VA_ARGS__)
#define COMMAND(init, set, where, name, help) init(#name, set, NULL, where, help)

const command_rec cat_conf_directives[] = {
#define DIRECTIVE(name, kind, member, standard, least, most, where, accept, help) EXPAND(COMMAND, where, name, help),
#define CHOICE(name, member, standard, words, where, help) EXPAND(COMMAND, where, name, help),
#define DIRECTIVE2(name, member, where, accept, help)                                                                  \
    AP_INIT_TAKE2(#name, set_database, NULL, RSRC_CONF | ACCESS_CONF, help),
#define DIRECTIVE3(name, member, where, accept, help)                                                                  \
    AP_INIT_TAKE3(#name, set_trust, NULL, RSRC_CONF | ACCESS_CONF, help),
#define DIRECTIVE_ARGS(name, member, standard, where, accept, help)                                                    \
    AP_INIT_TAKE_ARGV(#name, set_rates, NULL, RSRC_CONF | ACCESS_CONF, help),
#define DERIVED(member)
#include "httpd/directives.def"
#undef DIRECTIVE
#undef CHOICE
#undef DIRECTIVE2
#undef DIRECTIVE3
#undef DIRECTIVE_ARGS
#undef DERIVED
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

void *cat_conf_create(apr_pool_t *pool, char *path)
{
    (void)path;
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
        } else if (*pointer_of(over, row)) {
            *pointer_of(merged, row) = *pointer_of(over, row);
        }
    }
    return merged;
}

/* httpd merges anew for each request. */
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

void cat_conf_fill(cat_conf_t *conf)
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
        }
    }
    cat_accept_standards(conf);
}

const char *cat_conf_check(apr_pool_t *pool, const cat_conf_t *conf)
{
    if (!conf->keys) {
        return "has no CatalogKeyFile and no CatalogKeyDir; make a key with: (umask 077; openssl rand -base64 32 "
               ">FILE)";
    }
    if (conf->default_limit > conf->max_limit) {
        return apr_psprintf(pool, "has a CatalogDefaultLimit of %d above its CatalogMaxLimit of %d",
                            conf->default_limit, conf->max_limit);
    }
    if (conf->mail && !conf->base_url) {
        return "has CatalogMail but no CatalogBaseURL for the links in mails, such as https://shop.example.com";
    }
    if (conf->mail && !conf->mail_from) {
        return "has CatalogMail but no CatalogMailFrom, such as no-reply@shop.example.com";
    }
    return NULL;
}

const char *cat_conf_check_trusts(apr_pool_t *pool, const cat_conf_t *conf)
{
    for (const cat_trust_chain_t *t = conf->trusts; t; t = t->next) {
        if (!strcmp(t->trust.issuer, conf->issuer)) {
            return apr_psprintf(pool, "has a CatalogTrust for %s, which is its own CatalogIssuer", conf->issuer);
        }
    }
    return NULL;
}
