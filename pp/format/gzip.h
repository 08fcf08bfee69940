/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip.h -- compressed output to a file.
 */
#ifndef PP_FORMAT_GZIP_H
#define PP_FORMAT_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct pp_gzip;

/* Return a stream, or NULL if out of memory. The caller owns @out and checks ferror(). */
struct pp_gzip *pp_gzip_open(FILE *out);
void pp_gzip_write(struct pp_gzip *gzip, const void *data, size_t len);
/* Write the rest and free @gzip, which may be NULL. */
void pp_gzip_close(struct pp_gzip *gzip);

#endif
