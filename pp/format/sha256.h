/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sha256.h -- the digest by which a page names the one script and the one style it allows.
 */
#ifndef PP_FORMAT_SHA256_H
#define PP_FORMAT_SHA256_H

#include <stddef.h>

#define PP_SHA256_BASE64	45	/* characters with the NUL */

void pp_sha256_base64(char ret[PP_SHA256_BASE64], const void *data, size_t len);

#endif
