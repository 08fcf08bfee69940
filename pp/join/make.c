// SPDX-License-Identifier: GPL-2.0-or-later
/* make.c -- makes a profile from sample files: threads sum the samples of each binary (a part of
 * the profile), then the parts are joined. */
#include "config.h"
#include "pp/join/make.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/plural.h"
#include "libop/raw/csp.h"
#include "libop/session/paths.h"
#include "libop/session/writer.h"
#include "pp/base/block.h"
#include "pp/paths/arcs.h"
#include "pp/paths/parts.h"
#include "pp/paths/trees.h"
#include "pp/profile/arcs.h"
#include "pp/profile/call_sites.h"
#include "pp/profile/inclusive.h"
#include "pp/profile/jobs.h"
#include "pp/profile/part.h"
#include "pp/profile/profile.h"
#include "pp/profile/short_titles.h"
#include "pp/profile/warnings.h"
#include "pp/source/samples.h"

static uint64_t scaled(uint64_t count, const struct pp_class *class)
{
	unsigned __int128 n = (unsigned __int128)count * class->enabled_ns + class->running_ns / 2;

	n /= class->running_ns;
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static void scale_class(struct pp_profile *profile, const struct pp_class *class, size_t c)
{
	profile->totals[c] = scaled(profile->totals[c], class);
	for (size_t i = 0; i < profile->nr_groups; i++)
		profile->groups[i].counts[c] = scaled(profile->groups[i].counts[c], class);
	for (size_t i = 0; i < profile->nr_entries; i++)
		profile->entries[i].counts[c] = scaled(profile->entries[i].counts[c], class);
	for (size_t i = 0; i < profile->nr_arcs; i++)
		profile->arcs[i].counts[c] = scaled(profile->arcs[i].counts[c], class);
	for (size_t i = 0; profile->paths && i < profile->paths->nr_nodes; i++)
		if (profile->paths->nodes[i].self)
			profile->paths->nodes[i].self[c] =
				scaled(profile->paths->nodes[i].self[c], class);
	for (size_t i = 0; i < profile->nr_details; i++) {
		const struct pp_details *details = &profile->details[i];

		for (size_t d = 0; d < details->nr; d++)
			details->items[d].counts[c] = scaled(details->items[d].counts[c], class);
	}
}

/* If the event of a class of samples was counted only part of the time, multiply the class's counts
 * by enabled_ns / running_ns. Call this before pp_apps_make(), which sums scaled counts. */
static void pp_profile_scale(struct pp_profile *profile, const struct pp_classes *classes)
{
	for (size_t c = 0; c < profile->nr_classes; c++)
		if (pp_class_is_scaled(&classes->items[c]))
			scale_class(profile, &classes->items[c], c);
}

struct builder {
	/* for each session of the report: the number of samples in its files */
	uint64_t *read;
	struct pp_profile *profile;
	const struct pp_session *session;
	struct pp_images *images;
	const struct pp_profile_options *options;
	struct pp_log *log;
	/* for each group (a program's samples in a binary) in profile->groups: its sample files */
	struct pp_group_files *group_files;
	struct pp_arc_file *arc_files;
	size_t nr_arc_files;
	/* the caller ends and callee ends of arcs between binaries, sorted by binary */
	struct pp_arc_half *halves;
	struct pp_path_parts paths;
	/* for each of profile->binaries: the part of the profile with its samples */
	struct pp_part *parts;
	/* for each binary whose part was added: index of its first code (function) in the
	 * profile */
	uint32_t *first_code;
	size_t max_entries, max_codes, max_details;
	size_t nr_bad_files, nr_named_bad_files;
	bool warned_cpu_type;
	struct pp_warnings warnings;
};

/* A pair of program and binary that becomes a group, and one of its sample files. */
struct group_key {
	const char *image, *app;
	const struct op_image_name *name;
	/* one of the sample files of the pair; NULL: the pair occurs only in a call-graph file or
	 * in call paths */
	const struct pp_sample_file *file;
};

static int compare_group_keys(const void *a, const void *b)
{
	const struct group_key *x = a, *y = b;
	int d = strcmp(x->image, y->image);

	if (!d)
		d = strcmp(x->app, y->app);
	if (!d && x->file && y->file)
		return x->file < y->file ? -1 : x->file > y->file;
	return d ? d : !x->file - !y->file;
}

static size_t collect_keys(const struct builder *b, struct group_key *keys)
{
	const struct pp_files *files = &b->session->files;
	size_t nr = 0;

	for (size_t i = 0; i < files->nr; i++) {
		const struct pp_sample_file *file = &files->items[i];

		keys[nr++] = (struct group_key){ file->image, file->app, &file->name.image, file };
	}
	for (size_t i = 0; i < files->nr_arcs && b->options->arcs; i++) {
		const struct pp_sample_file *file = &files->arcs[i];

		keys[nr++] = (struct group_key){ file->image, file->app, &file->name.image, NULL };
		keys[nr++] = (struct group_key){ file->callee, file->callee_app,
						 &file->name.callee, NULL };
	}
	for (size_t i = 0; i < b->paths.sources.nr_groups; i++) {
		const struct pp_path_group *group = &b->paths.sources.groups[i];

		keys[nr++] = (struct group_key){ group->image, group->app, group->name, NULL };
	}
	return nr;
}

static void add_group(struct builder *b, const struct group_key *key)
{
	struct pp_profile *profile = b->profile;
	struct pp_binary *binary =
		profile->nr_binaries ? &profile->binaries[profile->nr_binaries - 1] : NULL;

	if (!binary || strcmp(binary->title, key->image)) {
		binary = &profile->binaries[profile->nr_binaries];
		*binary = (struct pp_binary){ .title = key->image, .name = key->name };
		b->parts[profile->nr_binaries] = (struct pp_part){
			.name = key->name,
			.groups = &profile->groups[profile->nr_groups],
			.group_files = &b->group_files[profile->nr_groups],
			.first_group = profile->nr_groups,
		};
		profile->nr_binaries++;
	}
	profile->groups[profile->nr_groups++] = (struct pp_group){
		.image = key->image, .app = key->app, .binary = profile->nr_binaries - 1
	};
	b->parts[profile->nr_binaries - 1].nr_groups++;
}

/* List the binaries of all sample files. For each binary, list its groups: one for each program
 * that used the binary. */
static int find_groups(struct builder *b)
{
	const struct pp_files *files = &b->session->files;
	struct pp_profile *profile = b->profile;
	size_t max = files->nr + (b->options->arcs ? 2 * files->nr_arcs : 0) +
		     b->paths.sources.nr_groups,
	       nr;
	struct group_key *keys = calloc(max + 1, sizeof(*keys));

	profile->groups = calloc(max + 1, sizeof(*profile->groups));
	profile->binaries = calloc(max + 1, sizeof(*profile->binaries));
	b->group_files = calloc(max + 1, sizeof(*b->group_files));
	b->parts = calloc(max + 1, sizeof(*b->parts));
	b->first_code = calloc(max + 1, sizeof(*b->first_code));
	if (!keys || !profile->groups || !profile->binaries || !b->group_files || !b->parts ||
	    !b->first_code) {
		free(keys);
		return -ENOMEM;
	}
	nr = collect_keys(b, keys);
	qsort(keys, nr, sizeof(*keys), compare_group_keys);
	for (size_t i = 0; i < nr; i++) {
		struct pp_group_files *group_files;

		if (!i || strcmp(keys[i].image, keys[i - 1].image) ||
		    strcmp(keys[i].app, keys[i - 1].app))
			add_group(b, &keys[i]);
		group_files = &b->group_files[profile->nr_groups - 1];
		if (!keys[i].file)
			continue;
		if (!group_files->nr++)
			group_files->files = keys[i].file;
	}
	free(keys);
	return 0;
}

static int compare_groups(const void *a, const void *b)
{
	const struct pp_group *x = a, *y = b;
	int d = strcmp(x->image, y->image);

	return d ? d : strcmp(x->app, y->app);
}

/* Return the index of the group with the samples of the program @app in the binary @image. The
 * group exists, because find_groups() listed the same files. */
static uint32_t group_of(const struct pp_profile *profile, const char *image, const char *app)
{
	const struct pp_group key = { .image = image, .app = app };
	const struct pp_group *found = bsearch(&key, profile->groups, profile->nr_groups,
					       sizeof(key), compare_groups);

	return found - profile->groups;
}

static void note_bad_file(struct builder *b, const char *path, int err)
{
	b->nr_bad_files++;
	if (b->nr_named_bad_files++ < PP_MAX_BAD_FILES)
		pp_warn(b->log, "%s: skipped: %s", path, pp_samples_strerror(err));
}

static int read_arc_files(struct builder *b)
{
	const struct pp_files *files = &b->session->files;

	b->arc_files = calloc(files->nr_arcs + 1, sizeof(*b->arc_files));
	if (!b->arc_files)
		return -ENOMEM;
	for (size_t i = 0; i < files->nr_arcs; i++) {
		struct pp_arc_file *arc_file = &b->arc_files[b->nr_arc_files];
		const struct pp_sample_file *file = &files->arcs[i];
		int err;

		arc_file->file = file;
		arc_file->caller_group = group_of(b->profile, file->image, file->app);
		arc_file->callee_group = group_of(b->profile, file->callee, file->callee_app);
		err = pp_arc_file_read(arc_file);
		if (err == -ENOMEM)
			return err;
		if (err && err != ODB_ERR_EMPTY)
			note_bad_file(b, file->path, err);
		b->nr_arc_files += !err;
	}
	return 0;
}

/* Assign the caller ends and callee ends of arcs to the parts of their binaries. Each part looks up
 * the functions of its ends. */
static int share_halves(struct builder *b)
{
	struct pp_profile *profile = b->profile;
	struct pp_arc_half *half;

	b->halves = calloc(2 * b->nr_arc_files + 1, sizeof(*b->halves));
	if (!b->halves)
		return -ENOMEM;
	for (size_t i = 0; i < b->nr_arc_files; i++) {
		const struct pp_arc_file *file = &b->arc_files[i];

		b->parts[profile->groups[file->caller_group].binary].nr_halves++;
		b->parts[profile->groups[file->callee_group].binary].nr_halves++;
	}
	half = b->halves;
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		b->parts[i].halves = half;
		half += b->parts[i].nr_halves;
		b->parts[i].nr_halves = 0;
	}
	for (size_t i = 0; i < b->nr_arc_files; i++) {
		struct pp_arc_file *file = &b->arc_files[i];
		struct pp_part *part = &b->parts[profile->groups[file->caller_group].binary];

		part->halves[part->nr_halves++] = (struct pp_arc_half){ file, 0 };
		part = &b->parts[profile->groups[file->callee_group].binary];
		part->halves[part->nr_halves++] = (struct pp_arc_half){ file, 1 };
	}
	return 0;
}

