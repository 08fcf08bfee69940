// SPDX-License-Identifier: GPL-2.0-or-later
/* export.c -- opcontrol --export: writes the samples of a period as sample files of OProfile
 * 1.4. */
#include "config.h"
#include "utils/opcontrol/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "intervals/file.h"
#include "intervals/range.h"
#include "intervals/tables.h"
#include "libop/base/clean.h"
#include "libop/base/dir.h"
#include "libop/base/grow.h"
#include "libop/base/owner.h"
#include "libop/base/plural.h"
#include "libop/session/abi.h"
#include "libop/session/paths.h"
#include "utils/shared/spawn.h"
#include "utils/shared/session_files.h"
#include "utils/shared/spawn.h"

#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define NAME_SIZE	sizeof("kernel-12345678")

/* State of opcontrol --export. */
struct export {
	struct itv_range range;
	FILE *out;
	const char *to;
	/* descriptors of the store of intervals and of the new session directory */
	int store, dir;
	/* descriptor of the subdirectory "samples" of .dir; -1: not open */
	int samples;
	bool has_paths;
	uint64_t nr_samples;
	/* name of the exported session with the newest samples; "": no session yet */
	char name[NAME_SIZE];
	size_t nr_sessions;
};

/* Prepare an empty directory for the export. Called again if the daemon has changed the store of
 * intervals, to restart the export. */
static int begin(void *arg)
{
	struct export *e = arg;
	int err = op_empty_dir(e->dir);

	if (e->samples >= 0)
		close(e->samples);
	e->samples = -1;
	e->nr_samples = e->nr_sessions = 0;
	e->has_paths = false;
	if (!err)
		err = op_abi_write(e->dir, "abi");
	if (!err && mkdirat(e->dir, "samples", 0755))
		err = -errno;
	if (err)
		return err;
	e->samples = openat(e->dir, "samples", OPEN_DIR);
	return e->samples < 0 ? -errno : 0;
}

/* Record the precision of the samples' addresses in the session's description, which reports
 * print. */
static void note_precision(struct op_session_about *about, const struct itv_accounting *a)
{
	static const char *const words[] = {
		[ITV_LINES] = "64 bytes of code", [ITV_FUNCTIONS] = "function",
	};
	const char *coarse = a->precision == ITV_ADDRESSES ? NULL : words[a->precision];
	char text[sizeof(about->limits)] = "", *at = text;
	size_t room = sizeof(text);

	if (coarse)
		at += snprintf(at, room, "addresses: in the coarsest interval, samples are counted by %s",
			       coarse);
	room -= (size_t)(at - text);
	if (a->folded && a->paths)
		snprintf(at, room, "%scall paths: %.1f%% of the samples have a shortened path",
			 coarse ? "; " : "", 100. * (double)a->folded / (double)a->paths);
	if (!*text)
		return;
	if (*about->limits && strlen(about->limits) + strlen(text) + 2 < sizeof(about->limits)) {
		strcat(about->limits, "; ");
		strcat(about->limits, text);
	} else if (!*about->limits) {
		strcpy(about->limits, text);
	}
}

/* Write the sum of all samples that were taken under one kernel as a saved session. */
static int write_sum(void *arg, const struct itv_range_sum *sum)
{
	struct export *e = arg;
	struct itv v = *sum->v;
	struct itv_range_sum noted = { &v, sum->kernel, sum->places };
	int fd, err;

	snprintf(e->name, sizeof(e->name), "kernel-%08" PRIx32, sum->kernel);
	if (mkdirat(e->samples, e->name, 0755))
		return -errno;
	fd = openat(e->samples, e->name, OPEN_DIR);
	if (fd < 0)
		return -errno;
	err = itv_sum(&v);
	note_precision(&v.accounting.about, &v.accounting);
	if (!err)
		err = itv_range_export(&noted, fd);
	close(fd);
	if (!err)
		err = itv_tables_copy(&v, e->store, e->samples);
	e->has_paths |= v.nr_trees != 0;
	e->nr_samples += v.accounting.samples;
	e->nr_sessions++;
	return err;
}

static void print_damaged(void *arg, const char *name, int err)
{
	const struct export *e = arg;

	fprintf(e->out, "%s: %s; its samples are left out\n", name, itv_strerror(err));
}

/* Run oparchive to create call-graph files for all exported sessions, because OProfile 1.4 cannot
 * read call paths. */
static int make_arcs(const struct export *e, struct op_reason *error)
{
	char *program = ctl_program_find("oparchive"), *dir = NULL;
	int status = -ENOMEM;

	fflush(e->out);
	if (program && asprintf(&dir, "--session-dir=%s", e->to) >= 0) {
		char *const argv[] = {
			(char *)"oparchive", (char *)"--arcs", (char *)"--no-cache", dir,
			(char *)"session:kernel-*", NULL,
		};

		status = ctl_spawn_as(program, argv);
	}
	free(dir);
	free(program);
	if (status < 0)
		return op_fail(error, status, "cannot run oparchive: %s", strerror(-status));
	return status ? op_fail(error, -EIO, "oparchive cannot write the call-graph files") : 0;
}

