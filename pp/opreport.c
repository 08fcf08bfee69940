// SPDX-License-Identifier: GPL-2.0-or-later
/* opreport.c -- the report of a session: options in, stages in order, text out. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/console.h"
#include "pp/format/format.h"
#include "pp/image/image.h"
#include "pp/options.h"
#include "pp/profile/profile.h"
#include "pp/profile/sort.h"
#include "pp/session/session.h"

static double largest_percent(const struct pp_profile *profile, int symbols)
{
	double largest = 0;
	size_t nr = symbols ? profile->nr_entries : profile->nr_apps;

	for (size_t i = 0; i < nr; i++) {
		const uint64_t *counts =
			symbols ? profile->entries[i].counts : profile->apps[i].counts;

		for (size_t c = 0; c < profile->nr_classes; c++)
			if (profile->totals[c] && 100.0 * counts[c] / profile->totals[c] > largest)
				largest = 100.0 * counts[c] / profile->totals[c];
	}
	return largest;
}

/* Sorts and thins out; an empty report is an error that says why. */
static int arrange(struct pp_profile *profile, const struct pp_options *options, struct pp_log *log)
{
	double largest = largest_percent(profile, options->symbols);

	if (options->symbols && !profile->nr_entries) {
		pp_error(log, "no symbol passes --include-symbols and --exclude-symbols");
		return PP_ERR_TOLD;
	}
	pp_profile_threshold(profile, options->threshold);
	if (!(options->symbols ? profile->nr_entries : profile->nr_apps)) {
		pp_error(log, "no %s reaches --threshold=%g%%; the largest has %.4f%%",
			 options->symbols ? "symbol" : "program", options->threshold, largest);
		return PP_ERR_TOLD;
	}
	return pp_profile_sort(profile, &options->order) ? pp_oom(log) : 0;
}

static int write_report(const struct pp_session *session, const struct pp_profile *profile,
			const struct pp_options *options, struct pp_log *log)
{
	const struct pp_format_ops *format = &pp_format_text;
	struct pp_report report = { session, profile, &options->format, stdout };
	int failed;

	if (options->output_file) {
		report.out = fopen(options->output_file, "we");
		if (!report.out) {
			pp_error(log, "%s: %s", options->output_file, strerror(errno));
			return PP_ERR_TOLD;
		}
	}
	format->header(&report);
	if (options->symbols)
		format->symbols(&report);
	else
		format->summary(&report);
	failed = ferror(report.out);
	failed |= report.out == stdout ? fflush(stdout) : fclose(report.out);
	if (failed) {
		pp_error(log, "%s: %s", options->output_file ? options->output_file : "output",
			 strerror(errno));
		return PP_ERR_TOLD;
	}
	return 0;
}

static int make_report(const struct pp_options *options, struct pp_console *console)
{
	struct pp_log *log = &console->log;
	const struct pp_session_options session_options = {
		.session_dir = options->session_dir,
		.spec = &options->spec,
		.merge = options->merge,
		.exclude_dependent = options->exclude_dependent,
	};
	const struct pp_profile_options profile_options = {
		.symbols = options->symbols,
		.details = options->format.details,
		.demangle = options->demangle,
		.include_symbols = &options->include_symbols,
		.exclude_symbols = &options->exclude_symbols,
	};
	struct pp_images_options images_options = {
		.root = options->root,
		.image_path = options->image_path,
	};
	struct pp_session *session = NULL;
	struct pp_images *images = NULL;
	struct pp_profile *profile = NULL;
	int err = pp_session_open(&session, &session_options, log);

	if (!err && options->symbols) {
		images_options.samples_dirs = session->samples_dirs;
		images_options.nr_samples_dirs = session->nr_samples_dirs;
		err = pp_images_create(&images, &images_options, log);
	}
	if (!err)
		err = pp_profile_make(&profile, session, images, &profile_options, log);
	if (!err)
		err = arrange(profile, options, log);
	pp_console_clear(console);
	if (!err)
		err = write_report(session, profile, options, log);
	pp_profile_destroy(profile);
	pp_images_destroy(images);
	pp_session_close(session);
	return err;
}

int main(int argc, const char **argv)
{
	struct pp_console console;
	struct pp_options options;
	int err;

	pp_console_init(&console, "opreport", stderr);
	err = pp_options_parse(&options, argc, argv, &console.log);
	if (err)
		return err == PP_OPTIONS_DONE ? EXIT_SUCCESS : EXIT_FAILURE;
	console.log.verbose = options.verbose;
	err = make_report(&options, &console);
	pp_options_release(&options);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
