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

/* Makes the file, in one step, so that no reader sees a part of it. A failure is logged. size: as above. */
apr_status_t cat_image_files_write(const cat_db_t *db, const char *path, const char *size, const char *data,
                                   apr_size_t length);

/* Removes the files of a picture. */
void cat_image_files_remove(apr_pool_t *pool, const cat_conf_t *conf, const char *id);

/* The job: deletes pictures whose product is gone, and what a server that was killed has left; and files of pictures that are gone, within an
 * hour. */
cat_job_run_t cat_image_files_run;

#endif
