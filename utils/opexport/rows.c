// SPDX-License-Identifier: GPL-2.0-or-later
/* rows.c -- makes the rows of an interval from its profile. */
#include "config.h"
#include "utils/opexport/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "libop/base/search.h"
#include "libop/session/cgroup.h"
#include "pp/format/stacks.h"
#include "pp/profile/short_titles.h"
#include "pp/session/tasks.h"
#include "pp/session/units.h"

#define NO_FRAME	UINT32_MAX
#define EVENT_SIZE	200
#define CONTAINER_DIGITS	64	/* digits of the id of a container of docker, podman and others */

struct maker {
	struct export_rows rows;
	const struct pp_profile *profile;
	const struct pp_session *session;
	const char **events;	/* name of each class of samples */
	/* text of the frame of each place of call paths; NULL: not made yet */
	const char **places;
};

/* The program of stacks: its service, its version, and its frame. */
struct program {
	const char *service, *version, *container;
	uint32_t frame;
};

static const char *intern(struct maker *m, const char *text)
{
	return pp_intern(&m->rows.intern, &m->rows.strings, text);
}

/* Write @name to @buf as clean UTF-8 of at most EXPORT_MAX_NAME bytes. Replace the end of a longer
 * name by a hash of the whole. */
static void clean_name(char buf[EXPORT_MAX_NAME + 1], const char *name)
{
	char end[32];
	const size_t size = EXPORT_MAX_NAME + 1 - sizeof(end);

	op_clean(buf, size, name);
	/* "\xHH" is four times as long as its byte */
	if (strlen(name) < size && (strlen(buf) + 4 < size || !strcmp(buf, name)))
		return;
	snprintf(end, sizeof(end), "...%016" PRIx64, op_hash_text(OP_HASH_BEGIN, name));
	strcat(buf, end);
}

int export_frame_text(char **ret, const char *name, const char *binary, const char *build_id)
{
	char clean[EXPORT_MAX_NAME + 1], clean_binary[EXPORT_MAX_NAME + 1];

	clean_name(clean, name);
	clean_name(clean_binary, binary ? binary : "");
	if (asprintf(ret, "%s\t%s\t%s", clean, clean_binary, build_id ? build_id : "") < 0) {
		*ret = NULL;
		return -ENOMEM;
	}
	return 0;
}

static const char *frame_text(struct maker *m, const char *name, const char *binary,
			      const char *build_id)
{
	const char *kept;
	char *text;

	if (export_frame_text(&text, name, binary, build_id))
		return NULL;
	kept = intern(m, text);
	free(text);
	return kept;
}

/* Return the build-id of @binary; NULL if it is unknown, or if @binary is another build than
 * @build. */
static const char *build_id_of(const struct pp_binary *binary, uint32_t build)
{
	if (binary->build != build)
		return NULL;
	return binary->info.missing_id ? binary->info.missing_id : binary->info.build_id;
}

/* Return the text of the frame of a code. @vma: for code without a symbol, its address; NULL:
 * unknown. */
static const char *code_text(struct maker *m, const struct pp_code *code, const uint64_t *vma)
{
	const struct pp_binary *binary = &m->profile->binaries[code->binary];
	const char *id = build_id_of(binary, code->build);
	char name[64];

	if (code->kind == PP_CODE_SYMBOL)
		return frame_text(m, code->name, binary->title, id);
	/* Without a build-id, the address cannot be named later. The address of code made at run
	 * time differs in each process. */
	if (!vma || !id)
		snprintf(name, sizeof(name), "[no symbol]");
	else
		snprintf(name, sizeof(name), "%s0x%" PRIx64, code->kind == PP_CODE_RAW ? "+" : "",
			 *vma);
	return frame_text(m, name, binary->title, id);
}

static const char *place_text(struct maker *m, uint32_t number)
{
	const struct pp_place *place = &m->profile->paths->places[number];
	char text[EXPORT_MAX_NAME];

	switch (place->kind) {
	case PP_PLACE_CODE:
		return code_text(m, &m->profile->codes[place->code],
				 place->has_vma ? &place->vma : NULL);
	case PP_PLACE_SHORT:
		snprintf(text, sizeof(text), "[path ends: %s]", place->name);
		return frame_text(m, text, NULL, NULL);
	default:
		return frame_text(m, place->name ? place->name : pp_place_word(place->kind), NULL,
				  NULL);
	}
}

/* Add a frame with the text @text below the frame @parent. The hash includes the length of each
 * text, so that lists of texts differ in the hash even if their concatenations are equal. */
