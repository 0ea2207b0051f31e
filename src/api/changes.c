/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The changes of products:
 *
 *     GET /changes                 changes of all products in the order of their commits, for programs that keep a copy
 *     GET /products/:id/history    changes of one product, newest first
 *     POST /products/:id/restore   makes a product what it was before a change
 *
 * The entries of both lists are records of field tables, which also yield their descriptions in /openapi.json.
 */
#include "api/changes.h"

#include <string.h>

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "accounts/audit.h"
#include "api/account_context.h"
#include "api/admin_list.h"
#include "api/failure.h"
#include "api/pagination.h"
#include "api/products.h"
#include "catalogue/history.h"
#include "http/answer.h"
#include "http/parameters.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/text.h"
#include "lib/time.h"

#define LIMIT 100 /* Default number of changes in a response. */

int cat_changes_are_kept(const cat_conf_t *conf)
{
    return cat_conf_history(conf) > 0;
}

void cat_changes_name_batch(cat_request_t *q, cat_answer_t *answer, apr_int64_t batch)
{
    if (batch) {
        cat_answer_header(answer, q->pool, "Catalog-Batch", cat_number_write(q->pool, batch));
    }
}

/* ---- entries ---- */

static const char *const op_words[] = {CAT_CHANGE_CREATE, CAT_CHANGE_UPDATE, CAT_CHANGE_DELETE, NULL};
static const cat_text_rule_t op_rule = {.words = op_words};

/* clang-format off */
#define SEQ_FIELD {"seq", CAT_NUMBER, CAT_SERVER | CAT_WHOLE | CAT_OPTIONAL, 0, 0, NULL, NULL, \
    "Its place in the order of all changes; later ones have higher numbers, some of which are left out", "1042"}
#define AT_FIELD {"at", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL, "When it was made, in UTC", "2026-11-26T09:30:00.123Z"}
#define BY_FIELD {"by", CAT_STRING, CAT_SERVER | CAT_OPTIONAL | CAT_EMBEDDED, 0, 0, NULL, NULL, \
    "Who made it: `id` and, if the account is one of this service, `username`; absent with catalogctl", \
    "{\"id\":\"01a1fee5-af25-7514-8a69-477230296f5b\",\"username\":\"ada\"}"}
#define OP_FIELD {"op", CAT_STRING, CAT_SERVER, 0, 0, NULL, &op_rule, "What was done to the product", "update"}
#define BATCH_FIELD {"batch", CAT_NUMBER, CAT_SERVER | CAT_WHOLE, 0, 0, NULL, NULL, \
    "The batch that it belongs to: all changes of a request have the same", "227598393600002"}

enum { ENTRY_SEQ, ENTRY_AT, ENTRY_BY, ENTRY_OP, ENTRY_BATCH, ENTRY_CHANGES, ENTRY_FIELDS };
static const cat_field_t entry_fields[ENTRY_FIELDS] = {
    SEQ_FIELD, AT_FIELD, BY_FIELD, OP_FIELD, BATCH_FIELD,
    {"changes", CAT_STRING, CAT_SERVER | CAT_EMBEDDED, 0, 0, NULL, NULL,
     "Each field that it changed, with `from` and `to`; one of the two is absent where the product had no value", "{\"price\":{\"from\":5,\"to\":4.5}}"},
};

enum { CHANGE_SEQ, CHANGE_AT, CHANGE_OP, CHANGE_ID, CHANGE_BY, CHANGE_BATCH, CHANGE_PRODUCT, CHANGE_FIELDS };
static const cat_field_t change_fields[CHANGE_FIELDS] = {
    SEQ_FIELD, AT_FIELD, OP_FIELD,
    {"id", CAT_STRING, CAT_SERVER, 0, 0, NULL, &cat_fields_id, "The product", "01a1fee5-af25-7514-8a69-477230296f5b"},
    BY_FIELD, BATCH_FIELD,
    {"product", CAT_STRING, CAT_SERVER | CAT_OPTIONAL | CAT_EMBEDDED, 0, 0, NULL, NULL,
     "With `include=product`: the product as it is now; absent if it is gone", "{\"name\":\"Kettle\"}"},
};
/* clang-format on */

