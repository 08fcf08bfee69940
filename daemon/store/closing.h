/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * closing.h -- sample files and trees that are no longer used and have to be closed. To close the
 * thousands of files of a session takes a tenth of a second. So the daemon closes them in steps,
 * and reads samples between the steps.
 */
#ifndef OPD_CLOSING_H
#define OPD_CLOSING_H

#include <stdbool.h>
#include <stddef.h>

struct odb;
struct tree;

struct opd_closing_file {
	/* the open sample file (.db) or tree (.tree); the other member is NULL */
	struct odb *db;
	struct tree *tree;
	/* the file has changes: start to write them to disk before closing the file */
	bool dirty;
};

/* The list of files to close. A zeroed list is empty. */
struct opd_closing {
	struct opd_closing_file *files;
	size_t nr;
};

/* Add a file, which @c then owns. If memory is short, close it immediately. */
void opd_closing_add(struct opd_closing *c, const struct opd_closing_file *file);

/* Close at most @max files. */
void opd_closing_step(struct opd_closing *c, size_t max);

/* Close all files. */
void opd_closing_release(struct opd_closing *c);

#endif