static bool is_empty(int fd)
{
	DIR *dir;
	bool ret;

	if (op_open_dir(fd, ".", &dir))
		return false;
	ret = !op_next_entry(dir);
	closedir(dir);
	return ret;
}

/* Open the directory @to, which must be empty. Create it if it does not exist. */
static int open_empty(const char *to, bool *is_new, struct op_reason *error)
{
	struct op_reason cause = { "" };
	int fd, err = 0;

	*is_new = !mkdir(to, 0700);
	if (!*is_new && errno != EEXIST)
		return op_fail(error, -errno, "cannot make %s: %s", to, strerror(errno));
	fd = open(to, OPEN_DIR);
	if (fd < 0)
		return op_fail(error, -errno, "cannot open %s: %s", to, strerror(errno));
	if (op_owner_check(fd, to, &cause))
		err = op_fail(error, -EPERM, "cannot write to %s: %s", to, cause.text);
	else if (!is_empty(fd))
		err = op_fail(error, -ENOTEMPTY,
			      "%s is not empty: name a new or an empty directory", to);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Sum the intervals of the period, and write the samples of each kernel. */
static int export_range(struct export *e, int samples_fd, const char *period,
			struct op_reason *error)
{
	const struct itv_range_reader reader = {
		.sum = write_sum, .reads = ITV_READ_ALL, .again = begin, .damaged = print_damaged,
		.arg = e,
	};
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];
	int64_t first, last;
	int err = itv_range_read(&e->range, samples_fd, &reader);

	if (err)
		return op_fail(error, err, "cannot export %s to %s: %s", period, e->to,
			       itv_strerror(err));
	if (!e->nr_sessions)
		return itv_range_of_store(&first, &last, e->store) ?
			       op_fail(error, -ENODATA, "no samples were found for %s", period) :
			       op_fail(error, -ENODATA,
				       "no samples were found for %s; there are samples from %s to "
				       "%s", period, op_time_text(from, first),
				       op_time_text(to, last));
	if (e->has_paths)
		err = make_arcs(e, error);
	if (!err && renameat(e->samples, e->name, e->samples, "current"))
		err = -errno;
	return err;
}

static void print_summary(const struct export *e)
{
	const struct itv_range *range = &e->range;
	char option[OP_SESSION_OPTION_SIZE], from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];
	int64_t end = range->parts[0].end;

	for (size_t i = 1; i < range->nr_parts; i++)
		end = range->parts[i].end > end ? range->parts[i].end : end;
	op_clean_printf(e->out, "%" PRIu64 " samples from %s to %s (%zu %s) exported to %s; see "
				"them with opreport%s%s\n", e->nr_samples,
			op_time_text(from, range->parts[0].begin), op_time_text(to, end),
			range->nr_parts, op_plural(range->nr_parts, "interval", "intervals"),
			e->to, op_session_option(option, e->to),
			e->nr_sessions > 1 ? " 'session:current,kernel-*'" : "");
	if (e->nr_sessions > 1)
		fprintf(e->out, "The machine ran %zu kernels in this time: the current session "
				"has the samples of the last kernel, the sessions kernel-NUMBER "
				"have those of the other kernels.\n", e->nr_sessions);
}

int ctl_export(FILE *out, const char *session_dir, const char *period, const char *to,
	       struct op_reason *error)
{
	struct export e = { .out = out, .to = to, .store = -1, .dir = -1, .samples = -1 };
	struct op_period asked;
	char option[OP_SESSION_OPTION_SIZE];
	bool is_new = false;
	int samples_fd = -1, err = op_period_parse(&asked, period, (int64_t)time(NULL), error);

	if (!err)
		samples_fd = err = ctl_session_open_samples(session_dir, OP_SESSION_READ, error);
	if (samples_fd >= 0)
		e.store = err = itv_range_open_store(samples_fd);
	if (err == -ENOENT)
		op_fail(error, err, "%s has no intervals: opcontrol%s --interval=10m --start keeps "
				    "samples by time from then on", session_dir,
			op_session_option(option, session_dir));
	if (e.store >= 0)
		e.dir = err = open_empty(to, &is_new, error);
	if (e.dir >= 0)
		err = op_grow(&e.range.asked, 0);
	if (e.dir >= 0 && !err) {
		e.range.asked[0] = asked;
		e.range.nr_asked = 1;
		err = export_range(&e, samples_fd, period, error);
		if (!err)
			print_summary(&e);
		else
			op_empty_dir(e.dir);
	}
	if (err < 0 && is_new)
		rmdir(to);
	if (e.samples >= 0)
		close(e.samples);
	if (e.dir >= 0)
		close(e.dir);
	if (e.store >= 0)
		close(e.store);
	if (samples_fd >= 0)
		close(samples_fd);
	itv_range_release(&e.range);
	return err < 0 ? err : 0;
}
