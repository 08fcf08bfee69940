/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.h -- rows of table samples, added up by the server. */
#ifndef PP_STORE_SAMPLES_H
#define PP_STORE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "pp/base/block.h"
#include "pp/store/decode.h"

struct store_sample {
	uint32_t slice;		/* begin of the slice of time, in seconds since 1970 */
	uint32_t column, event;	/* indices of .columns and .events of struct store_samples */
	const char *service;
	uint64_t stack, count;
};

struct store_samples {
	struct store_sample *items;	/* sorted by slice and column */
	size_t nr;
	const char **columns;		/* titles of columns, sorted; one title "" without columns */
	size_t nr_columns;
	const char **events;
	size_t nr_events;
	struct pp_block *strings;
	struct pp_intern intern;
};

/* Read the answer to store_query_samples(). Return 0, -ENOMEM, or -EPROTO with a message. */
int store_samples_read(struct store_samples *ret, struct store_rows *rows,
		       struct op_reason *error);
void store_samples_release(struct store_samples *samples);

#endif
