// SPDX-License-Identifier: GPL-2.0-or-later
/* opreport.c -- the opreport program: parses options, makes the profile and writes a report. The
 * program runs opgprof and oparchive under their names. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/process.h"
#include "pp/base/log.h"
#include "pp/format/format.h"
#include "pp/format/stacks.h"
#include "pp/format/timeline.h"
#include "pp/join/certainty.h"
#include "pp/join/worst.h"
#include "pp/profile/sort.h"
#include "pp/profile/subsystems.h"
#include "pp/profile/timeline.h"
#include "pp/profile/warnings.h"
#include "pp/programs.h"
#include "pp/session/open.h"
#include "pp/session/where.h"
#include "pp/tool/console.h"
#include "pp/tool/options.h"
#include "pp/tool/output.h"
#include "pp/tool/slices.h"
#include "pp/tool/work.h"

static double largest_percent(const struct pp_profile *profile, int symbols)
{
	double largest = 0;
	size_t nr = symbols ? profile->nr_entries : profile->nr_apps;

	for (size_t i = 0; i < nr; i++) {
		const uint64_t *counts = symbols ? pp_entry_rank(profile, &profile->entries[i])
						 : profile->apps[i].counts;

		for (size_t c = 0; c < profile->nr_counts; c++)
			if (profile->totals[c] && 100.0 * counts[c] / profile->totals[c] > largest)
				largest = 100.0 * counts[c] / profile->totals[c];
	}
	return largest;
}

/* Sort the profile and remove rows below the threshold. Return 0. If no row is left, return a
 * negative errno and store the cause in the log. */
static int arrange(struct pp_profile *profile, const struct pp_options *options, struct pp_log *log)
{
	int symbols = options->format.symbols;
	double threshold = pp_options_show_tree(options) ? 0 : options->common.threshold,
	       largest = largest_percent(profile, symbols);
	int err;

	if (symbols && !profile->nr_entries)
		return op_fail(&log->error, -EINVAL,
			       "no symbol passes --include-symbols and --exclude-symbols");
	if (options->format.significant && !options->format.calltree &&
	    !(options->ops->flags & PP_FORMAT_PRUNES)) {
		err = pp_certainty_filter(profile, options->format.certainty);
		if (err)
			return err;
	}
	if (threshold > 0)
		pp_profile_threshold(profile, threshold);
	if (!(symbols ? profile->nr_entries : profile->nr_apps) &&
	    !(profile->diff && profile->diff->nr_hidden)) {
		return op_fail(
			&log->error, -EINVAL,
			"no %s has %g%% (--threshold) of the samples; the largest share is %.4f%%",
			symbols ? "symbol" : "program", threshold, largest);
	}
	if (pp_profile_sort(profile, &options->order) ||
	    (options->by_change && pp_diff_sort(profile, options->order.reverse)))
		return -ENOMEM;
	return 0;
}

/* Check that the format can show the profile's classes of samples, which become columns. Call this
 * before the output file is opened, so that an error does not destroy an old report in that
 * file. */
static int check_classes(const struct pp_report *report, const struct pp_options *options,
			 struct pp_log *log)
{
	const struct pp_classes *classes = &report->session->classes;
	char first[256], second[256];

	if (!(options->ops->flags & PP_FORMAT_ONE_CLASS) || report->profile->nr_classes < 2)
		return 0;
	pp_class_label(first, sizeof(first), &classes->items[0]);
	pp_class_label(second, sizeof(second), &classes->items[1]);
	return op_fail(&log->error, -EINVAL,
		       "--format=%s shows one kind of samples, and the session has %zu (%s, "
		       "%s%s): choose one with %s (%s), or use --format=html, which shows all",
		       options->ops->name, report->profile->nr_classes, first, second,
		       report->profile->nr_classes > 2 ? ", ..." : "",
		       pp_axis_choose(classes), pp_axis_merge(classes));
}

static int open_output(struct pp_output *output, const struct pp_options *options,
		       struct pp_log *log)
{
	int err;