static int add_frame(struct maker *m, const char *text, uint32_t parent, uint32_t *ret)
{
	struct export_rows *r = &m->rows;
	uint64_t hash = parent == NO_FRAME ? OP_HASH_BEGIN : r->frames[parent].hash;

	if (!text || r->nr_frames >= NO_FRAME || op_grow(&r->frames, r->nr_frames))
		return -ENOMEM;
	hash = op_hash_number(op_hash_text(hash, text), strlen(text));
	*ret = (uint32_t)r->nr_frames;
	r->frames[r->nr_frames++] =
		(struct export_frame){ .text = text, .parent = parent, .hash = hash };
	return 0;
}

static int add_rows(struct maker *m, const struct program *program, uint32_t frame,
		    const uint64_t *counts)
{
	struct export_rows *r = &m->rows;

	for (size_t c = 0; c < m->profile->nr_classes; c++) {
		if (!counts[c])
			continue;
		if (op_grow(&r->rows, r->nr))
			return -ENOMEM;
		r->rows[r->nr++] = (struct export_row){
			.event = m->events[c], .service = program->service,
			.version = program->version, .container = program->container,
			.stack = r->frames[frame].hash, .count = counts[c], .frame = frame,
			.class = (uint32_t)c,
		};
		r->samples += counts[c];
	}
	return 0;
}

/* Return the build-id of the program with the title @title, or "". */
static const char *version_of(const struct maker *m, const char *title)
{
	const struct pp_profile *profile = m->profile;

	for (size_t i = 0; i < profile->nr_binaries; i++)
		if (pp_tasks_own_image(title, profile->binaries[i].title)) {
			const char *id = build_id_of(&profile->binaries[i],
						     profile->binaries[i].build);

			return id ? id : "";
		}
	return "";
}

/* Return whether @name is the name of a unit, container or pod. A control group without such a name
 * is named by its path, and an unknown group by "?". */
static bool is_unit(const char *name)
{
	return name && *name != '/' && *name != '?' && *name;
}

/* Return the id of the innermost container of the program with the title @title, or "" if the
 * program is not in a container whose id has CONTAINER_DIGITS hexadecimal digits. NULL: memory is
 * short. */
static const char *container_of(struct maker *m, const char *title)
{
	const char *path = pp_unit_of(&m->session->files, title);
	const struct op_cgroup_part *part = NULL;
	char id[CONTAINER_DIGITS + 1] = "";
	struct op_cgroup group = { .nr = 0 };

	if (path && *path == '/')
		op_cgroup_parse(&group, path);
	for (size_t i = 0; i < group.nr; i++)
		if (group.levels[i].container.len)
			part = &group.levels[i].container;
	if (part && part->len == CONTAINER_DIGITS &&
	    strspn(part->at, "0123456789abcdef") >= CONTAINER_DIGITS)
		snprintf(id, sizeof(id), "%.*s", CONTAINER_DIGITS, part->at);
	return intern(m, id);
}

/* Make the program with the title @title: its service is its unit, or else its own name. */
static int make_program(struct maker *m, const char *title, struct program *ret)
{
	const size_t len = pp_task_path_len(title);
	const char *unit = strstr(title + len, PP_UNIT_MARK);
	char *path = strndup(title, len), *service = NULL, clean[EXPORT_MAX_NAME + 1];
	const char *version = version_of(m, title), *name;
	int err = path ? 0 : -ENOMEM;

	if (!err && unit) {
		service = strdup(unit + strlen(PP_UNIT_MARK));
		if (!service)
			err = -ENOMEM;
		else if (*service && service[strlen(service) - 1] == ')')
			service[strlen(service) - 1] = '\0';
	}
	if (!err) {
		name = pp_short_name(path);
		clean_name(clean, is_unit(service) ? service : name);
		ret->service = intern(m, clean);
		ret->version = intern(m, version);
		ret->container = container_of(m, title);
		if (ret->service && ret->version && ret->container)
			err = add_frame(m, frame_text(m, name, path, version), NO_FRAME,
					&ret->frame);
		else
			err = -ENOMEM;
	}
	free(path);
	free(service);
	return err;
}

/* Make the rows of the tree of call paths. A node's number is larger than its parent's. */
static int add_tree(struct maker *m)
{
	const struct pp_paths *paths = m->profile->paths;
	uint32_t *frames = calloc(paths->nr_nodes + 1, sizeof(*frames));
	uint32_t *programs = calloc(paths->nr_nodes + 1, sizeof(*programs));
	struct program *list = NULL;
	size_t nr = 0;
	int err = frames && programs ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < paths->nr_nodes && !err; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		const char **text = &m->places[node->place];

		if (node->parent == PP_PATH_ROOT) {
			err = op_grow(&list, nr);
			if (!err)
				err = make_program(m, paths->places[node->place].name, &list[nr]);
			programs[i] = (uint32_t)nr;
			if (!err)
				frames[i] = list[nr++].frame;
		} else {
			programs[i] = programs[node->parent];
			if (!*text)
				*text = place_text(m, node->place);
			err = add_frame(m, *text, frames[node->parent], &frames[i]);
		}
		if (!err && node->self)
			err = add_rows(m, &list[programs[i]], frames[i], node->self);
	}
	free(frames);
	free(programs);
	free(list);
	return err;
}

