// SPDX-License-Identifier: GPL-2.0-or-later
/* jo_files.c -- search of .jo files in the session's directories. */
#include "config.h"
#include "pp/image/jo_files.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"

/* Return the pid in a name like "123.jo", or 0. */
static pid_t owner_of(const char *name)
{
	char *end;
	long tgid = strtol(name, &end, 10);

	return end != name && !strcmp(end, ".jo") && tgid > 0 && tgid == (pid_t)tgid ? tgid : 0;
}

static int add(struct pp_jo_files *files, pid_t tgid, const char *path)
{
	if (op_grow(&files->items, files->nr))
		return -ENOMEM;
	files->items[files->nr] = (struct pp_jo_file){ tgid, strdup(path) };
	if (!files->items[files->nr].path)
		return -ENOMEM;
	files->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct pp_jo_file *x = a, *y = b;

	return x->tgid < y->tgid ? -1 : x->tgid > y->tgid;
}

static int walk(struct pp_jo_files *files, char *dir)
{
	char *roots[] = { dir, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	int err = 0;

	while (!err && fts && (entry = fts_read(fts)))
		if (entry->fts_info == FTS_F && owner_of(entry->fts_name))
			err = add(files, owner_of(entry->fts_name), entry->fts_path);
	if (fts)
		fts_close(fts);
	return err;
}

int pp_jo_files_find(struct pp_jo_files *ret, char *const *samples_dirs, size_t nr_dirs)
{
	struct pp_jo_files files = { 0 };
	int err = 0;

	for (size_t i = 0; i < nr_dirs && !err; i++)
		err = walk(&files, samples_dirs[i]);
	if (err) {
		pp_jo_files_release(&files);
		return err;
	}
	if (files.nr)
		qsort(files.items, files.nr, sizeof(*files.items), compare);
	*ret = files;
	return 0;
}

void pp_jo_files_release(struct pp_jo_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		free(files->items[i].path);
	free(files->items);
	*files = (struct pp_jo_files){ 0 };
}

const char *pp_jo_files_of(const struct pp_jo_files *files, pid_t tgid)
{
	const struct pp_jo_file key = { .tgid = tgid }, *found = NULL;

	if (files->nr)
		found = bsearch(&key, files->items, files->nr, sizeof(key), compare);
	return found ? found->path : NULL;
}