	*output = (struct pp_output){ .out = stdout };
	if (options->output_file) {
		err = pp_output_open(output, options->output_file);
		return err ? op_fail(&log->error, err, "%s: %s", options->output_file, strerror(-err))
			   : 0;
	}
	if ((options->ops->flags & PP_FORMAT_BINARY) && isatty(STDOUT_FILENO)) {
		return op_fail(&log->error, -EINVAL,
			       "--format=%s is binary and cannot be written to a terminal; name a "
			       "file with -o FILE",
			       options->ops->name);
	}
	return 0;
}

/* Finish the output. If @err, the result of writing the report, is 0: flush stdout, or close the
 * output file and rename it to its final path. If @err is negative, remove the output file. Return
 * @err, or the negative errno of a failed write. Ignore EPIPE if a pager runs, because the user may
 * have quit the pager. */
static int end_output(struct pp_output *output, const struct pp_options *options, bool paged,
		      int err, struct pp_log *log)
{
	int failed = ferror(output->out) ? (errno ? -errno : -EIO) : 0, end_err;

	if (output->out == stdout)
		end_err = fflush(stdout) ? -errno : 0;
	else
		end_err = pp_output_close(output, !err && !failed);
	if (!failed)
		failed = end_err;
	if (err || !failed || paged)
		return err;
	return op_fail(&log->error, failed, "%s: %s",
		       options->output_file ? options->output_file : "output", strerror(-failed));
}

static int write_report(struct pp_report *report, const struct pp_options *options,
			struct pp_log *log)
{
	struct pp_pager pager = { 0 };
	struct pp_output output;
	int err = check_classes(report, options, log);

	if (!err)
		err = open_output(&output, options, log);
	if (err)
		return err;
	report->out = output.out;
	if (report->out == stdout && !options->no_pager)
		pp_pager_start(&pager, log);
	err = options->ops->write(report);
	err = end_output(&output, options, pager.pid != 0, err, log);
	pp_pager_finish(&pager);
	return err;
}

/* Return which parts of a profile to make: the parts that the options request or that the format
 * needs. */
static struct pp_work_options work_options(const struct pp_options *options)
{
	static const struct pp_values no_more_allocators;
	unsigned int needs = options->ops->needs;

	return (struct pp_work_options){
		.any_axes = options->ops->flags & PP_FORMAT_MANY_AXES,
		.task_rows = options->ops->flags & PP_FORMAT_TASK_ROWS,
		.one_class = options->ops->flags & PP_FORMAT_ONE_CLASS,
		.by_source = options->by_source,
		.wakers = options->wakers,
		.symbols = options->format.symbols,
		.details = options->format.details || (needs & PP_NEED_DETAILS),
		.lines = options->format.debug_info || options->format.by_subsystem ||
			 (needs & PP_NEED_LINES),
		.arcs = options->format.callgraph || (needs & PP_NEED_ARCS),
		.paths = options->format.callgraph || options->format.calltree ||
			 options->format.inclusive || options->format.why_short ||
			 options->format.is_of_heap || (needs & PP_NEED_PATHS),
		.raw_names = needs & PP_NEED_RAW_NAMES,
		.allocators = needs & PP_NEED_CALL_SITES ? &no_more_allocators : NULL,
		.call_lines = options->format.debug_info && options->format.calltree &&
			      options->ops == &pp_format_text && !options->fold_recursion,
		.fold_recursion = options->fold_recursion,
		.inclusive = options->format.inclusive,
	};
}

/* --worst: keep the symbols whose share differs most between the hosts. */
static int select_worst(struct pp_profile *profile, const struct pp_report *report,
			const struct pp_options *options, struct pp_log *log)
{
	int err = pp_worst_select(profile, &report->session->classes,
				  (size_t)options->database.worst);

	if (err == -ENODATA)
		return op_fail(&log->error, err, "--worst compares hosts, but the samples are of one "
			       "host: choose more hosts, or a longer time");
	return err;
}

static int finish_report(struct pp_report *report, struct pp_profile *profile,
			 const struct pp_options *options, struct pp_console *console)
{
	struct pp_log *log = &console->log;
	int err = arrange(profile, options, log);

	if (!err && options->database.worst)
		err = select_worst(profile, report, options, log);
	pp_console_clear(console);
	if (err)
		return err;
	report->profile = profile;
	report->options = &options->format;
	report->log = log;
	report->command = options->common.command;
	report->selection = options->common.selection;
	return write_report(report, options, log);
}

