/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl/table.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/time.h"

/* Control characters, which a terminal obeys, become question marks: those of ASCII, and the others, which are C2 80 to C2 9F. */
static void put_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\xc2' && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0) {
            text++;
            putchar('?');
        } else {
            putchar((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
        }
    }
}

static void put_value(cat_kind_t kind, const char *value)
{
    char time[CAT_TIME_LENGTH + 1];

    switch (kind) {
    case CAT_BOOLEAN:
        put_text(*value == '1' ? "true" : "false");
        break;
    case CAT_TIME:
        cat_time_format(time, strtoll(value, NULL, 10));
        put_text(time);
        break;
    default:
        put_text(value);
    }
}

void ctl_table_begin(ctl_table_t *table)
{
    for (int i = 0; i < table->count && !table->json; i++) {
        printf("%s%s", i ? "\t" : "", table->fields[i].name);
    }
    putchar(table->json ? '[' : '\n');
}

void ctl_table_row(ctl_table_t *table, apr_pool_t *pool, const char *const *values)
{
    cat_buffer_t b;

    if (table->json) {
        cat_buffer_init(&b, pool, 256);
        cat_fields_write(&b, table->fields, table->count, values);
        printf("%s\n%s", table->rows ? "," : "", cat_buffer_text(&b));
        table->rows++;
        return;
    }
    for (int i = 0; i < table->count; i++) {
        if (i) {
            putchar('\t');
        }
        if (values[i]) {
            put_value(table->fields[i].kind, values[i]);
        }
    }
    putchar('\n');
}

void ctl_table_end(const ctl_table_t *table)
{
    if (table->json) {
        puts(table->rows ? "\n]" : "]");
    }
}
