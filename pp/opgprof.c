// SPDX-License-Identifier: GPL-2.0-or-later
/* opgprof.c -- the opgprof program: writes the samples of one binary as a gmon.out file for gprof.
 */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <popt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/base/process.h"
#include "pp/format/gmon.h"
#include "pp/format/one_binary.h"
#include "pp/programs.h"
#include "pp/tool/common.h"
#include "pp/tool/console.h"
#include "pp/tool/work.h"

/* maximum number of names in a message; further names are only counted */
#define MAX_NAMED	5

struct options {
	struct pp_common common;
	char *output;
};

/* Find the only class of samples that does not count calls. Calls become arcs of the call graph
 * instead. Return false if several classes do not count calls. */
static bool find_samples(const struct pp_profile *profile, size_t *class)
{
	size_t nr = 0;

	*class = 0;
	for (size_t i = 0; i < profile->nr_classes; i++) {
		if (i == profile->calls)
			continue;
		*class = i;
		nr++;
	}
	return nr <= 1;
}

static char *event_title(const struct pp_work *work, size_t i)
{
	const struct pp_class *class = &work->session->classes.items[i];
	char *text;

	if (i == work->profile->calls)
		return NULL;
	return asprintf(&text, "event:%s count:%" PRIu64, class->event, class->count) < 0 ? NULL :
											     text;
}

/* Fail because the profile has samples of several events, and gmon.out has counts of one event
 * only. List the events in the message. */
static int refuse_events(const struct pp_work *work, struct pp_log *log)
{
	char *text = NULL;
	size_t size, shown = 0;
	FILE *f = open_memstream(&text, &size);

	if (f)
		op_clean_printf(f, "cannot choose an event, because the samples are of several events; "
				   "select an event with event:NAME or count:COUNT:");
	for (size_t i = 0; f && i < work->session->classes.nr; i++) {
		char *name = event_title(work, i);

		if (name && shown < MAX_NAMED)
			op_clean_printf(f, "\n  %s", name);
		shown += name != NULL;
		free(name);
	}
	if (f && shown > MAX_NAMED)
		op_clean_printf(f, "\n  and %zu more", shown - MAX_NAMED);
	return op_fail_lines(&log->error, -EINVAL, f, &text);
}

/* Check that gprof can read the binary and its symbols. gprof opens the binary itself, but does not
 * find separate debug files: warn if the symbols are in a debug file. */
static int check_binary(const struct pp_binary *binary, const char *output, struct pp_log *log)
{
	const struct pp_image_info *info = &binary->info;

	if (binary->name->kind != OP_IMAGE_ROOT)
		return op_fail(&log->error, -EINVAL, "%s: is not a file, so gprof cannot open it",
			       binary->title);
	switch (info->state) {
	case PP_IMAGE_OK:
		break;
	case PP_IMAGE_NO_SYMBOLS:
		return op_fail(&log->error, -EINVAL,
			       "%s: has no symbols, so gprof cannot list functions", binary->title);
	case PP_IMAGE_KEPT:
	case PP_IMAGE_MISSING:
	case PP_IMAGE_CHANGED:
		return op_fail(&log->error, -EINVAL, "%s: gprof needs the binary as it was profiled; name its place with "
			       "--image-path=DIR or --root=DIR", binary->title);
	}
	if (info->symbols && !strcmp(info->symbols, ".dynsym"))
		pp_warn(log, "%s: is stripped; gprof will find no symbols in it", binary->title);
	else if (info->symbols_path)
		pp_warn(log, "%s: its symbols are in a separate file: run gprof %s %s",
			binary->title, info->symbols_path, output);
	return 0;
}

static void report_left_out(const struct pp_gmon_functions *f, struct pp_log *log)
{
	if (!f->left_out)
		return;
	pp_warn(log,
		"%" PRIu64 " %s skipped: gprof has no function for %s, and would count "
		"%s for the function before (%s%s)",
		f->left_out, op_plural(f->left_out, "sample is", "samples are"),
		op_plural(f->left_out, "it", "them"), op_plural(f->left_out, "it", "them"),
		f->left_out_names, f->nr_left_out > PP_GMON_MAX_NAMED ? ", ..." : "");
}

/* Warn if the last function of the binary has samples. gprof reads the end of that function beyond
 * its own table of functions, and so usually counts no samples there. In most binaries the last
 * function is _fini, which rarely has samples. */
static void report_last(const struct pp_gmon_functions *functions, struct pp_log *log)
{
	const struct pp_gmon_function *f = &functions->items[functions->nr - 1];
	uint32_t nr = pp_image_nr_symbols(functions->image);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct pp_symbol_info info;

		pp_image_symbol(functions->image, i, &info);
		if (info.vma > f->start && !strstr(info.name, "@plt") &&
		    pp_gmon_knows(info.name, info.is_local))
			return;
	}
	for (size_t i = 0; i < f->nr_samples; i++)
		sum += f->samples[i].count;
	pp_warn(log,
		"the function at 0x%" PRIx64 " is the last one of the binary; gprof may count "
		"nothing for it, though %" PRIu64 " samples are written",
		f->start, sum);
}

