/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memfd.h -- a copy of one of our files in a memfd of a process that does not see our files.
 */
#ifndef UTILS_OPATTACH_MEMFD_H
#define UTILS_OPATTACH_MEMFD_H

#include "utils/opattach/method.h"

struct attach_given {
	int fd;			/* of the process */
	char path[64];		/* by which it opens the file */
};

/* A copy of the file at @path. 0, or negative with text. If we are killed meanwhile, the process
 * has a descriptor that it does not know. */
int attach_give(struct attach *a, const char *path, struct attach_given *ret,
		struct op_reason *error);

/* Close the memfd in the process. Its mappings stay. */
void attach_given_close(struct attach *a, const struct attach_given *given);

#endif
