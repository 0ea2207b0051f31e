/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl: the command table, the option table, and the help that both give. A row says which options and operands a
 * command takes and what must be ready before it runs: nothing, the site's configuration, or an open database.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_getopt.h>
#include <apr_strings.h>

#include "accounts/role.h"
#include "ctl/api_import.h"
#include "ctl/ctl.h"
#include "ctl/database.h"
#include "db/setup.h"
#include "lib/log.h"
#include "lib/version.h"

typedef enum { ALONE, SITE, DATABASE } needs_t;

/* THE COMMAND TABLE */
static const struct command_t {
    const char *noun;
    const char *verb;    /* NULL: the noun is the whole command */
    const char *options; /* letters of options that only some commands have */
    const char *operands;
    int least, most; /* operands; most -1: any number */
    needs_t needs;   /* what is prepared before it runs */
    ctl_command_t *run;
    const char *help;
} commands[] = {
    {"migrate", NULL, "", "", 0, 0, SITE, ctl_schema_migrate, "create or update the database's schema"},
    {"check", NULL, "j", "", 0, 0, SITE, ctl_check_run, "look for problems"},
    {"backup", NULL, "F", "FILE", 1, 1, SITE, ctl_backup_run, "copy the SQLite database while servers use it"},
    {"recount", NULL, "", "", 0, 0, DATABASE, ctl_counts_recount, "count the products again, if check says so"},
    {"index", NULL, "n", "", 0, 0, DATABASE, ctl_index_run, "build, drop and fill indexes as CatalogIndex says"},
    {"fields", "drop", "", "NAME", 1, 1, DATABASE, ctl_fields_drop,
     "remove a field that has no CatalogField line from the products"},
    {"fields", "rename", "", "OLD NEW", 2, 2, DATABASE, ctl_fields_rename,
     "move its values to a field with a CatalogField line"},
    {"fields", NULL, "j", "", 0, 0, DATABASE, ctl_fields_list,
     "list the fields of products, with or without a CatalogField line"},
    {"user", "list", "j", "", 0, 0, DATABASE, ctl_users_list, "list the users by name"},
    {"user", "add", "rvgF", "NAME EMAIL", 2, 2, DATABASE, ctl_users_add, "create a user; prompts for the password"},
    {"user", "invite", "rN", "EMAIL", 1, 1, DATABASE, ctl_users_invite,
     "create a user, who sets the password with a link in a mail"},
    {"user", "password", "g", "USER", 1, 1, DATABASE, ctl_users_set_password, "set a user's password; prompts for it"},
    {"user", "role", "F", "USER ROLE", 2, 2, DATABASE, ctl_users_set_role, "set a user's role: " CAT_ROLE_NAMES_TEXT},
    {"user", "lock", "F", "USER", 1, 1, DATABASE, ctl_users_lock, "lock a user out"},
    {"user", "unlock", "", "USER", 1, 1, DATABASE, ctl_users_unlock, "lift the lock, and clear the failed sign-ins"},
    {"user", "delete", "F", "USER", 1, 1, DATABASE, ctl_users_remove, "delete a user"},
    {"user", "revoke", "", "USER", 1, 1, DATABASE, ctl_users_revoke, "end all sessions and keys of a user"},
    {"user", "key", "rY", "USER NAME", 2, 2, SITE, ctl_users_make_key,
     "create a key for a program of a user, and print it"},
    {"key", "new", "t", "[DIRECTORY|FILE]", 0, 1, ALONE, ctl_keys_make, "create a key that signs access tokens"},
    {"mail", "list", "j", "", 0, 0, DATABASE, ctl_mails_list, "list the mails that are not sent yet"},
    {"mail", "retry", "", "[ID...]", 0, -1, DATABASE, ctl_mails_retry, "queue dead mails again, these or all"},
    {"webhook", "list", "j", "", 0, 0, DATABASE, ctl_webhooks_list, "list the URLs that receive changes"},
    {"webhook", "retry", "", "[ID...]", 0, -1, DATABASE, ctl_webhooks_retry,
     "have those that are dead or fail tried again at once, these or all"},
    {"changes", "list", "j", "", 0, 0, DATABASE, ctl_changes_list, "list the last 100 batches of changes of products"},
    {"changes", "undo", "", "BATCH", 1, 1, DATABASE, ctl_changes_undo, "undo one of them"},
    {"audit", NULL, "jaToS", "", 0, 0, DATABASE, ctl_audit_list,
     "list changes of accounts by administrators and users"},
    {"images", "add", "n", "PRODUCT FILE...", 2, -1, DATABASE, ctl_images_add,
     "add pictures to a product, such as sku=KT-1"},
    {"images", "import", "nk", "DIRECTORY", 1, 1, DATABASE, ctl_images_import,
     "add pictures whose files are named after products: KT-1.jpg, KT-1_2.jpg"},
    {"export", NULL, "fePbyI", ">FILE", 0, 0, DATABASE, ctl_export_run, "write the whole catalogue, users included"},
    {"import", NULL, "funePELCHkIAKz", "<FILE", 0, 0, DATABASE, ctl_import_run,
     "add what export wrote, to this or another database"},
};

