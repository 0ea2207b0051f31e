/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_VERSION_H
#define CAT_LIB_VERSION_H

#define CAT_VERSION "0.1.0"

#endif