const char *cat_changes_write_author(apr_pool_t *pool, const char *user_id, const char *username)
{
    return user_id
               ? cat_json_text(pool, cat_json_own(pool, json_pack("{s:s, s:s*}", "id", user_id, "username", username)))
               : NULL;
}

static const char *write_author(apr_pool_t *pool, const cat_change_t *change)
{
    return cat_changes_write_author(pool, change->user_id, change->username);
}

static const char *write_seq(apr_pool_t *pool, const cat_change_t *change)
{
    return change->seq ? cat_number_write(pool, change->seq) : NULL;
}

/* ---- GET /changes ---- */

#define END "end"

typedef struct feed_t {
    cat_request_t *q;
    apr_int64_t since; /* CAT_CHANGES_END if no changes are read. */
    int limit;
    int has_products; /* True if the response includes the products. */
    apr_array_header_t *changes;
    apr_int64_t next;
    apr_hash_t *products; /* JSON of the products by id. */
} feed_t;

static void parse_since(void *query, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    feed_t *f = query;
    char *end = NULL;

    if (parameter->value && !strcmp(parameter->value, END)) {
        f->since = CAT_CHANGES_END;
        return;
    }
    f->since = parameter->value ? apr_strtoi64(parameter->value, &end, 10) : -1;
    if (!end || *end || !apr_isdigit(*parameter->value) || f->since == APR_INT64_MAX) {
        cat_parameters_add_error(p, parameter->name, "invalid",
                                 "must be a whole number, such as next of the last response, or 0, or " END);
    }
}

static void parse_limit(void *query, cat_parameters_t *, const cat_parameter_t *parameter)
{
    feed_t *f = query;

    f->limit = (int)cat_parameters_parse_limit(parameter, LIMIT, f->q->conf->max_limit);
}

static void parse_include(void *query, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    static const char *const words[] = {"product", NULL};
    feed_t *f = query;

    f->has_products = !cat_parameters_choose(p, parameter, parameter->value, words, "must be product");
}

static json_t *describe_since(const cat_conf_t *)
{
    return json_pack("{s:[{s:s, s:i}, {s:s, s:[s]}], s:i}", "oneOf", "type", "integer", "minimum", 0, "type", "string",
                     "enum", END, "default", 0);
}

static json_t *describe_limit(const cat_conf_t *conf)
{
    return json_pack("{s:s, s:i, s:i}", "type", "integer", "default", LIMIT < conf->max_limit ? LIMIT : conf->max_limit,
                     "maximum", conf->max_limit);
}

static json_t *describe_include(const cat_conf_t *)
{
    return json_pack("{s:s, s:[s]}", "type", "string", "enum", "product");
}

/* THE PARAMETERS OF THE CHANGES */
static const cat_parameter_row_t parameters[] = {
    {"since", 0, parse_since, describe_since,
     "Only changes after this one: `next` of the last answer; 0: from the beginning of the history; `end`: none, and "
     "`next` is the end of the history: read all products, then follow the changes from there",
     "1042"},
    {"limit", 1, parse_limit, describe_limit, CAT_PARAMETERS_LIMIT, "500"},
    {"include", 0, parse_include, describe_include, "With each change the product as it is now", "\"product\""},
    CAT_PARAMETERS_END,
};

static apr_status_t add_product(void *baton, const char *const *row, int)
{
    feed_t *f = baton;
    const cat_fields_t *fields = cat_product_fields_of(f->q->conf);
    cat_buffer_t b;

    cat_buffer_init(&b, f->q->pool, CAT_PRODUCT_SIZE);
    cat_fields_write(&b, fields->all, fields->count, cat_product_read(f->q->pool, fields, row));
    apr_hash_set(f->products, apr_pstrdup(f->q->pool, row[CAT_PRODUCT_ID]), APR_HASH_KEY_STRING, cat_buffer_text(&b));
    return APR_SUCCESS;
}

