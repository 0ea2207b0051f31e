/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_IMAGE_ROWS_H
#define CTL_IMAGE_ROWS_H

#include "catalogue/files.h"
#include "ctl/ctl.h"

/*
 * The column images of files of products, with --images DIRECTORY: "KT-1.jpg|side/KT-1.jpg" are files of the directory, in the order in which the
 * product has the pictures. An import makes them the product's pictures; a row without the column, or with an empty cell, leaves them alone.
 */
typedef struct ctl_image_rows_t ctl_image_rows_t;

/* Of an import: the options get the field images, and check what it names. */
ctl_image_rows_t *ctl_image_rows_read(ctl_t *ctl, cat_import_options_t *options);

/* When all rows are stored: adds the pictures, and prints how many. Returns the exit code. */
int ctl_image_rows_store(ctl_image_rows_t *rows);

/* Of an export, before the query takes the fields of ctl->conf: it gets the field images, and writes each picture into a file of the directory.
 * Returns a fault. */
const char *ctl_image_rows_write(ctl_t *ctl, cat_export_style_t *style, ctl_image_rows_t **made);

/* The same, when all is written: CTL_DONE, or a picture could not be, which is reported. */
int ctl_image_rows_result(const ctl_image_rows_t *rows);

#endif
