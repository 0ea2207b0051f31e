/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the values of directives beyond the range in their rows of the directive table (httpd/directives.def). A check
 * sees one value alone and reads the files that it names, so that each mistake is reported with its line. httpd/conf.c
 * checks what several settings must have in common, when all settings are known.
 */
#include "httpd/directive_checks.h"

#include <apr_file_info.h>
#include <apr_strings.h>
#include <apr_uri.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "accounts/blocklist.h"
#include "accounts/outbox.h"
#include "accounts/role.h"
#include "accounts/user.h"
#include "catalogue/lists.h"
#include "catalogue/store.h"
#include "db/db.h"
#include "db/setup.h"
#include "http/cors.h"
#include "http/rate_limit.h"
#include "http/uri.h"
#include "http/webhook.h"
#include "httpd/config_tree.h"
#include "jose/key.h"
#include "jose/keyring.h"
#include "jose/token.h"
#include "lib/file.h"
#include "lib/secret.h"
#include "lib/url.h"
#include "mail/message.h"
#include "mail/transport.h"

static const struct {
    const char *name;
    const char *text;
} templates[] = {
#define TEMPLATE(name, text) {name, text},
#include "templates.inc"
#undef TEMPLATE
};

static const char *const placeholders[] = {"username", "link", "hours", NULL};

static int has_text(const apr_array_header_t *list, const char *text)
{
    for (int i = 0; i < list->nelts; i++) {
        if (!strcmp(APR_ARRAY_IDX(list, i, const char *), text)) {
            return 1;
        }
    }
    return 0;
}

/* Returns the languages of the texts, beginning with "en", the language of texts without one. */
static apr_array_header_t *list_languages(apr_pool_t *pool, const apr_table_t *texts)
{
    const apr_array_header_t *rows = apr_table_elts(texts);
    apr_array_header_t *languages = apr_array_make(pool, 2, sizeof(const char *));

    APR_ARRAY_PUSH(languages, const char *) = "en";
    for (int i = 0; i < rows->nelts; i++) {
        const char *name = APR_ARRAY_IDX(rows, i, apr_table_entry_t).key, *slash = strchr(name, '/');
        const char *language = slash ? apr_pstrmemdup(pool, name, (apr_size_t)(slash - name)) : "en";
        if (!has_text(languages, language)) {
            APR_ARRAY_PUSH(languages, const char *) = language;
        }
    }
    return languages;
}

/* Sets the texts of mails: the site's own texts, and built-in texts for mails that have no own text. An own text
 * without a language replaces the built-in texts in all languages. */
static void set_texts(apr_pool_t *pool, cat_conf_t *conf, const apr_table_t *own)
{
    conf->mail_texts = apr_table_copy(pool, own);
    for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++) {
        const char *slash = strchr(templates[i].name, '/');
        if (!apr_table_get(own, templates[i].name) && !(slash && apr_table_get(own, slash + 1))) {
            apr_table_setn(conf->mail_texts, templates[i].name, templates[i].text);
        }
    }
    conf->mail_languages = list_languages(pool, conf->mail_texts);
}

void cat_directive_checks_fill(apr_pool_t *pool, cat_conf_t *conf)
{
    if (!conf->mail_texts) {
        set_texts(pool, conf, apr_table_make(pool, 0));
    }
}

static const char *check_mount(cmd_parms *cmd)
{
    const ap_directive_t *section = cmd->directive->parent;
    char *decoded = apr_pstrdup(cmd->pool, cmd->path);

    if (!section || strcasecmp(section->directive, "<Location") || *section->args == '~' || strpbrk(cmd->path, "*?[")) {
        return "CatalogEnable requires a <Location> with a plain path: a pattern has no prefix to serve";
    }
    if (strchr(cmd->path, ';')) {
        return "CatalogEnable requires a <Location> without ';', which the path of a cookie cannot contain";
    }
    if (ap_unescape_url(decoded) == OK && strcmp(decoded, cmd->path)) {
        return apr_psprintf(
            cmd->pool, "CatalogEnable requires a decoded path, because httpd compares decoded paths: <Location \"%s\">",
            decoded);
    }
    return NULL;
}

/* Stores the path of the mount's section without slashes at its end. A section with a pattern has no such path and is
 * refused. */