/* THE OPTION TABLE. Letters that are in no command's row are for all commands. */
static const apr_getopt_option_t options[] = {
    {"config", 'c', 1, "FILE      httpd's configuration, if not its default"},
    {"define", 'D', 1, "NAME      passed to httpd, for <IfDefine>"},
    {"httpd", 'x', 1, "PROGRAM   httpd or apachectl, which reads the configuration"},
    {"server", 's', 1, "NAME      the catalogue of this ServerName"},
    {"mount", 'm', 1, "PATH      the catalogue of this <Location>"},
    {"driver", 'd', 1, "NAME      DBDriver of a database, instead of a configuration"},
    {"params", 'p', 1, "TEXT      its DBDParams, or @FILE, a file that contains them"},
    {"field", 'l', 1, "LINE      a line of CatalogField, with --driver; may be given again"},
    {"json", 'j', 0, "          list, check, audit, fields: as JSON"},
    {"name", 'N', 1, "NAME      user invite: the user name; if it is absent, one is made of the address"},
    {"role", 'r', 1, "ROLE      user add, user invite, user key: " CAT_ROLE_NAMES_TEXT},
    {"verified", 'v', 0, "          user add: the address counts as confirmed"},
    {"generate", 'g', 0, "          user add, user password: generate a password, and print it"},
    {"days", 'Y', 1, "N         user key: for how many days it is valid, if not 90"},
    {"products", 'f', 1, "FORMAT    export, import: only products, as csv or ndjson"},
    {"delimiter", 'e', 1, "NAME      export, import --products csv: comma, semicolon or tab"},
    {"decimal", 'P', 1, "NAME      export, import --products csv: point or comma"},
    {"bom", 'b', 0, "          export --products csv: begin with a byte order mark"},
    {"safe", 'y', 0, "          export --products csv: make cells that look like formulas safe"},
    {"encoding", 'E', 1, "NAME      import --products csv: utf-8, windows-1252, utf-16le or utf-16be"},
    {"list", 'L', 1, "MARK      import --products csv: what is between the texts of a list, if not |"},
    {"columns", 'C', 1, "NAMES     import --products csv: the fields of the columns"},
    {"no-header", 'H', 0, "          import --products csv: the file has no header row"},
    {"upsert", 'u', 0, "          import --products: a row with an id updates that product"},
    {"key", 'k', 1, "FIELD     import --products --upsert, images import: a unique field by which products are found"},
    {"api", 'A', 1, "URL       import: send products to this server, with the key in the file that --key FILE names"},
    {"by", 'K', 1, "FIELD     import --api --upsert: a unique field by which products are found"},
    {"parts", 'z', 0, "          import --api: in several transactions, for more than 10,000 rows"},
    {"images", 'I', 1, "DIR       export, import --products: the directory of the files that the column images names"},
    {"dry-run", 'n', 0, "          import --products, images, index: only say what would be done"},
    {"force", 'F', 0,
     "          user role, lock, delete: the last administrator, too; user add: a name that was given up; backup: "
     "replace "
     "FILE"},
    {"actor", 'a', 1, "WHO       audit: only changes by this user, by name or id"},
    {"target", 'T', 1, "WHOM      audit: only changes of this user or mail, by name or id"},
    {"action", 'o', 1, "ACTION    audit: only these changes, such as user.update"},
    {"since", 'S', 1, "TIME      audit: only changes from then on, such as 2026-11-21T09:30:00Z"},
    {"type", 't', 1, "TYPE      key new: hs256, es256 or rs256"},
    {"help", 'h', 0, "          show this"},
    {"version", 'V', 0, "          show the version"},
    {NULL, 0, 0, NULL},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void write_log(void *context, cat_log_level_t level, apr_status_t rv, const char *message)
{
    ctl_t *ctl = context;
    char reason[120];
    const char *line = rv ? apr_pstrcat(ctl->pool, message, ": ", apr_strerror(rv, reason, sizeof(reason)), NULL)
                          : apr_pstrdup(ctl->pool, message);

    if (level <= CAT_LOG_NOTICE && ctl->quiet) {
        ctl->unsaid = line;
    } else if (level <= CAT_LOG_NOTICE) {
        ctl_fail(NULL, line);
    }
}

/* ---- help ---- */

static void show_help(FILE *out)
{
    fputs("usage: catalogctl [OPTION...] COMMAND\n\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const struct command_t *c = &commands[i];
        int width = fprintf(out, "  %s%s%s %s", c->noun, c->verb ? " " : "", c->verb ? c->verb : "", c->operands);
        fprintf(out, "%*s%s\n", 32 - width, "", c->help);
    }
    fputc('\n', out);
    for (const apr_getopt_option_t *o = options; o->optch; o++) {
        fprintf(out, "  -%c, --%-9s %s\n", o->optch, o->name, o->description);
    }
    fputs("\nUSER is a name, an e-mail address or an id. See catalogctl(8).\n", out);
}

static int refuse_use(const char *why)
{
    ctl_fail(why, "see catalogctl --help");
    return CTL_MISUSED;
}

/* ---- the command line ---- */

static void take_option(ctl_options_t *o, int letter, const char *value)
{
    const struct {
        int letter;
        const char **text;
    } texts[] = {{'c', &o->config},  {'x', &o->httpd},  {'s', &o->server},  {'m', &o->mount},    {'d', &o->driver},
                 {'p', &o->params},  {'r', &o->role},   {'N', &o->name},    {'t', &o->type},     {'f', &o->products},
                 {'a', &o->actor},   {'T', &o->target}, {'o', &o->action},  {'S', &o->since},    {'e', &o->delimiter},
                 {'C', &o->columns}, {'k', &o->key},    {'P', &o->decimal}, {'E', &o->encoding}, {'L', &o->list},
                 {'I', &o->images},  {'A', &o->api},    {'K', &o->by},      {'Y', &o->days}};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].letter == letter) {
            *texts[i].text = value;
        }
    }
    if (letter == 'D' || letter == 'l') {
        APR_ARRAY_PUSH(letter == 'D' ? o->defines : o->fields, const char *) = value;
    }
    o->json |= letter == 'j';
    o->upsert |= letter == 'u';
    o->dry_run |= letter == 'n';
    o->no_header |= letter == 'H';
    o->parts |= letter == 'z';
    o->bom |= letter == 'b';
    o->safe |= letter == 'y';
    o->verified |= letter == 'v';
    o->generate |= letter == 'g';
    o->force |= letter == 'F';
}

