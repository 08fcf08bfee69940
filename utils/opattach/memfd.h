/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memfd.h -- giving a process a copy of a file of opattach in a memfd, because the process cannot
 * see the file.
 */
#ifndef UTILS_OPATTACH_MEMFD_H
#define UTILS_OPATTACH_MEMFD_H

#include "utils/opattach/method.h"

struct attach_given {
	int fd;			/* number of the memfd's descriptor in the process */
	char path[64];		/* path by which the process can open the memfd */
};

/* Make the process create a memfd, and copy the file at @path to it. Return 0, or a negative errno
 * with text. If opattach is killed meanwhile, an unused descriptor stays open in the process. */
int attach_give(struct attach *a, const char *path, struct attach_given *ret,
		struct op_reason *error);

/* Make the process close the memfd. Its mappings stay. */
void attach_given_close(struct attach *a, const struct attach_given *given);

#endif
