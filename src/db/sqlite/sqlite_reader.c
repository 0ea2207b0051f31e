/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects with SQLite's own functions. apr_dbd holds a mutex of the whole process while it reads a row and copies each
 * value twice; here a row's values are pointers into SQLite's memory, and threads read side by side.
 *
 *     prepare once --> bind --> step --> row(values) --> step --> row(values) ... --> reset
 *
 * The reader never waits for a lock where apr_dbd could do it as well: it returns SQLite's code, and the caller runs the
 * statement through apr_dbd. A text that is made at run time is different, because apr_dbd would never free it.
 *
 * A long statement looks at the clock every 1000 steps of SQLite's machine: past its deadline it ends, and after five
 * milliseconds it lets other threads go first.
 */
#include "db/sqlite/sqlite_reader.h"

#include <apr_dbd.h>
#include <sched.h>
#include <sqlite3.h>
#include <string.h>

#include "db/connection/text_slots.h"
#include "lib/number.h"

/* How long a statement waits for another program's lock where the caller cannot use apr_dbd. Readers meet one only while
 * that program opens the database as the first one or closes it as the last. */
#define LOCK_MSEC 1600

/* Of SQLite's virtual machine, between two looks at the clock: some ten microseconds. */
#define STEPS 1000

/* A statement that has run for so long lets other threads go first whenever it looks at the clock. */
#define POLITE_AFTER apr_time_from_msec(5)

struct cat_sqlite_reader_t {
    sqlite3 *sqlite;
    sqlite3_stmt *statements[SQL_COUNT]; /* NULL: not prepared yet */
    cat_text_slots_t *slots;
    sqlite3_stmt *generated[CAT_TEXT_SLOTS];     /* NULL: not prepared yet */
    sqlite3_stmt *controls[CAT_SQLITE_CONTROLS]; /* NULL: not prepared yet */
};

