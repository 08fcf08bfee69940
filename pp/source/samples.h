/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.h -- one sample file, opened for reading and checked.
 */
#ifndef PP_SOURCE_SAMPLES_H
#define PP_SOURCE_SAMPLES_H

#include <stdbool.h>

#include "libdb/odb.h"
#include "libop/session/sample_header.h"

struct pp_samples {
	struct odb *db;
	struct op_sample_header header;
	unsigned long lost_pages;	/* of all files, when it was opened */
};

/* 0, or an error of libdb, libop or errno; pp_samples_strerror() has a sentence for each. A new
 * file that nothing was logged to yet is ODB_ERR_EMPTY. */
int pp_samples_open(struct pp_samples *ret, const char *path);
/* Since it was opened, it or another that was read meanwhile has lost pages (odb_survive_lost_pages()). */
bool pp_samples_shortened(const struct pp_samples *samples);
void pp_samples_close(struct pp_samples *samples);
const char *pp_samples_strerror(int err);

#endif
