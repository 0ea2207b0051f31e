/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/search/index_builder.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "db/db.h"

enum { FOUND_NAME, FOUND_VALID, FOUND_SIZE };

/* Of the indexes that are there, in the order of the table. */
typedef struct found_t {
    int is_there[CAT_INDEX_COUNT], is_valid[CAT_INDEX_COUNT];
    apr_int64_t sizes[CAT_INDEX_COUNT];
} found_t;

/* There are others: of the list's order, of the primary key, and those that an administrator has added. */
static apr_status_t keep_found(void *baton, const char *const *values, int)
{
    found_t *found = baton;

    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        if (!strcmp(cat_index_table[i].name, values[FOUND_NAME])) {
            found->is_there[i] = 1;
            found->is_valid[i] = atoi(values[FOUND_VALID]);
            found->sizes[i] = values[FOUND_SIZE] ? apr_atoi64(values[FOUND_SIZE]) : 0;
        }
    }
    return APR_SUCCESS;
}

static cat_index_state_t judge(int is_wanted, int is_there, int is_valid)
{
    if (!is_there) {
        return is_wanted ? CAT_INDEX_MISSING : CAT_INDEX_ABSENT;
    }
    if (!is_wanted) {
        return CAT_INDEX_UNUSED;
    }
    return is_valid ? CAT_INDEX_PRESENT : CAT_INDEX_INVALID;
}

apr_status_t cat_index_builder_look(cat_db_t *db, int kept, cat_index_status_t *status)
{
    found_t found = {0};
    apr_status_t rv = cat_db_each(db, SQL_INDEX_LIST, CAT_NO_VALUES, keep_found, &found);

    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        const cat_index_t *index = &cat_index_table[i];
        status[i] = (cat_index_status_t){
            index, judge(cat_index_table_is_wanted(index, kept), found.is_there[i], found.is_valid[i]), found.sizes[i]};
    }
    return rv;
}

static apr_status_t run_for_state(cat_definition_t *definition, cat_db_t *db, const cat_index_status_t *status)
{
    const cat_dialect_t *dialect = cat_db_dialect(db);
    apr_status_t rv = APR_SUCCESS;

    if (status->state == CAT_INDEX_INVALID || status->state == CAT_INDEX_UNUSED) {
        rv = cat_definition_run(definition, cat_index_table_drop(db->pool, dialect, status->index));
    }
    if (rv == APR_SUCCESS && (status->state == CAT_INDEX_INVALID || status->state == CAT_INDEX_MISSING)) {
        rv = cat_definition_run(definition, cat_index_table_create(db->pool, dialect, status->index));
    }
    return rv;
}

apr_status_t cat_index_builder_run(cat_definition_t *definition, cat_db_t *db, int kept, const cat_index_t *index)
{
    cat_index_status_t status[CAT_INDEX_COUNT];
    apr_status_t rv = cat_index_builder_look(db, kept, status);

    cat_db_release(db);
    return rv == APR_SUCCESS ? run_for_state(definition, db, &status[index - cat_index_table]) : rv;
}