static int work_on_part(void *arg, size_t i)
{
	struct builder *b = arg;

	return pp_part_read(&b->parts[i], b->session, b->images, b->options, b->log);
}

/* Ensure that an array of @nr elements has space for @more elements. */
static int reserve(void *items, size_t nr, size_t more, size_t *max, size_t size)
{
	void **array = items, *new;

	if (nr + more <= *max)
		return 0;
	*max = nr + more + *max / 2;
	new = reallocarray(*array, *max, size);
	if (!new)
		return -ENOMEM;
	*array = new;
	return 0;
}

static int add_entries(struct builder *b, size_t i)
{
	struct pp_profile *profile = b->profile;
	struct pp_part *part = &b->parts[i];

	if (profile->nr_entries + part->nr_entries > UINT32_MAX ||
	    profile->nr_codes + part->nr_codes > UINT32_MAX ||
	    reserve(&profile->codes, profile->nr_codes, part->nr_codes, &b->max_codes,
		    sizeof(*profile->codes)) ||
	    reserve(&profile->entries, profile->nr_entries, part->nr_entries, &b->max_entries,
		    sizeof(*profile->entries)) ||
	    reserve(&profile->details, profile->nr_details, part->nr_details, &b->max_details,
		    sizeof(*profile->details)))
		return -ENOMEM;
	b->first_code[i] = profile->nr_codes;
	for (size_t c = 0; c < part->nr_codes; c++) {
		profile->codes[profile->nr_codes] = part->codes[c];
		profile->codes[profile->nr_codes++].binary = i;
	}
	for (size_t e = 0; e < part->nr_entries; e++) {
		struct pp_entry entry = part->entries[e];

		entry.code += b->first_code[i];
		if (entry.details)
			entry.details += profile->nr_details;
		profile->entries[profile->nr_entries++] = entry;
	}
	if (part->nr_details)
		memcpy(&profile->details[profile->nr_details], part->details,
		       part->nr_details * sizeof(*part->details));
	profile->nr_details += part->nr_details;
	pp_block_join(&profile->blocks, &part->blocks);
	pp_block_join(&profile->strings, &part->strings);
	return 0;
}