const char *cat_directive_checks_mount(cmd_parms *cmd, cat_conf_t *conf, const char *)
{
    const char *error = conf->enable ? check_mount(cmd) : NULL;
    apr_size_t length = strlen(cmd->path);

    if (!conf->enable || error) {
        return error;
    }
    while (length > 0 && cmd->path[length - 1] == '/') {
        length--;
    }
    conf->mount = apr_pstrmemdup(cmd->pool, cmd->path, length);
    return NULL;
}

static const char *path_of(cmd_parms *cmd, const char *value)
{
    const char *path = ap_server_root_relative(cmd->pool, value);
    return path ? path : value;
}

const char *cat_directive_checks_key_file(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    return cat_keyring_open_file(cmd->pool, path_of(cmd, value), &conf->keys);
}

const char *cat_directive_checks_key_dir(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    return cat_keyring_open_directory(cmd->pool, path_of(cmd, value), &conf->keys);
}

const char *cat_directive_checks_blocklist(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    cat_blocklist_t *list;
    const char *error = cat_blocklist_read(cmd->pool, path_of(cmd, value), &list);
    conf->blocklist = list;
    return error;
}

const char *cat_directive_checks_synonyms(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    return !strcasecmp(value, "none") ? cat_synonyms_parse(cmd->pool, "", &conf->synonyms)
                                      : cat_synonyms_read(cmd->pool, path_of(cmd, value), &conf->synonyms);
}

static int count_trusts(const cat_conf_t *conf)
{
    int count = 0;
    for (const cat_trust_chain_t *t = conf->trusts; t; t = t->next) {
        count++;
    }
    return count;
}

const char *cat_directive_checks_trust(cmd_parms *cmd, cat_conf_t *conf, const char *issuer, const char *audience,
                                       const char *file)
{
    cat_trust_chain_t *link = apr_pcalloc(cmd->pool, sizeof(*link));
    cat_keys_t *keys = apr_pcalloc(cmd->pool, sizeof(*keys));
    const cat_key_t **all = apr_pcalloc(cmd->pool, sizeof(*all));
    const char *error = cat_key_read_public(cmd->pool, path_of(cmd, file), all);

    if (count_trusts(conf) == CAT_TRUSTS_MAX) {
        return apr_psprintf(cmd->pool, "CatalogTrust may be given at most %d times", CAT_TRUSTS_MAX);
    }
    keys->all = all;
    keys->count = 1;
    link->trust =
        (cat_trust_t){.issuer = issuer, .audience = audience, .keys = keys, .foreign = 1, .roles = cat_role_names};
    link->next = conf->trusts;
    conf->trusts = link;
    return error;
}

static int parse_rate(const char *text, cat_rate_t *rate)
{
    int end = 0;

    *rate = (cat_rate_t){0, 0};
    return !strcasecmp(text, "Off") || (sscanf(text, "%6d/%6d%n", &rate->count, &rate->seconds, &end) == 2 &&
                                        !text[end] && rate->count >= 1 && rate->seconds >= 1);
}

const char *cat_directive_checks_rates(apr_pool_t *pool, cat_conf_t *conf, int count, char *const words[])
{
    cat_rate_t *rates = apr_pcalloc(pool, CAT_RATE_COUNT * sizeof(*rates));
    int is_off = count == 1 && !strcasecmp(words[0], "Off");

    if (conf->rates && !is_off) {
        memcpy(rates, conf->rates, CAT_RATE_COUNT * sizeof(*rates));
    }
    conf->rates = rates;
    for (int i = 0; i + 1 < count; i += 2) {
        cat_rate_kind_t kind = cat_rate_limit_find(words[i]);
        cat_rate_t rate;

        if (!parse_rate(words[i + 1], &rate)) {
            return apr_psprintf(pool, "CatalogRateLimit: '%s' must be count/seconds, such as 30/60, or Off",
                                words[i + 1]);
        }
        if (kind == CAT_RATE_NONE) {
            return apr_psprintf(pool, "CatalogRateLimit: '%s' must be " CAT_RATE_LIMIT_NAMES_TEXT, words[i]);
        }
        rates[kind] = rate;
    }
    return (count == 0 || count % 2) && !is_off ? "CatalogRateLimit takes pairs such as login 30/60, or Off" : NULL;
}

