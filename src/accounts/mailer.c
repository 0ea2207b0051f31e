/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job that sends mails from the queue (accounts/outbox.h).
 *
 * For each mail the job claims the mail that has been due for the longest time, decides whether it is still needed,
 * makes its link and text, sends it, and stores the result. A claim has a lease, so if a mailer dies, another mailer
 * sends the mail later: it may arrive twice, but is never lost. The text is made when the mail is sent, so the database
 * never has a token in clear.
 *
 *     sent, or no longer needed      deleted
 *     refused for good (5xx)         dead at once (CAT017)
 *     not accepted now (4xx, down)   retried after 2, 4, 8 ... seconds, at most 15 minutes; dead after three days
 *                                    (CAT014). The run ends, because the next mail would fail as well
 *
 * A rate limits the mails of one kind to one address, so that nobody can flood another person's mailbox.
 */
#include "accounts/mailer.h"

#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

#include "accounts/accounts.h"
#include "accounts/mail_tokens.h"
#include "accounts/outbox.h"
#include "db/db.h"
#include "http/rate_limit.h"
#include "lib/conf.h"
#include "lib/log.h"
#include "lib/text.h"
#include "lib/time.h"
#include "mail/email.h"
#include "mail/message.h"
#include "mail/smtp.h"
#include "mail/transport.h"
#include "shm/limit.h"
#include "shm/metrics.h"

/* Limits of a run, because the jobs of other mounts wait for it. A server that stops interrupts at most one mail, which
 * a mailer sends again after the lease. */
#define MAILS_PER_RUN 100
#define RUN_TIME apr_time_from_sec(20)
#define LEASE apr_time_from_sec(60)

/* A mail that was not accepted waits 2, 4, 8 ... seconds, at most 15 minutes. It is dead after three days. */
#define WAIT_MAX_SHIFT 10
#define WAIT_MAX apr_time_from_sec(15 * 60)
#define GIVE_UP_AFTER apr_time_from_sec(3 * 24 * 3600)

/* A kind of mail. */
typedef struct kind_t {
    const char *name; /* Name of the template. */
    const char *page; /* Link without the token, if CatalogLink sets none. NULL if the mail has no link. */
    apr_size_t link;  /* Offset in cat_conf_t of the text that CatalogLink sets, with CAT_MAILER_TOKEN. */
    apr_size_t ttl;   /* Offset in cat_conf_t of the number of seconds until the link expires. */
} kind_t;

/* The token is in the fragment, which browsers do not send, so no server logs it. */
static const kind_t kinds[] = {
    {CAT_MAIL_CONFIRM, "/confirm.html#token=", offsetof(cat_conf_t, link_confirm), offsetof(cat_conf_t, confirm_ttl)},
    {CAT_MAIL_RESET, "/reset.html#token=", offsetof(cat_conf_t, link_reset), offsetof(cat_conf_t, reset_ttl)},
    {CAT_MAIL_INVITE, "/reset.html?invite#token=", offsetof(cat_conf_t, link_reset), offsetof(cat_conf_t, confirm_ttl)},
    {CAT_MAIL_CHANGED, NULL, 0, 0},
    {CAT_MAIL_NEW_EMAIL, "/confirm.html#token=", offsetof(cat_conf_t, link_new_email),
     offsetof(cat_conf_t, confirm_ttl)},
    {CAT_MAIL_EMAIL_NOTICE, NULL, 0, 0},
    {CAT_MAIL_RENAMED, NULL, 0, 0},
    {CAT_MAIL_NEW_KEY, NULL, 0, 0},
    {CAT_MAIL_TEST, NULL, 0, 0},
};

static const kind_t *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!strcmp(kinds[i].name, name)) {
            return &kinds[i];
        }
    }
    return NULL;
}

static int ttl_of(const cat_conf_t *conf, const kind_t *kind)
{
    return *(const int *)((const char *)conf + kind->ttl);
}

