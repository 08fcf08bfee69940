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
	int from;		/* descriptor of the original file; this struct owns it */
	int to;			/* descriptor of the copy; -1: no copy is in progress */
	/* .from is an O_PATH descriptor, so the finder must read the file */
	bool found;
	/* the user who can change which file the path means, as in struct opd_identity; valid only
	 * if .found */
	uint32_t payer;
	struct stat st;		/* status of the original file */
	char name[48];		/* name of the copy in the directory jit/ */
	int jit_fd;
	off_t left;
};

/* Delete the incomplete copies of a daemon that was killed. */
void opd_jit_copy_clean(int current_fd);

/* Begin to copy the file c->from to @current_fd/jit/NAME. The caller has filled in all members up
 * to .name. Return 0, or a negative errno if the copy cannot be written; then c->from stays
 * open. */
int opd_jit_copy_begin(struct opd_jit_copy *c, int current_fd);

/*
 * Copy the next slice of the file. If the file becomes shorter, copy up to its new end. Return 0; a
 * negative errno if the copy cannot be written; or -ENODATA or -ETIMEDOUT if the finder cannot read
 * more. After an error the copy is discarded.
 */
int opd_jit_copy_slice(struct opd_jit_copy *c, struct opd_finder *finder);

/* Give a complete copy its final name, and end the copying. Return 0, or a negative errno, after
 * which the copy is still in progress. */
int opd_jit_copy_end(struct opd_jit_copy *c);

/* Stop copying and delete the incomplete copy, if there is one. */
void opd_jit_copy_drop(struct opd_jit_copy *c);

/* Return whether the file c->from begins with the same bytes as its earlier copy. If not, or if
 * there is no earlier copy, another program may have written the file. The daemon must be permitted
 * to read c->from itself. */
bool opd_jit_copy_goes_on(const struct opd_jit_copy *c, int current_fd);

#endif
