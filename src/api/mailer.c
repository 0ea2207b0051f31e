/* SPDX-License-Identifier: Apache-2.0 */
#include "api/mailer.h"

#include <apr_file_io.h>
#include <apr_strings.h>
#include <string.h>

#include "db/db.h"
#include "db/outbox.h"
#include "lib/message.h"
#include "lib/secret.h"
#include "lib/smtp.h"
#include "lib/time.h"

/* A run is bounded, because the jobs of other mounts wait for it. A server that stops cuts short one mail at most, which is
 * sent after the lease. */
#define MAILS_PER_RUN 100
#define RUN_TIME apr_time_from_sec(20)
#define LEASE apr_time_from_sec(60)

/* A mail that is put off waits 2, 4, 8 ... seconds, at most 15 minutes, and is given up after three days. */
#define WAIT_MAX_SHIFT 10
#define WAIT_MAX apr_time_from_sec(15 * 60)
#define GIVE_UP_AFTER apr_time_from_sec(3 * 24 * 3600)

static apr_interval_time_t backoff(int attempts)
{
    apr_interval_time_t wait = apr_time_from_sec(1) << (attempts < WAIT_MAX_SHIFT ? attempts : WAIT_MAX_SHIFT);
    return wait < WAIT_MAX ? wait : WAIT_MAX;
}

/* The link's token is made for each try: at rest there is only its hash. */
static apr_status_t make_link(cat_job_t *job, const cat_mail_t *mail, const char **link)
{
    const char *token = cat_secret_make(job->pool);
    apr_time_t now = apr_time_now();

    if (!token) {
        return APR_EGENERAL;
    }
    *link = apr_pstrcat(job->pool, job->conf->base_url, "/confirm?token=", token, NULL);
    return cat_db_insert(job->db, SQL_MAIL_TOKEN_INSERT,
                         CAT_VALUES(cat_secret_digest(job->pool, token), mail->template, mail->user_id,
                                    cat_time_store(job->pool, now),
                                    cat_time_store(job->pool, now + apr_time_from_sec(job->conf->confirm_ttl))));
}

static const char *compose(cat_job_t *job, const cat_mail_t *mail, const char *link)
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
    apr_table_setn(values, "hours", apr_itoa(job->pool, (job->conf->confirm_ttl + 3599) / 3600));
    return cat_message_format(job->pool, job->conf->mail_confirm, &m);
}

/* file:DIR, for development: one .eml a message, there as a whole or not at all. */
static cat_smtp_result_t write_file(cat_job_t *job, const cat_mail_t *mail, const char *message, const char **detail)
{
    const char *name = apr_pstrcat(job->pool, job->conf->mail + strlen("file:"), "/", mail->id, ".eml", NULL);
    const char *part = apr_pstrcat(job->pool, name, ".part", NULL);
    apr_file_t *file;
    apr_status_t rv = apr_file_open(&file, part, APR_FOPEN_CREATE | APR_FOPEN_WRITE | APR_FOPEN_TRUNCATE,
                                    APR_FPROT_UREAD | APR_FPROT_UWRITE | APR_FPROT_GREAD, job->pool);

    if (rv == APR_SUCCESS) {
        rv = apr_file_write_full(file, message, strlen(message), NULL);
        apr_file_close(file);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_rename(part, name, job->pool);
    }
    if (rv != APR_SUCCESS) {
        char why[120];
        *detail = apr_pstrcat(job->pool, name, ": ", apr_strerror(rv, why, sizeof(why)), NULL);
        return CAT_SMTP_SETUP;
    }
    return CAT_SMTP_SENT;
}

static cat_smtp_result_t deliver(cat_job_t *job, const cat_mail_t *mail, const char *message, const char **detail)
{
    const cat_conf_t *conf = job->conf;
    cat_smtp_t smtp = {
        .url = conf->mail,
        .user = conf->mail_user,
        .password = conf->mail_password,
        .ca_file = conf->mail_ca_file,
        .require_tls = conf->mail_tls && !cat_smtp_is_loopback(conf->mail),
        .stop = job->stop,
    };

    if (!strncmp(conf->mail, "file:", 5)) {
        return write_file(job, mail, message, detail);
    }
    return cat_smtp_send(job->pool, &smtp, cat_message_address(job->pool, conf->mail_from), mail->email, message,
                         detail);
}

static apr_status_t put_off(cat_job_t *job, const cat_mail_t *mail, const char *detail)
{
    apr_time_t now = apr_time_now();
    apr_interval_time_t wait = backoff(mail->attempts);

    if (now - mail->created > GIVE_UP_AFTER) {
        cat_log(job->log, CAT_LOG_ERROR, 0, "CAT014: mail %s is given up after %d tries: %s", mail->id, mail->attempts,
                detail);
        return cat_outbox_bury(job->db, mail);
    }
    cat_log(job->log, CAT_LOG_WARNING, 0, "CAT015: mail %s was not taken (try %d), next try in %d s: %s", mail->id,
            mail->attempts, (int)apr_time_sec(wait), detail);
    return cat_outbox_retry(job->db, job->pool, mail, now + wait);
}

static apr_status_t conclude(cat_job_t *job, const cat_mail_t *mail, cat_smtp_result_t result, const char *detail)
{
    apr_status_t rv;

    switch (result) {
    case CAT_SMTP_SENT:
        cat_log(job->log, CAT_LOG_INFO, 0, "CAT016: mail %s sent (try %d)", mail->id, mail->attempts);
        return cat_outbox_done(job->db, mail);
    case CAT_SMTP_REFUSED:
        cat_log(job->log, CAT_LOG_ERROR, 0, "CAT017: mail %s is refused for good: %s", mail->id, detail);
        return cat_outbox_bury(job->db, mail);
    default:
        rv = put_off(job, mail, detail);
        return rv == APR_SUCCESS ? APR_EAGAIN : rv;
    }
}

static apr_status_t send_next(cat_job_t *job)
{
    cat_mail_t *mail;
    const char *link, *detail = "";
    apr_status_t rv = cat_outbox_claim(job->db, job->pool, apr_time_now(), LEASE, &mail);

    if (rv == APR_SUCCESS) {
        rv = make_link(job, mail, &link);
    }
    if (rv == APR_SUCCESS) {
        cat_smtp_result_t result = deliver(job, mail, compose(job, mail, link), &detail);
        rv = conclude(job, mail, result, detail);
    }
    return rv;
}

apr_status_t cat_mailer_run(cat_job_t *job)
{
    apr_time_t end = apr_time_now() + RUN_TIME;
    apr_status_t rv = APR_SUCCESS;
    cat_job_t one = *job;

    if (!job->conf->mail) {
        return APR_SUCCESS;
    }
    apr_pool_create(&one.pool, job->pool);
    for (int i = 0; rv == APR_SUCCESS && i < MAILS_PER_RUN && !*job->stop && apr_time_now() < end; i++) {
        rv = send_next(&one);
        apr_pool_clear(one.pool);
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}
