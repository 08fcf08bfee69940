// SPDX-License-Identifier: GPL-2.0-or-later
/* path_names.c -- names of the places of call paths. */
#include "config.h"
#include "pp/format/path_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/base/block.h"
#include "pp/paths/flat.h"

/* Return the name of the image of a place without symbols, or NULL if it has symbols. */
static const char *image_of(const struct pp_path_names *names, const struct pp_place *place)
{
	const struct pp_profile *profile = names->stacks.profile;
	const struct pp_code *code =
		place->kind == PP_PLACE_CODE ? &profile->codes[place->code] : NULL;

	if (!code || (code->kind != PP_CODE_IMAGE && code->kind != PP_CODE_RAW))
		return NULL;
	return pp_stack_title(&names->stacks, profile->binaries[code->binary].title);
}

static const char *name_of(const struct pp_path_names *names, uint32_t index)
{
	static const char *const words[] = {
		[PP_PLACE_ROOT] = "all",
		[PP_PLACE_FOLDED] = "[folded]",
		[PP_PLACE_LOST] = "[lost]",
		[PP_PLACE_UNKNOWN] = "[frame not known]",
		[PP_PLACE_TOO_DEEP] = "[deeper frames]",
		[PP_PLACE_NO_PATH] = "[no path]",
	};
	const struct pp_place *place = &names->paths->places[index];

	if (names->own_names[index])
		return names->own_names[index];
	switch (place->kind) {
	case PP_PLACE_PROGRAM:
	case PP_PLACE_IMAGE:
		return pp_stack_title(&names->stacks, place->name);
	case PP_PLACE_CODE:
		return pp_stack_code_name(&names->stacks,
					  &names->stacks.profile->codes[place->code]);
	case PP_PLACE_INLINED:
		return place->name;
	default:
		return words[place->kind];
	}
}

static int make_names(struct pp_path_names *names)
{
	const struct pp_paths *paths = names->paths;

	names->own_names = calloc(paths->nr_places + 1, sizeof(*names->own_names));
	names->texts = calloc(paths->nr_places + 1, sizeof(*names->texts));
	if (!names->own_names || !names->texts)
		return -1;
	for (size_t i = 0; i < paths->nr_places; i++) {
		const char *title = image_of(names, &paths->places[i]);
		int len = 0;

		if (paths->places[i].kind == PP_PLACE_SHORT)
			len = asprintf(&names->own_names[i], "[path ends: %s]",
				       paths->places[i].name);
		else if (title)
			len = asprintf(&names->own_names[i], "[%s]", title);
		if (len < 0) {
			names->own_names[i] = NULL;
			return -1;
		}
		names->texts[i].text = name_of(names, i);
		names->texts[i].len = strlen(names->texts[i].text);
	}
	return 0;
}

int pp_path_names_make(struct pp_path_names *ret, const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	struct pp_path_names names = { .paths = profile->paths };
	int err = pp_stacks_make(&names.stacks, report);

	if (err)
		return err;
	if (!names.paths && pp_paths_of_flat(&names.own, profile, &names.blocks))
		err = -ENOMEM;
	if (!names.paths)
		names.paths = names.own;
	if (!err && make_names(&names))
		err = -ENOMEM;
	if (err)
		pp_path_names_release(&names);
	else
		*ret = names;
	return err;
}

void pp_path_names_release(struct pp_path_names *names)
{
	for (size_t i = 0; names->own_names && i < names->paths->nr_places; i++)
		free(names->own_names[i]);
	free(names->own_names);
	free(names->texts);
	pp_paths_free(names->own);
	pp_block_free(names->blocks);
	if (names->stacks.profile)
		pp_stacks_release(&names->stacks);
	*names = (struct pp_path_names){ 0 };
}

const char *pp_path_place_path(const struct pp_path_names *names, uint32_t index)
{
	const struct pp_profile *profile = names->stacks.profile;
	const struct pp_place *place = &names->paths->places[index];

	switch (place->kind) {
	case PP_PLACE_PROGRAM:
	case PP_PLACE_IMAGE:
		return place->name;
	case PP_PLACE_CODE:
	case PP_PLACE_INLINED:
		return profile->binaries[profile->codes[place->code].binary].title;
	default:
		return "";
	}
}

const struct pp_code *pp_path_place_code(const struct pp_path_names *names, uint32_t index)
{
	const struct pp_place *place = &names->paths->places[index];

	return place->kind == PP_PLACE_CODE ? &names->stacks.profile->codes[place->code] : NULL;
}