static void add_header(struct builder *b, const struct pp_part *part)
{
	struct pp_profile *profile = b->profile;

	if (!part->nr_files)
		return;
	if (!profile->nr_files)
		profile->cpu_type = part->cpu_type;
	if ((part->cpu_types_differ || part->cpu_type != profile->cpu_type) &&
	    !b->warned_cpu_type) {
		b->warned_cpu_type = 1;
		pp_warn(b->log, "the report sums sample files of different CPU types");
	}
	if (!profile->cpu_speed)
		profile->cpu_speed = part->cpu_speed;
	profile->nr_files += part->nr_files;
}

static void add_bad_files(struct builder *b, struct pp_part *part)
{
	struct pp_log_queue *queue = &part->logs->bad_files;

	b->nr_bad_files += part->nr_bad_files;
	for (size_t i = 0; i < queue->nr; i++)
		if (b->nr_named_bad_files++ < PP_MAX_BAD_FILES)
			pp_warn(b->log, "%s", queue->messages[i].text);
}

static int add_read(struct builder *b, const struct pp_part *part)
{
	size_t nr = b->session->nr_samples_dirs;

	if (!b->read)
		b->read = calloc(nr + 1, sizeof(*b->read));
	if (!b->read)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		b->read[i] += part->read[i];
	return 0;
}

