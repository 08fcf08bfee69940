// SPDX-License-Identifier: GPL-2.0-or-later
/* units.c -- systemd units, containers and pods as rows of a report. */
#include "config.h"
#include "pp/session/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/session/cgroup.h"

static bool any_unit(const struct pp_sample_file *files, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (files[i].name.app.unit)
			return true;
	return false;
}

bool pp_has_units(const struct pp_files *files)
{
	return any_unit(files->items, files->nr) || any_unit(files->arcs, files->nr_arcs) ||
	       any_unit(files->trees, files->nr_trees);
}

static int add_name(struct pp_files *files, const char **title, const char *name)
{
	char *text;

	if (asprintf(&text, "%s" PP_UNIT_MARK "%s)", *title, name) < 0)
		return -ENOMEM;
	*title = pp_files_string(files, text);
	free(text);
	return *title ? 0 : -ENOMEM;
}

static int add_unit(struct pp_files *files, struct pp_sample_file *file)
{
	const char *unit = file->name.app.unit;
	char *name = unit ? op_cgroup_name(unit, true) : strdup("?");
	int err = name ? add_name(files, &file->app, name) : -ENOMEM;

	if (!err && file->callee_app)
		err = add_name(files, &file->callee_app, name);
	free(name);
	return err;
}

int pp_units_to_rows(struct pp_files *files)
{
	int err = 0;

	if (!pp_has_units(files))
		return 0;
	for (size_t i = 0; i < files->nr && !err; i++)
		err = add_unit(files, &files->items[i]);
	for (size_t i = 0; i < files->nr_arcs && !err; i++)
		err = add_unit(files, &files->arcs[i]);
	for (size_t i = 0; i < files->nr_trees && !err; i++)
		err = add_unit(files, &files->trees[i]);
	if (!err)
		pp_files_sort(files);
	return err;
}

const char *pp_unit_of(const struct pp_files *files, const char *title)
{
	if (!strstr(title, PP_UNIT_MARK))
		return NULL;
	for (size_t i = 0; i < files->nr; i++)
		if (files->items[i].name.app.unit && !strcmp(files->items[i].app, title))
			return files->items[i].name.app.unit;
	return NULL;
}
