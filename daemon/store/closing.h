/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * closing.h -- files of samples and call paths that the daemon does not use any more. To close the
 * thousands of files of a session takes a tenth of a second, so they are closed in steps, between
 * which the daemon takes samples.
 */
#ifndef OPD_CLOSING_H
#define OPD_CLOSING_H

#include <stdbool.h>
#include <stddef.h>

struct odb;
struct tree;

struct opd_closing_file {
	/* one of the two is NULL */
	struct odb *db;
	struct tree *tree;
	bool dirty;		/* start writing the file to disk before it is closed */
};

/* A zeroed struct is empty. */
struct opd_closing {
	struct opd_closing_file *files;
	size_t nr;
};

/* Add a file, which belongs to @c from now on. If memory is short, close the file at once. */
void opd_closing_add(struct opd_closing *c, const struct opd_closing_file *file);

/* Close at most @max files. */
void opd_closing_step(struct opd_closing *c, size_t max);

/* Close all files. */
void opd_closing_release(struct opd_closing *c);

#endif