static int write_gmon(const struct pp_gmon_functions *f, const char *output, struct pp_log *log)
{
	const struct pp_image_info *info = &f->profile->binaries[f->binary].info;
	const struct pp_gmon gmon = {
		.is64 = info->is64,
		.big_endian = info->big_endian,
		.functions = f->items,
		.nr_functions = f->nr,
		.arcs = f->arcs,
		.nr_arcs = f->nr_arcs,
	};
	FILE *out = fopen(output, "we");
	bool failed, is_file;
	struct stat st;
	int err;

	if (!out)
		return op_fail(&log->error, -errno, "%s: %s", output, strerror(errno));
	is_file = !fstat(fileno(out), &st) && S_ISREG(st.st_mode);
	err = pp_gmon_write(out, &gmon);
	failed = ferror(out);
	failed |= fclose(out) != 0;
	if (err == -EOVERFLOW)
		op_fail(&log->error, err,
			"one address has more than %d samples, which overflows gprof's counters",
			PP_GMON_MAX);
	else if (!err && failed)
		err = op_fail(&log->error, -EIO, "%s: %s", output, strerror(errno));
	if (err && is_file)	/* remove an incomplete file, but not a device */
		unlink(output);
	return err;
}

static int convert(const struct pp_work *work, const struct options *o, struct pp_log *log)
{
	struct pp_gmon_functions f = { .profile = work->profile, .threshold = o->common.threshold };
	const struct pp_binary *binary;
	int err = find_samples(work->profile, &f.samples_class) ? 0 : refuse_events(work, log);

	if (!err)
		err = pp_binary_choose(&f.binary, work->session, work->profile, f.samples_class,
				       log);
	if (err)
		return err;
	f.calls_class =
		f.profile->calls < f.profile->nr_classes ? f.profile->calls : f.samples_class;
	binary = &work->profile->binaries[f.binary];
	err = check_binary(binary, o->output, log);
	if (!err)
		err = pp_image_open(&f.image, work->images, binary->name, log);
	if (!err)
		err = pp_image_begin(f.image, &binary->samples);
	if (!err && pp_gmon_functions_collect(&f))
		err = -ENOMEM;
	if (!err && !f.nr) {
		report_left_out(&f, log);
		err = f.left_out && o->common.threshold <= 0
			      ? op_fail(&log->error, -EINVAL,
					"nothing to write: gprof has no function with samples; "
					"the binary is stripped, or they are in code without "
					"names")
			      : op_fail(&log->error, -EINVAL,
					"nothing to write: no function has %g%% (--threshold) of "
					"the samples",
					o->common.threshold);
	}
	if (!err)
		err = write_gmon(&f, o->output, log);
	if (!err) {
		report_left_out(&f, log);
		report_last(&f, log);
	}
	pp_image_close(f.image);
	pp_gmon_functions_release(&f);
	return err;
}

static int parse(struct options *o, int argc, const char **argv, struct pp_log *log)
{
	char *output = NULL;
	const struct poptOption own[] = {
		{"output-filename", 'o', POPT_ARG_STRING, &output, 0,
		 "write to this file (default: gmon.out)", "FILE"},
		POPT_TABLEEND};
	const struct pp_tool tool = { "opgprof", PP_OPT_THRESHOLD, own };
	int err = pp_common_parse(&o->common, &tool, argc, argv, log);

	o->output = output ? output : strdup("gmon.out");
	if (!err && !o->output)
		err = -ENOMEM;
	/* Sum the samples over CPUs, processes and all other axes except events. */
	o->common.merge = PP_MERGE_ALL;
	o->common.merge_all = 1;
	return err;
}

static int run(const struct options *o, struct pp_console *console)
{
	const struct pp_work_options wanted = { .symbols = 1, .details = 1, .arcs = 1, .paths = 1 };
	struct pp_work work;
	int err = pp_work_make(&work, &o->common, &wanted, &console->log);

	if (err)
		return err;
	pp_console_clear(console);
	err = convert(&work, o, &console->log);
	pp_work_release(&work);
	return err;
}

int pp_opgprof(int argc, const char **argv)
{
	struct pp_console console;
	struct options options = { 0 };
	int err;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	pp_console_init(&console, "opgprof", stderr);
	err = parse(&options, argc, argv, &console.log);
	if (!err)
		err = run(&options, &console);
	pp_common_release(&options.common);
	free(options.output);
	return pp_console_end(&console, err);
}
