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

#include "libop/base/search.h"
#include "libop/session/identity.h"
#include "libop/session/mangle.h"
#include "libop/session/path_files.h"

static bool has_same_name(const struct op_image_name *a, const struct op_image_name *b)
{
	if (a->unit && b->unit ? strcmp(a->unit, b->unit) : a->unit || b->unit)
		return false;
	return a->kind == b->kind && a->anon_tgid == b->anon_tgid &&
	       a->anon_program == b->anon_program && a->anon_start == b->anon_start &&
	       a->anon_end == b->anon_end && !strcmp(a->path, b->path);
}

/* A version that an image of a range may get, and the first image that has got the version. */
struct version {
	uint64_t number;
	uint32_t first;
};

#define NO_IMAGE	UINT32_MAX

/* A range of used images that have the same name. */
struct range {
	struct itv_versions *versions;
	const struct itv *v;
	struct version *list;		/* distinct possible versions, sorted by number */
	size_t nr;
};

static int compare_versions(const void *a, const void *b, void *nr_compared)
{
	const struct version *x = a, *y = b;

	++*(uint64_t *)nr_compared;
	return op_compare_u64(x->number, y->number);
}

/* List the versions that @image may get besides 0. */
static void add_versions(struct range *r, const struct op_path_image *image)
{
	if (image->name.kind != OP_IMAGE_ROOT)
		return;
	if (image->mtime)
		r->list[r->nr++] = (struct version){ image->mtime, NO_IMAGE };
	r->list[r->nr++] = (struct version){ OP_VERSION_BUILD | image->identity.build, NO_IMAGE };
}

static void sort_versions(struct range *r)
{
	size_t nr = 0;

	qsort_r(r->list, r->nr, sizeof(*r->list), compare_versions, &r->versions->nr_compared);
	for (size_t i = 0; i < r->nr; i++)
		if (!nr || r->list[i].number != r->list[nr - 1].number)
			r->list[nr++] = r->list[i];
	r->nr = nr;
}

/* Return the version @number, which sort_versions() has listed. */
static struct version *find_version(const struct range *r, uint64_t number)
{
	size_t from = 0, to = r->nr;

	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		r->versions->nr_compared++;
		if (r->list[middle].number <= number)
			from = middle;
		else
			to = middle;
	}
	return &r->list[from];
}

/* Choose the version of image @at. @is_first: no earlier image of the range is used. */
static void choose_version(struct range *r, uint32_t at, bool is_first)
{
	const struct op_path_image *image = &r->v->images[at].image;
	const uint64_t by_build = OP_VERSION_BUILD | image->identity.build;
	const bool has_versions = !is_first && image->name.kind == OP_IMAGE_ROOT;
	struct version *version = find_version(
		r, !has_versions ? 0 : image->mtime ? image->mtime : by_build);

	/* Two builds may have the same second. */
	if (has_versions && version->first != NO_IMAGE)
		version = find_version(r, by_build);
	if (version->first == NO_IMAGE)
		version->first = at;
	r->versions->numbers[at] = version->number;
	r->versions->first[at] = version->first;
}

/* Choose the versions of the images from @from on that have the same name. @used: for each image,
 * whether a group contains its samples. Return the end of these images. */
static uint32_t choose_versions(struct range *r, const bool *used, uint32_t from)
{
	const struct itv_image *images = r->v->images;
	uint32_t to = from;
	bool is_first = true;

	r->list[0] = (struct version){ 0, NO_IMAGE };
	r->nr = 1;
	do {
		if (used[to])
			add_versions(r, &images[to].image);
		r->versions->nr_compared++;
	} while (++to < r->v->nr_images &&
		 has_same_name(&images[to].image.name, &images[from].image.name));
	sort_versions(r);
	for (uint32_t i = from; i < to; i++) {
		if (!used[i])
			continue;
		choose_version(r, i, is_first);
		is_first = false;
	}
	return to;
}

/*
 * Only files have several builds; other images with the same name share a sample file. The first
 * build of a file has the version 0 for all programs and events, so that one name always means one
 * build. Images are sorted by name.
 */
int itv_versions_init(struct itv_versions *ret, const struct itv *v)
{
	bool *used = calloc(v->nr_images + 1ul, sizeof(*used));
	/* two versions for each image of a range, and the version 0 */
	struct range r = {
		.versions = ret, .v = v,
		.list = calloc(2ul * v->nr_images + 1, sizeof(*r.list)),
	};
	int err = -ENOMEM;

	*ret = (struct itv_versions){
		.numbers = calloc(v->nr_images + 1ul, sizeof(*ret->numbers)),
		.first = calloc(v->nr_images + 1ul, sizeof(*ret->first)),
	};
	if (!used || !r.list || !ret->numbers || !ret->first)
		goto done;
	for (uint32_t i = 0; i < v->nr_groups; i++)
		used[v->groups[i].image] = true;
	for (uint32_t i = 0; i < v->nr_images;)
		i = choose_versions(&r, used, i);
	err = 0;
done:
	free(r.list);
	free(used);
	return err;
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
		.woken = v->images[group->app].woken,
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
