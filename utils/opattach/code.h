/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h -- mapping our code into a process without a loader: the process maps memory for us, and
 * we write the code to it.
 */
#ifndef UTILS_OPATTACH_CODE_H
#define UTILS_OPATTACH_CODE_H

#include "libop/raw/mapped.h"
#include "utils/opattach/method.h"

struct attach_code {
	uint64_t at;			/* address of the head in the process */
	struct raw_mapped head;
};

/* Find code of this version in the process. Return false without it. */
bool attach_code_find(struct attach *a, struct attach_code *ret);

/* Map the file @name, which is beside our libraries, into the process. The memory is never writable
 * and executable at the same time. Return 0, or a negative errno with text. If opattach is killed
 * during the call, the process keeps some unused memory. */
int attach_code_map(struct attach *a, const char *name, struct attach_code *ret,
		    struct op_reason *error);

#endif