const char *cat_directive_checks_names(apr_pool_t *pool, cat_conf_t *conf, int count, char *const words[])
{
    int are_none = count == 1 && !strcasecmp(words[0], "none");
    const char **names = apr_pcalloc(pool, ((apr_size_t)count + 1) * sizeof(*names));

    conf->reserved_names = names;
    for (int i = 0; i < count && !are_none; i++) {
        const char *fault = cat_user_name_rule.refuse(&cat_user_name_rule, words[i]);
        if (fault) {
            return apr_psprintf(pool, "CatalogReservedNames takes user names, or none: '%s' %s", words[i], fault);
        }
        names[i] = words[i];
    }
    return count ? NULL : "CatalogReservedNames takes user names, or none";
}

const char *cat_directive_checks_index(apr_pool_t *pool, cat_conf_t *conf, int count, char *const words[])
{
    const char *text = "";
    int parts;

    for (int i = 0; i < count; i++) {
        text = apr_pstrcat(pool, text, i ? " " : "", words[i], NULL);
    }
    parts = cat_product_keys_read_set(text);
    if (!count || parts < 0) {
        return apr_psprintf(
            pool, "CatalogIndex must be some of category, price, name, rating and search, or none, not '%s'", text);
    }
    conf->index = cat_product_keys_set(parts);
    return NULL;
}

const char *cat_directive_checks_field(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    const char *fault = cat_own_fields_add(cmd->pool, conf->fields, value, &conf->fields);

    return !fault && conf->fields->count > CAT_PRODUCT_FIELDS + CAT_OWN_FIELDS_MAX
               ? apr_psprintf(cmd->pool, "CatalogField %s: there may be at most %d fields", value, CAT_OWN_FIELDS_MAX)
               : fault;
}

const void *cat_directive_checks_merge_fields(apr_pool_t *pool, const void *base, const void *over)
{
    return cat_own_fields_merge(pool, base, over);
}

typedef struct field_search_t {
    const char *line;
    const ap_directive_t *found;
} field_search_t;

static void find_field(void *baton, const ap_directive_t *d)
{
    field_search_t *search = baton;

    if (!strcasecmp(d->directive, "CatalogField") && !strcmp(d->args, search->line)) {
        search->found = d;
    }
}

/* Names the text of a line that is not in httpd's tree: a line from a macro, or with a variable, may differ from its
 * text there. */
const char *cat_directive_checks_place_field(apr_pool_t *pool, const char *line)
{
    field_search_t search = {.line = line};

    cat_config_tree_walk(ap_conftree, find_field, &search);
    return search.found ? apr_psprintf(pool, "line %d of %s", search.found->line_num, search.found->filename)
                        : apr_psprintf(pool, "the line with %s", line);
}

/* ---- webhooks ---- */

#define SECRET_OPTION "secret="
#define EVENTS_OPTION "events="

static const char *read_secrets(cmd_parms *cmd, cat_webhook_t *webhook, const char *file)
{
    const char *text, *path = path_of(cmd, file);
    apr_size_t length;
    const char *error = cat_secret_read_file(cmd->pool, path, &text, &length);

    if (error) {
        return error;
    }
    error = strlen(text) == length ? cat_webhook_set_secrets(cmd->pool, webhook, text) : "has a NUL";
    return error ? apr_psprintf(cmd->pool, "%s: %s", path, error) : NULL;
}

static const char *set_webhook_option(cmd_parms *cmd, cat_webhook_t *webhook, const char *word)
{
    const char *secret = strstr(word, CAT_WEBHOOK_SECRET_PREFIX);

    if (secret && (secret == word || secret[-1] != '/')) { /* Otherwise the word is the name of a file. */
        return "takes secret=FILE, the name of a file with the secret, and not the secret itself";
    }
    if (!strncmp(word, SECRET_OPTION, strlen(SECRET_OPTION)) && !webhook->secrets) {
        return read_secrets(cmd, webhook, word + strlen(SECRET_OPTION));
    }
    if (!strncmp(word, EVENTS_OPTION, strlen(EVENTS_OPTION)) && !webhook->events) {
        return cat_webhook_set_events(cmd->pool, webhook, word + strlen(EVENTS_OPTION));
    }
    return apr_psprintf(cmd->pool,
                        "takes a URL, secret=FILE and optionally events=NAMES, each once; '%s' is none of them",
                        apr_pstrmemdup(cmd->pool, word, strcspn(word, "=")));
}

