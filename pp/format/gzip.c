// SPDX-License-Identifier: GPL-2.0-or-later
/* gzip.c -- compression by zlib, with gzip's header. */
#include "config.h"
#include "pp/format/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP_HEADER	16	/* zlib's flag, added to the window's bits, for a gzip header */

struct pp_gzip {
	FILE *out;
	z_stream z;
	unsigned char buf[65536];
};

struct pp_gzip *pp_gzip_open(FILE *out)
{
	struct pp_gzip *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return NULL;
	gzip->out = out;
	if (deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_HEADER,
			 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
		return gzip;
	free(gzip);
	return NULL;
}

static void run(struct pp_gzip *gzip, int flush)
{
	do {
		gzip->z.next_out = gzip->buf;
		gzip->z.avail_out = sizeof(gzip->buf);
		deflate(&gzip->z, flush);	/* cannot fail: the state is valid, there is room */
		fwrite(gzip->buf, 1, sizeof(gzip->buf) - gzip->z.avail_out, gzip->out);
	} while (!gzip->z.avail_out);
}

void pp_gzip_write(struct pp_gzip *gzip, const void *data, size_t len)
{
	gzip->z.next_in = (unsigned char *)data;
	gzip->z.avail_in = len;
	run(gzip, Z_NO_FLUSH);
}

void pp_gzip_close(struct pp_gzip *gzip)
{
	if (!gzip)
		return;
	gzip->z.avail_in = 0;
	run(gzip, Z_FINISH);
	deflateEnd(&gzip->z);
	free(gzip);
}
