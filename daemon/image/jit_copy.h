/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_copy.h -- copying of a JIT file into a session, in slices.
 *
 * The copy has a temporary name until it is complete; then it replaces an earlier copy.
 */
#ifndef OPD_JIT_COPY_H
#define OPD_JIT_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct opd_finder;

struct opd_jit_copy {
	int from;		/* descriptor of the original file; owned */
	int to;			/* descriptor of the copy; -1: no copy is in progress */
	/* .from is an O_PATH descriptor from the finder: only the finder may read the file */
	bool found;
	/* if .found: the user who controls which file the path names, as in struct opd_identity */
	uint32_t payer;
	struct stat st;		/* status of the original file */
	char name[48];		/* name of the copy in the session's directory jit/ */
	int jit_fd;
	off_t left;
};

/* Delete incomplete copies that a daemon left because it was killed. */
void opd_jit_copy_clean(int current_fd);

/*
 * Create the copy of c->from as @current_fd/jit/NAME, under a temporary name. The caller sets the
 * members of *@c up to .name first. Return 0, or a negative errno if the copy cannot be created;
 * then c->from stays open.
 */
int opd_jit_copy_begin(struct opd_jit_copy *c, int current_fd);

/*
 * Copy the next slice of the file c->from. If the file has become shorter, copy up to its new end.
 * Return 0; a negative errno if the copy cannot be written; or -ENODATA or -ETIMEDOUT if the finder
 * cannot read the file. An error deletes the copy.
 */
int opd_jit_copy_slice(struct opd_jit_copy *c, struct opd_finder *finder);

/* Rename the complete copy to its final name, and close both files. Return 0, or a negative errno;
 * after an error the copy keeps its temporary name and both files stay open. */
int opd_jit_copy_end(struct opd_jit_copy *c);

/* Stop copying, and delete the copy if it is incomplete. */
void opd_jit_copy_drop(struct opd_jit_copy *c);

/* Return true if the file c->from begins with the same bytes as its existing copy. If it does not,
 * another program may have replaced the file. c->from must not be an O_PATH descriptor, because
 * this function reads from it. */
bool opd_jit_copy_goes_on(const struct opd_jit_copy *c, int current_fd);

#endif
