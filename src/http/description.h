/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_DESCRIPTION_H
#define CAT_HTTP_DESCRIPTION_H

#include <jansson.h>

#include "http/answer.h"
#include "http/schema.h"
#include "lib/conf.h"

/* The description of a route for /openapi.json, apart from what follows from its row in the route table. It is defined
 * next to the handler. */

typedef struct cat_parameter_row_t cat_parameter_row_t; /* Defined in http/parameters.h. */

/* State while a description is made. */
typedef struct cat_describer_t {
    const cat_conf_t *conf;
    apr_pool_t *pool;
    json_t *schemas;    /* JSON Schemas, by name. */
    json_t *components; /* Parameters, by name. */
    json_t *headers;    /* Headers of answers, by name. */
    json_t *examples;   /* Examples of problems, by name. */
    json_t *responses;  /* Responses that operations share, by name. */
    json_t *shared;     /* Names of `responses`, by their content. */
    json_t *parameters; /* Parameters of the current operation. */
    const char *group;  /* Group of the current operation's parameters. */
    int is_required;    /* True if the next parameter is required. */
} cat_describer_t;

/* Headers of a successful answer, as bits. */
enum {
    CAT_HEADER_ETAG = 1, /* For GET. Conditions of the request can then lead to 304 or 412. */
    CAT_HEADER_LINK = 2,
    CAT_HEADER_LOCATION = 4,
    CAT_HEADER_COOKIE = 8,
    CAT_HEADER_DISPOSITION = 16,
    CAT_HEADER_ALLOW = 64,
    CAT_HEADER_BATCH = 512,
    CAT_HEADER_CURRENCY = 256 /* Sent if CatalogCurrency is set. */
};

typedef struct cat_description_t {
    const char *id;      /* operationId. */
    const char *tag;     /* Row of the tag table in api/openapi.c. */
    const char *summary; /* What the route does, in a few words. */
    const char *about;   /* More about the route, in whole sentences, or NULL. */
    const char *param;   /* Description of the ':' segment of the path, in a few words. NULL if the path has none. */
    const char *param_example; /* NULL if the example is an id. */
    const char *param2; /* Description of the second ':' segment, which is an id. NULL if the path has only one. */
    int takes_name;     /* True if the segment may also be a product's name where a field is unique. */

    /* The request. For a JSON body: */
    const char *input;         /* Name of its schema. NULL if the route takes no JSON body. */
    const cat_field_t *fields; /* Fields that the body may have. NULL if describe_input describes the body. */
    int field_count;
    cat_purpose_t purpose;
    /* True if the body must have one more field than the required ones. The texts of the fields say which. */
    int needs_more;
    json_t *(*describe_input)(cat_describer_t *d, json_t **example);
    const char *group; /* Group of the query's parameters, such as "products", for the names of their components. */
    /* Table of the query's parameters. NULL if describe_parameters describes them. */
    const cat_parameter_row_t *parameters;
    /* Calls cat_description_add_parameter for each parameter. NULL if there is none. */
    void (*describe_parameters)(cat_describer_t *d);
    int takes_cookie; /* True if the request may have a refresh token in a cookie. */

    /* The answer to a request that succeeds. */
    int status;
    const char *answered;     /* What the answer contains, in a few words. */
    const cat_shape_t *shape; /* Shape of its JSON body. NULL if describe_content describes the body. */
    json_t *(*describe_content)(cat_describer_t *d); /* If this and `shape` are NULL, the answer has no body. */
    unsigned headers;                                /* Bits CAT_HEADER_x. */

    /* A second answer, if the request may succeed in two ways; other_status is 0 if not. If other_shape is NULL,
     * describe_content describes the body. */
    int other_status;
    const char *other_answered;
    const cat_shape_t *other_shape;

    const cat_shape_t *refusal; /* Shape of a failure's body. NULL means cat_description_problem. */

    /* Problems of the route that do not follow from its row. Ends with CAT_PROBLEM_COUNT. NULL if there are none. */
    const cat_problem_t *problems;
    int needs_no_database; /* True if the route needs no database. */

    /* Returns false if these settings close the route. A closed route is not described, and answers 404 unless
     * refuses_closed is set. NULL if the route is always open. */
    int (*is_open)(const cat_conf_t *conf);
    int refuses_closed; /* True if the handler itself refuses requests while the route is closed. */
} cat_description_t;

/* Shapes of the answer that only says what was done, of a failure's body, and of its list of errors.
 * CAT_DESCRIPTION_PROBLEM has the members of a failure's body, for bodies with more members. */
extern const cat_shape_t cat_description_done, cat_description_problem, cat_description_errors;
#define CAT_DESCRIPTION_PROBLEM                                                                                        \
    {"success", &cat_schema_false, CAT_ALWAYS, "The request failed"},                                                  \
        {"message", &cat_schema_text, CAT_ALWAYS, "What went wrong, in a few words for people"},                       \
        {"error", &cat_schema_text, CAT_USUALLY, "Its cause, in a sentence"},                                          \
        {"errors", &cat_description_errors, CAT_RARELY, "Each fault of the request"}

/* Adds a parameter of the query. Takes ownership of `schema` and `example`. */
void cat_description_add_parameter(cat_describer_t *d, const char *name, const char *about, json_t *schema,
                                   json_t *example);

/* Adds a schema unless one of that name exists, and returns a reference to it. Takes ownership of `schema`. */
json_t *cat_description_add_schema(cat_describer_t *d, const char *name, json_t *schema);

/* Returns the schema of a parameter that takes one of the words. `words` ends with NULL. `chosen` is the index of the
 * default, or negative if there is none. */
json_t *cat_description_words(const char *const *words, int chosen);

#endif