static const char *parse_webhook(cmd_parms *cmd, cat_webhook_t *webhook, const char *line)
{
    const char *error = cat_webhook_set_url(cmd->pool, webhook, ap_getword_conf(cmd->pool, &line));

    while (*line && !error) {
        error = set_webhook_option(cmd, webhook, ap_getword_conf(cmd->pool, &line));
    }
    webhook->events = webhook->events ? webhook->events : CAT_WEBHOOK_ALL;
    return error || webhook->secrets ? error : "requires secret=FILE, the file with the secret that signs messages";
}

static int has_webhook(const apr_array_header_t *webhooks, const char *url)
{
    for (int i = 0; webhooks && i < webhooks->nelts; i++) {
        if (!strcmp(APR_ARRAY_IDX(webhooks, i, const cat_webhook_t *)->url, url)) {
            return 1;
        }
    }
    return 0;
}

const char *cat_directive_checks_webhook(cmd_parms *cmd, cat_conf_t *conf, const char *line)
{
    cat_webhook_t *webhook = apr_pcalloc(cmd->pool, sizeof(*webhook));
    const char *error = parse_webhook(cmd, webhook, line);
    apr_array_header_t *all = conf->webhooks ? apr_array_copy(cmd->pool, conf->webhooks)
                                             : apr_array_make(cmd->pool, 2, sizeof(const cat_webhook_t *));

    if (!error && has_webhook(all, webhook->url)) {
        error = "another line has this URL already; write all events in one line";
    }
    APR_ARRAY_PUSH(all, const cat_webhook_t *) = webhook;
    conf->webhooks = all;
    return error ? apr_psprintf(cmd->pool, "CatalogWebhook %s: %s", webhook->name, error) : NULL;
}

/* A section may name a URL of an outer section again, with other events. Its own line then replaces the outer line. */
const void *cat_directive_checks_merge_webhooks(apr_pool_t *pool, const void *base, const void *over)
{
    const apr_array_header_t *outer = base;
    apr_array_header_t *all = apr_array_copy(pool, over);

    for (int i = 0; i < outer->nelts; i++) {
        const cat_webhook_t *webhook = APR_ARRAY_IDX(outer, i, const cat_webhook_t *);
        if (!has_webhook(over, webhook->url)) {
            APR_ARRAY_PUSH(all, const cat_webhook_t *) = webhook;
        }
    }
    return all;
}

static const char *check_origins(apr_pool_t *pool, int count, char *const words[])
{
    for (int i = 0; i < count; i++) {
        const char *fault = strcasecmp(words[i], "none") ? cat_cors_check_origin(words[i]) : "must be the only word";
        if (fault) {
            return apr_psprintf(pool, "CatalogAllowOrigin: '%s' %s", cat_url_without_user(pool, words[i]), fault);
        }
    }
    return count ? NULL : "CatalogAllowOrigin takes origins such as https://shop.example.com, or *, or none";
}

const char *cat_directive_checks_origins(apr_pool_t *pool, cat_conf_t *conf, int count, char *const words[])
{
    cat_origins_t *origins = apr_pcalloc(pool, sizeof(*origins));

    conf->origins = origins;
    if (count == 1 && !strcasecmp(words[0], "none")) {
        return NULL;
    }
    if (count == 1 && !strcmp(words[0], "*")) {
        origins->any = 1;
        return NULL;
    }
    origins->list = apr_pmemdup(pool, words, (apr_size_t)count * sizeof(*words));
    origins->count = count;
    return check_origins(pool, count, words);
}

static int is_token(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'+-.^_`|~";

    return *text && !text[strspn(text, allowed)];
}

/* Refuses "*": browsers take it for a header's name where cookies are sent, and it never includes Authorization. */
const char *cat_directive_checks_headers(apr_pool_t *pool, cat_conf_t *conf, int count, char *const words[])
{
    conf->allow_headers = "";
    if (count == 1 && !strcasecmp(words[0], "none")) {
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (!is_token(words[i]) || !strcasecmp(words[i], "none")) {
            return apr_psprintf(pool, "CatalogAllowHeaders takes names of headers, or none; '%s' is not", words[i]);
        }
        conf->allow_headers = apr_pstrcat(pool, conf->allow_headers, ", ", words[i], NULL);
    }
    return count ? NULL : "CatalogAllowHeaders takes names of headers such as traceparent, or none";
}

