/* SPDX-License-Identifier: Apache-2.0 */
#include "db/sqlite_reader.h"

#include <apr_dbd.h>
#include <sqlite3.h>
#include <string.h>

#include "lib/number.h"

#define COLUMNS_MAX 16

struct cat_sqlite_reader_t {
    sqlite3 *sqlite;
    sqlite3_stmt *statements[SQL_COUNT]; /* NULL: not prepared yet */
};

void cat_sqlite_reader_set_up(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* SQLite does not close a connection that has statements. */
void cat_sqlite_reader_detach(cat_sqlite_reader_t *reader)
{
    for (int i = 0; reader && i < SQL_COUNT; i++) {
        sqlite3_finalize(reader->statements[i]);
        reader->statements[i] = NULL;
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

static int prepare_statement(cat_sqlite_reader_t *reader, cat_sql_t sql, const char *text)
{
    char translated[2048];

    if (strlen(text) >= sizeof(translated)) {
        return SQLITE_TOOBIG;
    }
    translate_placeholders(translated, text);
    return sqlite3_prepare_v3(reader->sqlite, translated, -1, SQLITE_PREPARE_PERSISTENT, &reader->statements[sql],
                              NULL);
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
    const char *values[COLUMNS_MAX];
    digits_t digits[COLUMNS_MAX];
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

/* The mutex is taken once: each of SQLite's functions would take it for itself, and sqlite3_column_value requires
 * it. */
int cat_sqlite_reader_select(cat_sqlite_reader_t *reader, const char *text, const cat_select_t *select,
                             apr_status_t *rv, int *rows)
{
    sqlite3_stmt **statement = &reader->statements[select->sql];
    sqlite3_mutex *mutex = sqlite3_db_mutex(reader->sqlite);
    int result;

    sqlite3_mutex_enter(mutex);
    result = *statement ? SQLITE_OK : prepare_statement(reader, select->sql, text);
    *rv = APR_SUCCESS;
    *rows = 0;
    if (result == SQLITE_OK) {
        result = sqlite3_column_count(*statement) <= COLUMNS_MAX ? bind_values(*statement, select) : SQLITE_RANGE;
    }
    if (result == SQLITE_OK) {
        result = step_through_rows(*statement, select, rv, rows);
    }
    sqlite3_reset(*statement); /* ends the read transaction of the connection */
    sqlite3_mutex_leave(mutex);
    return result;
}