static int copy_builds(struct builder *b, struct pp_binary *binary, const struct pp_part *part)
{
	binary->builds = pp_block_alloc(&b->profile->blocks, part->nr_builds);
	if (!binary->builds)
		return -ENOMEM;
	for (uint32_t i = 0; i < part->nr_builds; i++)
		binary->builds[i] = part->builds[i].identity.build ? part->builds[i].identity.build
								   : part->builds[i].mtime;
	binary->nr_builds = part->nr_builds;
	return 0;
}

static int add_part(void *arg, size_t i)
{
	struct builder *b = arg;
	struct pp_part *part = &b->parts[i];
	int err;

	pp_progress(b->log, i + 1, b->profile->nr_binaries);
	if (pp_warnings_add_queue(&b->warnings, i, &part->logs->binary, b->log))
		return -ENOMEM;
	add_bad_files(b, part);
	add_header(b, part);
	b->profile->binaries[i].info = part->info;
	b->profile->binaries[i].build = part->build;
	if (part->nr_builds)
		b->profile->binaries[i].samples = part->builds[part->build];
	err = copy_builds(b, &b->profile->binaries[i], part);
	if (!err)
		err = add_read(b, part);
	if (!err)
		err = add_entries(b, i);
	if (!err)
		err = pp_path_parts_add(&b->paths, part, b->first_code[i]);
	pp_part_release(part);
	return err;
}

