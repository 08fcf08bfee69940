// SPDX-License-Identifier: GPL-2.0-or-later
/* work.c -- the first stages of a report: opens the session and the images, and makes the
 * profile. */
#include "config.h"
#include "pp/tool/work.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/cache_dir.h"
#include "libop/base/clean.h"
#include "libop/session/paths.h"
#include "pp/join/make.h"
#include "pp/session/open.h"
#include "pp/session/store.h"

int pp_work_open_session(struct pp_session **ret, const struct pp_common *common,
			 const struct pp_work_options *options, struct pp_log *log)
{
	const struct pp_spec *spec = options->spec ? options->spec : &common->spec;
	const struct pp_session_options session_options = {
		.session_dir = pp_spec_session_dir(spec, common->session_dir),
		.spec = spec,
		.merge = common->merge,
		.exclude_dependent = common->exclude_dependent,
		.any_axes = options->any_axes,
		.by_source = options->by_source,
		.runs_apart = options->runs_apart,
		.task_rows = options->task_rows,
		.one_class = options->one_class,
		.merge_tasks = options->merge_tasks,
		.anon_ranges = common->anon_ranges,
		.callgraph = options->arcs,
		.paths = options->paths,
		.as_files = options->as_files,
		.wakers = options->wakers,
	};

	return pp_session_open(ret, &session_options, log);
}

int pp_work_open_images(struct pp_images **ret, const struct pp_common *common,
			const struct pp_session *session, struct pp_log *log)
{
	char *cache_dir = common->no_cache ? NULL : op_cache_dir();
	const struct pp_images_options images_options = {
		.root = common->root ? common->root :
			session->unpacked.dir ? session->unpacked.dir : session->archive,
		.image_path = common->image_path,
		.force = common->force,
		.names = session->spec->store ? &session->spec->store->names : NULL,
		.debuginfod = common->debuginfod,
		.cache_dir = cache_dir,
		.samples_dirs = session->samples_dirs,
		.nr_samples_dirs = session->nr_samples_dirs,
	};
	int err = pp_images_create(ret, &images_options, log);

	free(cache_dir);
	return err;
}

/* Return an opreport command (malloc'd) that lists all symbols of the session, or NULL if out of
 * memory. */
static char *listing_command(const struct pp_session *session)
{
	char option[OP_SESSION_OPTION_SIZE] = "", *archive = NULL, *text = NULL;
	size_t size;
	FILE *f;

	if (session->archive && asprintf(&archive, "archive:%s", session->archive) < 0)
		return NULL;
	f = open_memstream(&text, &size);
	if (f && !archive && strcmp(session->dir, OP_LOCAL_SESSION_DIR))
		op_session_option(option, session->dir);
	if (f)
		fprintf(f, "opreport%s --symbols%s", option, archive ? " " : "");
	if (f && archive)
		op_put_word(f, archive);
	free(archive);
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

/* If --include-symbols and --exclude-symbols exclude all symbols, return -ENODATA with a message in
 * the log, else 0. Call this before other checks, whose messages would not name these options as
 * the cause. */
static int check_filter(const struct pp_profile *profile, const struct pp_session *session,
			const struct pp_common *common, struct pp_log *log)
{
	const struct pp_values *include = &common->include_symbols,
			       *exclude = &common->exclude_symbols;
	bool is_whole = include->nr && !strpbrk(include->items[0], "*?['");
	char *command;

	if (profile->nr_entries || profile->nr_code_entries || (!include->nr && !exclude->nr))
		return 0;
	command = listing_command(session);
	if (!command)
		return -ENOMEM;
	if (include->nr)
		op_fail(&log->error, -ENODATA,
			"no symbol passes --include-symbols=%s%s%s: no sample is in a symbol of that "
			"name; %s lists all symbols%s%s%s",
			include->items[0], include->nr > 1 ? ",..." : "",
			exclude->nr ? " and --exclude-symbols" : "", command,
			is_whole ? ", and -i '*" : "", is_whole ? include->items[0] : "",
			is_whole ? "*' matches all names that contain it" : "");
	else
		op_fail(&log->error, -ENODATA,
			"no symbol passes --exclude-symbols=%s%s: all samples are in the excluded "
			"symbols; %s lists them",
			exclude->items[0], exclude->nr > 1 ? ",..." : "", command);
	free(command);
	return -ENODATA;
}

/* Warn of globs in the option @option that match no symbol: the report does not show that such a
 * glob is misspelled. */
static void warn_unmet(const struct pp_values *globs, const bool *met, const char *option,
		       struct pp_log *log)
{
	for (size_t i = 0; i < globs->nr; i++)
		if (!met[i])
			pp_warn(log, "%s=%s: no symbol with samples has that name", option,
				globs->items[i]);
}

static int make_profile(struct pp_work *work, const struct pp_common *common,
			struct pp_profile_options *options, struct pp_log *log)
{
	const struct pp_values *include = &common->include_symbols,
			       *exclude = &common->exclude_symbols;
	int err = -ENOMEM;

	options->include_met = calloc(include->nr + 1, sizeof(*options->include_met));
	options->exclude_met = calloc(exclude->nr + 1, sizeof(*options->exclude_met));
	if (options->include_met && options->exclude_met)
		err = pp_profile_make(&work->profile, work->session, work->images, options, log);
	if (!err && options->symbols)
		err = check_filter(work->profile, work->session, common, log);
	/* For a differential profile do not warn: a name may occur only on the other side. */
	if (!err && options->symbols && !common->is_diff) {
		warn_unmet(include, options->include_met, "--include-symbols", log);
		warn_unmet(exclude, options->exclude_met, "--exclude-symbols", log);
	}
	free(options->include_met);
	free(options->exclude_met);
	return err;
}

int pp_work_make(struct pp_work *ret, const struct pp_common *common,
		 const struct pp_work_options *options, struct pp_log *log)
{
	struct pp_profile_options profile_options = {
		.symbols = options->symbols,
		.details = options->details,
		.lines = options->lines,
		.arcs = options->arcs,
		.paths = options->paths,
		.call_lines = options->call_lines,
		.fold_recursion = options->fold_recursion,
		.inclusive = options->inclusive,
		.demangle = common->demangle,
		.raw_names = options->raw_names || options->allocators,
		.allocators = options->allocators,
		.threshold = common->threshold,
		.include_symbols = &common->include_symbols,
		.exclude_symbols = &common->exclude_symbols,
	};
	struct pp_work work = { 0 };
	int err = pp_work_open_session(&work.session, common, options, log);

	if (!err && options->symbols)
		err = pp_work_open_images(&work.images, common, work.session, log);
	if (!err)
		err = make_profile(&work, common, &profile_options, log);
	if (err)
		pp_work_release(&work);
	else
		*ret = work;
	return err;
}

void pp_work_release(struct pp_work *work)
{
	pp_profile_destroy(work->profile);
	pp_images_destroy(work->images);
	pp_session_close(work->session);
	*work = (struct pp_work){ 0 };
}
