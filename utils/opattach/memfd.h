/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memfd.h -- a copy of one of our files in a memfd of a process that does not see our files.
 */
#ifndef UTILS_OPATTACH_MEMFD_H
#define UTILS_OPATTACH_MEMFD_H

#include "utils/opattach/method.h"

struct attach_given {
	int fd;			/* the process's descriptor */
	char path[64];		/* the path by which the process opens the file */
};

/* Copy the file at @path to a memfd of the process. Return 0, or a negative errno with text. If
 * opattach is killed during the call, the process keeps a descriptor that it does not use. */
int attach_give(struct attach *a, const char *path, struct attach_given *ret,
		struct op_reason *error);

/* Close the memfd in the process. Its mappings stay. */
void attach_given_close(struct attach *a, const struct attach_given *given);

#endif
