/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SMTP_SERVERS_H
#define SMTP_SERVERS_H

/* The SMTP servers that test_smtp.c connects to. */

#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>
#include <curl/curl.h>

#include "lib/json.h"

/* aiosmtpd is a Debian package, so only Debian's Python finds it. Tests run in the directory of the Makefile. */
#define PYTHON "/usr/bin/python3"
#define SCRIPT "tests/smtp/server.py"

typedef struct server_t {
    const char *name; /* name of the server and of its directory below root */
    const char *options[12];
    pid_t pid;
    char port[8];
} server_t;

static char root[] = "/tmp/test_smtp.XXXXXX";

enum { PLAIN, STARTTLS, OTHER_NAME, CLEAR_LOGIN, LOGIN, SMTPS, HANG_DATA, HANG_QUIT, STRICT, SERVERS };

static server_t servers[SERVERS] = {
    [PLAIN] = {.name = "plain", .options = {"--reply", "reject=550", "--reply", "later=451"}},
    [STARTTLS] = {.name = "starttls", .options = {"--tls", "starttls", "--require-tls"}},
    [OTHER_NAME] = {.name = "other_name", .options = {"--tls", "other_name", "--names", "DNS:mail.example.org"}},
    [CLEAR_LOGIN] = {.name = "clear_login", .options = {"--auth", "shop:secret"}},
    [LOGIN] = {.name = "login", .options = {"--tls", "login", "--auth", "shop:secret"}},
    [SMTPS] = {.name = "smtps", .options = {"--tls", "smtps", "--smtps", "--auth", "shop:secret"}},
    [HANG_DATA] = {.name = "hang_data", .options = {"--hang", "DATA"}},
    [HANG_QUIT] = {.name = "hang_quit", .options = {"--hang", "QUIT"}},
    [STRICT] = {.name = "strict",
                .options = {"--require-domain", "--reply", "unknown=550 5.1.1", "--reply", "arguments=501 5.5.4",
                            "--reply", "sequence=503", "--reply", "odd=550 5.5.2x"}},
};

static void run_server(const server_t *s, const char *script, int out)
{
    const char *argv[16] = {PYTHON, script, "--maildir", s->name};

    for (int i = 0; s->options[i]; i++) {
        argv[4 + i] = s->options[i];
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that crashes leaves no server running */
    dup2(out, STDOUT_FILENO);
    if (chdir(root) == 0) {
        execv(PYTHON, (char *const *)argv);
    }
    _exit(127);
}

/* Returns the read end of the server's standard output, where it prints its port. Returns NULL if the server could not
 * be started. */
static FILE *start_server(server_t *s, const char *script)
{
    int pipe_fds[2];

    if (pipe(pipe_fds) != 0) {
        return NULL;
    }
    s->pid = fork();
    if (s->pid == 0) {
        run_server(s, script, pipe_fds[1]);
    }
    close(pipe_fds[1]);
    return fdopen(pipe_fds[0], "r");
}

static int read_port(server_t *s, FILE *out)
{
    int ok = out && fgets(s->port, sizeof(s->port), out) && strtol(s->port, NULL, 10) > 0;

    s->port[strcspn(s->port, "\n")] = '\0';
    if (out) {
        fclose(out);
    }
    if (!ok) {
        fprintf(stderr, "%s %s did not start: %s\n", PYTHON, SCRIPT, s->name);
    }
    return ok;
}

/* The group's set-up and tear-down. */
static int start(void **state)
{
    FILE *outs[SERVERS];
    char *script = realpath(SCRIPT, NULL);
    int ok = unit_start(state) == 0 && curl_global_init(CURL_GLOBAL_ALL) == 0 && mkdtemp(root);

    if (!script) {
        perror(SCRIPT);
        return -1;
    }
    for (int i = 0; ok && i < SERVERS; i++) {
        outs[i] = start_server(&servers[i], script);
    }
    for (int i = 0; ok && i < SERVERS; i++) {
        ok = read_port(&servers[i], outs[i]);
    }
    free(script);
    return ok ? 0 : -1;
}

static int stop(void **)
{
    char command[sizeof("rm -r ") + sizeof(root)];

    for (int i = 0; i < SERVERS; i++) {
        if (servers[i].pid > 0) {
            kill(servers[i].pid, SIGKILL);
            waitpid(servers[i].pid, NULL, 0);
        }
    }
    curl_global_cleanup();
    snprintf(command, sizeof(command), "rm -r %s", root);
    return system(command);
}

static const char *path_of(apr_pool_t *pool, int server, const char *file)
{
    return apr_pstrcat(pool, root, "/", servers[server].name, "/", file, NULL);
}

/* Returns the envelopes that a server has accepted, newest last. */
static json_t *envelopes_of(apr_pool_t *pool, int server)
{
    json_t *all = cat_json_own(pool, json_array());
    FILE *log = fopen(path_of(pool, server, "envelopes.jsonl"), "r");
    json_t *one;

    while (log && (one = json_loadf(log, JSON_DISABLE_EOF_CHECK, NULL))) {
        json_array_append_new(all, one);
    }
    if (log) {
        fclose(log);
    }
    return all;
}

static size_t count(apr_pool_t *pool, int server)
{
    return json_array_size(envelopes_of(pool, server));
}

static const json_t *newest(apr_pool_t *pool, int server)
{
    const json_t *all = envelopes_of(pool, server);

    assert_true(json_array_size(all) > 0);
    return json_array_get(all, json_array_size(all) - 1);
}

#endif
