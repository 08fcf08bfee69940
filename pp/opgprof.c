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
#include "pp/tool/common.h"
#include "pp/tool/console.h"
#include "pp/tool/work.h"

#define MAX_NAMED	5	/* maximum of names in a message; further names are only counted */

struct options {
	struct pp_common common;
	char *output;
};

/* Find the only class that does not count calls, because calls are written as arcs. Return false if
 * several classes do not count calls. */
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

static uint64_t samples_of(const struct pp_profile *profile, size_t class, uint32_t binary)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->nr_groups; i++)
		if (profile->groups[i].binary == binary)
			sum += profile->groups[i].counts[class];
	return sum;
}

/* Return whether @word is the path @title, or the last component of that path. */
static bool names(const char *word, const char *title)
{
	const char *base = strrchr(title, '/');

	return !strcmp(word, title) || (base && !strchr(word, '/') && !strcmp(word, base + 1));
}

static bool is_named(const struct pp_common *common, const char *title)
{
	static const enum pp_tag tags[] = { PP_TAG_BINARY, PP_TAG_IMAGE, PP_TAG_LIB_IMAGE };

	for (size_t t = 0; t < sizeof(tags) / sizeof(tags[0]); t++)
		for (size_t i = 0; i < common->spec.tags[tags[t]].nr; i++)
			if (names(common->spec.tags[tags[t]].items[i], title))
				return true;
	return false;
}

/* Return the title of the program that the user named if only the program's libraries have samples
 * and not the program's own file; else NULL. */
static const char *named_without_samples(const struct pp_work *work, const struct pp_common *common)
{
	static const enum pp_tag tags[] = { PP_TAG_BINARY, PP_TAG_IMAGE };
	const struct pp_files *files = &work->session->files;

	for (size_t t = 0; t < sizeof(tags) / sizeof(tags[0]); t++) {
		const struct pp_values *words = &common->spec.tags[tags[t]];

		for (size_t i = 0; i < words->nr; i++)
			for (size_t f = 0; f < files->nr; f++)
				if (names(words->items[i], files->items[f].name.app.path))
					return files->items[f].name.app.path;
	}
	return NULL;
}

/* Refuse a profile with several events or binaries, and list them. The function @title returns the
 * title of event or binary number @i, malloc'd. */
static int refuse(const char *what, char *(*title)(const struct pp_work *work, size_t i),
		   const struct pp_work *work, size_t nr, struct pp_log *log)
{
	char *text = NULL;
	size_t size, shown = 0;
	FILE *f = open_memstream(&text, &size);

	if (f)
		op_clean_printf(f, "specify exactly one binary to process and give an event: or "
				   "count: specification if necessary: %s", what);
	for (size_t i = 0; f && i < nr; i++) {
		char *name = title(work, i);

		if (name && shown < MAX_NAMED)
			op_clean_printf(f, "\n  %s", name);
		shown += name != NULL;
		free(name);
	}
	if (f && shown > MAX_NAMED)
		op_clean_printf(f, "\n  and %zu more", shown - MAX_NAMED);
	return op_fail_lines(&log->error, -EINVAL, f, &text);
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

static char *binary_title(const struct pp_work *work, size_t i)
{
	uint64_t sum;
	size_t class;
	char *text;

	find_samples(work->profile, &class);
	sum = samples_of(work->profile, class, i);
	if (!sum || asprintf(&text, "%s (%" PRIu64 " samples)", work->profile->binaries[i].title,
			     sum) < 0)
		return NULL;
	return text;
}

/* Choose the only binary with samples, or the binary that the user named: a gmon.out file describes
 * one binary. Return 0 or a negative errno. */
static int choose_binary(struct pp_gmon_functions *f, const struct pp_work *work,
			 const struct pp_common *common, struct pp_log *log)
{
	const struct pp_profile *profile = work->profile;
	size_t nr = 0, nr_named = 0;
	uint32_t last = 0, named = 0;

	if (!find_samples(profile, &f->samples_class))
		return refuse("the samples are of several events:", event_title, work,
			      work->session->classes.nr, log);
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		if (!samples_of(profile, f->samples_class, i))
			continue;
		nr++;
		last = i;
		if (is_named(common, profile->binaries[i].title)) {
			nr_named++;
			named = i;
		}
	}
	if (nr == 1 && !nr_named && named_without_samples(work, common)) {
		return op_fail(&log->error, -EINVAL,
			       "%s has no samples of its own: all are in %s, which can be named "
			       "instead",
			       named_without_samples(work, common), profile->binaries[last].title);
	}
	if (nr == 1) {
		f->binary = last;
		return 0;
	}
	if (nr_named != 1)
		return refuse("the samples are in several binaries:", binary_title, work,
			      profile->nr_binaries, log);
	pp_verbose(log, "samples in %zu other %s skipped", nr - 1,
		   op_plural(nr - 1, "binary are", "binaries are"));
	f->binary = named;
	return 0;
}

/* Check that gprof can read the binary and its symbols: gprof opens the binary itself, and ignores
 * separate debug files. */
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
		return op_fail(&log->error, -EINVAL, "%s: gprof needs the binary as it was profiled",
			       binary->title);
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

/* Warn of samples in the last function. gprof reads the end of the last function from beyond the
 * end of its own table of functions, and so usually counts 0 samples for that function. In most
 * binaries the last function is _fini, which rarely has samples. */
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
	int err, failed, is_file;
	struct stat st;

	if (!out)
		return op_fail(&log->error, -errno, "%s: %s", output, strerror(errno));
	is_file = !fstat(fileno(out), &st) && S_ISREG(st.st_mode);
	err = pp_gmon_write(out, &gmon);
	failed = ferror(out);
	failed |= fclose(out);
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
	int err = choose_binary(&f, work, &o->common, log);

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
					"nothing to write: no function reaches --threshold=%g%%",
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

int main(int argc, const char **argv)
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
