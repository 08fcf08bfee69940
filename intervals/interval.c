// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interval.c -- allocation and release of intervals, and comparison functions for the elements of
 * their lists.
 */
#include "config.h"
#include "intervals/interval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/private.h"
#include "libop/base/search.h"

void itv_free_image(struct itv_image *image)
{
	free(image->image.name.path);
	free(image->image.name.unit);
	free(image->woken);
	free(image->build_id);
}

static void release_lists(struct itv *v)
{
	for (uint32_t i = 0; i < v->nr_images; i++)
		itv_free_image(&v->images[i]);
	for (uint32_t i = 0; i < v->nr_events; i++)
		free(v->events[i].name);
	free(v->images);
	free(v->events);
	free(v->groups);
	free(v->cells);
	free(v->frames);
	free(v->trees);
	free(v->nodes);
}

void itv_accounting_release(struct itv_accounting *a)
{
	for (size_t i = 0; i < a->nr_gaps; i++)
		free(a->gaps[i].reason);
	for (size_t i = 0; i < a->nr_parts; i++)
		free(a->parts[i]);
	free(a->gaps);
	free(a->parts);
	free(a->settings);
	op_session_stats_release(&a->stats);
	*a = (struct itv_accounting){ 0 };
}

void itv_release(struct itv *v)
{
	release_lists(v);
	for (uint32_t i = 0; i < v->nr_files; i++) {
		free(v->files[i].name);
		free(v->files[i].data);
	}
	free(v->files);
	itv_accounting_release(&v->accounting);
	*v = (struct itv){ 0 };
}

void itv_replace_lists(struct itv *v, struct itv *lists)
{
	release_lists(v);
	lists->accounting = v->accounting;
	lists->files = v->files;
	lists->nr_files = v->nr_files;
	*v = *lists;
	*lists = (struct itv){ 0 };
}

void *itv_new_list(size_t nr, size_t size)
{
	return calloc(nr ? nr : 1, size);
}

int itv_copy_image(struct itv_image *to, const struct itv_image *from)
{
	struct itv_image copy = *from;

	copy.image.name.path = strdup(from->image.name.path);
	copy.image.name.unit = from->image.name.unit ? strdup(from->image.name.unit) : NULL;
	copy.woken = from->woken ? strdup(from->woken) : NULL;
	copy.build_id = from->build_id_len ? malloc(from->build_id_len) : NULL;
	if (!copy.image.name.path || (from->image.name.unit && !copy.image.name.unit) ||
	    (from->woken && !copy.woken) || (from->build_id_len && !copy.build_id)) {
		itv_free_image(&copy);
		return -ENOMEM;
	}
	if (from->build_id_len)
		memcpy(copy.build_id, from->build_id, from->build_id_len);
	*to = copy;
	return 0;
}

int itv_copy_event(struct itv_event *to, const struct itv_event *from)
{
	char *name = strdup(from->name);

	if (!name)
		return -ENOMEM;
	*to = *from;
	to->name = name;
	return 0;
}

static int compare_or_null(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

static int compare_names(const struct op_image_name *a, const struct op_image_name *b)
{
	int order = op_compare_u64(a->kind, b->kind);

	order = order ? order : strcmp(a->path, b->path);
	order = order ? order : compare_or_null(a->unit, b->unit);
	if (order || a->kind != OP_IMAGE_ANON)
		return order;
	order = op_compare_u64((uint32_t)a->anon_tgid, (uint32_t)b->anon_tgid);
	order = order ? order : op_compare_u64(a->anon_program, b->anon_program);
	order = order ? order : op_compare_u64(a->anon_start, b->anon_start);
	return order ? order : op_compare_u64(a->anon_end, b->anon_end);
}

static int compare_bytes(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	size_t len = a_len < b_len ? a_len : b_len;
	int order = len ? memcmp(a, b, len) : 0;

	return order ? order : op_compare_u64(a_len, b_len);
}

int itv_compare_images(const struct itv_image *a, const struct itv_image *b)
{
	const struct op_path_image *x = &a->image, *y = &b->image;
	int order = compare_names(&x->name, &y->name);

	order = order ? order : compare_or_null(a->woken, b->woken);
	order = order ? order : op_compare_u64(x->identity.build, y->identity.build);
	order = order ? order : op_compare_u64(x->identity.owner, y->identity.owner);
	order = order ? order : op_compare_u64(x->mtime, y->mtime);
	order = order ? order : op_compare_u64(x->is_kernel, y->is_kernel);
	/* .identity.build is derived from the build-id, and may be known although the build-id is
	 * not stored yet. */
	if (order || x->identity.build)
		return order;
	return compare_bytes(a->build_id, a->build_id_len, b->build_id, b->build_id_len);
}

int itv_compare_events(const struct itv_event *a, const struct itv_event *b)
{
	int order = strcmp(a->name, b->name);

	order = order ? order : op_compare_u64(a->count, b->count);
	return order ? order : op_compare_u64(a->um, b->um);
}

void itv_join_event(struct itv_event *event, const struct itv_event *equal)
{
	if (equal->cpu_type > event->cpu_type ||
	    (equal->cpu_type == event->cpu_type && equal->ctr_event > event->ctr_event)) {
		event->cpu_type = equal->cpu_type;
		event->ctr_event = equal->ctr_event;
	}
	if (equal->cpu_speed > event->cpu_speed)
		event->cpu_speed = equal->cpu_speed;
}

/* The ids are signed: OP_ALL is lower than any id. */
int itv_compare_groups(const struct itv_group *a, const struct itv_group *b)
{
	int order = op_compare_u64(a->app, b->app);

	order = order ? order : op_compare_u64(a->image, b->image);
	order = order ? order : op_compare_u64(a->event, b->event);
	order = order ? order : op_compare_s64(a->tgid, b->tgid);
	order = order ? order : op_compare_s64(a->tid, b->tid);
	return order ? order : op_compare_s64(a->cpu, b->cpu);
}

int itv_compare_frames(const struct itv_frame *a, const struct itv_frame *b)
{
	int order = op_compare_u64(a->image, b->image);

	order = order ? order : op_compare_u64(a->offset, b->offset);
	return order ? order : op_compare_u64(a->how, b->how);
}

int itv_compare_trees(const struct itv_tree *a, const struct itv_tree *b)
{
	int order = op_compare_u64(a->app, b->app);

	order = order ? order : op_compare_u64(a->event, b->event);
	order = order ? order : op_compare_s64(a->tgid, b->tgid);
	order = order ? order : op_compare_s64(a->tid, b->tid);
	return order ? order : op_compare_s64(a->cpu, b->cpu);
}

int itv_levels_grow(struct itv_levels *levels)
{
	size_t room = levels->room ? 2 * levels->room : 64;
	struct itv_level *level = reallocarray(levels->level, room, sizeof(*level));

	if (!level)
		return -ENOMEM;
	levels->level = level;
	levels->room = room;
	return 0;
}

void itv_levels_release(struct itv_levels *levels)
{
	free(levels->level);
	*levels = (struct itv_levels){ 0 };
}