void cat_sqlite_reader_set_up(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static void finalize_statement(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
    *statement = NULL;
}

/* SQLite does not close a connection that has statements. */
void cat_sqlite_reader_detach(cat_sqlite_reader_t *reader)
{
    for (int i = 0; reader && i < SQL_COUNT; i++) {
        finalize_statement(&reader->statements[i]);
    }
    for (int i = 0; reader && i < CAT_TEXT_SLOTS; i++) {
        finalize_statement(&reader->generated[i]);
    }
    for (int i = 0; reader && i < CAT_SQLITE_CONTROLS; i++) {
        finalize_statement(&reader->controls[i]);
    }
}

void cat_sqlite_reader_attach(cat_sqlite_reader_t *reader, const cat_db_handle_t *handle)
{
    if (reader) {
        reader->sqlite = apr_dbd_native_handle(handle->driver, handle->dbd);
    }
}

static apr_status_t detach_reader(void *reader)
{
    cat_sqlite_reader_detach(reader);
    return APR_SUCCESS;
}

cat_sqlite_reader_t *cat_sqlite_reader_make(const cat_db_handle_t *handle)
{
    cat_sqlite_reader_t *reader;

    if (strcmp(apr_dbd_name(handle->driver), "sqlite3") != 0) {
        return NULL;
    }
    reader = apr_pcalloc(handle->pool, sizeof(*reader));
    reader->slots = cat_text_slots_make(handle->pool);
    cat_sqlite_reader_attach(reader, handle);
    apr_pool_pre_cleanup_register(handle->pool, reader, detach_reader);
    return reader;
}

/* From apr_dbd's placeholder to SQLite's, a question mark, which no statement has otherwise; SQLite does not double a
 * literal %. */
static void translate_placeholders(char *to, const char *text)
{
    for (; *text; text++) {
        if (text[0] == '%') {
            text++;
            *to++ = *text == 's' ? '?' : *text;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
}

static int prepare_statement(cat_sqlite_reader_t *reader, const char *text, char *translated, sqlite3_stmt **statement)
{
    translate_placeholders(translated, text);
    return sqlite3_prepare_v3(reader->sqlite, translated, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

static int find_statement(cat_sqlite_reader_t *reader, cat_sql_t sql, const char *text, sqlite3_stmt **statement)
{
    char translated[2048];
    int result = SQLITE_OK;

    if (!reader->statements[sql]) {
        result = strlen(text) < sizeof(translated)
                     ? prepare_statement(reader, text, translated, &reader->statements[sql])
                     : SQLITE_TOOBIG;
    }
    *statement = reader->statements[sql];
    return result;
}

static int find_generated_statement(cat_sqlite_reader_t *reader, const char *text, sqlite3_stmt **statement)
{
    int slot = cat_text_slots_find(reader->slots, text), result = SQLITE_OK;
    apr_pool_t *pool;

    if (slot < 0 || !reader->generated[slot]) {
        slot = cat_text_slots_choose(reader->slots);
        finalize_statement(&reader->generated[slot]);
        pool = cat_text_slots_take(reader->slots, slot, text);
        result = prepare_statement(reader, text, apr_palloc(pool, strlen(text) + 1), &reader->generated[slot]);
    }
    *statement = reader->generated[slot];
    return result;
}

/* As text, like apr_dbd. SQLite reads the values where they are, until the statement is reset. */
static int bind_values(sqlite3_stmt *statement, const cat_select_t *select)
{
    int result = sqlite3_bind_parameter_count(statement) == select->count ? SQLITE_OK : SQLITE_RANGE;

    for (int i = 0; i < select->count && result == SQLITE_OK; i++) {
        result = sqlite3_bind_text(statement, i + 1, select->values[i], -1, SQLITE_STATIC);
    }
    return result;
}

typedef char digits_t[CAT_NUMBER_DIGITS + 1];

/* Integers are written here, because SQLite would allocate memory for the text of each. */
static const char *read_value(sqlite3_stmt *statement, int column, digits_t digits)
{
    sqlite3_value *value = sqlite3_column_value(statement, column);

    if (sqlite3_value_type(value) != SQLITE_INTEGER) {
        return (const char *)sqlite3_value_text(value);
    }
    return cat_number_write_integer(digits, sqlite3_value_int64(value));
}

static apr_status_t pass_row(sqlite3_stmt *statement, const cat_select_t *select)
{
    const char *values[CAT_COLUMNS_MAX];
    digits_t digits[CAT_COLUMNS_MAX];
    int columns = sqlite3_column_count(statement);

    for (int i = 0; i < columns; i++) {
        values[i] = read_value(statement, i, digits[i]);
    }
    return select->row(select->baton, values, columns);
}

static int step_through_rows(sqlite3_stmt *statement, const cat_select_t *select, apr_status_t *rv, int *rows)
{
    int result = SQLITE_ROW;

    while (*rv == APR_SUCCESS && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        ++*rows;
        *rv = pass_row(statement, select);
    }
    return *rv != APR_SUCCESS || result == SQLITE_DONE ? SQLITE_OK : result;
}

static int run_statement(sqlite3_stmt *statement, const cat_select_t *select, apr_status_t *rv, int *rows)
{
    int result = sqlite3_column_count(statement) <= CAT_COLUMNS_MAX ? bind_values(statement, select) : SQLITE_RANGE;

    if (result == SQLITE_OK) {
        result = step_through_rows(statement, select, rv, rows);
    }
    sqlite3_reset(statement); /* ends the read transaction of the connection */
    return result;
}

typedef struct time_limit_t {
    apr_time_t polite_from;
    apr_time_t deadline;
} time_limit_t;

/* Threads that have just been woken would otherwise wait for the end of this one's time slice, some milliseconds. */
static int is_over(void *data)
{
    const time_limit_t *limit = data;
    apr_time_t now = apr_time_now();

    if (now > limit->polite_from) {
        sched_yield();
    }
    return now > limit->deadline;
}

static int select_generated(cat_sqlite_reader_t *reader, const cat_select_t *select, apr_status_t *rv, int *rows)
{
    time_limit_t limit = {.deadline = select->deadline};
    sqlite3_stmt *statement;
    int result;

    sqlite3_busy_timeout(reader->sqlite, LOCK_MSEC);
    if (limit.deadline) {
        limit.polite_from = apr_time_now() + POLITE_AFTER;
        sqlite3_progress_handler(reader->sqlite, STEPS, is_over, &limit);
    }
    result = find_generated_statement(reader, select->text, &statement);
    if (result == SQLITE_OK) {
        result = run_statement(statement, select, rv, rows);
    }
    sqlite3_progress_handler(reader->sqlite, 0, NULL, NULL);
    sqlite3_busy_timeout(reader->sqlite, 0);
    return result;
}

/* The mutex is taken once: each of SQLite's functions would take it for itself, and sqlite3_column_value requires
 * it. */
int cat_sqlite_reader_select(cat_sqlite_reader_t *reader, const char *text, const cat_select_t *select,
                             apr_status_t *rv, int *rows)
{
    sqlite3_mutex *mutex = sqlite3_db_mutex(reader->sqlite);
    sqlite3_stmt *statement;
    int result;

    *rv = APR_SUCCESS;
    *rows = 0;
    sqlite3_mutex_enter(mutex);
    if (select->text) {
        result = select_generated(reader, select, rv, rows);
    } else {
        result = find_statement(reader, select->sql, text, &statement);
        result = result == SQLITE_OK ? run_statement(statement, select, rv, rows) : result;
    }
    sqlite3_mutex_leave(mutex);
    return result;
}

int cat_sqlite_reader_control(cat_sqlite_reader_t *reader, cat_sqlite_control_t control)
{
    static const char *const texts[CAT_SQLITE_CONTROLS] = {[CAT_SQLITE_BEGIN_WRITE] = "BEGIN IMMEDIATE",
                                                           [CAT_SQLITE_BEGIN_VIEW] = "BEGIN",
                                                           [CAT_SQLITE_COMMIT] = "COMMIT",
                                                           [CAT_SQLITE_ROLL_BACK] = "ROLLBACK"};
    sqlite3_stmt **statement = &reader->controls[control];
    int result = SQLITE_OK;

    if (!*statement) {
        result = sqlite3_prepare_v3(reader->sqlite, texts[control], -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
    }
    if (result == SQLITE_OK) {
        sqlite3_step(*statement);
        result = sqlite3_reset(*statement);
    }
    return result;
}

const char *cat_sqlite_reader_error(const cat_sqlite_reader_t *reader)
{
    return sqlite3_errmsg(reader->sqlite);
}
