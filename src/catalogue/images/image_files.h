/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_IMAGE_FILES_H
#define CAT_CATALOGUE_IMAGE_FILES_H

#include "db/db.h"
#include "db/job.h"

/* The files of CatalogImageCache, which httpd sends. */

/* Is this the name of a file, ID-WIDTH.webp? *size: without its end, on the pool. */
int cat_image_files_parse(apr_pool_t *pool, const char *name, const char **size);

/* The path of a file of this name, on the pool. */
const char *cat_image_files_path(apr_pool_t *pool, const cat_conf_t *conf, const char *name);

/* One without octets, as a damaged file system may have it, does not count. */
int cat_image_files_exist(const char *path);

/* Makes the file of the database, unless another thread does so at the same time, for which it waits. size: as above. *made: flag: this thread
 * has tried to make it. APR_NOTFOUND: there is no such picture; APR_EAGAIN: others were made for too long; CAT_ENOFILE: a file cannot be
 * made, which is logged. Other failures are the database's. */
#define CAT_ENOFILE (APR_OS_START_USERERR + 28)
apr_status_t cat_image_files_make(cat_db_t *db, const char *path, const char *size, int *made);

/* The job that removes files of pictures that were dropped, and deletes those of the database when they were kept for long enough. */
cat_job_run_t cat_image_files_run;

#endif
