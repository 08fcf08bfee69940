// SPDX-License-Identifier: GPL-2.0-or-later
/* closed.c -- makes snapshots of closed intervals. */
#include "config.h"
#include "pp/top/closed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "intervals/store.h"
#include "libop/base/cache_dir.h"
#include "pp/join/make.h"
#include "pp/session/open.h"

#define NAME_SIZE	4200

int pp_top_closed_find(int64_t *begin, int64_t *end, const struct op_session_paths *paths,
		       int64_t time, bool later)
{
	const struct itv_entry *found = NULL;
	struct itv_list list = { 0 };
	char *path;
	int fd, err;

	if (asprintf(&path, "%s/" ITV_STORE_DIR, paths->samples) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = fd < 0 ? -errno : itv_store_list(&list, fd);
	free(path);
	if (fd >= 0)
		close(fd);
	/* The loop relies on the order of the list: intervals are sorted by begin. */
	for (size_t i = 0; !err && i < list.nr; i++) {
		const struct itv_entry *e = &list.entries[i];

		if (later ? e->begin > time && !found : e->begin < time)
			found = e;
	}
	if (found) {
		*begin = found->begin;
		*end = found->end;
	}
	itv_list_release(&list);
	return err ? err : found ? 0 : -ENOENT;
}

static int open_images(struct pp_top_closed *c, const struct pp_top_options *options,
		       struct pp_log *log)
{
	char *cache_dir = options->no_cache ? NULL : op_cache_dir();
	const struct pp_images_options images = {
		.image_path = options->image_path,
		.cache_dir = cache_dir,
		.samples_dirs = c->session->samples_dirs,
		.nr_samples_dirs = c->session->nr_samples_dirs,
	};
	int err = pp_images_create(&c->images, &images, log);

	free(cache_dir);
	return err;
}

static int make_profile(struct pp_top_closed *c, const struct op_session_paths *paths,
			const char *event, const struct pp_top_options *options, struct pp_log *log)
{
	struct pp_session_options session = {
		.session_dir = paths->dir,
		.spec = &c->spec,
		.merge = PP_MERGE_ALL & ~PP_MERGE_LIB,
		.any_axes = true,
		.paths = true,
	};
	const struct pp_profile_options profile = {
		.symbols = true,
		.paths = true,
		.demangle = options->demangle,
	};
	char *words[2] = { NULL, NULL };
	int err = -ENOMEM;

	/* Select the interval by the time in its middle, because no other interval contains this
	 * time. */
	if (asprintf(&words[0], "time:@%lld", (long long)(c->begin + (c->end - c->begin) / 2)) < 0)
		words[0] = NULL;
	if (event && asprintf(&words[1], "event:%s", event) < 0)
		words[1] = NULL;
	if (words[0] && (!event || words[1]))
		err = pp_spec_parse(&c->spec, (const char *const *)words, event ? 2 : 1, log);
	free(words[0]);
	free(words[1]);
	if (!err)
		err = pp_session_open(&c->session, &session, log);
	if (!err)
		err = open_images(c, options, log);
	return err ? err : pp_profile_make(&c->profile, c->session, c->images, &profile, log);
}

static int copy_entries(struct pp_top_closed *c)
{
	const struct pp_profile *profile = c->profile;
	struct pp_top_snapshot *p = &c->snapshot;

	p->entries = calloc(profile->nr_entries + 1, sizeof(*p->entries));
	if (!p->entries)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_group *group = pp_entry_group(profile, entry);

		if (entry->counts[0])
			p->entries[p->nr_entries++] = (struct pp_top_entry){
				.program = group->app,
				.function = pp_entry_code(profile, entry)->name,
				.image = group->image,
				.count = entry->counts[0],
			};
	}
	return 0;
}

/* Return the name of a place (function or the like) as live snapshots print it, or NULL if out of
 * memory. */
static const char *place_name(struct pp_top_closed *c, const struct pp_place *place)
{
	const struct pp_code *code;
	const char *title, *base;
	char text[NAME_SIZE];

	if (place->kind == PP_PLACE_SHORT) {
		snprintf(text, sizeof(text), "[path ends: %s]", place->name);
		return pp_strings_add(&c->strings, text);
	}
	if (place->kind != PP_PLACE_CODE)
		return place->name ? place->name : pp_place_word(place->kind);
	code = &c->profile->codes[place->code];
	if (code->kind == PP_CODE_SYMBOL)
		return code->name;
	title = c->profile->binaries[code->binary].title;
	base = strrchr(title, '/');
	snprintf(text, sizeof(text), "[%s%s]", base && base[1] ? base + 1 : title,
		 code->kind == PP_CODE_UNCOVERED ? ": no symbol" : "");
	return pp_strings_add(&c->strings, text);
}

static int copy_nodes(struct pp_top_closed *c)
{
	const struct pp_paths *paths = c->profile->paths;
	struct pp_top_snapshot *p = &c->snapshot;
	const char **names;
	int err = 0;

	if (!paths)
		return 0;
	names = calloc(paths->nr_places + 1, sizeof(*names));
	p->nodes = calloc(paths->nr_nodes + 1, sizeof(*p->nodes));
	if (!names || !p->nodes)
		err = -ENOMEM;
	for (size_t i = 0; i < paths->nr_nodes && !err; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		const struct pp_place *place = &paths->places[node->place];

		if (!names[node->place])
			names[node->place] = place_name(c, place);
		if (!names[node->place])
			err = -ENOMEM;
		p->nodes[i] = (struct pp_top_node){
			.name = names[node->place],
			.image = place->kind == PP_PLACE_CODE
				? c->profile->binaries[c->profile->codes[place->code].binary].title
				: NULL,
			.parent = node->parent,
			.is_kernel = place->is_kernel,
			.self = node->self ? node->self[0] : 0,
		};
	}
	free(names);
	p->nr_nodes = paths->nr_nodes;
	p->has_paths = true;
	if (!err)
		pp_top_snapshot_sum(p);
	return err;
}

int pp_top_closed_open(struct pp_top_closed *ret, const struct op_session_paths *paths,
		       int64_t begin, int64_t end, const char *event,
		       const struct pp_top_options *options, struct pp_log *log)
{
	struct pp_top_closed c = { .begin = begin, .end = end };
	int err = make_profile(&c, paths, event, options, log);

	if (!err) {
		const struct pp_class *class = &c.session->classes.items[0];

		c.snapshot.begin_ms = begin * 1000;
		c.snapshot.end_ms = end * 1000;
		c.snapshot.event = class->event;
		c.snapshot.period = class->count;
		c.snapshot.unit = "samples";
		c.snapshot.total = c.profile->totals[0];
		err = copy_entries(&c);
	}
	if (!err)
		err = copy_nodes(&c);
	if (err)
		pp_top_closed_release(&c);
	else
		*ret = c;
	return err;
}

void pp_top_closed_release(struct pp_top_closed *c)
{
	pp_top_snapshot_release(&c->snapshot);
	pp_profile_destroy(c->profile);
	pp_images_destroy(c->images);
	pp_session_close(c->session);
	pp_spec_release(&c->spec);
	pp_block_free(c->strings);
	*c = (struct pp_top_closed){ 0 };
}