static int add_entry(struct maker *m, const struct program *program, const struct pp_entry *entry)
{
	const struct pp_code *code = pp_entry_code(m->profile, entry);
	const struct pp_details *details = pp_entry_details(m->profile, entry);
	uint32_t frame;
	int err = 0;

	if (code->kind == PP_CODE_SYMBOL || !details) {
		err = add_frame(m, code_text(m, code, NULL), program->frame, &frame);
		return err ? err : add_rows(m, program, frame, entry->counts);
	}
	for (size_t i = 0; i < details->nr && !err; i++) {
		err = add_frame(m, code_text(m, code, &details->items[i].vma), program->frame,
				&frame);
		if (!err)
			err = add_rows(m, program, frame, details->items[i].counts);
	}
	return err;
}

/* Make the rows of a profile without call paths: stacks of the program and one function. */
static int add_flat(struct maker *m)
{
	const struct pp_profile *profile = m->profile;
	struct program *programs = calloc(profile->nr_groups + 1, sizeof(*programs));
	int err = programs ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile->nr_groups && !err; i++)
		err = make_program(m, profile->groups[i].app, &programs[i]);
	for (size_t i = 0; i < profile->nr_entries && !err; i++)
		err = add_entry(m, &programs[profile->entries[i].group], &profile->entries[i]);
	free(programs);
	return err;
}

static int compare_rows(const void *a, const void *b)
{
	const struct export_row *x = a, *y = b;
	int order = x->event == y->event ? 0 : strcmp(x->event, y->event);

	if (!order && x->service != y->service)
		order = strcmp(x->service, y->service);
	if (!order && x->version != y->version)
		order = strcmp(x->version, y->version);
	return order ? order : op_compare_u64(x->stack, y->stack);
}

/* Sort the rows, add up rows with equal keys, and compute the totals. */
static int sum_up(struct export_rows *r)
{
	size_t nr = 0;

	if (r->nr)
		qsort(r->rows, r->nr, sizeof(*r->rows), compare_rows);
	for (size_t i = 0; i < r->nr; i++) {
		const struct export_row *row = &r->rows[i];
		struct export_total *total = r->nr_totals ? &r->totals[r->nr_totals - 1] : NULL;

		if (!total || total->event != row->event || total->service != row->service) {
			if (op_grow(&r->totals, r->nr_totals))
				return -ENOMEM;
			total = &r->totals[r->nr_totals++];
			*total = (struct export_total){ .event = row->event,
							.service = row->service };
		}
		total->count += row->count;
		if (nr && !compare_rows(&r->rows[nr - 1], row))
			r->rows[nr - 1].count += row->count;
		else
			r->rows[nr++] = *row;
	}
	r->nr = nr;
	return 0;
}

static int name_events(struct maker *m)
{
	const struct pp_classes *classes = &m->session->classes;
	char label[EVENT_SIZE], clean[EVENT_SIZE];

	for (size_t c = 0; c < classes->nr; c++) {
		pp_class_label(label, sizeof(label), &classes->items[c]);
		m->events[c] = intern(m, op_clean(clean, sizeof(clean), label));
		if (!m->events[c])
			return -ENOMEM;
	}
	return 0;
}

int export_rows_make(struct export_rows *ret, const struct pp_profile *profile,
		     const struct pp_session *session)
{
	struct maker m = { .profile = profile, .session = session };
	int err = 0;

	m.events = calloc(profile->nr_classes + 1, sizeof(*m.events));
	m.places = calloc(profile->paths ? profile->paths->nr_places + 1 : 1, sizeof(*m.places));
	if (!m.events || !m.places)
		err = -ENOMEM;
	if (!err)
		err = name_events(&m);
	if (!err)
		err = profile->paths ? add_tree(&m) : add_flat(&m);
	if (!err)
		err = sum_up(&m.rows);
	free(m.events);
	free(m.places);
	if (err)
		export_rows_release(&m.rows);
	else
		*ret = m.rows;
	return err;
}

void export_rows_release(struct export_rows *r)
{
	free(r->rows);
	free(r->frames);
	free(r->totals);
	pp_intern_release(&r->intern);
	pp_block_free(r->strings);
	*r = (struct export_rows){ .rows = NULL };
}
