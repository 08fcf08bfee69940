/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h -- mapping a code image of opattach (libop/raw/mapped.h) into a process that has no
 * dynamic loader: the process is made to map memory, and opattach writes the code to it.
 */
#ifndef UTILS_OPATTACH_CODE_H
#define UTILS_OPATTACH_CODE_H

#include "libop/raw/mapped.h"
#include "utils/opattach/method.h"

struct attach_code {
	uint64_t at;			/* address of the head of the image in the process */
	struct raw_mapped head;
};

/* Find a code image of this version in the process. Return false if the process does not have
 * one. */
bool attach_code_find(struct attach *a, struct attach_code *ret);

/* Map the code image in the file @name, which is in the directory of the probe's libraries, into
 * the process. The memory is never writable and executable at the same time. Return 0, or a
 * negative errno with text. If opattach is killed meanwhile, some unused memory stays mapped in the
 * process. */
int attach_code_map(struct attach *a, const char *name, struct attach_code *ret,
		    struct op_reason *error);

#endif