const char *cat_directive_checks_ca_file(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    apr_finfo_t info;
    const char *path = path_of(cmd, value);
    apr_status_t rv = apr_stat(&info, path, APR_FINFO_TYPE, cmd->temp_pool);

    if (rv != APR_SUCCESS || info.filetype != APR_REG) {
        return apr_psprintf(cmd->pool, "%s: %s is not a readable file", cmd->cmd->name, path);
    }
    conf->mail_ca_file = path;
    return NULL;
}

static const char *check_directory(cmd_parms *cmd, const char *path)
{
    apr_finfo_t info;
    apr_status_t rv = apr_stat(&info, path, APR_FINFO_TYPE, cmd->temp_pool);
    return rv != APR_SUCCESS || info.filetype != APR_DIR
               ? apr_psprintf(cmd->pool, "%s: there is no directory %s; create it", cmd->cmd->name, path)
               : NULL;
}

const char *cat_directive_checks_image_cache(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    conf->image_cache = path_of(cmd, value);
    return NULL;
}

const char *cat_directive_checks_image_program(cmd_parms *cmd, cat_conf_t *, const char *value)
{
    return *value == '/' ? NULL
                         : apr_psprintf(cmd->pool, "CatalogImageProgram must be an absolute path; '%s' is not", value);
}

const char *cat_directive_checks_mail(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    const char *directory = cat_transport_directory(value), *error;

    if (directory && *directory) {
        conf->mail = apr_pstrcat(cmd->pool, "file:", path_of(cmd, directory), NULL);
    }
    error = cat_transport_find(value)->check(cmd->pool, conf->mail);
    return error ? apr_psprintf(cmd->pool,
                                "CatalogMail must be smtp://host[:port][/name], smtps://host[:port][/name] or "
                                "file:DIR; '%s' %s",
                                cat_url_without_user(cmd->pool, value), error)
                 : NULL;
}

const char *cat_directive_checks_credentials(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    const char *text, *colon;
    apr_size_t length;
    const char *error;

    if (strchr(value, ':') && !strchr(value, '/')) {
        return "CatalogMailCredentials takes the name of a file with user:password, and not these themselves";
    }
    error = cat_secret_read_file(cmd->pool, path_of(cmd, value), &text, &length);
    if (error) {
        return error;
    }
    colon = strchr(text, ':');
    if (!colon || colon == text || strlen(text) != length || strpbrk(text, "\r\n")) {
        return apr_psprintf(cmd->pool, "%s: must contain one line, user:password", value);
    }
    conf->mail_user = apr_pstrmemdup(cmd->pool, text, (apr_size_t)(colon - text));
    conf->mail_password = colon + 1;
    return NULL;
}

const char *cat_directive_checks_sender(cmd_parms *cmd, cat_conf_t *, const char *value)
{
    return cat_message_address(cmd->temp_pool, value)
               ? NULL
               : apr_psprintf(cmd->pool, "CatalogMailFrom must be an address, or \"Name <address>\"; '%s' is not",
                              value);
}

#define TEMPLATE_MAX 1024 /* In KiB. */

/* Adds the text of a file to `texts`. Adds nothing if the file does not exist, so the built-in text stays. */
static const char *read_template(cmd_parms *cmd, const char *directory, const char *name, apr_table_t *texts)
{
    const char *path = apr_pstrcat(cmd->pool, directory, "/", name, ".txt", NULL), *error;
    char *text;
    apr_size_t length;
    apr_finfo_t info;

    if (APR_STATUS_IS_ENOENT(apr_stat(&info, path, APR_FINFO_TYPE, cmd->temp_pool))) {
        return NULL;
    }
    error = cat_file_read_text(cmd->pool, path, TEMPLATE_MAX, &text, &length);
    if (error) {
        return error;
    }
    apr_table_setn(texts, name, text);
    error = cat_message_check_template(cmd->pool, text, placeholders);
    return error ? apr_psprintf(cmd->pool, "%s: %s", path, error) : NULL;
}

/* Reads the texts of one language. `language` is "", or "de/" for the texts in the directory "de". */
static const char *read_templates(cmd_parms *cmd, const char *directory, const char *language, apr_table_t *texts)
{
    const char *error = NULL;

    for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]) && !error; i++) {
        if (!strchr(templates[i].name, '/')) {
            error = read_template(cmd, directory, apr_pstrcat(cmd->pool, language, templates[i].name, NULL), texts);
        }
    }
    return error;
}

