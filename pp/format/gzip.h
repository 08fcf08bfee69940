/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip.h -- compresses on the way into a file.
 */
#ifndef PP_FORMAT_GZIP_H
#define PP_FORMAT_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct pp_gzip;

/* NULL: out of memory. @out is the caller's, who checks ferror(). */
struct pp_gzip *pp_gzip_open(FILE *out);
void pp_gzip_write(struct pp_gzip *gzip, const void *data, size_t len);
/* Writes the rest. Takes NULL. */
void pp_gzip_close(struct pp_gzip *gzip);

#endif