static int report_gone(const struct pp_work *work, const struct pp_options *options,
		     struct pp_log *log)
{
	if (options->format.debug_info && pp_gone_report(work->profile, "source lines", log))
		return -ENOMEM;
	return 0;
}

/* Answer --leaks if the programs freed all blocks. The report then has no lines, and the log has a
 * sentence that explains this. In a text format, print this sentence as the report. For other
 * formats return PP_SESSION_NO_LEAKS; the caller prints the sentence to stderr. */
static int write_answer(const struct pp_options *options, struct pp_log *log)
{
	struct pp_output output;
	int err;

	if (options->ops != &pp_format_text)
		return PP_SESSION_NO_LEAKS;
	err = open_output(&output, options, log);
	if (err)
		return err;
	fprintf(output.out, "%s\n", log->error.text);
	return end_output(&output, options, false, 0, log);
}

/* Return a command that records a session of the same kind as @session, but with call paths. */
static const char *path_recorder(const struct pp_session *session)
{
	if (session->nr_profiles == session->nr_samples_dirs)
		return "opprobe without --pc";
	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		if (*session->about[i].command)
			return "operf -g";
	return "opcontrol --callgraph=DEPTH";
}

/* Report the numbers of samples that were left out, if the format has no place for them. */
static void warn_of_idle(const struct pp_session *session, const struct pp_options *options,
			 struct pp_log *log)
{
	uint64_t idle = session->idle[OP_NOT_IDLE];

	if (idle && !(options->ops->flags & PP_FORMAT_IDLE))
		pp_warn(log, "%" PRIu64 " samples of threads that wait for work are left out; "
			"--idle includes them", idle);
}

static int report_one(const struct pp_options *options, struct pp_console *console)
{
	const struct pp_work_options wanted = work_options(options);
	struct pp_tool_slices slices = { .periods = NULL };
	struct pp_report report = { 0 };
	struct pp_work work;
	int err = pp_work_make(&work, &options->common, &wanted, &console->log);

	if (err)
		return err == PP_SESSION_NO_LEAKS ? write_answer(options, &console->log) : err;
	if (options->format.callgraph && !work.session->has_arcs && !work.session->has_trees)
		pp_warn(&console->log,
			"no calls were recorded in this session, so callers and callees are not "
			"known; %s records them",
			path_recorder(work.session));
	if (options->format.calltree && !options->wakers && !work.session->has_trees)
		pp_warn(&console->log,
			"no call paths were recorded in this session, so there are only "
			"programs, images and symbols; %s records them",
			path_recorder(work.session));
	if ((options->format.inclusive || options->format.why_short) && !work.session->has_trees)
		err = op_fail(&console->log.error, -ENODATA,
			      "cannot list %s: no call paths were recorded in this session; %s "
			      "records them",
			      options->format.inclusive ? "totals" : "why paths end",
			      path_recorder(work.session));
	report.session = work.session;
	report.images = work.images;
	warn_of_idle(work.session, options, &console->log);
	if (!err && options->format.by_subsystem)
		err = pp_subsystems_fold(work.profile);
	if (!err)
		err = report_gone(&work, options, &console->log);
	if (!err && (options->ops->flags & PP_FORMAT_SLICES) && work.session->range)
		err = pp_tool_slices_make(&slices, &work, &options->common, &wanted,
					  &options->format, PP_MAX_SLICES);
	if (slices.slices.nr > 1)
		report.slices = &slices.slices;
	if (!err)
		err = finish_report(&report, work.profile, options, console);
	pp_tool_slices_release(&slices);
	pp_work_release(&work);
	return err;
}

/* Return the sampled time of the session in ms if the session is a range of time. Otherwise
 * return 0: a comparison of two commands includes their run times, so their counts are not
 * scaled by time. */
static uint64_t time_of_range(const struct pp_session *session)
{
	uint64_t sum = 0;

	for (size_t i = 0; session->range && i < session->nr_samples_dirs; i++)
		sum += (uint64_t)session->about[i].sampled_ms;
	return sum;
}

