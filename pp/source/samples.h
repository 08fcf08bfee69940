/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.h -- opening of sample files for reading.
 */
#ifndef PP_SOURCE_SAMPLES_H
#define PP_SOURCE_SAMPLES_H

#include <stdbool.h>

#include "libdb/odb.h"
#include "libop/session/sample_header.h"

struct pp_samples {
	struct odb *db;
	struct op_sample_header header;
	/* number of lost pages of all mapped files at the time when this file was opened */
	unsigned long lost_pages;
};

/* Open a sample file and check its header. Return 0, or an error of libdb, libop or errno that
 * pp_samples_strerror() describes. Return ODB_ERR_EMPTY for a new file without samples. The caller
 * closes *@ret. */
int pp_samples_open(struct pp_samples *ret, const char *path);
/* Return whether mapped pages were lost since this file was opened, because this file was truncated
 * or another mapped file was (odb_survive_lost_pages()). */
bool pp_samples_shortened(const struct pp_samples *samples);
void pp_samples_close(struct pp_samples *samples);
const char *pp_samples_strerror(int err);

#endif
