/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h -- our code in a process without a loader: memory that the process maps for us, and that
 * we write to.
 */
#ifndef UTILS_OPATTACH_CODE_H
#define UTILS_OPATTACH_CODE_H

#include "libop/raw/mapped.h"
#include "utils/opattach/method.h"

struct attach_code {
	uint64_t at;			/* of the head, in the process */
	struct raw_mapped head;
};

/* Find code of this version in the process. Return false without it. */
bool attach_code_find(struct attach *a, struct attach_code *ret);

/* Map the file of this name, which is beside our libraries, into the process. The memory is never
 * writable and executable at once. Return 0, or a negative errno with text. If we are killed
 * meanwhile, the process keeps some unused memory. */
int attach_code_map(struct attach *a, const char *name, struct attach_code *ret,
		    struct op_reason *error);

#endif