static const cat_change_t *change_at(const feed_t *f, int i)
{
    return &APR_ARRAY_IDX(f->changes, i, cat_change_t);
}

static apr_status_t read_products(feed_t *f)
{
    apr_array_header_t *ids = apr_array_make(f->q->pool, f->changes->nelts, sizeof(const char *));

    f->products = apr_hash_make(f->q->pool);
    for (int i = 0; f->has_products && i < f->changes->nelts; i++) {
        APR_ARRAY_PUSH(ids, const char *) = change_at(f, i)->id;
    }
    return cat_db_each_list(f->q->db, SQL_PRODUCT_GET_100, cat_id_numbers(f->q->pool, ids), add_product, f);
}

static void write_change(const feed_t *f, cat_buffer_t *b, const cat_change_t *change)
{
    const char *values[CHANGE_FIELDS] = {
        [CHANGE_SEQ] = write_seq(f->q->pool, change),
        [CHANGE_AT] = cat_time_store(f->q->pool, change->at),
        [CHANGE_OP] = change->op,
        [CHANGE_ID] = change->id,
        [CHANGE_BY] = write_author(f->q->pool, change),
        [CHANGE_BATCH] = cat_number_write(f->q->pool, change->batch),
        [CHANGE_PRODUCT] = apr_hash_get(f->products, change->id, APR_HASH_KEY_STRING),
    };

    cat_fields_write(b, change_fields, CHANGE_FIELDS, values);
}

static cat_answer_t *answer_changes(const feed_t *f)
{
    cat_buffer_t b;

    cat_buffer_init(&b, f->q->pool, 4096);
    CAT_BUFFER_LITERAL(&b, "{\"success\":true,\"data\":[");
    for (int i = 0; i < f->changes->nelts; i++) {
        if (i) {
            CAT_BUFFER_LITERAL(&b, ",");
        }
        write_change(f, &b, change_at(f, i));
    }
    CAT_BUFFER_LITERAL(&b, "],\"next\":");
    cat_buffer_add_int(&b, f->next);
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_answer_text(f->q->pool, 200, b.data, b.length);
}

cat_answer_t *cat_changes_list(cat_request_t *q)
{
    feed_t f = {.q = q, .limit = LIMIT < q->conf->max_limit ? LIMIT : q->conf->max_limit};
    cat_parameters_t p;
    cat_answer_t *answer;
    apr_status_t rv;

    cat_parameters_init(&p, q->pool, q->strict, q->query);
    cat_parameters_parse(&p, parameters, &f);
    if (p.errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, p.errors);
    }
    rv = cat_changes_after(q->db, f.since, f.limit, &f.changes, &f.next);
    rv = rv == APR_SUCCESS ? read_products(&f) : rv;
    if (rv != APR_SUCCESS) {
        return rv == CAT_EPURGED ? cat_answer_problem(q->pool, CAT_PROBLEM_CHANGES_GONE, NULL)
                                 : cat_failure_answer(q->pool, rv);
    }
    answer = answer_changes(&f);
    if (p.ignored) {
        cat_answer_name_ignored(answer, q->pool, p.ignored);
    }
    return answer;
}

/* ---- the product of a path ---- */

/* Sets *id to the id in the path, whose product may have been deleted, or to the id of the product that has the name in
 * the path. */
static apr_status_t find_id(cat_request_t *q, const char **id)
{
    cat_products_target_t target;
    apr_status_t rv;

    q->params[0] = cat_id_fold(q->pool, q->params[0]);
    rv = cat_products_find_target(q, &target);
    *id = target.id;
    return rv;
}

/* ---- GET /products/:id/history ---- */

typedef struct history_t {
    cat_admin_list_t list; /* Must be the first member, see cat_admin_list_parse. */
    cat_request_t *q;
    const char *id;
    apr_int64_t place; /* Number of changes read so far. */
} history_t;

