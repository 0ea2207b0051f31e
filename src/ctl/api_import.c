/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl import --api: sends a file of products to POST /products/import of a server, as any program with a key can.
 *
 *     standard input -> libcurl, piece by piece, as the server reads it -> the answer: a summary, or the rows that are bad
 *
 * The file is not read before the server has agreed to take it (Expect: 100-continue), so a key that has ended costs no upload. The key is
 * sent over TLS only, unless the server is this machine, and to the URL's host only: no redirect is followed.
 */
#include "ctl/api_import.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_escape.h>
#include <apr_strings.h>
#include <curl/curl.h>

#include "ctl/progress.h"
#include "lib/buffer.h"
#include "lib/json.h"
#include "lib/secret.h"

#define ANSWER_MAX (1024 * 1024) /* octets that are kept of an answer: its first 100 bad rows take less */
#define CONNECT_SECONDS 30L
#define SECURE "https://"

typedef struct sending_t {
    ctl_t *ctl;
    int first;        /* octet of the input, read to find out what it is; EOF: it has been sent, or there is none */
    apr_int64_t sent; /* octets */
    int failed;       /* flag: standard input cannot be read */
    cat_buffer_t answer;
    ctl_progress_t progress;
} sending_t;

/* ---- the command line ---- */

const char *ctl_api_import_check(const ctl_options_t *options, const char *given)
{
    if (!options->api) {
        return strpbrk(given, "Kz") ? "--by and --parts go with --api" : NULL;
    }
    if (!options->key) {
        return "--api goes with --key, the file with the key that the server gave";
    }
    if (strpbrk(given, "cDxsmdplI")) {
        return "--api replaces a configuration and a database, and takes no files of pictures";
    }
    if (options->by && !options->upsert) {
        return "--by goes with --upsert";
    }
    return NULL;
}

static int is_local(const char *host, apr_size_t length)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};

    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        if (strlen(hosts[i]) == length && !strncasecmp(hosts[i], host, length)) {
            return 1;
        }
    }
    return 0;
}

static const char *check_url(const char *url)
{
    static const char plain[] = "http://";
    const char *host = url + strlen(plain);
    apr_size_t length;

    if (strpbrk(url, "?#@ ")) {
        return "must be the address of the API alone, such as https://shop.example/api";
    }
    if (!strncasecmp(url, SECURE, strlen(SECURE))) {
        return NULL;
    }
    if (strncasecmp(url, plain, strlen(plain)) != 0) {
        return "must begin with https://";
    }
    length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
    return is_local(host, length) ? NULL : "must begin with https://, or anybody on the way could read the key";
}

/* The parameters of the request; the server checks their values. */
static const char *write_url(ctl_t *ctl)
{
    const ctl_options_t *o = ctl->options;
    const struct {
        const char *name, *value;
    } parameters[] = {
        {"mode", o->upsert ? "upsert" : NULL},
        {"key", o->by},
        {"dryRun", o->dry_run ? "true" : NULL},
        {"atomic", o->parts ? "false" : NULL},
        {"delimiter", o->delimiter},
        {"decimal", o->decimal},
        {"encoding", o->encoding},
        {"list", o->list},
        {"columns", o->columns},
        {"header", o->no_header ? "false" : NULL},
    };
    apr_size_t length = strlen(o->api);
    const char *url = apr_pstrcat(ctl->pool, apr_pstrmemdup(ctl->pool, o->api, length - (o->api[length - 1] == '/')),
                                  "/products/import", NULL);
    char mark = '?';

    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
        if (parameters[i].value) {
            url = apr_psprintf(ctl->pool, "%s%c%s=%s", url, mark, parameters[i].name,
                               apr_pescape_urlencoded(ctl->pool, parameters[i].value));
            mark = '&';
        }
    }
    return url;
}

/* ---- sending ---- */

static size_t read_input(char *room, size_t size, size_t count, void *data)
{
    sending_t *s = data;
    size_t length = 0;

    if (s->first != EOF) {
        room[length++] = (char)s->first;
        s->first = EOF;
    }
    length += fread(room + length, 1, size * count - length, stdin);
    s->failed |= ferror(stdin) != 0;
    s->sent += (apr_int64_t)length;
    ctl_progress_show(&s->progress, s->sent / 1024, s->sent);
    return s->failed ? CURL_READFUNC_ABORT : length;
}

static size_t keep_answer(char *piece, size_t size, size_t count, void *data)
{
    sending_t *s = data;

    if (s->answer.length + size * count <= ANSWER_MAX) {
        cat_buffer_add(&s->answer, piece, size * count);
    }
    return size * count;
}

static int show_waiting(void *data, curl_off_t, curl_off_t, curl_off_t up_total, curl_off_t up)
{
    sending_t *s = data;

    if (up_total > 0 && up >= up_total && s->progress.drawn) {
        ctl_progress_name(&s->progress, "the server is storing them");
        s->progress.wanted = 0;
    }
    return 0;
}

static const char *find_type(sending_t *s)
{
    const char *format = s->ctl->options->products;

    s->first = fgetc(stdin);
    if (!format) {
        format = s->first == '{' ? "ndjson" : "csv";
    }
    return !strcmp(format, "csv") ? "text/csv" : !strcmp(format, "ndjson") ? "application/x-ndjson" : NULL;
}

/* Of a regular file, the server knows from the beginning whether it is too large. */
static curl_off_t find_size(void)
{
    struct stat info;
    off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);

    return fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode) && at >= 0 && ftell(stdin) == 1 ? info.st_size : -1;
}

