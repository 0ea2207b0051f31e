/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives from a product what conditions, order and search read.
 *
 *     name        Café Crème    name_key      cafe creme          KEYED, a text: folded
 *     price       24.9          price_key     4627701588...       KEYED, a number: the bits of the double, which have its order
 *     inStock     true          -                                 PLAIN: compared as it is
 *                               words         " cafe creme : tea "  of name, then of category and fields with the option search
 *                               product_words one row for each word, with whether the name has it
 *
 * Which fields have a key, the field table says (db/dialects/product.def). All tables here are made of it, and the assertions below refuse a
 * row that they could not serve.
 */
#include "catalogue/product/product_keys.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/dictionary.h"
#include "catalogue/product/own_keys.h"
#include "catalogue/product/product.h"
#include "db/db.h"
#include "lib/buffer.h"
#include "lib/fold.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/text.h"
#include "lib/words.h"

_Static_assert(CAT_WORDS_JOINED_MAX <= CAT_PRODUCT_WORD_SIZE, "product_words has joined words whole");

#define DELETED_WORDS 16 /* of one SQL_WORDS_DELETE */

#define NAME_KEYED(name, field) [CAT_PRODUCT_KEY_##name] = field,
#define NAME_PLAIN(name, field)
#define NAME_NONE(name, field)
#define NAME(name, field, column, update, compare, ...) NAME_##compare(name, field)

const char *const cat_product_keys_parts[CAT_INDEX_PARTS] = {CAT_PRODUCT_TABLE(NAME)[CAT_PRODUCT_KEY_WORDS] = "search"};

#define PART_KEYED(name) CAT_INDEX_##name
#define PART_PLAIN(name) 0
#define PART_NONE(name) CAT_INDEX_NEVER
#define PART(name, field, column, update, compare, ...) [CAT_PRODUCT_##name] = PART_##compare(name),

int cat_product_keys_part(int field)
{
    static const int parts[CAT_PRODUCT_FIELDS] = {CAT_PRODUCT_TABLE(PART)};

    return parts[field];
}

#define SETS_4(n) n, n + 1, n + 2, n + 3
#define SETS_16(n) SETS_4(n), SETS_4(n + 4), SETS_4(n + 8), SETS_4(n + 12)
#define SETS_64(n) SETS_16(n), SETS_16(n + 16), SETS_16(n + 32), SETS_16(n + 48)
#define SETS_256(n) SETS_64(n), SETS_64(n + 64), SETS_64(n + 128), SETS_64(n + 192)

/* Configurations are compared octet by octet (httpd/jobs.c), so equal sets need equal addresses. */
const int *cat_product_keys_set(int parts)
{
    static const int sets[] = {SETS_256(0)};

    _Static_assert(sizeof(sets) / sizeof(sets[0]) > CAT_INDEX_ALL, "more parts of CatalogIndex need more sets");
    return &sets[parts & CAT_INDEX_ALL];
}

/* Which part has this name, in any case; CAT_INDEX_PARTS: none. */
static int find_part(const char *word, apr_size_t length)
{
    int part = 0;

    while (part < CAT_INDEX_PARTS && (strlen(cat_product_keys_parts[part]) != length ||
                                      strncasecmp(word, cat_product_keys_parts[part], length) != 0)) {
        part++;
    }
    return part;
}

int cat_product_keys_read_set(const char *words)
{
    int parts = 0;

    if (!strcasecmp(words, "none")) {
        return 0;
    }
    for (const char *word = words; *(word += strspn(word, " "));) {
        apr_size_t length = strcspn(word, " ");
        int part = find_part(word, length);
        if (part == CAT_INDEX_PARTS) {
            return -1;
        }
        parts |= 1 << part;
        word += length;
    }
    return parts;
}

const char *cat_product_keys_write_set(apr_pool_t *pool, int parts)
{
    const char *words = NULL;

    for (int i = 0; i < CAT_INDEX_PARTS; i++) {
        if (parts & 1 << i) {
            words = words ? apr_pstrcat(pool, words, " ", cat_product_keys_parts[i], NULL) : cat_product_keys_parts[i];
        }
    }
    return words ? words : "none";
}

int cat_product_keys_kept(const cat_db_t *db)
{
    return db->conf->index ? *db->conf->index : CAT_INDEX_ALL;
}

/* ---- columns ---- */