static void write_value(cat_buffer_t *b, const char *name, const cat_field_t *field, const char *value)
{
    if (value) {
        cat_buffer_add_text(b, b->data[b->length - 1] == '{' ? "\"" : ",\"");
        cat_buffer_add_text(b, name);
        CAT_BUFFER_LITERAL(b, "\":");
        cat_fields_write_value(b, field, value);
    }
}

/* Returns the changed fields as JSON. `before` and `after` are records, or NULL if the product did not exist. Leaves
 * out the id and fields with the time of the last change. */
static const char *write_changes(apr_pool_t *pool, const cat_fields_t *fields, const char *const *before,
                                 const char *const *after)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 256);
    CAT_BUFFER_LITERAL(&b, "{");
    for (int i = 0; i < fields->count; i++) {
        const cat_field_t *field = &fields->all[i];
        const char *from = before ? before[i] : NULL, *to = after ? after[i] : NULL;
        if (i == CAT_PRODUCT_ID || field->flags & CAT_MODIFIED || cat_text_is_same(from, to)) {
            continue;
        }
        cat_buffer_add_text(&b, b.length > 1 ? ",\"" : "\"");
        cat_buffer_add_text(&b, field->name);
        CAT_BUFFER_LITERAL(&b, "\":{");
        write_value(&b, "from", field, from);
        write_value(&b, "to", field, to);
        CAT_BUFFER_LITERAL(&b, "}");
    }
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_buffer_text(&b);
}

static const char *const *read_row(apr_pool_t *pool, const cat_fields_t *fields, const char *const *row)
{
    return row ? cat_product_read(pool, fields, row) : NULL;
}

static void add_entry(const history_t *h, const cat_change_t *change, const char *const *before,
                      const char *const *after)
{
    apr_pool_t *pool = h->q->pool;
    const cat_fields_t *fields = cat_product_fields_of(h->q->conf);
    const char **entry = apr_pcalloc(pool, ENTRY_FIELDS * sizeof(*entry));

    entry[ENTRY_SEQ] = write_seq(pool, change);
    entry[ENTRY_AT] = cat_time_store(pool, change->at);
    entry[ENTRY_BY] = write_author(pool, change);
    entry[ENTRY_OP] = apr_pstrdup(pool, change->op);
    entry[ENTRY_BATCH] = cat_number_write(pool, change->batch);
    entry[ENTRY_CHANGES] = write_changes(pool, fields, read_row(pool, fields, before), read_row(pool, fields, after));
    APR_ARRAY_PUSH(h->list.page.rows, const char *const *) = (const char *const *)entry;
}

static apr_status_t take_change(void *baton, const cat_change_t *change, const char *const *before,
                                const char *const *after)
{
    history_t *h = baton;
    const cat_page_t *page = &h->list.page;

    if (h->place++ / page->limit < page->number - 1) {
        return APR_SUCCESS;
    }
    add_entry(h, change, before, after);
    return page->rows->nelts < page->limit ? APR_SUCCESS : CAT_ENOUGH;
}

static apr_status_t read_history(void *baton)
{
    history_t *h = baton;
    cat_page_t *page = &h->list.page;
    apr_status_t rv = cat_changes_count(h->q->db, h->id, &page->total);

    page->rows = apr_array_make(h->q->pool, 16, sizeof(const char *const *));
    h->place = 0;
    return rv == APR_SUCCESS && page->total && page->number - 1 <= (page->total - 1) / page->limit
               ? cat_changes_walk(h->q->db, h->id, take_change, h)
               : rv;
}

static const cat_parameter_row_t history_parameters[] = {CAT_ADMIN_LIST_PARAMETERS, CAT_PARAMETERS_END};

/* Assigns numbers to the latest changes first. If that fails, for example because the database is read-only, these
 * changes have no number, and the cause is logged. Returns APR_NOTFOUND if the product has no changes and does not
 * exist: it never existed, or it was deleted before the history begins. */