static int read_parts(struct builder *b)
{
	static const struct pp_jobs_ops ops = { work_on_part, add_part };
	struct pp_profile *profile = b->profile;
	int err = pp_jobs_run(profile->nr_binaries, b->options->jobs, &ops, b);

	if (err) {
		/* The failed part was not added, so its log was not printed yet. Its log may have
		 * the reason of the failure, so print the logs of all parts. */
		for (size_t i = 0; i < profile->nr_binaries; i++)
			if (b->parts[i].logs)
				pp_log_queue_flush(&b->parts[i].logs->binary, b->log);
		return err;
	}
	if (b->nr_bad_files > PP_MAX_BAD_FILES)
		pp_warn(b->log, "%zu more sample %s could not be read and %s skipped",
			b->nr_bad_files - PP_MAX_BAD_FILES,
			op_plural(b->nr_bad_files - PP_MAX_BAD_FILES, "file", "files"),
			op_plural(b->nr_bad_files - PP_MAX_BAD_FILES, "was", "were"));
	for (size_t i = 0; i < profile->nr_groups; i++)
		for (size_t class = 0; class < profile->nr_classes; class++)
			profile->totals[class] += profile->groups[i].counts[class];
	for (size_t class = 0; class < profile->nr_classes; class++)
		profile->nr_samples += profile->totals[class];
	if (b->read)
		pp_stored_check(b->session, b->read, b->log);
	return pp_warnings_report(&b->warnings, profile, b->options->threshold, b->log);
}

/* Convert the arcs of call-graph files from function indices of a part to function indices of the
 * profile. Then sum the arcs in the profile. */
static int make_arcs(struct builder *b)
{
	const struct pp_profile *profile = b->profile;

	for (size_t f = 0; f < b->nr_arc_files; f++) {
		const struct pp_arc_file *file = &b->arc_files[f];
		uint32_t from = b->first_code[profile->groups[file->caller_group].binary],
			 to = b->first_code[profile->groups[file->callee_group].binary];

		for (size_t i = 0; i < file->nr; i++) {
			if (file->nodes[i].caller != PP_NO_CODE)
				file->nodes[i].caller += from;
			if (file->nodes[i].callee != PP_NO_CODE)
				file->nodes[i].callee += to;
		}
	}
	return pp_arc_files_make(b->profile, b->arc_files, b->nr_arc_files);
}

/* Find the files to read, and assign them to the parts of their binaries. */
static int prepare(struct builder *b)
{
	int err = 0;

	if (b->options->paths)
		err = pp_path_sources_read(&b->paths.sources, b->session, b->log);
	if (!err)
		err = find_groups(b);
	if (!err && b->options->paths)
		err = pp_path_parts_share(&b->paths, b->profile, b->session, b->parts);
	if (!err && b->options->arcs)
		err = read_arc_files(b);
	return !err && b->options->arcs ? share_halves(b) : err;
}

/* Return whether a running daemon adds samples to one of the session directories of the report. */
static bool is_written(const struct pp_session *session)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		if (session->sources[i]->stats.writer.pid &&
		    op_session_writer_lives(&session->sources[i]->stats.writer))
			return true;
	return false;
}

static int check_any(const struct builder *b)
{
	size_t nr = b->session->files.nr + b->nr_arc_files;
	char option[OP_SESSION_OPTION_SIZE];

	if (pp_has_counts(b->profile->totals, b->profile->nr_classes) || b->profile->nr_arcs)
		return 0;
	if (b->nr_bad_files == nr)
		return nr == 1 ? op_fail(&b->log->error, -ENODATA,
					 "cannot read the only sample file")
			       : op_fail(&b->log->error, -ENODATA,
					 "cannot read any of the %zu sample files", nr);
	if (b->nr_bad_files)
		return op_fail(&b->log->error, -ENODATA,
			       "no samples: %zu of %zu sample files could not be read, and the "
			       "other files are empty",
			       b->nr_bad_files, nr);
	if (!is_written(b->session))
		return op_fail(&b->log->error, -ENODATA,
			       "no samples: the %zu sample %s still empty", nr,
			       op_plural(nr, "file is", "files are"));
	return op_fail(
		&b->log->error, -ENODATA,
		"no samples: the %zu sample %s still empty; opcontrol%s --dump writes the samples "
		"that the daemon holds",
		nr, op_plural(nr, "file is", "files are"),
		op_session_option(option, b->session->dir));
}

