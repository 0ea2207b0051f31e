/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the text of a select together with the values of its placeholders, in the order in which they are in the text.
 *
 *     cat_select_text_add(s, "p.price_key >= ", NULL);    p.price_key >=
 *     cat_select_text_add_key(s, key);                    p.price_key >= CAST(%s AS INTEGER)   values: "4617315517961601024"
 *
 * A value from a client is never part of the text. What differs between databases, such as the cast here, is in the dialect.
 */
#include "catalogue/search/select_text.h"

#include <apr_strings.h>
#include <stdarg.h>
#include <string.h>

#include "catalogue/product/product.h"
#include "catalogue/product/product_keys.h"
#include "db/db.h"

#define TEXT_SIZE 1024 /* octets: a guess of a text's */
#define VALUES_SIZE 16 /* the same of the number of its values */
#define PART_FROM 4    /* words from which on it pays to look first for a part that all of them have */

void cat_select_text_init(cat_select_text_t *s, apr_pool_t *pool, const cat_dialect_t *dialect)
{
    s->dialect = dialect;
    cat_buffer_init(&s->text, pool, TEXT_SIZE);
    s->values = apr_array_make(pool, VALUES_SIZE, sizeof(const char *));
    s->conditions = 0;
    s->leaves_choice = s->merges = 0;
    s->fields = &cat_product_built_in;
    s->registry = NULL;
    cat_select_text_read_from(s, "p", "p", 0);
}

const cat_registry_t *cat_select_text_registry(const cat_db_t *db)
{
    const cat_basis_t *basis = cat_db_basis(db);
    apr_time_t since;

    return basis && basis->what ? basis->what : cat_db_registry(db, &since);
}

void cat_select_text_begin(cat_select_text_t *s, const cat_db_t *db)
{
    cat_select_text_init(s, db->pool, cat_db_dialect(db));
    s->fields = cat_product_fields_of(db->conf);
    s->registry = cat_select_text_registry(db);
}

void cat_select_text_read_from(cat_select_text_t *s, const char *keys, const char *products, int own)
{
    s->keys = keys;
    s->products = products;
    s->own = own;
}

void cat_select_text_add(cat_select_text_t *s, ...)
{
    const char *text;
    va_list texts;

    va_start(texts, s);
    while ((text = va_arg(texts, const char *))) {
        cat_buffer_add_text(&s->text, text);
    }
    va_end(texts);
}

void cat_select_text_add_number(cat_select_text_t *s, apr_int64_t number)
{
    cat_buffer_add_int(&s->text, number);
}

static void bind_value(cat_select_text_t *s, const char *placeholder, const char *value)
{
    cat_buffer_add_text(&s->text, placeholder);
    APR_ARRAY_PUSH(s->values, const char *) = value;
}

void cat_select_text_add_value(cat_select_text_t *s, const char *value)
{
    bind_value(s, "%s", value);
}

void cat_select_text_add_integer(cat_select_text_t *s, const char *value)
{
    bind_value(s, s->dialect->syntax->integer, value);
}

void cat_select_text_add_octets(cat_select_text_t *s, const char *value)
{
    bind_value(s, s->dialect->syntax->octets, value);
}

void cat_select_text_add_row_integer(cat_select_text_t *s, const char *value)
{
    bind_value(s, s->dialect->syntax->row_integer, value);
}

void cat_select_text_add_key(cat_select_text_t *s, apr_int64_t key)
{
    cat_select_text_add_integer(s, apr_psprintf(s->text.pool, "%" APR_INT64_T_FMT, key));
}

static void add_index(cat_select_text_t *s, const char *index)
{
    const cat_syntax_t *syntax = s->dialect->syntax;

    if (index && syntax->use_index) {
        cat_select_text_add(s, syntax->use_index, index, syntax->use_index_end, NULL);
    }
}

void cat_select_text_add_keys(cat_select_text_t *s, const char *name, int is_by_product)
{
    cat_select_text_add(s, "product_keys ", name, NULL);
    add_index(s, is_by_product ? "product_keys_by_product" : s->dialect->syntax->primary_key);
}

void cat_select_text_add_products(cat_select_text_t *s, const char *index)
{
    cat_buffer_add_text(&s->text, "products p");
    add_index(s, index);
}

void cat_select_text_begin_where(cat_select_text_t *s)
{
    s->conditions = 0;
}

void cat_select_text_add_condition(cat_select_text_t *s)
{
    cat_buffer_add_text(&s->text, s->conditions++ ? " AND " : " WHERE ");
}

void cat_select_text_add_not_null(cat_select_text_t *s, const char *column)
{
    if (column) {
        cat_select_text_add_condition(s);
        cat_select_text_add(s, "p.", column, " IS NOT NULL", NULL);
    }
}

