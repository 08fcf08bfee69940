// SPDX-License-Identifier: GPL-2.0-or-later
/* none_match.c -- the parts of a specification that match no sample file. */
#include "config.h"
#include "pp/session/why_empty.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/nearest.h"
#include "libop/base/plural.h"
#include "pp/session/open.h"
#include "pp/source/memory.h"

#define MAX_VALUES 5	/* maximum of values in a list */

/* Return the file's name for a tag with a name as its value, owned by the file, or NULL if the tag
 * has a number. The tag binary has two names: @which is 0 or 1. */
static const char *name_of(const struct pp_sample_file *file, enum pp_tag tag, int which)
{
	switch (tag) {
	case PP_TAG_EVENT:
		return file->name.event;
	case PP_TAG_IMAGE:
		return file->app;
	case PP_TAG_BINARY:
		return which ? file->image : file->app;
	case PP_TAG_LIB_IMAGE:
		return file->image;
	default:
		return NULL;
	}
}

/* Return the file's value of a tag in the user's notation, malloc'd. */
static char *value_of(const struct pp_sample_file *file, enum pp_tag tag, int which)
{
	const struct op_sample_name *name = &file->name;
	char *text = NULL;
	int64_t n;

	if (name_of(file, tag, which))
		return strdup(name_of(file, tag, which));
	switch (tag) {
	case PP_TAG_COUNT:
		n = name->count;
		break;
	case PP_TAG_UNITMASK:
		n = name->um;
		break;
	case PP_TAG_TGID:
		n = name->tgid;
		break;
	case PP_TAG_TID:
		n = name->tid;
		break;
	case PP_TAG_CPU:
		n = name->cpu;
		break;
	default:
		return NULL;
	}
	if (n == OP_ALL)
		return strdup("all");
	return asprintf(&text, "%" PRId64, n) < 0 ? NULL : text;
}

/* Print " (did you mean image:nginx?)". Compare paths by their last component, unless the user
 * wrote a path. */
static void print_meant(FILE *f, const struct pp_files *files, enum pp_tag tag, const char *wrong)
{
	struct op_nearest nearest = { .nr = 0 };
	const char *last = "", *name;
	char prefix[32], meant[600];

	for (size_t i = 0; i < 2 * files->nr && (name = name_of(&files->items[i / 2], tag, i % 2));
	     i++) {
		const char *slash = strchr(wrong, '/') ? NULL : strrchr(name, '/');

		/* Files of the same program are adjacent. */
		if (strcmp(name, last))
			op_nearest_add(&nearest, wrong, slash ? slash + 1 : name);
		last = name;
	}
	snprintf(prefix, sizeof(prefix), "%s:", pp_tag_name(tag));
	op_clean_printf(f, "%s", op_nearest_text_of(&nearest, prefix, meant, sizeof(meant)));
}

/* Print "; there are: ..." for a tag that no file matches. */
static void print_available(FILE *f, const struct pp_files *files, enum pp_tag tag)
{
	size_t nr = 0, i, j, nr_values = tag == PP_TAG_BINARY ? 2 * files->nr : files->nr;
	char *seen[MAX_VALUES];
	int more = 0;

	/* List programs first, then their images. */
	for (i = 0; i < nr_values && !more; i++) {
		char *value = value_of(&files->items[i % files->nr], tag, i >= files->nr);

		if (!value)
			continue;
		for (j = 0; j < nr && strcmp(seen[j], value); j++)
			;
		if (j < nr) {
			free(value);
		} else if (nr == MAX_VALUES) {
			more = 1;
			free(value);
		} else {
			op_clean_printf(f, "%s%s", nr ? ", " : "; there are: ", value);
			seen[nr++] = value;
		}
	}
	if (more)
		fputs(" and more", f);
	if (nr == 1 && !strcmp(seen[0], "all"))
		op_clean_printf(f, " (the session was not separated by %s: opcontrol --separate)",
			pp_tag_name(tag));
	for (j = 0; j < nr; j++)
		free(seen[j]);
}

/* Print the specification that the user may have meant: a saved session needs the tag "session:",
 * because a bare word is a binary. */
static void print_session_meant(FILE *f, const struct pp_session *session, const char *wrong)
{
	const char *dir = session->samples_dirs[0], *end = strrchr(dir, '/');
	struct stat st;
	char *path;

	if (asprintf(&path, "%s/samples/current", wrong) < 0)
		return;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		op_clean_printf(f, " (a session directory? session:%s%s means its samples)",
				*path == '/' || *path == '.' ? "" : "./", path);
		free(path);
		return;
	}
	free(path);
	if (strchr(wrong, '/')) {
		if (!strpbrk(wrong, "*?[") && access(wrong, F_OK))
			fputs(" (there is no such file)", f);
		return;
	}
	if (!end || *wrong == '.' || asprintf(&path, "%.*s/%s", (int)(end - dir), dir, wrong) < 0)
		return;
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		op_clean_printf(f, " (there is a session of that name: session:%s)", wrong);
	free(path);
}

static size_t nr_matching(const struct pp_files *files, const struct pp_spec *spec, enum pp_tag tag)
{
	size_t nr = 0;

	for (size_t i = 0; i < files->nr; i++)
		nr += pp_spec_tag_matches(spec, tag, &files->items[i].name,
					  files->items[i].relative);
	return nr;
}

