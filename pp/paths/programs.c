// SPDX-License-Identifier: GPL-2.0-or-later
/* programs.c -- titles of programs and their nodes. */
#include "config.h"
#include "pp/paths/programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/search.h"
#include "pp/profile/arcs.h"

static int compare_titles(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int pp_path_programs_init(struct pp_path_programs *programs, const struct pp_profile *profile,
			  const struct pp_session *session)
{
	const struct pp_files *files = &session->files;
	size_t max = files->nr_trees + profile->nr_groups, nr = 0;

	programs->titles = calloc(max + 1, sizeof(*programs->titles));
	programs->nodes = calloc(max + 1, sizeof(*programs->nodes));
	if (!programs->titles || !programs->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < files->nr_trees; i++)
		programs->titles[nr++] = files->trees[i].app;
	for (size_t i = 0; i < profile->nr_groups; i++)
		programs->titles[nr++] = profile->groups[i].app;
	if (nr)
		qsort(programs->titles, nr, sizeof(*programs->titles), compare_titles);
	for (size_t i = 0; i < nr; i++)
		if (!i || strcmp(programs->titles[i], programs->titles[programs->nr - 1]))
			programs->titles[programs->nr++] = programs->titles[i];
	return 0;
}

void pp_path_programs_release(struct pp_path_programs *programs)
{
	free(programs->titles);
	free(programs->nodes);
	*programs = (struct pp_path_programs){ 0 };
}

size_t pp_path_program_index(const struct pp_path_programs *programs, const char *title)
{
	return op_partition_point(i, programs->nr, strcmp(programs->titles[i], title) < 0);
}

int pp_path_program(struct pp_path_programs *programs, struct pp_path_nodes *nodes,
		    const char *title, uint32_t *ret)
{
	size_t i = pp_path_program_index(programs, title);
	struct pp_place place = {
		.name = programs->titles[i], .code = PP_NO_CODE, .kind = PP_PLACE_PROGRAM};
	uint32_t number;
	int err = 0;

	if (!programs->nodes[i]) {
		err = pp_path_place_add(nodes, &place, &number);
		if (!err)
			err = pp_path_child(nodes, PP_PATH_ROOT, number, &programs->nodes[i]);
	}
	if (!err)
		*ret = programs->nodes[i];
	return err;
}