static struct curl_slist *list_headers(ctl_t *ctl, const char *type, const char *key, curl_off_t size)
{
    const char *const lines[] = {
        apr_pstrcat(ctl->pool, "Content-Type: ", type, NULL),
        apr_pstrcat(ctl->pool, "Authorization: Bearer ", key, NULL),
        "Accept: application/json",
        "Expect: 100-continue",
        "Transfer-Encoding: chunked",
    };
    struct curl_slist *headers = NULL;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) - (size >= 0 ? 1 : 0); i++) {
        headers = curl_slist_append(headers, lines[i]);
    }
    return headers;
}

static void set_options(CURL *curl, sending_t *s, const char *url, curl_off_t size)
{
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, size);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_input);
    curl_easy_setopt(curl, CURLOPT_READDATA, s);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep_answer);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, s);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, show_waiting);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, s);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    if (strncasecmp(url, SECURE, strlen(SECURE)) != 0) {
        curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* it would read the key, and is not this machine */
    }
}

/* Returns a fault. *status: of the answer. */
static const char *send_file(sending_t *s, const char *type, const char *key, long *status)
{
    static char reason[CURL_ERROR_SIZE];
    curl_off_t size = find_size();
    struct curl_slist *headers = list_headers(s->ctl, type, key, size);
    CURL *curl = curl_easy_init();
    CURLcode code = CURLE_OUT_OF_MEMORY;

    if (curl && headers) {
        set_options(curl, s, write_url(s->ctl), size);
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
        code = curl_easy_perform(curl);
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
    }
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    ctl_progress_leave(&s->progress);
    if (code == CURLE_OK) {
        return NULL;
    }
    return s->failed ? "standard input cannot be read"
                     : apr_pstrcat(s->ctl->pool, *reason ? reason : curl_easy_strerror(code), NULL);
}

/* ---- the answer ---- */

static apr_int64_t get_count(const json_t *summary, const char *name)
{
    return json_integer_value(json_object_get(summary, name));
}

static const char *get_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* "row 3, line 4: price is required"; an error of no row is of a parameter. */
static void report_errors(ctl_t *ctl, const json_t *errors)
{
    const json_t *error;
    size_t i;

    json_array_foreach (errors, i, error) {
        apr_int64_t row = get_count(error, "row"), line = get_count(error, "line");
        const char *field = get_text(error, "field");
        const char *place = row ? apr_psprintf(ctl->pool, "row %" APR_INT64_T_FMT, row) : NULL;
        ctl_fail(row && line ? apr_psprintf(ctl->pool, "%s, line %" APR_INT64_T_FMT, place, line) : place,
                 apr_pstrcat(ctl->pool, *field ? field : "it", " ", get_text(error, "message"), NULL));
    }
}

static int report_refusal(ctl_t *ctl, const json_t *answer, long status)
{
    const json_t *summary = json_object_get(answer, "summary"), *errors = json_object_get(answer, "errors");
    const char *error = get_text(answer, "error"), *stored = "";

    if (!answer) {
        return ctl_fail(NULL, apr_psprintf(ctl->pool, "the server answers %ld, and not as this API does", status));
    }
    report_errors(ctl, errors);
    if (summary) {
        stored = apr_psprintf(ctl->pool, "; rows that are stored: %" APR_INT64_T_FMT, get_count(summary, "stored"));
    }
    return ctl_fail(NULL,
                    apr_psprintf(ctl->pool, "the server answers %ld: %s%s%s%s", status, get_text(answer, "message"),
                                 *error && !errors ? ": " : "", errors ? "" : error, stored));
}

static int report_answer(sending_t *s, long status)
{
    const char *why;
    const json_t *answer = cat_json_parse(s->ctl->pool, s->answer.data, s->answer.length, &why);
    const json_t *summary = json_object_get(answer, "summary"), *name;
    size_t i;

    if (status != 200 || !json_is_object(summary)) {
        return report_refusal(s->ctl, json_is_object(answer) ? answer : NULL, status);
    }
    printf("%" APR_INT64_T_FMT " rows, %" APR_INT64_T_FMT " created, %" APR_INT64_T_FMT " updated, %" APR_INT64_T_FMT
           " unchanged%s\n",
           get_count(summary, "rows"), get_count(summary, "created"), get_count(summary, "updated"),
           get_count(summary, "unchanged"), s->ctl->options->dry_run ? ", nothing stored" : "");
    json_array_foreach (json_object_get(summary, "ignored"), i, name) {
        ctl_fail(json_string_value(name), "is not a field of a product; it was ignored");
    }
    return CTL_DONE;
}

int ctl_api_import_run(ctl_t *ctl)
{
    sending_t s = {.ctl = ctl};
    const char *fault = check_url(ctl->options->api), *key, *type;
    apr_size_t length;
    long status = 0;

    if (fault) {
        return ctl_fail(ctl->options->api, fault);
    }
    fault = cat_secret_read_file(ctl->pool, ctl->options->key, &key, &length);
    if (fault || !length || key[strcspn(key, "\r\n\t ")]) {
        return ctl_fail(fault ? NULL : ctl->options->key, fault ? fault : "must have one key, on one line");
    }
    ctl_progress_begin(&s.progress);
    ctl_progress_expect_input(&s.progress);
    s.progress.unit = "KiB";
    cat_buffer_init(&s.answer, ctl->pool, 4096);
    type = find_type(&s);
    if (!type) {
        return ctl_fail(ctl->options->products, "is not a format; use ndjson or csv");
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    fault = send_file(&s, type, key, &status);
    return fault ? ctl_fail(ctl->options->api, fault) : report_answer(&s, status);
}
