/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.h -- a sample file, opened for reading and checked.
 */
#ifndef PP_SOURCE_SAMPLES_H
#define PP_SOURCE_SAMPLES_H

#include <stdbool.h>

#include "libdb/odb.h"
#include "libop/session/sample_header.h"

struct pp_samples {
	struct odb *db;
	struct op_sample_header header;
	/* number of lost pages of all files when the file was opened */
	unsigned long lost_pages;
};

/* Open a sample file. Return 0, or an error of libdb, libop or errno that pp_samples_strerror()
 * describes. A new file without samples is ODB_ERR_EMPTY. */
int pp_samples_open(struct pp_samples *ret, const char *path);
/* Return whether pages were lost since the file was opened, in it or in another file that was read
 * in the meantime (odb_survive_lost_pages()). */
bool pp_samples_shortened(const struct pp_samples *samples);
void pp_samples_close(struct pp_samples *samples);
const char *pp_samples_strerror(int err);

#endif