/* Tokens are base64url, so they need no encoding in a URL. */
const char *cat_mailer_link(apr_pool_t *pool, const cat_conf_t *conf, const char *template, const char *token)
{
    const kind_t *kind = find_kind(template);
    const char *text = *(const char *const *)((const char *)conf + kind->link), *link = "", *at;
    const char *pages = cat_conf_pages_url(conf);

    if (!text) {
        return apr_pstrcat(pool, pages ? pages : "", kind->page, token, NULL);
    }
    for (; (at = strstr(text, CAT_MAILER_TOKEN)); text = at + strlen(CAT_MAILER_TOKEN)) {
        link = apr_pstrcat(pool, link, apr_pstrmemdup(pool, text, (apr_size_t)(at - text)), token, NULL);
    }
    return apr_pstrcat(pool, link, text, NULL);
}

/* Makes a new token in each attempt, because the database has only the hashes of earlier tokens. Sets *link to "" if
 * the mail has no link. */
static apr_status_t make_link(cat_job_t *job, const cat_mail_t *mail, const kind_t *kind, const char **link)
{
    const char *token;
    apr_status_t rv;

    *link = "";
    if (!kind->page) {
        return APR_SUCCESS;
    }
    rv = cat_mail_tokens_make(job->db, job->pool, mail, ttl_of(job->conf, kind), &token);
    if (rv == APR_SUCCESS) {
        *link = cat_mailer_link(job->pool, job->conf, kind->name, token);
    }
    return rv;
}

/* Returns the template in the user's language, or the default template if there is none. */
static const char *find_template(const cat_job_t *job, const cat_mail_t *mail)
{
    const apr_table_t *texts = job->conf->mail_texts;
    const char *text = NULL;

    if (mail->language) {
        text = apr_table_get(texts, apr_pstrcat(job->pool, mail->language, "/", mail->template, NULL));
    }
    return text ? text : apr_table_get(texts, mail->template);
}

static const char *compose_message(cat_job_t *job, const cat_mail_t *mail, const kind_t *kind, const char *link)
{
    const char *from = cat_message_address(job->pool, job->conf->mail_from);
    apr_table_t *values = apr_table_make(job->pool, 4);
    cat_message_t m = {
        .from = job->conf->mail_from,
        .to = mail->email,
        .id = apr_pstrcat(job->pool, mail->id, strchr(from, '@'), NULL),
        .date = mail->created,
        .values = values,
    };

    apr_table_setn(values, "username", mail->username);
    apr_table_setn(values, "link", link);
    if (kind->page) {
        apr_table_setn(values, "hours", apr_itoa(job->pool, (ttl_of(job->conf, kind) + 3599) / 3600));
    }
    return cat_message_format(job->pool, find_template(job, mail), &m);
}

/* Returns the host of the site, or of its pages, as the name for EHLO. Returns NULL if the host is not a domain, or if
 * neither address is configured because CatalogLink sets all links. */
static const char *find_name(apr_pool_t *pool, const cat_conf_t *conf)
{
    const char *url = conf->base_url ? conf->base_url : conf->pages_url, *host = url ? cat_text_host(url) : "";
    const char *name = apr_pstrndup(pool, host, strcspn(host, ":/"));

    return cat_email_check_domain(name) ? name : NULL;
}

static cat_delivery_t deliver_message(cat_job_t *job, const cat_mail_t *mail, const char *text, const char **detail)
{
    const cat_conf_t *conf = job->conf;
    const cat_letter_t letter = {mail->id, cat_message_address(job->pool, conf->mail_from), mail->email, text};
    const cat_relay_t relay = {
        .url = conf->mail,
        .name = find_name(job->pool, conf),
        .user = conf->mail_user,
        .password = conf->mail_password,
        .ca_file = conf->mail_ca_file,
        .require_tls = conf->mail_tls && !cat_smtp_is_loopback(job->pool, conf->mail),
        .stop = job->stop,
    };

    if (!text) { /* should not happen: the template was checked when the server started */
        *detail = "the template of the mail is not valid";
        return CAT_DELIVERY_SETUP;
    }
    return cat_transport_find(conf->mail)->send(job->pool, &relay, &letter, detail);
}