static int is_for_some(int letter)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strchr(commands[i].options, letter)) {
            return 1;
        }
    }
    return 0;
}

static const struct command_t *find_command(int count, const char *const *words)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const struct command_t *c = &commands[i];
        if (count > 0 && !strcmp(words[0], c->noun) && (!c->verb || (count > 1 && !strcmp(words[1], c->verb)))) {
            return c;
        }
    }
    return NULL;
}

static const char *check_operands(apr_pool_t *pool, const struct command_t *command, int count)
{
    if (count < command->least || (command->most >= 0 && count > command->most)) {
        return apr_psprintf(pool, "%s%s%s takes %s", command->noun, command->verb ? " " : "",
                            command->verb ? command->verb : "", *command->operands ? command->operands : "no operand");
    }
    return NULL;
}

/* given: the letters of the options. Returns a fault. */
static const char *check_use(apr_pool_t *pool, const struct command_t *command, const ctl_options_t *o, int count,
                             const char *given)
{
    for (const char *letter = given; *letter; letter++) {
        if (is_for_some(*letter) && !strchr(command->options, *letter)) {
            return apr_psprintf(pool, "this command has no option -%c", *letter);
        }
    }
    if (o->api || strpbrk(given, "Kz")) {
        const char *fault = ctl_api_import_check(o, given);
        return fault ? fault : check_operands(pool, command, count);
    }
    if (!o->driver != !o->params) {
        return "--driver and --params go together";
    }
    if (o->driver && strpbrk(given, "cDxsm")) {
        return "--driver and --params replace a configuration";
    }
    if (!o->driver && strchr(given, 'l')) {
        return "--field goes with --driver and --params; a configuration has CatalogField";
    }
    if (!o->products && strchr(command->options, 'f') && strpbrk(given, "unePbyELCHkI")) {
        return "--upsert, --dry-run, --images and the options of CSV go with --products";
    }
    if (o->products && strcmp(o->products, "csv") && strpbrk(given, "ePbyELCH")) {
        return "--delimiter, --decimal, --bom, --safe, --encoding, --list, --columns and --no-header go with "
               "--products csv";
    }
    if (o->key && !o->upsert && strchr(command->options, 'u')) {
        return "--key goes with --upsert";
    }
    if (o->images && !o->upsert && strchr(command->options, 'u')) {
        return "--images goes with --upsert, by which products are found";
    }
    if (o->no_header && !o->columns) {
        return "--no-header goes with --columns";
    }
    return check_operands(pool, command, count);
}