/* THE KEY TABLE: of which field each derived column is, but words. */
#define KEYED_KEYED(name, kind) [CAT_PRODUCT_KEY_##name] = {CAT_PRODUCT_##name, (kind) == CAT_STRING},
#define KEYED_PLAIN(name, kind)
#define KEYED_NONE(name, kind)
#define KEYED(name, field, column, update, compare, kind, ...) KEYED_##compare(name, kind)

static const struct {
    int field;
    int is_text;
} keyed[CAT_PRODUCT_KEY_WORDS] = {CAT_PRODUCT_TABLE(KEYED)};

#define CHECK_KEYED(name, update, kind)                                                                                \
    _Static_assert((kind) == CAT_STRING || (kind) == CAT_NUMBER,                                                       \
                   #name " must be PLAIN: only texts and numbers have keys");
#define CHECK_PLAIN(name, update, kind)                                                                                \
    _Static_assert(PLAIN_##update || (kind) == CAT_BOOLEAN || (kind) == CAT_TIME, #name " must be KEYED or NONE");
#define CHECK_NONE(name, update, kind)
#define CHECK(name, field, column, update, compare, kind, ...) CHECK_##compare(name, update, kind)
#define PLAIN_KEY 1
#define PLAIN_FIXED 0
#define PLAIN_FIRST 0
#define PLAIN_SET 0
#define PLAIN_CLEAR 0

CAT_PRODUCT_TABLE(CHECK)

/* Folding a text twice takes longer than all else that is done here. */
static const char *fold_once(apr_pool_t *pool, const char *const *product, const char **folded, int field)
{
    if (!folded[field]) {
        folded[field] = cat_fold_text(pool, product[field] ? product[field] : "");
    }
    return folded[field];
}

/* A list as it is searched: its texts, without their spelling in JSON, where a line break is "\n". No word is joined over the end of a line. */
static const char *join_texts(apr_pool_t *pool, const char *text)
{
    apr_array_header_t *texts = apr_array_make(pool, 8, sizeof(const char *));
    const json_t *list, *element;
    const char *why;
    size_t i;

    list = cat_json_parse(pool, text, strlen(text), &why);
    json_array_foreach (list, i, element) {
        APR_ARRAY_PUSH(texts, const char *) = json_string_value(element);
    }
    return apr_array_pstrcat(pool, texts, '\n');
}

const char *cat_product_keys_text(apr_pool_t *pool, const cat_field_t *field, const char *value)
{
    return field->kind == CAT_LIST ? join_texts(pool, value) : value;
}

#define WORD_MARKS " " CAT_PRODUCT_WORD_JOINED " " CAT_PRODUCT_NAME_END " "

/* Beyond the size, words are left out. */
static void add_word_text(cat_buffer_t *b, const char *mark, const cat_word_t *word)
{
    if (b->length + strlen(mark) + strlen(word->text) + strlen(WORD_MARKS) < CAT_PRODUCT_WORDS_SIZE) {
        cat_buffer_add_text(b, mark);
        cat_buffer_add_text(b, word->text);
        cat_buffer_add_text(b, word->is_joined ? " " CAT_PRODUCT_WORD_JOINED " " : " ");
    }
}

static void add_words(cat_buffer_t *b, const char *mark, const char *folded)
{
    const apr_array_header_t *words = cat_words_list(b->pool, folded);

    for (int i = 0; i < words->nelts; i++) {
        add_word_text(b, mark, &APR_ARRAY_IDX(words, i, cat_word_t));
    }
}

static int compare_texts(const void *one, const void *other)
{
    return strcmp(((const cat_word_t *)one)->text, ((const cat_word_t *)other)->text);
}

/* One that the category has so, and the name only joined, is there twice. */
static int has_word(const apr_array_header_t *words, const cat_word_t *word)
{
    const cat_word_t *found = bsearch(word, words->elts, (size_t)words->nelts, sizeof(*word), compare_texts);

    return found && found->is_joined <= word->is_joined;
}

/* The words of the name, then those that only the category has. */
static void add_name_and_category(cat_buffer_t *b, const char *name, const char *category)
{
    const apr_array_header_t *of_name = cat_words_list(b->pool, name), *others = cat_words_list(b->pool, category);

    CAT_BUFFER_LITERAL(b, " ");
    for (int i = 0; i < of_name->nelts; i++) {
        add_word_text(b, "", &APR_ARRAY_IDX(of_name, i, cat_word_t));
    }
    CAT_BUFFER_LITERAL(b, CAT_PRODUCT_NAME_END " ");
    for (int i = 0; i < others->nelts; i++) {
        const cat_word_t *word = &APR_ARRAY_IDX(others, i, cat_word_t);
        if (!has_word(of_name, word)) {
            add_word_text(b, "", word);
        }
    }
}

const char *cat_product_keys_mark(apr_pool_t *pool, const char *number)
{
    return apr_pstrcat(pool, CAT_PRODUCT_WORD_MARK, number, CAT_PRODUCT_WORD_MARK, NULL);
}

/* The words of the searched fields of the shop's own. */
static void add_own_words(cat_buffer_t *b, const cat_registry_t *registry, const char *const *product)
{
    const cat_field_t *fields = registry->fields->all;
    const char *const *record = registry->has_words ? cat_product_read(b->pool, registry->fields, product) : NULL;

    for (int i = CAT_PRODUCT_FIELDS; record && i < registry->fields->count; i++) {
        if (record[i] && fields[i].flags & CAT_SEARCHED) {
            const char *text = cat_product_keys_text(b->pool, &fields[i], record[i]);
            add_words(b, cat_product_keys_mark(b->pool, registry->numbers[i]), cat_fold_text(b->pool, text));
        }
    }
}

void cat_product_keys_make(apr_pool_t *pool, int parts, const cat_registry_t *registry, const char *const *product,
                           const char **values)
{
    const char *folded[CAT_PRODUCT_FIELDS] = {NULL};

    memset(values, 0, CAT_PRODUCT_KEYS * sizeof(*values));
    for (int i = 0; i < CAT_PRODUCT_KEY_WORDS; i++) {
        int field = keyed[i].field;
        if (parts & 1 << i) {
            values[i] = keyed[i].is_text
                            ? cat_fold_cut(pool, fold_once(pool, product, folded, field), CAT_PRODUCT_KEY_SIZE)
                            : apr_off_t_toa(pool, cat_number_order_key(product[field]));
        }
    }
    if (parts & CAT_INDEX_SEARCH) {
        const char *name = fold_once(pool, product, folded, CAT_PRODUCT_NAME),
                   *category = fold_once(pool, product, folded, CAT_PRODUCT_CATEGORY);
        cat_buffer_t b;
        cat_buffer_init(&b, pool, strlen(name) + strlen(category) + 8);
        add_name_and_category(&b, name, category);
        add_own_words(&b, registry, product);
        values[CAT_PRODUCT_KEY_WORDS] = cat_buffer_text(&b);
    }
}

int cat_product_keys_match(const char *const *one, const char *const *other)
{
    for (int i = 0; i < CAT_PRODUCT_KEYS; i++) {
        if (!cat_text_is_same(one[i], other[i])) {
            return 0;
        }
    }
    return 1;
}

/* ---- words ---- */

int cat_product_keys_is_whole(const char *word)
{
    return strchr(word, *CAT_PRODUCT_WORD_END) != NULL;
}

/* Words are cut off before a character, which has up to four octets. */
int cat_product_keys_is_cut(const char *word)
{
    size_t octets = strcspn(word, CAT_PRODUCT_WORD_END);

    return octets + (word[octets] ? 4 : 0) > CAT_PRODUCT_WORD_SIZE;
}

const char *cat_product_keys_cut(apr_pool_t *pool, const char *word)
{
    const char *end = strchr(word, *CAT_PRODUCT_WORD_END);

    return cat_fold_cut(pool, end ? apr_pstrmemdup(pool, word, (apr_size_t)(end - word)) : word, CAT_PRODUCT_WORD_SIZE);
}

/* Equal words follow each other, one of the name first. */
static void add_word(apr_array_header_t *words, const cat_product_word_t *word)
{
    cat_product_word_t *last = words->nelts ? &APR_ARRAY_IDX(words, words->nelts - 1, cat_product_word_t) : NULL;

    if (last && !strcmp(last->text, word->text)) {
        last->is_joined = last->is_joined && word->is_joined;
    } else {
        APR_ARRAY_PUSH(words, cat_product_word_t) = *word;
    }
}

static int compare_words(const void *one, const void *other)
{
    const cat_product_word_t *a = one, *b = other;
    int order = strcmp(a->text, b->text);

    order = order ? order : b->in_name - a->in_name;
    return order ? order : a->is_joined - b->is_joined;
}

/* Reads the word, cut off, and whether it is joined. Returns what is behind it. */
static const char *read_word(apr_array_header_t *words, const char *word, int in_name)
{
    static const char joined[] = " " CAT_PRODUCT_WORD_JOINED " ";
    size_t length = strcspn(word, " ");
    int is_joined = !strncmp(word + length, joined, strlen(joined));
    const char *text = apr_pstrmemdup(words->pool, word, length);

    APR_ARRAY_PUSH(words, cat_product_word_t) =
        (cat_product_word_t){cat_fold_cut(words->pool, text, CAT_PRODUCT_WORD_SIZE), in_name, is_joined};
    return word + length + (is_joined ? strlen(joined) : 0);
}

apr_array_header_t *cat_product_keys_words(apr_pool_t *pool, const char *words)
{
    apr_array_header_t *all = apr_array_make(pool, 12, sizeof(cat_product_word_t)),
                       *list = apr_array_make(pool, 12, sizeof(cat_product_word_t));
    int in_name = 1;

    for (const char *word = words ? words : ""; *(word += strspn(word, " "));) {
        if (in_name && !strncmp(word, CAT_PRODUCT_NAME_END " ", 2)) {
            in_name = 0;
            word++;
            continue;
        }
        if (*word == *CAT_PRODUCT_WORD_MARK) {
            word += strcspn(word + 1, CAT_PRODUCT_WORD_MARK) + 1;
            word += *word != '\0'; /* a row of another program may have half a mark */
            in_name = 0;
        }
        word = read_word(all, word, in_name);
    }
    qsort(all->elts, (size_t)all->nelts, sizeof(cat_product_word_t), compare_words);
    for (int i = 0; i < all->nelts; i++) {
        add_word(list, &APR_ARRAY_IDX(all, i, cat_product_word_t));
    }
    return list;
}

/* A row of product_words that is to be inserted: so small because an import keeps hundreds of thousands. */
typedef struct posting_t {
    const char *text;
    int product; /* of the postings */
    char in_name, is_joined;
} posting_t;

typedef struct product_t {
    const char *n;
    const posting_t *words;
    int count, before; /* of its words, and of those of the products before it */
} product_t;

cat_product_postings_t cat_product_keys_begin(apr_pool_t *pool)
{
    return (cat_product_postings_t){apr_array_make(pool, 1, sizeof(product_t)), cat_own_keys_begin(pool), 0};
}

static int count_words(const cat_product_postings_t *postings)
{
    int count = postings->products->nelts;
    const product_t *last = (const product_t *)postings->products->elts + count - 1;

    return count ? last->before + last->count : 0;
}

void cat_product_keys_add(const cat_product_postings_t *postings, const apr_array_header_t *words, const char *n)
{
    apr_pool_t *pool = postings->products->pool;
    posting_t *list = apr_palloc(pool, (apr_size_t)words->nelts * sizeof(*list));
    int before = count_words(postings), product = postings->products->nelts;

    for (int i = 0; i < words->nelts; i++) {
        const cat_product_word_t *word = &APR_ARRAY_IDX(words, i, cat_product_word_t);
        list[i] = (posting_t){apr_pstrdup(pool, word->text), product, (char)word->in_name, (char)word->is_joined};
    }
    APR_ARRAY_PUSH(postings->products, product_t) = (product_t){apr_pstrdup(pool, n), list, words->nelts, before};
}

int cat_product_keys_count(const cat_product_postings_t *postings)
{
    return count_words(postings) + postings->keys->nelts;
}

static int compare_postings(const void *one, const void *other)
{
    const posting_t *a = *(const posting_t *const *)one, *b = *(const posting_t *const *)other;
    int order = strcmp(a->text, b->text);

    return order ? order : a->product - b->product;
}

/* All words of the products in their order. */
static const posting_t *const *sort_words(apr_pool_t *pool, const cat_product_postings_t *postings)
{
    size_t count = (size_t)count_words(postings);
    const posting_t **all = apr_palloc(pool, count * sizeof(*all));

    for (int i = 0; i < postings->products->nelts; i++) {
        const product_t *product = &APR_ARRAY_IDX(postings->products, i, product_t);
        for (int word = 0; word < product->count; word++) {
            all[product->before + word] = &product->words[word];
        }
    }
    qsort(all, count, sizeof(*all), compare_postings);
    return all;
}

/* in_name of product_words. */
static const char *flags_of(const posting_t *word)
{
    static const char *const flags[] = {"0", "1", "2", "3"};

    return flags[word->in_name + 2 * word->is_joined];
}

#define AT_ONCE 1024 /* rows whose values are put together */
#define COLUMNS 3

/* The words are sorted. */
static apr_status_t add_to_dictionary(cat_db_t *db, const posting_t *const *all, int count)
{
    apr_array_header_t *words = apr_array_make(db->pool, 64, sizeof(const char *));
    const char *last = "";

    for (int i = 0; i < count; i++) {
        if (!all[i]->is_joined && strcmp(last, all[i]->text) != 0) {
            last = APR_ARRAY_PUSH(words, const char *) = all[i]->text;
        }
    }
    return cat_dictionary_add(db, words);
}

/* In their order neighbours are on the same page of the database. */
static apr_status_t insert_words(cat_db_t *db, const cat_product_postings_t *postings)
{
    const product_t *products = (const product_t *)postings->products->elts;
    const posting_t *const *all = sort_words(db->pool, postings);
    const char *values[COLUMNS * AT_ONCE];
    cat_sql_t insert = postings->are_new ? SQL_WORDS_ADD : SQL_WORDS_INSERT;
    int words = count_words(postings);
    apr_status_t rv = APR_SUCCESS;

    for (int done = 0, count = 0; done < words && rv == APR_SUCCESS; done += count) {
        for (count = 0; count < AT_ONCE && done + count < words; count++) {
            const posting_t *posting = all[done + count];
            const char **row = &values[COLUMNS * count];
            row[0] = posting->text;
            row[1] = products[posting->product].n;
            row[2] = flags_of(posting);
        }
        rv = cat_db_insert_rows(db, &(cat_rows_t){insert, values, COLUMNS, count, 0});
    }
    return rv == APR_SUCCESS ? add_to_dictionary(db, all, words) : rv;
}

apr_status_t cat_product_keys_insert(cat_db_t *db, const cat_product_postings_t *postings)
{
    apr_status_t rv = insert_words(db, postings);

    return rv == APR_SUCCESS ? cat_own_keys_insert(db, postings->keys) : rv;
}

/* No word is empty, so the places that are left delete nothing. */
apr_status_t cat_product_keys_delete(cat_db_t *db, const apr_array_header_t *words, const char *n)
{
    apr_status_t rv = APR_SUCCESS;

    for (int done = 0; done < words->nelts && rv == APR_SUCCESS; done += DELETED_WORDS) {
        const char *values[1 + DELETED_WORDS] = {n};
        for (int i = 0; i < DELETED_WORDS; i++) {
            values[1 + i] = done + i < words->nelts ? APR_ARRAY_IDX(words, done + i, cat_product_word_t).text : "";
        }
        rv = cat_db_exec(db, SQL_WORDS_DELETE, values, 1 + DELETED_WORDS, NULL);
    }
    return rv;
}

/* The words of one sorted list that the other does not have, or has elsewhere. */
static apr_array_header_t *subtract_words(apr_pool_t *pool, const apr_array_header_t *from,
                                          const apr_array_header_t *other)
{
    apr_array_header_t *rest = apr_array_make(pool, 12, sizeof(cat_product_word_t));

    for (int i = 0, j = 0; i < from->nelts; i++) {
        const cat_product_word_t *word = &APR_ARRAY_IDX(from, i, cat_product_word_t);
        while (j < other->nelts && compare_words(&APR_ARRAY_IDX(other, j, cat_product_word_t), word) < 0) {
            j++;
        }
        if (j == other->nelts || compare_words(&APR_ARRAY_IDX(other, j, cat_product_word_t), word) != 0) {
            APR_ARRAY_PUSH(rest, cat_product_word_t) = *word;
        }
    }
    return rest;
}

apr_status_t cat_product_keys_change(cat_db_t *db, const char *before, const char *after, const char *n)
{
    apr_array_header_t *was = cat_product_keys_words(db->pool, before), *is = cat_product_keys_words(db->pool, after);
    cat_product_postings_t added = cat_product_keys_begin(db->pool);
    apr_status_t rv = cat_product_keys_delete(db, subtract_words(db->pool, was, is), n);

    cat_product_keys_add(&added, subtract_words(db->pool, is, was), n);
    return rv == APR_SUCCESS ? cat_product_keys_insert(db, &added) : rv;
}