/* Set *@met to whether a condition of --fail-if is met. Return 0 or a negative errno. */
static int check_conditions(bool *met, const struct pp_profile *diff,
			    const struct pp_options *options, struct pp_log *log)
{
	for (size_t i = 0; i < options->nr_fail_if; i++) {
		bool one;
		int err = pp_fail_if_check(&one, &options->fail_if[i], diff,
					   options->format.certainty, log);

		if (err)
			return err;
		*met |= one;
	}
	return 0;
}

/* Write a differential profile. It has only the sums of functions, because addresses within a
 * function differ between two builds of a binary. @met: as for check_conditions(). @runs: the runs
 * of both profiles. */
static int write_diff(bool *met, const struct pp_options *options, const struct pp_work *first,
		      const struct pp_work *second, const struct pp_runs *runs,
		      struct pp_console *console)
{
	const struct pp_diff_scale scale = {
		.equal_totals = options->equal_totals,
		.time_before = time_of_range(first->session),
		.time_after = time_of_range(second->session),
		.before = &runs[0],
		.after = &runs[1],
	};
	const bool by_time = !scale.equal_totals && scale.time_before && scale.time_after &&
			     scale.time_before != scale.time_after;
	const struct pp_before before = {
		.session = first->session, .profile = first->profile,
		.is_scaled = scale.equal_totals || by_time,
		.time_before = by_time ? scale.time_before : 0,
		.time_after = by_time ? scale.time_after : 0,
	};
	struct pp_session session = *second->session;
	struct pp_report report = {
		.session = &session, .images = second->images, .before = &before,
	};
	struct pp_profile *diff = NULL;
	int err;

	session.classes.items = NULL;
	if (pp_diff_classes(&session.classes, &runs[0].classes, &runs[1].classes) ||
	    pp_diff_make(&diff, first->profile, second->profile, &scale))
		err = -ENOMEM;
	else
		err = check_conditions(met, diff, options, &console->log);
	if (!err)
		err = finish_report(&report, diff, options, console);
	pp_profile_destroy(diff);
	free(session.classes.items);
	return err;
}

static int report_diff(bool *met, const struct pp_options *options, struct pp_console *console)
{
	struct pp_work_options wanted = {
		.any_axes = options->ops->flags & PP_FORMAT_MANY_AXES,
		.task_rows = options->ops->flags & PP_FORMAT_TASK_ROWS,
		.one_class = options->ops->flags & PP_FORMAT_ONE_CLASS,
		.merge_tasks = 1,
		.runs_apart = true,
		.wakers = options->wakers,
		.symbols = options->format.symbols,
		.lines = options->format.debug_info || options->format.by_subsystem,
		.paths = options->format.calltree || (options->ops->needs & PP_NEED_PATHS),
		.raw_names = options->ops->needs & PP_NEED_RAW_NAMES,
		.fold_recursion = options->fold_recursion,
	};
	struct pp_work first = { 0 }, second = { 0 };
	struct pp_runs runs[2] = { { .nr = 0 } };
	struct pp_log_once once;
	struct pp_log *log = &once.log;
	int err;

	pp_log_once_init(&once, &console->log);
	err = pp_work_make(&first, &options->common, &wanted, log);

	wanted.spec = &options->common.second;
	if (!err)
		err = pp_work_make(&second, &options->common, &wanted, log);
	if (err == PP_SESSION_NO_LEAKS)
		/* The programs of one of the two profiles freed all blocks, so that profile does
		 * not exist. The log has this reason. */
		err = -ENODATA;
	if (!err)
		err = pp_runs_find(&runs[0], first.session);
	if (!err)
		err = pp_runs_find(&runs[1], second.session);
	if (!err)
		err = pp_diff_check(&runs[0].classes, &runs[1].classes, log);
	if (!err)
		err = report_gone(&first, options, log);
	if (!err)
		err = report_gone(&second, options, log);
	if (!err && options->format.by_subsystem)
		err = pp_subsystems_fold(first.profile);
	if (!err && options->format.by_subsystem)
		err = pp_subsystems_fold(second.profile);
	if (!err)
		err = write_diff(met, options, &first, &second, runs, console);
	pp_runs_release(&runs[0]);
	pp_runs_release(&runs[1]);
	pp_work_release(&first);
	pp_work_release(&second);
	pp_log_once_release(&once);
	return err;
}

