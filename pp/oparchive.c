// SPDX-License-Identifier: GPL-2.0-or-later
/* oparchive.c -- the oparchive program: copies a session, and the files that reports of the session
 * need, into a directory. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <popt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/base/process.h"
#include "pp/archive/arc_files.h"
#include "pp/archive/archive.h"
#include "pp/archive/range_file.h"
#include "pp/programs.h"
#include "pp/session/where.h"
#include "pp/tool/common.h"
#include "pp/tool/console.h"
#include "pp/tool/work.h"

/* Print a summary of the archive, and a shell command that makes a report from the archive. The
 * command names the session, unless reports read that session by default: the current session, or
 * the only session of an archive. */
static void print_command(const struct pp_archive_job *job)
{
	const struct pp_session *session = job->session;
	FILE *out = job->list;

	op_clean_printf(out,
			"%s: %zu sample %s, %zu %s, %zu debug %s (%zu %s there already); read it "
			"with: opreport ",
			job->output, job->nr_samples, op_plural(job->nr_samples, "file", "files"),
			job->nr_binaries, op_plural(job->nr_binaries, "binary", "binaries"),
			job->nr_debug, op_plural(job->nr_debug, "file", "files"), job->nr_same,
			op_plural(job->nr_same, "was", "were"));
	fputs("archive:", out);
	op_put_word(out, job->output);
	for (size_t i = 0; i < session->nr_samples_dirs && !session->nr_profiles; i++) {
		const char *slash = strrchr(session->samples_dirs[i], '/');
		const char *name = slash ? slash + 1 : session->samples_dirs[i];

		if (session->nr_samples_dirs == 1 && !strcmp(name, "current"))
			break;
		fputs(" session:", out);
		op_put_word(out, name);
	}
	putc('\n', out);
}

/* Return whether to write the archive as a single file: true for a range of time, unless @output is
 * a directory. */
static bool is_file(const struct pp_common *common, const char *output)
{
	const size_t len = output ? strlen(output) : 0;

	return common->spec.tags[PP_TAG_TIME].nr && len && output[len - 1] != '/' &&
	       !pp_is_directory(output);
}

/* Archive a range of time, and print a summary. */
static int archive_range(const struct pp_common *common, const char *output,
			 struct pp_console *console)
{
	struct pp_log *log = &console->log;
	struct pp_range_file sums;
	int err;

	if (common->exclude_dependent)
		return op_fail(&log->error, -EINVAL,
			       "--exclude-dependent: cannot archive a part of an interval: "
			       "archive the time, and exclude the samples with opreport "
			       "archive:FILE");
	err = pp_range_file_write(&sums, output, &common->spec,
				  pp_spec_session_dir(&common->spec, common->session_dir), log);
	pp_console_clear(console);
	if (err)
		return err;
	op_clean_printf(stdout, "%s: %" PRIu64 " %s of %zu %s, %zu symbol %s", output,
			sums.samples, op_plural(sums.samples, "sample", "samples"), sums.nr_intervals,
			op_plural(sums.nr_intervals, "interval", "intervals"), sums.nr_tables,
			op_plural(sums.nr_tables, "table", "tables"));
	if (sums.nr_nameless)
		printf(" (%zu %s without one)", sums.nr_nameless,
		       op_plural(sums.nr_nameless, "binary", "binaries"));
	fputs("; read it with: opreport archive:", stdout);
	op_put_word(stdout, output);
	putchar('\n');
	if (fflush(stdout) || ferror(stdout))
		return op_fail(&log->error, -errno, "output: %s", strerror(errno));
	return 0;
}

struct options {
	char *output;
	int list, kernel_code, arcs;
};

static int archive(const struct pp_common *common, const struct options *options,
		   struct pp_console *console)
{
	const struct pp_work_options work_options = { .any_axes = true, .paths = 1,
							.as_files = true };
	const char *output = options->list ? NULL : options->output;
	struct pp_log *log = &console->log;
	struct pp_session *session = NULL;
	struct pp_images *images = NULL;
	struct pp_archive_job job = { 0 };
	struct pp_arc_files arcs;
	const char *root;
	int err = pp_work_open_session(&session, common, &work_options, log);

	if (!err)
		err = pp_work_open_images(&images, common, session, log);
	if (err)
		goto done;
	root = common->root ? common->root : session->archive;
	job = (struct pp_archive_job){
		.output = output,
		.list = stdout,
		.session = session,
		.spec = &common->spec,
		.exclude_dependent = common->exclude_dependent,
		.kernel_code = options->kernel_code,
		.arcs = options->arcs,
		.images = images,
		.root = root ? root : "",
		.log = log,
	};
	arcs = (struct pp_arc_files){ .session = session, .images = images, .log = log };
	err = output || options->list ? pp_archive(&job) : pp_arc_files_write_here(&arcs);
	pp_console_clear(console);
	if (output && !err)
		print_command(&job);
	else if (!err && options->arcs)
		fprintf(job.list, "%zu call-graph files written from the call paths\n", arcs.nr);
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = op_fail(&log->error, -errno, "output: %s", strerror(errno));
done:
	pp_images_destroy(images);
	pp_session_close(session);
	return err;
}

int pp_oparchive(int argc, const char **argv)
{
	struct options options = { 0 };
	const struct poptOption own[] = {
		{"output-directory", 'o', POPT_ARG_STRING, &options.output, 0,
		 "create the archive in this directory; with a time, as this file", "DIR|FILE"},
		{"list-files", 'l', POPT_ARG_NONE, &options.list, 0,
		 "list the files that would be archived, without copying", NULL},
		{"arcs", 0, POPT_ARG_NONE, &options.arcs, 0,
		 "write call-graph files for other tools from the call paths; without -o, into "
		 "the session",
		 NULL},
		{"kernel-code", 0, POPT_ARG_NONE, &options.kernel_code, 0,
		 "archive the code of the running kernel and its modules, for assembly", NULL},
		POPT_TABLEEND};
	const struct pp_tool tool = {
		.name = "oparchive",
		.options = PP_OPT_EXCLUDE_DEPENDENT,
		.own = own,
	};
	struct pp_common common = { 0 };
	struct pp_console console;
	int err;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	pp_console_init(&console, tool.name, stderr);
	err = pp_common_parse(&common, &tool, argc, argv, &console.log);
	if (!err && ((options.output && options.list) || (options.arcs && options.list) ||
		     !(options.output || options.list || options.arcs)))
		err = op_fail(&console.log.error, -EINVAL,
			      "choose one of --output-directory=DIR, --list-files, "
			      "or --arcs for a saved session");
	else if (!err && is_file(&common, options.output) && (options.arcs || options.kernel_code))
		err = op_fail(&console.log.error, -EINVAL,
			      "--%s is not possible for an archive of a time in one file; name an "
			      "existing directory with -o", options.arcs ? "arcs" : "kernel-code");
	else if (!err)
		err = is_file(&common, options.output) ?
			      archive_range(&common, options.output, &console) :
			      archive(&common, &options, &console);
	pp_common_release(&common);
	free(options.output);
	return pp_console_end(&console, err);
}
