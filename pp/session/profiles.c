// SPDX-License-Identifier: GPL-2.0-or-later
/* profiles.c -- adds profiles, files that programs wrote about themselves, to a session. Each
 * binary with samples in a profile becomes a sample file of the session. */
#include "config.h"
#include "pp/session/profiles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/session/where.h"
#include "pp/source/memory.h"

struct adding {
	struct pp_session *session;
	struct pp_log *log;
};

static struct op_sample_name name_of(const struct pp_source *source, uint32_t class)
{
	return (struct op_sample_name){
		.app = source->program,
		.event = source->classes[class].event,
		.count = source->classes[class].count,
		.tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL,
	};
}

/* Add a sample file for each class (event, for example) and each binary that has samples in source
 * @i. */
static int add_parts(struct pp_session *session, size_t i)
{
	const struct pp_source *source = session->sources[i];
	struct pp_files *files = &session->files;

	for (uint32_t class = 0; class < source->nr_classes; class++) {
		for (uint32_t binary = 0; binary < source->nr_binaries; binary++) {
			const struct pp_source_part part = { .class = class, .binary = binary };
			struct op_sample_name name = name_of(source, class);
			int err;

			if (!pp_memory_has(source, class, binary))
				continue;
			name.image = source->binaries[binary].image.name;
			err = pp_files_add_part(files, &name, source->path, &part, false);
			if (err)
				return err;
			files->items[files->nr - 1].session = i;
		}
	}
	return 0;
}

static int add_stats(struct pp_session *session, const struct pp_source *source)
{
	session->has_stats |= source->stats.nr != 0;
	return op_session_stats_add_all(&session->stats, &source->stats);
}

static int add_profile(void *arg, const char *path)
{
	struct adding *adding = arg;
	struct pp_session *session = adding->session;
	struct pp_source *source = NULL;
	int err = pp_source_open(&source, path, &adding->log->error);

	if (err)
		return err;
	if (source->broken.text[0])
		pp_warn(adding->log, "%s", source->broken.text);
	err = pp_session_add_source(session, source);
	if (err) {
		pp_source_close(source);
		return err;
	}
	session->nr_profiles++;
	err = add_parts(session, session->nr_samples_dirs - 1);
	return err ? err : add_stats(session, source);
}

/* Add the profiles that an archive contains. Return 0 or a negative errno. */
static int add_archived(struct adding *adding)
{
	char *path;
	int nr = 0;

	if (asprintf(&path, "%s/" PP_ARCHIVE_PROFILES, adding->session->dir) < 0)
		return -ENOMEM;
	if (pp_is_directory(path))
		nr = pp_source_each(path, add_profile, adding);
	free(path);
	return nr < 0 ? nr : 0;
}

int pp_profiles_add(struct pp_session *session, struct pp_log *log)
{
	const struct pp_values *names = &session->spec->tags[PP_TAG_PROFILE];
	struct adding adding = { session, log };

	if (!names->nr)
		return session->archive ? add_archived(&adding) : 0;

	for (size_t i = 0; i < names->nr; i++) {
		int nr = pp_source_each(names->items[i], add_profile, &adding);

		if (nr < 0)
			return nr;
		if (!nr)
			return op_fail(&log->error, -ENOENT,
				       "profile:%s: is neither a file written by opprobe or pct "
				       "(.csp, .csp.live, .pct) nor a directory with one",
				       names->items[i]);
	}
	return 0;
}

bool pp_profiles_need_sessions(const struct pp_session *session, const char *session_dir,
			       const char *samples)
{
	if (!session->nr_profiles || session_dir || session->spec->tags[PP_TAG_SESSION].nr)
		return true;
	return session->archive && pp_is_directory(samples);
}

static bool is_profiled(const struct pp_session *session, const struct op_image_name *app)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];

		if (source->memory && app->kind == OP_IMAGE_ROOT &&
		    !strcmp(app->path, source->program.path))
			return true;
	}
	return false;
}

void pp_profiles_select_kernel(struct pp_session *session)
{
	struct pp_files *files = &session->files;
	size_t kept = 0;

	for (size_t i = 0; i < files->nr; i++) {
		struct pp_sample_file *file = &files->items[i];

		if (session->sources[file->session]->memory ||
		    (file->name.image.kind == OP_IMAGE_KERN &&
		     is_profiled(session, &file->name.app)))
			files->items[kept++] = *file;
		else
			pp_sample_file_release(file);
	}
	files->nr = kept;
}

int pp_profiles_report_empty(const struct pp_session *session, struct pp_log *log)
{
	const char *path = session->samples_dirs[0];
	const uint64_t no_room = op_session_stats_get(&session->stats, "probe_lost_no_room") +
				 op_session_stats_get(&session->stats, "probe_calls_lost_no_room");

	if (no_room)
		return op_fail(&log->error, -ENODATA,
			       "%s: no call paths were stored because the disk was full; %llu "
			       "samples and calls were lost. Free some space, or choose another "
			       "directory: opprobe --output=DIR",
			       path, (unsigned long long)no_room);
	if (session->stats.nr)
		return op_fail(
			&log->error, -ENODATA,
			"%s: no samples were recorded; of %llu samples, %llu were lost. Did the "
			"program run long enough?",
			path,
			(unsigned long long)op_session_stats_sum(&session->stats, OP_STAT_TAKEN),
			(unsigned long long)op_session_stats_sum(&session->stats, OP_STAT_LOSS));
	return op_fail(&log->error, -ENODATA, "%s: has no samples", path);
}

static bool has_samples(const struct pp_source *source, uint32_t class)
{
	uint32_t binary = 0;

	while (binary < source->nr_binaries && !pp_memory_has(source, class, binary))
		binary++;
	return binary < source->nr_binaries;
}

/* Skip metrics without samples: the class of each tree becomes a column of the report, which would
 * be empty. */
int pp_profile_add_trees(struct pp_session *session, size_t i)
{
	const struct pp_source *source = session->sources[i];
	int err = 0;

	for (uint32_t class = 0; class < source->nr_classes && source->has_paths && !err; class++) {
		const struct pp_source_part part = { .class = class };
		struct op_sample_name name = name_of(source, class);

		if (has_samples(source, class))
			err = pp_files_add_part(&session->files, &name, source->path, &part, true);
	}
	return err;
}