/* Report a time line of the range of time that the user chose, or by default of all intervals. */
static int report_timeline(struct pp_options *options, struct pp_console *console)
{
	struct pp_common *common = &options->common;
	struct pp_work_options wanted = { .any_axes = true, .merge_tasks = true };
	struct pp_timeline timeline = { .range = NULL };
	struct pp_log *log = &console->log;
	struct op_session_paths paths = { .dir = NULL };
	struct pp_output output = { .out = NULL };
	struct pp_work work = { .session = NULL };
	struct pp_scratch unpacked = { .lock_fd = -1 };
	const char *dir = pp_spec_session_dir(&common->spec, common->session_dir);
	char *archive = NULL, *in_archive = NULL;
	int err = pp_find_archive(&archive, &in_archive, &unpacked, &common->spec, dir, log);

	if (!err)
		err = pp_find_session_dir(&paths, in_archive ? in_archive : dir, true, log);
	/* By default, the time line covers all intervals of the session. The range of an archive
	 * file is stored in the archive. */
	if (!err && !unpacked.dir && pp_spec_set_time(&common->spec, "@0..now"))
		err = -ENOMEM;
	/* --timeline=symbols needs the symbols of all binaries with samples. */
	if (!err && options->timeline == PP_TIMELINE_SYMBOLS)
		err = pp_work_open_session(&work.session, common, &wanted, log);
	if (!err && work.session)
		err = pp_work_open_images(&work.images, common, work.session, log);
	if (!err)
		err = pp_timeline_read(&timeline, &common->spec, &paths, work.images,
				       common->demangle, log);
	pp_console_clear(console);
	if (!err)
		err = open_output(&output, options, log);
	if (!err && output.out) {
		err = pp_timeline_write(&timeline, options->ops, &options->format, common->command,
					output.out);
		err = end_output(&output, options, false, err, log);
	}
	pp_timeline_release(&timeline);
	pp_work_release(&work);
	op_session_paths_release(&paths);
	pp_scratch_release(&unpacked);
	free(in_archive);
	free(archive);
	return err;
}

#define FAIL_IF	"--fa"	/* the shortest abbreviation of --fail-if */

/* Return the exit status. With --fail-if, 1 means that a condition is met, and 2 means an error,
 * including an error in the options. @status: EXIT_SUCCESS or EXIT_FAILURE. */
static int exit_status(int argc, const char **argv, int status, bool met)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], FAIL_IF, strlen(FAIL_IF)))
			return status ? 2 : met;
	return status;
}

static int opreport(int argc, const char **argv)
{
	struct pp_console console;
	struct pp_options options;
	bool met = false;
	int err;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	pp_console_init(&console, "opreport", stderr);
	err = pp_options_parse(&options, argc, argv, &console.log);
	if (err)
		return exit_status(argc, argv, pp_console_end(&console, err), met);
	err = pp_database_open(&options.database, &options.common, &console.log);
	if (err) {
		pp_options_release(&options);
		return exit_status(argc, argv, pp_console_end(&console, err), met);
	}
	err = options.timeline	     ? report_timeline(&options, &console) :
	      options.common.is_diff ? report_diff(&met, &options, &console) :
				       report_one(&options, &console);
	pp_options_release(&options);
	return exit_status(argc, argv, pp_console_end(&console, err), met);
}

/* These programs share most of their code with opreport: separate files would be much larger. */
static const struct {
	const char *name;
	int (*run)(int argc, const char **argv);
} other_programs[] = {
	{"opgprof", pp_opgprof},
	{"oparchive", pp_oparchive},
};

int main(int argc, const char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "";

	for (size_t i = 0; i < sizeof(other_programs) / sizeof(*other_programs); i++)
		if (!strcmp(name, other_programs[i].name))
			return other_programs[i].run(argc, argv);
	return opreport(argc, argv);
}
