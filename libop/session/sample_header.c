// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_header.c -- the header of a sample file.
 */
#include "config.h"
#include "libop/session/sample_header.h"

#include <string.h>

#include "libop/base/error.h"

void op_sample_header_init(struct op_sample_header *h)
{
	memset(h, 0, sizeof(*h));
	memcpy(h->magic, OP_SAMPLE_MAGIC, sizeof(h->magic));
	h->version = OP_SAMPLE_VERSION;
}

int op_sample_header_check(const struct op_sample_header *h)
{
	if (memcmp(h->magic, OP_SAMPLE_MAGIC, sizeof(h->magic)))
		return OP_ERR_MAGIC;
	if (h->version != OP_SAMPLE_VERSION)
		return OP_ERR_VERSION;
	return 0;
}
