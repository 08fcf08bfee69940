// SPDX-License-Identifier: GPL-2.0-or-later
/* closing.c -- closes many files in steps. */
#include "config.h"
#include "daemon/store/closing.h"

#include <stdint.h>
#include <stdlib.h>

#include "libdb/odb.h"
#include "libdb/tree.h"
#include "libop/base/grow.h"

static void close_file(const struct opd_closing_file *file)
{
	/* Start to write the file to disk now: the next sync does not include files that are
	 * closed. */
	if (file->dirty && file->db)
		odb_sync(file->db, 0);
	if (file->dirty && file->tree)
		tree_sync(file->tree, 0);
	odb_close(file->db);
	tree_close(file->tree);
}

void opd_closing_add(struct opd_closing *c, const struct opd_closing_file *file)
{
	if (op_grow(&c->files, c->nr))
		close_file(file);
	else
		c->files[c->nr++] = *file;
}

void opd_closing_step(struct opd_closing *c, size_t max)
{
	while (c->nr && max--)
		close_file(&c->files[--c->nr]);
	if (c->nr)
		return;
	free(c->files);
	c->files = NULL;
}

void opd_closing_release(struct opd_closing *c)
{
	opd_closing_step(c, SIZE_MAX);
}
