// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c -- runs opreport on the files that a run of opprobe has created or changed.
 */
#include "config.h"
#include "utils/opprobe/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/grow.h"
#include "utils/shared/spawn.h"

static bool has_counts(const char *name)
{
	static const char *const endings[] = { ".csp", ".csp.live", ".pct", ".pcs" };
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t end = strlen(endings[i]);

		if (len > end && !strcmp(name + len - end, endings[i]))
			return true;
	}
	return false;
}

static int compare_names(const void *a, const void *b)
{
	const struct probe_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int add(struct probe_files *files, int dir, const char *name)
{
	struct stat st;

	if (!has_counts(name) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return 0;
	if (op_grow(&files->files, files->nr))
		return -ENOMEM;
	files->files[files->nr] = (struct probe_file){
		strdup(name), st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec,
	};
	return files->files[files->nr].name ? files->nr++, 0 : -ENOMEM;
}

int probe_files_list(struct probe_files *files, const char *dir, struct op_reason *error)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	int err = d ? 0 : -errno;

	*files = (struct probe_files){ NULL, 0 };
	while (!err && (e = readdir(d)))
		err = add(files, dirfd(d), e->d_name);
	if (d)
		closedir(d);
	if (files->nr)
		qsort(files->files, files->nr, sizeof(*files->files), compare_names);
	return err ? op_fail(error, err, "%s: %s", dir, strerror(-err)) : 0;
}

void probe_files_release(struct probe_files *files)
{
	while (files->nr)
		free(files->files[--files->nr].name);
	free(files->files);
	files->files = NULL;
}

static bool is_new(const struct probe_files *before, const struct probe_file *file)
{
	const struct probe_file *old = before->nr ? bsearch(file, before->files, before->nr,
							    sizeof(*file), compare_names) :
						    NULL;

	return !old || old->written_ns != file->written_ns;
}

void probe_files_each_new(const char *dir, const struct probe_files *before,
			  int (*fn)(void *arg, const char *name), void *arg)
{
	struct op_reason error;
	struct probe_files after;
	int err = 0;

	probe_files_list(&after, dir, &error);
	for (size_t i = 0; i < after.nr && !err; i++)
		if (is_new(before, &after.files[i]))
			err = fn(arg, after.files[i].name);
	probe_files_release(&after);
}

static int count(void *arg, const char *name)
{
	(void)name;
	++*(size_t *)arg;
	return 0;
}

size_t probe_files_new(const char *dir, const struct probe_files *before)
{
	size_t nr = 0;

	probe_files_each_new(dir, before, count, &nr);
	return nr;
}

int probe_report(const char *dir, const struct probe_files *before, struct op_reason *error)
{
	struct probe_files after;
	char *program = ctl_program_find("opreport"), **words = NULL;
	/* nr: number of arguments of opreport; named: index of the first argument after "opreport"
	 * and "-l" */
	size_t nr = 0, named = 2;
	int err = probe_files_list(&after, dir, error);

	if (!err)
		words = calloc(after.nr + 3, sizeof(*words));
	if (!err && (!words || !program))
		err = op_fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; !err && i < after.nr; i++) {
		if (!is_new(before, &after.files[i]))
			continue;
		if (asprintf(&words[named + nr], "%s/%s", dir, after.files[i].name) < 0)
			err = op_fail(error, -ENOMEM, "out of memory");
		else
			nr++;
	}
	if (!err && !nr)
		err = op_fail(error, -ENOENT, "nothing to report: this run wrote no file in %s", dir);
	if (!err) {
		words[0] = program;
		words[1] = (char *)"-l";
		err = ctl_spawn(words, NULL);
		if (err)
			err = op_fail(error, err < 0 ? err : -EIO, "%s: %s", program,
				      err < 0 ? strerror(-err) : "cannot print the report: "
								 "opreport failed, see its "
								 "message above");
	}
	while (nr)
		free(words[named + --nr]);
	free(words);
	free(program);
	probe_files_release(&after);
	return err;
}