/* ---- running ---- */

static int run_command(ctl_t *ctl, const struct command_t *command)
{
    const char *fault = NULL;
    needs_t needs = ctl->options->api ? ALONE : command->needs;

    if (needs != ALONE) {
        fault = ctl_site_find(ctl->pool, ctl->options, &ctl->site);
    }
    if (!fault && needs == DATABASE) {
        fault = ctl_database_open(ctl, 0);
    }
    return fault ? ctl_fail(NULL, fault) : command->run(ctl);
}

/* The actor is found before the process becomes the server's user. */
static int start_command(apr_pool_t *pool, const ctl_options_t *o, int count, const char *const *words,
                         const char *given)
{
    const struct command_t *command = find_command(count, words);
    ctl_t ctl = {.pool = pool,
                 .options = o,
                 .now = apr_time_now(),
                 .actor = {.source = CAT_AUDIT_CTL, .name = cat_os_user_name(pool, getuid())}};
    const char *wrong;

    if (!command) {
        return refuse_use(count ? "there is no such command" : "a command is missing");
    }
    ctl.count = count - (command->verb ? 2 : 1);
    ctl.args = words + (count - ctl.count);
    ctl.log = (cat_log_t){.write = write_log, .context = &ctl};
    wrong = check_use(pool, command, o, ctl.count, given);
    return wrong ? refuse_use(wrong) : run_command(&ctl, command);
}

/* Output that could not be written is a failure. */
static int finish_output(int code)
{
    return (fflush(stdout) != 0 || ferror(stdout)) && code == CTL_DONE ? ctl_fail(NULL, "the output cannot be written")
                                                                       : code;
}

int main(int argc, const char *const argv[])
{
    apr_pool_t *pool;
    apr_getopt_t *parser;
    ctl_options_t o = {0};
    const char *value, *given = "";
    int letter;
    apr_status_t rv;

    apr_app_initialize(&argc, &argv, NULL);
    atexit(apr_terminate);
    apr_pool_create(&pool, NULL);
    o.defines = apr_array_make(pool, 4, sizeof(const char *));
    o.fields = apr_array_make(pool, 4, sizeof(const char *));
    apr_getopt_init(&parser, pool, argc, argv);
    parser->interleave = 1;
    while ((rv = apr_getopt_long(parser, options, &letter, &value)) == APR_SUCCESS) {
        if (letter == 'h') {
            show_help(stdout);
            return finish_output(CTL_DONE);
        }
        if (letter == 'V') {
            puts("catalogctl " CAT_VERSION);
            return finish_output(CTL_DONE);
        }
        given = apr_psprintf(pool, "%s%c", given, letter);
        take_option(&o, letter, value);
    }
    if (rv != APR_EOF) {
        return CTL_MISUSED; /* the parser has printed why */
    }
    return finish_output(start_command(pool, &o, argc - parser->ind, parser->argv + parser->ind, given));
}
