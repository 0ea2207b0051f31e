/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_DESCRIPTION_H
#define CAT_HTTP_DESCRIPTION_H

#include <jansson.h>

#include "http/answer.h"
#include "http/schema.h"
#include "lib/conf.h"

/* What /openapi.json says of a route besides what follows from its row in the route table. It is defined beside the handler. */

typedef struct cat_parameter_row_t cat_parameter_row_t; /* http/parameters.h */

/* What is described, while it is. */
typedef struct cat_describer_t {
    const cat_conf_t *conf;
    apr_pool_t *pool;
    json_t *schemas;    /* by name */
    json_t *components; /* parameters, by name */
    json_t *headers;    /* of answers, by name */
    json_t *examples;   /* of problems, by name */
    json_t *responses;  /* that operations share, by name */
    json_t *shared;     /* the names of these, by their contents */
    json_t *parameters; /* of the operation */
    const char *group;  /* of the operation's parameters */
    int is_required;    /* flag: the next parameter is */
} cat_describer_t;

/* Headers of an answer that succeeded, as bits. */
enum {
    CAT_HEADER_ETAG = 1, /* of a GET: and its answer is 304 or 412 on a condition */
    CAT_HEADER_LINK = 2,
    CAT_HEADER_LOCATION = 4,
    CAT_HEADER_COOKIE = 8,
    CAT_HEADER_DISPOSITION = 16,
    CAT_HEADER_ALLOW = 64,
    CAT_HEADER_BATCH = 512,
    CAT_HEADER_CURRENCY = 256 /* if CatalogCurrency is set */
};

typedef struct cat_description_t {
    const char *id;            /* operationId */
    const char *tag;           /* a row of the tag table, api/openapi.c */
    const char *summary;       /* what the route does, in a few words */
    const char *about;         /* more, in full sentences; NULL: that is all */
    const char *param;         /* the ':' segment of the path, in a few words; NULL: there is none */
    const char *param_example; /* NULL: an id */
    const char *param2;        /* the second one, an id; NULL: there is none */
    int takes_name;            /* flag: where fields are unique, it may also be a product's name */

    /* The request. Of a JSON body: */
    const char *input;         /* the name of its schema; NULL: the route takes none, or another one */
    const cat_field_t *fields; /* what it may have; NULL: describe_input */
    int field_count;
    cat_purpose_t purpose;
    int needs_more; /* flag: besides the required fields it must have another one; their texts say which */
    json_t *(*describe_input)(cat_describer_t *d, json_t **example);
    const char *group; /* of the parameters of the query, for the names of their components: "products" */
    const cat_parameter_row_t *parameters;           /* what they are; NULL: describe_parameters */
    void (*describe_parameters)(cat_describer_t *d); /* calls cat_description_add_parameter; NULL: there are none */
    int takes_cookie;                                /* flag: it may come with a refresh token, as a cookie */

    /* The answer to a request that succeeds. */
    int status;
    const char *answered;                            /* what it has, in a few words */
    const cat_shape_t *shape;                        /* its JSON body; NULL: describe_content */
    json_t *(*describe_content)(cat_describer_t *d); /* NULL, as shape is: there is no body */
    unsigned headers;                                /* CAT_HEADER_x */

    /* Another one, where the request may succeed in two ways; other_status 0: there is none. other_shape NULL: describe_content. */
    int other_status;
    const char *other_answered;
    const cat_shape_t *other_shape;

    const cat_shape_t *refusal; /* of an answer that failed; NULL: cat_description_problem */

    /* The ways in which it can fail that do not follow from the row; ends with CAT_PROBLEM_COUNT. NULL: none. */
    const cat_problem_t *problems;
    int needs_no_database; /* flag */

    /* 0: these settings close the route, so it is not described, and answers 404; or what it likes, if refuses_closed. NULL: it is always
     * open. */
    int (*is_open)(const cat_conf_t *conf);
    int refuses_closed; /* flag */
} cat_description_t;

/* The answer that says only what was done; that to a request that failed, and its members, for one that has more. */
extern const cat_shape_t cat_description_done, cat_description_problem, cat_description_errors;
#define CAT_DESCRIPTION_PROBLEM                                                                                        \
    {"success", &cat_schema_false, CAT_ALWAYS, "The request failed"},                                                  \
        {"message", &cat_schema_text, CAT_ALWAYS, "What went wrong, in a few words for people"},                       \
        {"error", &cat_schema_text, CAT_USUALLY, "Its cause, in a sentence"},                                          \
        {"errors", &cat_description_errors, CAT_RARELY, "Each fault of the request"}

/* Adds a parameter of the query. Takes over schema and example. */
void cat_description_add_parameter(cat_describer_t *d, const char *name, const char *about, json_t *schema,
                                   json_t *example);

/* Adds a schema, which it takes over, unless there is one of that name. A reference to it. */
json_t *cat_description_add_schema(cat_describer_t *d, const char *name, json_t *schema);

/* A schema of one of the words, which end with NULL. chosen: the default; negative: none. */
json_t *cat_description_words(const char *const *words, int chosen);

#endif
