// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_names.c -- makes the names of sample files and trees for the groups and trees of an
 * interval. */
#include "config.h"
#include "intervals/sample_names.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/session/identity.h"
#include "libop/session/mangle.h"
#include "libop/session/path_files.h"

static bool has_same_name(const struct op_image_name *a, const struct op_image_name *b)
{
	return a->kind == b->kind && a->anon_tgid == b->anon_tgid &&
	       a->anon_program == b->anon_program && a->anon_start == b->anon_start &&
	       a->anon_end == b->anon_end && !strcmp(a->path, b->path);
}

/* Choose the version of image @at in names of sample files. @used: for each image, whether a group
 * contains its samples. */
static void choose_version(struct itv_versions *versions, const struct itv *v, const bool *used,
			   uint32_t at)
{
	const struct op_path_image *image = &v->images[at].image;
	const uint64_t by_build = OP_VERSION_BUILD | image->identity.build;
	uint64_t number = 0;

	for (uint32_t k = at; k--;) {
		if (!has_same_name(&v->images[k].image.name, &image->name))
			break;
		if (!used[k] || image->name.kind != OP_IMAGE_ROOT)
			continue;
		if (!number)
			number = image->mtime ? image->mtime : by_build;
		if (versions->numbers[k] == number)
			number = by_build;
	}
	versions->numbers[at] = number;
	versions->first[at] = at;
	for (uint32_t k = at; k--;) {
		if (!has_same_name(&v->images[k].image.name, &image->name))
			break;
		if (used[k] && versions->numbers[k] == number)
			versions->first[at] = k;
	}
}

/*
 * Only files have several builds; other images with the same name share a sample file. The first
 * build of a file has the version 0 for all programs and events, so that one name always means one
 * build. Images are sorted by name.
 */
int itv_versions_init(struct itv_versions *ret, const struct itv *v)
{
	bool *used = calloc(v->nr_images + 1ul, sizeof(*used));

	*ret = (struct itv_versions){
		.numbers = calloc(v->nr_images + 1ul, sizeof(*ret->numbers)),
		.first = calloc(v->nr_images + 1ul, sizeof(*ret->first)),
	};
	if (!used || !ret->numbers || !ret->first) {
		free(used);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < v->nr_groups; i++)
		used[v->groups[i].image] = true;
	for (uint32_t i = 0; i < v->nr_images; i++)
		if (used[i])
			choose_version(ret, v, used, i);
	free(used);
	return 0;
}

void itv_versions_release(struct itv_versions *versions)
{
	free(versions->numbers);
	free(versions->first);
	*versions = (struct itv_versions){ .numbers = NULL };
}

/* Set *@ret to @path with the suffix of @version, malloc'd. Users choose the names of files, so
 * truncate a last component that leaves no room for the suffix. Return 0 or -ENOMEM. */
static int add_version(char **ret, const char *path, uint64_t version)
{
	/* op_mangle() may add two bytes to a component */
	const size_t most = NAME_MAX - 2;
	const char *slash = strrchr(path, '/');
	size_t len = strlen(path), before = slash ? (size_t)(slash + 1 - path) : 0;
	char suffix[OP_VERSION_SUFFIX_SIZE];

	op_version_suffix(suffix, version);
	if (len - before + strlen(suffix) > most)
		len = before + most - strlen(suffix);
	return asprintf(ret, "%.*s%s", (int)len, path, suffix) < 0 ? -ENOMEM : 0;
}

int itv_group_path(char **ret, const struct itv *v, const struct itv_group *group,
		   const struct itv_versions *versions)
{
	const struct itv_event *event = &v->events[group->event];
	struct op_sample_name name = {
		.app = v->images[group->app].image.name,
		.image = v->images[group->image].image.name,
		.event = event->name, .count = event->count, .um = event->um,
		.tgid = group->tgid, .tid = group->tid, .cpu = group->cpu,
	};
	const uint64_t version = versions->numbers[group->image];
	const bool is_program = name.app.kind == name.image.kind &&
				!strcmp(name.app.path, name.image.path);
	char *path;
	int err;

	if (!version)
		return op_mangle(ret, &name);
	err = add_version(&path, name.image.path, version);
	if (err)
		return err;
	/* The suffix with the version follows the path of the image. If the program is the same
	 * file as the image, the suffix also follows the path of the program. */
	name.image.path = path;
	if (is_program)
		name.app.path = path;
	err = op_mangle(ret, &name);
	free(path);
	return err;
}

int itv_tree_path(char **ret, const struct itv *v, const struct itv_tree *tree)
{
	const struct itv_event *event = &v->events[tree->event];
	const struct op_sample_name name = {
		.app = v->images[tree->app].image.name, .event = event->name,
		.count = event->count, .um = event->um,
		.tgid = tree->tgid, .tid = tree->tid, .cpu = tree->cpu,
	};

	return op_tree_name(ret, &name);
}