static void count_failure(const cat_job_t *job, cat_mail_failure_t failure)
{
    cat_metrics_add(job->metrics, CAT_METRIC_MAILS_FAILED, (int)failure, 1);
}

static apr_status_t put_off_mail(cat_job_t *job, const cat_mail_t *mail, const char *detail)
{
    apr_time_t now = apr_time_now();
    apr_interval_time_t wait = apr_time_from_sec(1)
                               << (mail->attempts < WAIT_MAX_SHIFT ? mail->attempts : WAIT_MAX_SHIFT);

    wait = wait < WAIT_MAX ? wait : WAIT_MAX;
    if (now - mail->created > GIVE_UP_AFTER) {
        cat_log(job->log, CAT_LOG_ERROR, 0, "CAT014: mail %s was given up after %d attempts: %s", mail->id,
                mail->attempts, detail);
        count_failure(job, CAT_MAIL_EXPIRED);
        return cat_outbox_bury(job->db, job->pool, mail, detail);
    }
    cat_log(job->log, CAT_LOG_WARNING, 0, "CAT015: mail %s was not accepted (attempt %d), next attempt in %d s: %s",
            mail->id, mail->attempts, (int)apr_time_sec(wait), detail);
    count_failure(job, CAT_MAIL_DEFERRED);
    return cat_outbox_retry(job->db, job->pool, mail, detail, now + wait);
}

/* Result of the work on one mail. */
typedef enum {
    STEP_DONE,    /* The mail left the queue or is dead. */
    STEP_PUT_OFF, /* The mail server does not accept mails now, so the run ends. */
    STEP_NO_MAIL  /* No mail is due, so the run ends. */
} step_t;

static apr_status_t store_result(cat_job_t *job, const cat_mail_t *mail, cat_delivery_t result, const char *detail,
                                 step_t *step)
{
    switch (result) {
    case CAT_DELIVERY_SENT:
        cat_log(job->log, CAT_LOG_INFO, 0, "CAT016: mail %s was sent (attempt %d)", mail->id, mail->attempts);
        cat_metrics_add(job->metrics, CAT_METRIC_MAILS_SENT, 0, 1);
        return cat_outbox_done(job->db, mail);
    case CAT_DELIVERY_REFUSED:
        cat_log(job->log, CAT_LOG_ERROR, 0, "CAT017: mail %s was refused permanently: %s", mail->id, detail);
        count_failure(job, CAT_MAIL_REFUSED);
        return cat_outbox_bury(job->db, job->pool, mail, detail);
    default:
        *step = STEP_PUT_OFF;
        return put_off_mail(job, mail, detail);
    }
}

/* Returns true if the template or the user does not exist, if the mail has a link and the account is locked, if it asks
 * to confirm a confirmed address, or if it tells an unconfirmed address, which may be another person's, about the
 * account. */
static int is_pointless(const cat_mail_t *mail, const kind_t *kind)
{
    return !kind || !mail->user_id || (kind->page && mail->locked) ||
           (!strcmp(kind->name, CAT_MAIL_CONFIRM) && mail->confirmed) ||
           (!mail->confirmed && (!strcmp(kind->name, CAT_MAIL_CHANGED) || !strcmp(kind->name, CAT_MAIL_RENAMED) ||
                                 !strcmp(kind->name, CAT_MAIL_NEW_KEY)));
}

/* Sets *is_taken to true if the mail's link would give the user an address that another account has. Such a link could
 * never be used. */