static apr_status_t read_page(history_t *h)
{
    const char *const *row;
    apr_status_t rv;

    cat_change_numbers_assign(h->q->db);
    rv = cat_db_view(h->q->db, read_history, h);
    return rv == APR_SUCCESS && !h->list.page.total
               ? cat_db_one(h->q->db, SQL_PRODUCT_GET, CAT_PRODUCT_IS(h->q->pool, h->id), &row)
               : rv;
}

cat_answer_t *cat_changes_history(cat_request_t *q)
{
    history_t h = {.q = q};
    cat_parameters_t p;
    cat_answer_t *refusal;
    apr_status_t rv;

    refusal = cat_admin_list_parse(q, &p, history_parameters, &h.list);
    if (refusal) {
        return refusal;
    }
    rv = find_id(q, &h.id);
    rv = rv == APR_SUCCESS ? read_page(&h) : rv;
    return rv == APR_NOTFOUND ? cat_answer_problem(q->pool, CAT_PROBLEM_PRODUCT_UNKNOWN, NULL)
                              : cat_admin_list_answer(q, rv, &h.list, &p, entry_fields, ENTRY_FIELDS);
}

/* ---- POST /products/:id/restore ---- */

static const cat_field_t restore_fields[] = {
    {"seq", CAT_NUMBER, CAT_REQUIRED | CAT_WHOLE, 1, 9007199254740991, NULL, NULL,
     "The product becomes what it was before this change", "1042"},
};

static cat_answer_t *answer_taken(cat_request_t *q)
{
    json_t *error =
        cat_fields_make_error(cat_products_name_taken(q->db), "taken", "is already taken by another product");

    return cat_answer_invalid(q->pool, CAT_PROBLEM_RESTORE_TAKEN, cat_json_own(q->pool, json_pack("[o]", error)));
}

static cat_answer_t *refuse_restore(cat_request_t *q, apr_status_t rv)
{
    const json_t *errors = cat_products_refusals(q->pool, rv);

    switch (rv) {
    case APR_NOTFOUND:
        return cat_answer_problem(q->pool, CAT_PROBLEM_CHANGE_UNKNOWN, NULL);
    case CAT_ENOPRODUCT:
        return cat_answer_problem(q->pool, CAT_PROBLEM_RESTORE_NOTHING, NULL);
    case APR_EEXIST:
        return answer_taken(q);
    default:
        return errors ? cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, errors) : cat_failure_answer(q->pool, rv);
    }
}

typedef struct restore_request_t {
    cat_request_t *q;
    cat_restoration_t restoration;
    const char *seq;
} restore_request_t;

static apr_status_t record_restoration(void *baton)
{
    const restore_request_t *r = baton;
    const cat_actor_t actor = cat_account_context_actor(r->q);
    cat_audit_entry_t entry;

    cat_audit_begin(&entry, r->q->pool, CAT_AUDIT_PRODUCT_RESTORE, r->restoration.id, NULL);
    cat_audit_add_change(&entry, &restore_fields[0], NULL, r->seq);
    return cat_audit_store(&entry, r->q->db, &actor, r->q->now);
}

cat_answer_t *cat_changes_restore(cat_request_t *q)
{
    const cat_fields_t *fields = cat_product_fields_of(q->conf);
    restore_request_t r = {.q = q, .restoration = {.db = q->db, .finish = record_restoration, .baton = &r}};
    cat_answer_t *answer;
    cat_input_t input;
    cat_buffer_t b;
    apr_status_t rv;

    cat_fields_check(q->pool, restore_fields, 1, CAT_CREATE, q->strict, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    r.seq = input.values[0];
    r.restoration.seq = apr_atoi64(r.seq);
    rv = find_id(q, &r.restoration.id);
    rv = rv == APR_SUCCESS ? cat_restore_product(&r.restoration) : rv;
    if (rv != APR_SUCCESS) {
        return refuse_restore(q, rv);
    }
    cat_buffer_init(&b, q->pool, CAT_PRODUCT_SIZE);
    cat_fields_write(&b, fields->all, fields->count, r.restoration.product);
    answer = cat_answer_success(q->pool, 200, &b, "Product restored");
    answer->etag = cat_products_tag(q->pool, fields, r.restoration.product);
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}

/* ---- descriptions ---- */

static const cat_shape_t change_shape = {
    .kind = CAT_SHAPE_RECORD, .name = "Change", .fields = change_fields, .count = CHANGE_FIELDS};
static const cat_shape_t change_list = {.kind = CAT_SHAPE_LIST, .of = &change_shape};
static const cat_member_t change_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &change_list, CAT_ALWAYS, "The changes, oldest first"},
    {"next", &cat_schema_whole, CAT_ALWAYS, "The `since` that continues the list, also where it is empty"},
    CAT_MEMBER_END,
};
static const cat_shape_t changes = {.kind = CAT_SHAPE_OBJECT, .name = "Changes", .members = change_members};

