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
	/* .from is an O_PATH descriptor: the finder must read the file */
	bool found;
	/* if .found: the user who controls which file the path names, as in struct opd_identity */
	uint32_t payer;
	struct stat st;		/* status of the original file */
	char name[48];		/* name of the copy in jit/ */
	int jit_fd;
	off_t left;
};

/* Delete incomplete copies that a killed daemon left. */
void opd_jit_copy_clean(int current_fd);

/*
 * Create the copy of c->from as @current_fd/jit/NAME, under a temporary name. The caller sets all
 * members up to .name. Return 0, or a negative errno if the copy cannot be created; then c->from
 * stays open.
 */
int opd_jit_copy_begin(struct opd_jit_copy *c, int current_fd);

/*
 * Copy the next slice of the file. If the file has become shorter, copy up to its new end. Return
 * 0; a negative errno if the copy cannot be written; or -ENODATA or -ETIMEDOUT if the finder
 * cannot read the file. An error deletes the copy.
 */
int opd_jit_copy_slice(struct opd_jit_copy *c, struct opd_finder *finder);

/* Rename a complete copy to its final name, and close the files. Return 0, or a negative errno;
 * then the copy is still in progress. */
int opd_jit_copy_end(struct opd_jit_copy *c);

/* Stop copying, and delete the incomplete copy if it exists. */
void opd_jit_copy_drop(struct opd_jit_copy *c);

/* Return true if the file c->from begins with the same bytes as its existing copy. If not, another
 * program may have replaced the file. The daemon must be allowed to read c->from itself. */
bool opd_jit_copy_goes_on(const struct opd_jit_copy *c, int current_fd);

#endif