/* Returns true if the entry is a directory, or a link to one, and has the name of a language such as "de". */
static int is_language(const cmd_parms *cmd, const char *directory, const char *name)
{
    apr_size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    apr_finfo_t info;

    return (length == 2 || length == 3) && !name[length] &&
           apr_stat(&info, apr_pstrcat(cmd->temp_pool, directory, "/", name, NULL), APR_FINFO_TYPE, cmd->temp_pool) ==
               APR_SUCCESS &&
           info.filetype == APR_DIR;
}

static const char *read_languages(cmd_parms *cmd, const char *directory, apr_table_t *texts)
{
    const char *error = NULL;
    apr_finfo_t info;
    apr_dir_t *listing;
    char why[120];
    apr_status_t rv = apr_dir_open(&listing, directory, cmd->temp_pool);

    if (rv != APR_SUCCESS) {
        return apr_psprintf(cmd->pool, "%s: %s", directory, apr_strerror(rv, why, sizeof(why)));
    }
    while (!error && apr_dir_read(&info, APR_FINFO_NAME, listing) == APR_SUCCESS) {
        error = is_language(cmd, directory, info.name)
                    ? read_templates(cmd, directory, apr_pstrcat(cmd->temp_pool, info.name, "/", NULL), texts)
                    : NULL;
    }
    apr_dir_close(listing);
    return error;
}

const char *cat_directive_checks_templates(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    const char *directory = path_of(cmd, value);
    const char *error = check_directory(cmd, directory);
    apr_table_t *own = apr_table_make(cmd->pool, 8);

    if (!error) {
        error = read_templates(cmd, directory, "", own);
    }
    if (!error) {
        error = read_languages(cmd, directory, own);
    }
    set_texts(cmd->pool, conf, own);
    return error;
}

/* Parses a URL. Returns false unless it is an absolute http or https URL, without user and password, that a mail can
 * contain. */
static int parse_url(cmd_parms *cmd, const char *value, apr_uri_t *uri)
{
    return apr_uri_parse(cmd->temp_pool, value, uri) == APR_SUCCESS && uri->scheme && uri->hostname && *uri->hostname &&
           (!strcmp(uri->scheme, "http") || !strcmp(uri->scheme, "https")) && !uri->user &&
           !strpbrk(value, " <>\"\r\n\t");
}

static const char *set_base(cmd_parms *cmd, const char *value, const char **base)
{
    apr_uri_t uri;
    apr_size_t length = strlen(value);

    if (!parse_url(cmd, value, &uri) || uri.query || uri.fragment) {
        return apr_psprintf(cmd->pool, "%s must be http://host or https://host, optionally with a path; '%s' is not",
                            cmd->cmd->name, cat_url_without_user(cmd->pool, value));
    }
    while (value[length - 1] == '/') {
        length--;
    }
    *base = apr_pstrmemdup(cmd->pool, value, length);
    return NULL;
}

const char *cat_directive_checks_base_url(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    const char *error = set_base(cmd, value, &conf->base_url);
    apr_uri_t uri;

    if (error) {
        return error;
    }
    apr_uri_parse(cmd->temp_pool, conf->base_url, &uri);
    if (uri.path && ap_unescape_url(uri.path) != OK) {
        return apr_psprintf(cmd->pool, "%s has a path that is not percent-encoded correctly: '%s'", cmd->cmd->name,
                            value);
    }
    conf->base_path = cat_uri_encode_path(cmd->pool, uri.path ? uri.path : "");
    return NULL;
}

const char *cat_directive_checks_pages_url(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    return set_base(cmd, value, &conf->pages_url);
}

static const char **find_link(cat_conf_t *conf, const char *kind)
{
    return !strcmp(kind, CAT_MAIL_CONFIRM)     ? &conf->link_confirm
           : !strcmp(kind, CAT_MAIL_RESET)     ? &conf->link_reset
           : !strcmp(kind, CAT_MAIL_NEW_EMAIL) ? &conf->link_new_email
                                               : NULL;
}