static const cat_problem_t following[] = {CAT_PROBLEM_CHANGES_GONE, CAT_PROBLEM_COUNT};

const cat_description_t cat_changes_about_list = {
    .id = "listChanges",
    .tag = "Products",
    .summary = "Follow the changes of products",
    .about = "In an order without gaps: a program that stores `next` together with what it has made of the changes "
             "misses none "
             "and gets none twice. "
             "On a database server a change is in the list about half a second after it was made.",
    .group = "changes",
    .parameters = parameters,
    .status = 200,
    .answered = "The changes after `since`",
    .shape = &changes,
    .problems = following,
    .is_open = cat_changes_are_kept,
};

static const cat_shape_t entry_shape = {
    .kind = CAT_SHAPE_RECORD, .name = "HistoryEntry", .fields = entry_fields, .count = ENTRY_FIELDS};
static const cat_shape_t entry_list = {.kind = CAT_SHAPE_LIST, .of = &entry_shape};
static const cat_member_t history_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &entry_list, CAT_ALWAYS, "Its changes, newest first"},
    CAT_PAGINATION_MEMBER,
    CAT_MEMBER_END,
};
static const cat_shape_t history = {.kind = CAT_SHAPE_OBJECT, .name = "History", .members = history_members};

static const cat_problem_t reading[] = {CAT_PROBLEM_PRODUCT_UNKNOWN, CAT_PROBLEM_INDEXING, CAT_PROBLEM_COUNT};

const cat_description_t cat_changes_about_history = {
    .id = "getProductHistory",
    .tag = "Products",
    .summary = "Read what changed of a product",
    .about = "Newest first, also of a product that was deleted.",
    .param = CAT_PRODUCTS_PARAM,
    .takes_name = 1,
    .group = "history",
    .parameters = history_parameters,
    .status = 200,
    .answered = "A page of its changes",
    .shape = &history,
    .headers = CAT_HEADER_LINK,
    .problems = reading,
    .is_open = cat_changes_are_kept,
};

static const cat_member_t restored_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &cat_products_shape, CAT_ALWAYS, "The product as it is now"},
    CAT_MEMBER_MESSAGE,
    CAT_MEMBER_END,
};
static const cat_shape_t restored = {.kind = CAT_SHAPE_OBJECT, .name = "RestoredProduct", .members = restored_members};
static const cat_problem_t restoring[] = {CAT_PROBLEM_CHANGE_UNKNOWN, CAT_PROBLEM_RESTORE_NOTHING,
                                          CAT_PROBLEM_RESTORE_TAKEN, CAT_PROBLEM_INDEXING, CAT_PROBLEM_COUNT};

const cat_description_t cat_changes_about_restore = {
    .id = "restoreProduct",
    .tag = "Products",
    .summary = "Make a product what it was before a change",
    .about =
        "A deleted product comes back with its id and its `createdAt`. That is a change, too, which can be undone.",
    .param = CAT_PRODUCTS_PARAM,
    .takes_name = 1,
    .input = "Restoration",
    .fields = restore_fields,
    .field_count = 1,
    .purpose = CAT_CREATE,
    .status = 200,
    .answered = "The product is what it was",
    .shape = &restored,
    .headers = CAT_HEADER_ETAG,
    .problems = restoring,
    .is_open = cat_changes_are_kept,
};
