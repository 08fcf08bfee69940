/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_copy.h -- copies one file about made code into a session, slice by slice.
 *
 * The copy grows under a temporary name, and replaces an earlier copy when it is complete.
 */
#ifndef OPD_JIT_COPY_H
#define OPD_JIT_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct opd_finder;

struct opd_jit_copy {
	int from;		/* the original, owned */
	int to;			/* -1: no copy is under way */
	bool found;		/* from is a descriptor by O_PATH, which the finder reads */
	uint32_t payer;		/* with .found: as in struct opd_identity */
	struct stat st;		/* of the original */
	char name[48];		/* of the copy below jit/ */
	int jit_fd;
	off_t left;
};

/* Begin to copy c->from as @current_fd/jit/NAME. The caller has filled in the members up to .name.
 * Return 0, or the negative errno of writing, which leaves c->from open. */
int opd_jit_copy_begin(struct opd_jit_copy *c, int current_fd);

/*
 * Copy a slice. A file that becomes shorter is copied up to its end. Return 0, the negative errno
 * of writing, or -ENODATA or -ETIMEDOUT if the finder cannot read more. On an error the copy is
 * dropped.
 */
int opd_jit_copy_slice(struct opd_jit_copy *c, struct opd_finder *finder);

/* Give a complete copy its name, and end. Return 0 or a negative errno, which leaves the copy under
 * way. */
int opd_jit_copy_end(struct opd_jit_copy *c);

/* Drop the copy, if one is under way. */
void opd_jit_copy_drop(struct opd_jit_copy *c);

/* Return whether c->from, which the daemon may read itself, begins as its earlier copy does. If
 * not, or without an earlier copy, another program may have written the file. */
bool opd_jit_copy_goes_on(const struct opd_jit_copy *c, int current_fd);

#endif
