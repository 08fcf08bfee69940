/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_copy.h -- copying of one file about code made at run time into a session, in slices.
 *
 * The copy has a temporary name while it grows, and replaces an earlier copy when it is complete.
 */
#ifndef OPD_JIT_COPY_H
#define OPD_JIT_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct opd_finder;

struct opd_jit_copy {
	int from;		/* descriptor of the original, owned */
	int to;			/* descriptor of the copy; -1: no copy is in progress */
	/* .from is an O_PATH descriptor, so the finder must read the file */
	bool found;
	uint32_t payer;		/* if .found: as in struct opd_identity */
	struct stat st;		/* status of the original */
	char name[48];		/* name of the copy below jit/ */
	int jit_fd;
	off_t left;
};

/* Begin to copy the file c->from to @current_fd/jit/NAME. The caller has filled in the members up
 * to .name. Return 0, or the negative errno of a write, which leaves c->from open. */
int opd_jit_copy_begin(struct opd_jit_copy *c, int current_fd);

/*
 * Copy the next slice of the file. If the file becomes shorter, copy up to its end. Return 0, the
 * negative errno of a write, or -ENODATA or -ETIMEDOUT if the finder cannot read more. After an
 * error the copy is discarded.
 */
int opd_jit_copy_slice(struct opd_jit_copy *c, struct opd_finder *finder);

/* Rename a complete copy to its final name, and end the copy. Return 0, or a negative errno, after
 * which the copy is still in progress. */
int opd_jit_copy_end(struct opd_jit_copy *c);

/* Discard the copy, if one is in progress. */
void opd_jit_copy_drop(struct opd_jit_copy *c);

/* Return whether the file c->from, which the daemon itself may read, has the same beginning as
 * its earlier copy. If not, or if there is no earlier copy, another program may have written the
 * file. */
bool opd_jit_copy_goes_on(const struct opd_jit_copy *c, int current_fd);

#endif
