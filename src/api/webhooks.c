/* SPDX-License-Identifier: Apache-2.0 */
#include "api/webhooks.h"

#include "accounts/webhook_list.h"
#include "api/admin_list.h"
#include "api/pagination.h"

static const cat_parameter_row_t parameters[] = {
    CAT_ADMIN_LIST_PARAMETERS,
    CAT_PARAMETERS_END,
};

cat_answer_t *cat_webhooks_list(cat_request_t *q)
{
    cat_admin_list_t list;
    cat_parameters_t p;
    cat_answer_t *refusal = cat_admin_list_parse(q, &p, parameters, &list);
    apr_status_t rv;

    if (refusal) {
        return refusal;
    }
    rv = cat_webhook_list_read(q->db, &list.page);
    return cat_admin_list_answer(q, rv, &list, &p, cat_webhook_view_fields, CAT_WEBHOOK_VIEW_FIELDS);
}

static const cat_shape_t webhook_list = {.kind = CAT_SHAPE_LIST, .of = &cat_webhook_view_shape};
static const cat_member_t list_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &webhook_list, CAT_ALWAYS, "The webhooks of the page"},
    CAT_PAGINATION_MEMBER,
    CAT_MEMBER_END,
};
static const cat_shape_t list_shape = {.kind = CAT_SHAPE_OBJECT, .name = "WebhookList", .members = list_members};

const cat_description_t cat_webhooks_about_list = {
    .id = "listWebhooks",
    .tag = "Administration",
    .summary = "List the URLs that receive changes",
    .about = "In the order in which they were added, with what came of the last attempt of each.",
    .group = "webhooks",
    .parameters = parameters,
    .status = 200,
    .answered = "A page of the list",
    .shape = &list_shape,
    .headers = CAT_HEADER_LINK,
};