/* The fields of the registry among which some have words; 0: none has. */
static int count_known(const cat_select_text_t *s)
{
    return s->registry && s->registry->has_words ? s->registry->fields->count : 0;
}

static int has_words(const cat_select_text_t *s, int known)
{
    return s->registry->fields->all[known].flags & CAT_SEARCHED;
}

/* Does q look into the field? Only into those that the request's mount has, and the client sees. */
static int is_searched(const cat_select_text_t *s, int known)
{
    int i = cat_own_field_find(s->fields, s->registry->fields->all[known].name);

    return i < s->fields->count && s->fields->all[i].flags & CAT_SEARCHED;
}

int cat_select_text_hides_words(const cat_select_text_t *s)
{
    for (int i = CAT_PRODUCT_FIELDS; i < count_known(s); i++) {
        if (has_words(s, i) && !is_searched(s, i)) {
            return 1;
        }
    }
    return 0;
}

/* How a word is found in a row: behind a blank, and a mark that is not empty for fields of the shop's own. */
typedef struct sought_t {
    const char *word, *const *others; /* of cat_list_query_t */
    const char *until;                /* before what it has to be; NULL: anywhere */
} sought_t;

static void find_in_words(cat_select_text_t *s, const char *text)
{
    cat_select_text_add(s, s->dialect->syntax->find, "(p.words, ", NULL);
    cat_select_text_add_value(s, text);
    cat_buffer_add_text(&s->text, ")");
}

static void add_marked_word(cat_select_text_t *s, const sought_t *sought, const char *mark, const char *word)
{
    find_in_words(s, apr_pstrcat(s->text.pool, " ", mark, word, NULL));
    if (sought->until) {
        cat_select_text_add(s, " BETWEEN 1 AND ", s->dialect->syntax->find, "(p.words, '", sought->until, "')", NULL);
    } else {
        cat_buffer_add_text(&s->text, " > 0");
    }
}

/* The words of one field in parentheses, since SQLite bounds the depth of an expression. */
static void add_any_word(cat_select_text_t *s, const sought_t *sought, const char *mark)
{
    cat_buffer_add_text(&s->text, sought->others ? "(" : "");
    add_marked_word(s, sought, mark, sought->word);
    for (int i = 0; sought->others && sought->others[i]; i++) {
        cat_buffer_add_text(&s->text, " OR ");
        add_marked_word(s, sought, mark, sought->others[i]);
    }
    cat_buffer_add_text(&s->text, sought->others ? ")" : "");
}

void cat_select_text_add_part(cat_select_text_t *s, const char *word, const char *const *others)
{
    int count = 0;

    while (others && others[count] && strstr(others[count], word)) {
        count++;
    }
    if (count >= PART_FROM && !others[count]) {
        cat_select_text_add_condition(s);
        find_in_words(s, word);
        cat_buffer_add_text(&s->text, " > 0");
    }
}

void cat_select_text_add_word(cat_select_text_t *s, const char *word, const char *const *others)
{
    const sought_t sought = {word, others, NULL};
    int known = count_known(s);

    cat_buffer_add_text(&s->text, known ? "(" : "");
    add_any_word(s, &sought, "");
    for (int i = CAT_PRODUCT_FIELDS; i < known; i++) {
        if (has_words(s, i) && is_searched(s, i)) {
            cat_buffer_add_text(&s->text, " OR ");
            add_any_word(s, &sought, cat_product_keys_mark(s->text.pool, s->registry->numbers[i]));
        }
    }
    cat_buffer_add_text(&s->text, known ? ")" : "");
}

void cat_select_text_add_word_of_name(cat_select_text_t *s, const char *word, const char *const *others)
{
    const sought_t sought = {word, others, " " CAT_PRODUCT_NAME_END " "};

    add_any_word(s, &sought, "");
}

static apr_status_t ignore_row(void *, const char *const *, int)
{
    return APR_SUCCESS;
}

/* Sends a setting of the dialect; NULL: it has none. */
static apr_status_t set(cat_db_t *db, const char *setting)
{
    return setting ? cat_db_each_text(db, setting, NULL, 0, ignore_row, NULL) : APR_SUCCESS;
}

apr_status_t cat_select_text_run(cat_select_text_t *s, cat_db_t *db, cat_row_t *row, void *baton)
{
    const cat_syntax_t *syntax = s->dialect->syntax;
    apr_status_t rv = set(db, s->merges ? syntax->plan_merge : s->leaves_choice ? syntax->plan_by_values : NULL);

    if (rv == APR_SUCCESS) {
        rv = cat_db_each_text(db, cat_buffer_text(&s->text), (const char *const *)s->values->elts, s->values->nelts,
                              row, baton);
    }
    return rv == APR_SUCCESS && s->merges ? set(db, syntax->plan_merge_end) : rv;
}
