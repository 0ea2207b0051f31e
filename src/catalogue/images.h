/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_IMAGES_H
#define CAT_CATALOGUE_IMAGES_H

/* What the rooms above include of pictures: how they are made of what a client sends, stored, and read again. */

#include "catalogue/images/image_files.h"
#include "catalogue/images/image_maker.h"
#include "catalogue/images/image_store.h"

#endif