static apr_status_t find_taken(cat_job_t *job, const cat_mail_t *mail, int *is_taken)
{
    cat_account_t *owner;
    apr_status_t rv;

    *is_taken = 0;
    if (!mail->other_email || strcmp(mail->template, CAT_MAIL_NEW_EMAIL) != 0) {
        return APR_SUCCESS;
    }
    rv = cat_accounts_find(job->db, job->pool, mail->email, &owner);
    *is_taken = rv == APR_SUCCESS && strcmp(owner->id, mail->user_id) != 0;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* Limit on the mails of one kind to one recipient. */
typedef struct quota_t {
    cat_rate_t rate;
    const char *what;  /* Name of the template. */
    const char *party; /* Address, or the mailbox of a sub-address. */
} quota_t;

/* Returns the rate beyond which mails are dropped. The interval of the rate is bounded: when a mail with a link is
 * dropped, the last link sent is valid for at least half of its lifetime. So nobody can deprive a user of links by
 * requesting many. Unconfirmed sub-addresses of one mailbox are counted together, because anybody can register any
 * number of them. */
static quota_t find_quota(cat_job_t *job, const cat_mail_t *mail, const kind_t *kind)
{
    const char *key = cat_email_fold(job->pool, mail->email);
    const char *mailbox = mail->confirmed ? NULL : cat_email_mailbox(job->pool, key);
    cat_rate_t rate = job->conf->rates[CAT_RATE_MAIL];

    if (kind->page) {
        apr_int64_t most = rate.count * (apr_int64_t)(ttl_of(job->conf, kind) / 2);
        rate.seconds = rate.seconds < most ? rate.seconds : (int)most;
    }
    return (quota_t){rate, kind->name, mailbox ? mailbox : key};
}

static apr_status_t send_mail(cat_job_t *job, const cat_mail_t *mail, const kind_t *kind, cat_delivery_t *result,
                              step_t *step)
{
    const char *link, *detail = "";
    apr_status_t rv = make_link(job, mail, kind, &link);

    if (rv != APR_SUCCESS) {
        return rv == APR_NOTFOUND ? cat_outbox_done(job->db, mail) : rv;
    }
    *result = deliver_message(job, mail, compose_message(job, mail, kind, link), &detail);
    return store_result(job, mail, *result, detail, step);
}

/* Sends the mail if its rate allows, otherwise drops it. Only sent mails count. */
static apr_status_t send_counted(cat_job_t *job, const cat_mail_t *mail, const kind_t *kind, step_t *step)
{
    quota_t quota = find_quota(job, mail, kind);
    cat_delivery_t result = CAT_DELIVERY_SETUP;
    apr_status_t rv;

    if (!cat_limit_take(job->limits, quota.what, quota.party, quota.rate, cat_time_monotonic()).allowed) {
        cat_log(job->log, CAT_LOG_INFO, 0,
                "CAT018: mail %s was dropped: its address has received enough of this kind (%s)", mail->id, kind->name);
        count_failure(job, CAT_MAIL_DROPPED);
        return cat_outbox_done(job->db, mail);
    }
    rv = send_mail(job, mail, kind, &result, step);
    if (result != CAT_DELIVERY_SENT) {
        cat_limit_give_back(job->limits, quota.what, quota.party, quota.rate, cat_time_monotonic());
    }
    return rv;
}

static apr_status_t send_next_mail(cat_job_t *job, step_t *step)
{
    cat_mail_t *mail;
    const kind_t *kind;
    int is_taken;
    apr_status_t rv = cat_outbox_claim(job->db, job->pool, apr_time_now(), LEASE, &mail);

    *step = mail ? STEP_DONE : STEP_NO_MAIL;
    if (!mail) {
        return rv;
    }
    kind = find_kind(mail->template);
    rv = find_taken(job, mail, &is_taken);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    return is_taken || is_pointless(mail, kind) ? cat_outbox_done(job->db, mail) : send_counted(job, mail, kind, step);
}

cat_job_result_t cat_mailer_run(cat_job_t *job)
{
    apr_time_t end = apr_time_now() + RUN_TIME;
    apr_status_t rv = APR_SUCCESS;
    cat_job_t one = *job;
    step_t step = STEP_DONE;

    if (!job->conf->mail) {
        return CAT_JOB_DONE;
    }
    apr_pool_create(&one.pool, job->pool);
    for (int i = 0; step == STEP_DONE && i < MAILS_PER_RUN && !cat_job_must_stop(job) && apr_time_now() < end; i++) {
        rv = send_next_mail(&one, &step);
        apr_pool_clear(one.pool);
        if (rv != APR_SUCCESS) {
            return CAT_JOB_FAILED;
        }
    }
    return step == STEP_PUT_OFF ? CAT_JOB_FAILED : CAT_JOB_DONE;
}