/* Return whether the file matches all tags of @spec except the event. */
static bool passes_but_event(const struct pp_sample_file *file, const struct pp_spec *spec)
{
	for (int tag = 0; tag < PP_NR_TAGS; tag++)
		if (tag != PP_TAG_EVENT &&
		    !pp_spec_tag_matches(spec, tag, &file->name, file->relative))
			return false;
	return true;
}

static bool counts_heap(const struct pp_source *source)
{
	for (size_t c = 0; c < source->nr_classes; c++)
		if (!strcmp(source->classes[c].event, PP_SOURCE_NOT_FREED))
			return true;
	return false;
}

/* Return whether @spec selects memory that was not freed, and the heap of a selected program was
 * counted. */
static bool asks_for_leaks(const struct pp_session *session, const struct pp_spec *spec)
{
	const struct pp_values *events = &spec->tags[PP_TAG_EVENT];

	if (!events->nr || strcmp(events->items[0], PP_SOURCE_NOT_FREED))
		return false;
	for (size_t i = 0; i < session->files.nr; i++)
		if (counts_heap(session->sources[session->files.items[i].session]) &&
		    passes_but_event(&session->files.items[i], spec))
			return true;
	return false;
}

/* Return the sum of @event in all files that match the rest of @spec. */
static uint64_t sum_of_event(const struct pp_session *session, const struct pp_spec *spec,
			     const char *event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < session->files.nr; i++) {
		const struct pp_sample_file *file = &session->files.items[i];
		const struct pp_source *source = session->sources[file->session];

		if (source->memory && !strcmp(file->name.event, event) &&
		    passes_but_event(file, spec))
			sum += pp_memory_count(source, file->part.class, file->part.binary);
	}
	return sum;
}

/* Write to @error that there are no leaks, which is a result and not a failure. */
static int report_no_leaks(const struct pp_session *session, const struct pp_spec *spec,
			 struct op_reason *error)
{
	uint64_t allocated = sum_of_event(session, spec, "allocations"),
		 freed = sum_of_event(session, spec, "frees");
	uint64_t lost = op_session_stats_sum(&session->stats, OP_STAT_LOSS), calls = 0;
	bool is_sampled;
	char losses[64] = "";

	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		calls += session->sources[i]->of_calls.recorded;
	/* Each sampled block stands for several blocks. */
	is_sampled = calls && calls < allocated;
	if (lost)
		snprintf(losses, sizeof(losses), "; %" PRIu64 " samples or calls were lost", lost);
	if (!allocated)
		return op_fail(error, PP_SESSION_NO_LEAKS, "no leaks: no block was allocated%s",
			       losses);
	if (freed < allocated)
		return op_fail(error, PP_SESSION_NO_LEAKS,
			       "no leaks: of %" PRIu64 " blocks, the %" PRIu64
			       " that were not freed have 0 bytes%s",
			       allocated, allocated - freed, losses);
	return op_fail(error, PP_SESSION_NO_LEAKS,
		       is_sampled ? "no leaks were sampled: all of about %" PRIu64
				    " blocks were freed%s"
				  : "no leaks: all %" PRIu64 " blocks were freed%s",
		       allocated, losses);
}

int pp_report_none_match(const struct pp_session *session, const struct pp_spec *spec,
			struct op_reason *error)
{
	const struct pp_files *files = &session->files;
	bool is_profile = session->sources[0]->memory;
	int tag, alone = 0;
	char *text = NULL;
	size_t size;
	FILE *f;

	if (asks_for_leaks(session, spec))
		return report_no_leaks(session, spec, error);
	f = open_memstream(&text, &size);
	if (!f)
		return -ENOMEM;
	if (is_profile)
		op_clean_printf(f, "nothing in %s matches the profile specification:",
				session->samples_dirs[0]);
	else
		op_clean_printf(
			f, "none of the %zu sample %s in %s matches the profile specification:",
			files->nr + files->nr_arcs,
			op_plural(files->nr + files->nr_arcs, "file", "files"),
			session->samples_dirs[0]);
	for (tag = 0; tag < PP_NR_TAGS; tag++) {
		if (!spec->tags[tag].nr || nr_matching(files, spec, tag))
			continue;
		alone = 1;
		op_clean_printf(f, "\n  %s matches %s:%s", is_profile ? "nothing" : "no file",
				pp_tag_name(tag), spec->tags[tag].items[0]);
		if (tag == PP_TAG_EVENT &&
		    !strncmp(spec->tags[tag].items[0], "bytes ", strlen("bytes ")))
			fputs(", which opprobe -e malloc counts", f);
		print_meant(f, files, tag, spec->tags[tag].items[0]);
		if (tag == PP_TAG_BINARY)
			print_session_meant(f, session, spec->tags[tag].items[0]);
		print_available(f, files, tag);
	}
	if (!alone) {
		for (tag = 0; tag < PP_NR_TAGS; tag++) {
			if (!spec->tags[tag].nr || tag == PP_TAG_ARCHIVE || tag == PP_TAG_SESSION ||
			    tag == PP_TAG_SESSION_EXCLUDE)
				continue;
			op_clean_printf(f, "\n  %zu pass %s:%s", nr_matching(files, spec, tag),
				pp_tag_name(tag), spec->tags[tag].items[0]);
		}
		fputs("\n  but no file matches all of them", f);
	}
	return op_fail_lines(error, -ENODATA, f, &text);
}