const char *cat_directive_checks_link(cmd_parms *cmd, cat_conf_t *conf, const char *kind, const char *url)
{
    const char **link = find_link(conf, kind);
    apr_uri_t uri;

    if (!link || !url) {
        return "CatalogLink takes confirm, reset or new_email, and a URL, such as https://app.example.com/verify#%t";
    }
    if (!parse_url(cmd, url, &uri)) {
        return apr_psprintf(cmd->pool, "CatalogLink %s must begin with http://host or https://host; '%s' does not",
                            kind, cat_url_without_user(cmd->pool, url));
    }
    if (!strstr(url, "%t") || strstr(uri.hostname, "%t")) {
        return apr_psprintf(
            cmd->pool,
            "CatalogLink %s must contain %%t, which the token of the link replaces, after the host; '%s' does "
            "not",
            kind, url);
    }
    *link = url;
    return NULL;
}

const char *cat_directive_checks_currency(cmd_parms *cmd, cat_conf_t *, const char *value)
{
    return strlen(value) == 3 && strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3
               ? NULL
               : apr_psprintf(cmd->pool,
                              "CatalogCurrency must be three capital letters of ISO 4217, such as EUR; '%s' is not",
                              value);
}

#define HISTORY_MOST (3650 * 86400)

/* Returns seconds, or 0 if the text is not a whole number of days, hours, minutes or seconds. */
static apr_int64_t read_duration(const char *text)
{
    static const char units[] = "smhd";
    static const int seconds[] = {1, 60, 3600, 86400};
    char *end;
    apr_int64_t number = apr_strtoi64(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;

    return unit && !end[1] && *text >= '0' && *text <= '9' && number <= HISTORY_MOST ? number * seconds[unit - units]
                                                                                     : 0;
}

const char *cat_directive_checks_history(apr_pool_t *pool, cat_conf_t *conf, int count, char *const words[])
{
    int *history = apr_pcalloc(pool, sizeof(*history));
    apr_int64_t seconds = count == 1 ? read_duration(words[0]) : 0;

    conf->history = history;
    if (count == 1 && !strcasecmp(words[0], "Off")) {
        return NULL;
    }
    *history = (int)(seconds <= HISTORY_MOST ? seconds : 0);
    return *history > 0
               ? NULL
               : "CatalogHistory must be Off, or a whole number with d for days, h for hours, m for minutes or s for "
                 "seconds, such as 30d, and at most 3650d";
}

const char *cat_directive_checks_cache_size(cmd_parms *cmd, cat_conf_t *conf, const char *)
{
    if (conf->cache_size && conf->cache_size < CAT_RESPONSE_CACHE_LEAST) {
        return apr_psprintf(cmd->pool, "CatalogCacheSize must be 0 or at least %d, not %d", CAT_RESPONSE_CACHE_LEAST,
                            conf->cache_size);
    }
    return NULL;
}

/* Suggests the driver's usual parameters, or SQLite's if the driver is unknown. Does not repeat a first word with "=",
 * which may be the parameters, with a password. */
static const char *explain_database(cmd_parms *cmd, const char *driver)
{
    const cat_dialect_t *found = cat_dialect_find(driver), *example = found ? found : &cat_dialect_sqlite3;
    const char *fault = found                 ? ""
                        : strchr(driver, '=') ? ", and the first word is no driver"
                                              : apr_pstrcat(cmd->pool, ", and there is no driver ", driver, NULL);

    return apr_psprintf(cmd->pool,
                        "CatalogDatabase takes a driver (%s) and its parameters%s; write: CatalogDatabase %s %s",
                        cat_dialect_names(cmd->pool), fault, example->driver, example->params);
}

const char *cat_directive_checks_database(cmd_parms *cmd, cat_conf_t *conf, const char *driver, const char *params)
{
    const apr_dbd_driver_t *found;

    if (!params || !*params || !cat_dialect_find(driver)) {
        return explain_database(cmd, driver);
    }
    if (apr_dbd_init(cmd->pool) != APR_SUCCESS || apr_dbd_get_driver(cmd->pool, driver, &found) != APR_SUCCESS) {
        return apr_psprintf(cmd->pool,
                            "CatalogDatabase: the driver %s cannot be loaded; on Debian it is in libaprutil1-dbd-%s",
                            driver, driver);
    }
    conf->database = cat_pool_create(cmd->pool, driver, params);
    return NULL;
}