static size_t class_of_calls(const struct pp_classes *classes)
{
	size_t i = 0;

	while (i < classes->nr &&
	       (!classes->items[i].event || strcmp(classes->items[i].event, RAW_CSP_RETURNS)))
		i++;
	return i;
}

static int build(struct builder *b)
{
	struct pp_profile *profile = b->profile;
	int err;

	profile->nr_classes = profile->nr_counts = b->session->classes.nr;
	profile->calls = class_of_calls(&b->session->classes);
	profile->units_differ =
		b->session->nr_profiles && b->session->classes.axis == PP_AXIS_EVENT;
	profile->totals = pp_block_alloc(&profile->blocks, profile->nr_classes);
	if (!profile->totals)
		return -ENOMEM;
	err = prepare(b);
	if (!err)
		err = read_parts(b);
	if (!err && b->options->paths && b->session->files.nr_trees)
		err = pp_paths_build(profile, b->session, &b->paths.sources, &b->paths.places,
				     b->options, b->log);
	if (!err && b->options->tree_arcs && b->session->files.nr_trees)
		err = pp_tree_arcs_each(b->options->tree_arcs, b->session, &b->paths.sources,
					&b->paths.places);
	/* Call paths contain the same calls as call-graph files, in more detail. So read call-graph
	 * files only if the profile has no call paths. */
	if (!err && b->options->arcs && !profile->paths)
		err = make_arcs(b);
	if (!err && b->options->paths && b->session->files.wakers)
		err = pp_paths_of_wakers(profile);
	if (!err)
		pp_profile_scale(profile, &b->session->classes);
	if (!err && b->options->allocators)
		err = pp_call_sites_make(profile, b->session, &b->paths.sources, &b->paths.places,
					 b->options);
	if (!err && profile->paths)
		err = pp_paths_finish(profile->paths, profile, &profile->blocks);
	if (!err && b->options->arcs && profile->paths)
		err = pp_path_arcs_make(profile, b->session->libs_merged);
	if (!err && b->options->inclusive && profile->paths)
		err = pp_inclusive_make(profile, b->session->libs_merged);
	if (!err)
		err = pp_apps_make(profile);
	if (!err)
		err = pp_short_titles_find(profile);
	return err ? err : check_any(b);
}

int pp_profile_make(struct pp_profile **ret, const struct pp_session *session,
		    struct pp_images *images, const struct pp_profile_options *options,
		    struct pp_log *log)
{
	struct builder b = {
		.session = session, .images = images, .options = options, .log = log,
	};
	int err;

	b.profile = calloc(1, sizeof(*b.profile));
	if (!b.profile)
		return -ENOMEM;
	err = build(&b);
	if (!err) {
		*ret = b.profile;
		b.profile = NULL;
	}
	for (size_t i = 0; b.parts && i < (b.profile ? b.profile->nr_binaries : 0); i++)
		pp_part_release(&b.parts[i]);
	for (size_t i = 0; i < b.nr_arc_files; i++)
		pp_arc_file_release(&b.arc_files[i]);
	pp_path_parts_release(&b.paths);
	pp_warnings_release(&b.warnings);
	free(b.read);
	free(b.arc_files);
	free(b.halves);
	free(b.parts);
	free(b.first_code);
	free(b.group_files);
	pp_profile_destroy(b.profile);
	return err;
}
