// SPDX-License-Identifier: GPL-2.0-or-later
/* range.c -- reads ranges of time: sums intervals in memory, and writes the other files of sessions
 * to temporary directories. */
#include "config.h"
#include "pp/session/range.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "intervals/file.h"
#include "libop/base/grow.h"
#include "libop/base/time_words.h"
#include "libop/session/identity.h"
#include "pp/session/store.h"
#include "pp/source/interval.h"

#define NANO	1000000000ll

static int compare_periods(const void *a, const void *b)
{
	const struct op_period *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void note_yesterday(const char *text, int64_t now, struct pp_log *log)
{
	size_t len;
	const char *hour = op_period_hour_of_yesterday(text, &len, now);

	if (hour)
		pp_note(log, "%.*s is in the future today: the hour of yesterday is used", (int)len,
			hour);
}

int pp_range_parse(struct op_period **ret, size_t *ret_nr, const struct pp_values *values,
		   struct pp_log *log)
{
	int64_t now = (int64_t)time(NULL);
	struct op_period *periods = NULL;
	size_t nr = 0;
	int err = 0;

	for (size_t i = 0; i < values->nr && !err; i++) {
		err = op_grow(&periods, nr);
		if (!err)
			err = op_period_parse(&periods[nr], values->items[i], now, &log->error);
		if (!err)
			note_yesterday(values->items[i], now, log);
		nr += !err;
	}
	if (err) {
		free(periods);
		return err;
	}
	qsort(periods, nr, sizeof(*periods), compare_periods);
	*ret = periods;
	*ret_nr = nr;
	return 0;
}

/* State while a range of time is opened. */
struct opening {
	struct pp_range *range;
	const char *samples;		/* path of the session's samples directory, DIR/samples */
	const struct pp_range_visitor *visitor;
	/* which parts of each interval to read: bits of enum itv_file_parts */
	unsigned int reads;
	struct pp_range_options options;
	bool has_begun;			/* begin_period() was called for the current period */
	struct pp_log *log;
};

/* Add a samples directory. @v: its samples, which are moved; NULL: the samples are in its files. */
static int add_samples_dir(struct pp_range *range, char *path, struct itv *v)
{
	struct pp_source *source = NULL;

	if (!path || op_grow(&range->samples_dirs, range->nr_samples_dirs) ||
	    op_grow(&range->sources, range->nr_samples_dirs) ||
	    op_grow(&range->run_of, range->nr_samples_dirs) ||
	    (v && pp_source_of_interval(&source, path, v))) {
		free(path);
		return -ENOMEM;
	}
	range->run_of[range->nr_samples_dirs] = (uint32_t)range->nr_runs;
	range->sources[range->nr_samples_dirs] = source;
	range->samples_dirs[range->nr_samples_dirs++] = path;
	return 0;
}

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* Link the symbol tables, unwind tables and intervals of the session with the samples directory
 * @samples into the parent of the temporary samples directories, where reports search for them. */
static void link_tables(int samples_fd, const char *samples)
{
	static const char *const names[] = {
		OP_TABLES_DIR, OP_CACHE_LINK, OP_SESSION_UNWIND_DIR, ITV_STORE_DIR,
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = join(samples, names[i]), *real = path ? realpath(path, NULL) : NULL;

		if (real && symlinkat(real, samples_fd, names[i]))
			/* ignore the error, because reports work without these tables */
			errno = 0;
		free(real);
		free(path);
	}
}

/* Open the parent directory of the temporary samples directories. Create it at the first call. */
static int open_samples(struct pp_range *range, const char *samples)
{
	char *path;
	int fd;

	if (!range->scratch.dir) {
		fd = pp_scratch_make(&range->scratch, range->is_memory_full);
		if (fd >= 0)
			link_tables(fd, samples);
		return fd;
	}
	path = join(range->scratch.dir, "samples");
	if (!path)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	return fd < 0 ? -errno : fd;
}

const char *pp_range_name(char name[PP_RANGE_NAME_SIZE], uint32_t kernel)
{
	snprintf(name, PP_RANGE_NAME_SIZE, "range-%08x", (unsigned int)kernel);
	return name;
}

uint32_t pp_range_kernel(const char *samples_dir)
{
	const char *name = strrchr(samples_dir, '/');
	unsigned int kernel;

	return name && sscanf(name, "/range-%8x", &kernel) == 1 ? kernel : 0;
}

#define NAME_SIZE	(PP_RANGE_NAME_SIZE + 32)

/* Add one sum of intervals with a new samples directory. The sum has the samples that were taken
 * under one kernel, in all periods or in one run. */
static int write_sum(void *arg, const struct itv_range_sum *sum)
{
	const struct opening *o = arg;
	struct pp_range *range = o->range;
	int samples_fd = open_samples(range, o->samples), fd = -1, err = 0;
	char name[NAME_SIZE], of_kernel[PP_RANGE_NAME_SIZE], *path;

	if (samples_fd < 0)
		return samples_fd;
	pp_range_name(of_kernel, sum->kernel);
	if (o->options.runs_apart)
		snprintf(name, sizeof(name), "%s-%zu", of_kernel, range->nr_runs);
	else
		strcpy(name, of_kernel);
	if (!mkdirat(samples_fd, name, 0700))
		fd = openat(samples_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		err = -errno;
	close(samples_fd);
	if (!err)
		err = o->options.as_files ? itv_range_export(sum, fd) :
					    itv_range_export_companions(sum, fd);
	if (fd >= 0)
		close(fd);
	if (err)
		return err;
	return asprintf(&path, "%s/samples/%s", range->scratch.dir, name) < 0 ?
		       -ENOMEM : add_samples_dir(range, path, o->options.as_files ? NULL : sum->v);
}

static void forget_samples_dirs(struct pp_range *range)
{
	while (range->nr_samples_dirs) {
		free(range->samples_dirs[--range->nr_samples_dirs]);
		pp_source_close(range->sources[range->nr_samples_dirs]);
	}
}

/* Delete the samples directories of an earlier pass over the intervals, which will be read
 * again. */
static int forget(void *arg)
{
	const struct opening *o = arg;
	struct pp_range *range = o->range;

	forget_samples_dirs(range);
	pp_scratch_release(&range->scratch);
	return 0;
}

/* Begin to read one of several periods. The second call for a period means that the daemon has
 * changed the store of intervals: stop, so that read_periods() starts again with the first
 * period. */
static int begin_period(void *arg)
{
	struct opening *o = arg;
	bool is_second = o->has_begun;

	o->has_begun = true;
	return is_second ? -ESTALE : 0;
}

static int visit_part(void *arg, const struct itv *v, const struct itv_range_part *part,
		      const struct itv_range_source *source)
{
	const struct opening *o = arg;

	return o->visitor->part(o->visitor->arg, v, part, source);
}

static int visit_again(void *arg)
{
	const struct opening *o = arg;

	return o->visitor->again(o->visitor->arg);
}

static void warn_of_damaged(void *arg, const char *name, int err)
{
	const struct opening *o = arg;

	pp_warn(o->log, "%s: %s; its samples are left out", name, itv_strerror(err));
}

#define ASKED_TEXT_SIZE	(2 * OP_TIME_TEXT_SIZE + 16)

/* Format the requested period as " (FROM to TO)". If there is no period or there are several,
 * format "". */
static const char *period_text(char buf[ASKED_TEXT_SIZE], const struct itv_range *time)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];
	const struct op_period *asked = time->asked;

	buf[0] = '\0';
	if (time->nr_asked != 1)
		return buf;
	op_time_text(from, asked->begin);
	if (asked->begin == asked->end)
		snprintf(buf, ASKED_TEXT_SIZE, " (%s)", from);
	else
		snprintf(buf, ASKED_TEXT_SIZE, " (%s to %s)", from, op_time_text(to, asked->end));
	return buf;
}

/* Store the error message for a range of time without samples. The message names the times that
 * have samples. */
static int fail_empty(const struct pp_range *range, int samples_fd, struct pp_log *log)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE], asked[ASKED_TEXT_SIZE];
	int64_t begin, end;
	int store, err;

	if (range->time.nr_gaps && (!strcmp(range->time.gaps[0].reason, "damaged") ||
				    !strcmp(range->time.gaps[0].reason, "stored by a newer version")))
		return op_fail(&log->error, -ENODATA, "all intervals of this time are %s",
			       range->time.gaps[0].reason);
	store = itv_range_open_store(samples_fd);
	err = store < 0 ? store : itv_range_of_store(&begin, &end, store);
	if (store >= 0)
		close(store);
	period_text(asked, &range->time);
	if (err)
		return op_fail(&log->error, -ENODATA,
			       "no samples were found for this time%s: no interval has been closed "
			       "yet", asked);
	return op_fail(&log->error, -ENODATA,
		       "no samples were found for this time%s; there are samples from %s to %s", asked,
		       op_time_text(from, begin), op_time_text(to, end));
}

/* Open @paths->samples and check that it contains a store of intervals. @archive: the name of the
 * archive that contains @paths, or NULL. Return a descriptor or a negative errno. */
static int open_samples_dir(const struct op_session_paths *paths, const char *archive,
			    struct op_reason *error)
{
	const char *dir = paths->dir;
	char option[OP_SESSION_OPTION_SIZE];
	int samples_fd = open(paths->samples, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;

	if (samples_fd < 0 && errno != ENOENT)
		return op_fail(error, -errno, "cannot open %s: %s", paths->samples,
			       strerror(errno));
	fd = samples_fd < 0 ? -ENOENT : itv_range_open_store(samples_fd);
	if (fd >= 0) {
		close(fd);
		return samples_fd;
	}
	if (samples_fd >= 0)
		close(samples_fd);
	if (fd != -ENOENT)
		return op_fail(error, fd, "cannot open the intervals of %s: %s", dir,
			       strerror(-fd));
	if (archive)
		return op_fail(error, -ENOENT,
			       "archive:%s has no intervals, so its samples have no times; run "
			       "opreport archive:%s", archive, archive);
	return op_fail(error, -ENOENT,
		       "%s has no intervals: opcontrol%s --interval=10m --start keeps samples by "
		       "time from then on", dir, op_session_option(option, dir));
}

/* Set the periods of the range: those of the profile specification, or else one period for all
 * intervals. */
static int set_periods(struct itv_range *range, const struct pp_spec *spec, int samples_fd,
		       struct pp_log *log)
{
	const struct pp_values *values = &spec->tags[PP_TAG_TIME];
	struct op_period all;
	int store, err;

	if (values->nr)
		return pp_range_parse(&range->asked, &range->nr_asked, values, log);
	store = itv_range_open_store(samples_fd);
	err = store < 0 ? store : itv_range_of_store(&all.begin, &all.end, store);
	if (store >= 0)
		close(store);
	if (!err)
		err = op_grow(&range->asked, 0);
	if (!err) {
		range->asked[0] = all;
		range->nr_asked = 1;
	}
	return err;
}

static bool has_part(const struct itv_range *range, const struct itv_range_part *part)
{
	for (size_t i = 0; i < range->nr_parts; i++)
		if (range->parts[i].begin == part->begin && range->parts[i].end == part->end &&
		    range->parts[i].step == part->step)
			return true;
	return false;
}

static void add_times(struct itv_range_times *to, const struct itv_range_times *from)
{
	if (!from->nr)
		return;
	to->begin = to->nr && to->begin < from->begin ? to->begin : from->begin;
	to->end = to->nr && to->end > from->end ? to->end : from->end;
	to->nr += from->nr;
}

/* Merge the data about the period @from into @to, and move the gaps of @from to @to. Return 0,
 * -ENOMEM, or -EEXIST if an interval belongs to both. */
static int add_period(struct itv_range *to, struct itv_range *from)
{
	for (size_t i = 0; i < from->nr_parts; i++) {
		if (has_part(to, &from->parts[i]))
			return -EEXIST;
		if (op_grow(&to->parts, to->nr_parts))
			return -ENOMEM;
		to->parts[to->nr_parts++] = from->parts[i];
	}
	for (size_t i = 0; i < from->nr_gaps; i++) {
		if (op_grow(&to->gaps, to->nr_gaps))
			return -ENOMEM;
		to->gaps[to->nr_gaps++] = from->gaps[i];
		from->gaps[i].reason = NULL;
	}
	add_times(&to->overlaps, &from->overlaps);
	/* intervals of the whole store that begin in the future: equal for all periods */
	to->future = from->future;
	to->precision = from->precision > to->precision ? from->precision : to->precision;
	to->paths += from->paths;
	to->folded += from->folded;
	return 0;
}

/* Read one period as a separate run. Return an error of add_period() or another negative error. */
static int read_period(struct opening *o, int samples_fd, const struct op_period *asked)
{
	const struct itv_range_reader reader = {
		.sum = write_sum, .reads = o->reads, .again = begin_period,
		.damaged = warn_of_damaged, .arg = o,
	};
	struct itv_range period = { .asked = NULL };
	int err = op_grow(&period.asked, 0);

	if (err)
		return err;
	period.asked[period.nr_asked++] = *asked;
	o->has_begun = false;
	err = itv_range_read(&period, samples_fd, &reader);
	if (!err)
		err = add_period(&o->range->time, &period);
	if (!err && period.nr_parts)
		o->range->nr_runs++;
	itv_range_release(&period);
	return err;
}

/* Clear the intervals and gaps that were read into @time, so that the range can be read again.
 * Keep the requested periods. */
static void forget_time(struct itv_range *time)
{
	struct itv_range asked = { .asked = time->asked, .nr_asked = time->nr_asked };

	time->asked = NULL;
	itv_range_release(time);
	*time = asked;
}

#define MAX_ATTEMPTS	20

static int read_periods(struct opening *o, int samples_fd)
{
	int err = -ESTALE;

	for (size_t i = 0; i < MAX_ATTEMPTS && err == -ESTALE; i++) {
		forget(o);
		forget_time(&o->range->time);
		o->range->nr_runs = 0;
		err = 0;
		for (size_t p = 0; p < o->range->time.nr_asked && !err; p++)
			err = read_period(o, samples_fd, &o->range->time.asked[p]);
	}
	return err;
}

/* Read each period as a separate run. If this fails, discard all samples read so far. Return 0,
 * -EEXIST if an interval belongs to two periods, or another negative error. */
static int read_apart(struct opening *o, int samples_fd)
{
	int err = read_periods(o, samples_fd);

	if (err == -ENOSPC && !o->range->is_memory_full) {
		o->range->is_memory_full = true;
		err = read_periods(o, samples_fd);
	}
	if (err || o->range->nr_runs < 2) {
		forget(o);
		forget_time(&o->range->time);
		o->range->nr_runs = 0;
		return err ? err : -EEXIST;
	}
	return 0;
}

static int read_range(struct opening *o, int samples_fd)
{
	const struct itv_range_reader reader = {
		.sum = o->visitor ? NULL : write_sum,
		.part = o->visitor ? visit_part : NULL,
		.reads = o->reads,
		.again = o->visitor ? visit_again : forget,
		.damaged = warn_of_damaged,
		.arg = o,
	};
	int err = -EEXIST;

	o->options.runs_apart = o->options.runs_apart && o->range->time.nr_asked > 1;
	if (o->options.runs_apart)
		err = read_apart(o, samples_fd);
	if (err != -EEXIST)
		return err;
	o->options.runs_apart = false;
	err = itv_range_read(&o->range->time, samples_fd, &reader);
	if (err != -ENOSPC || o->range->is_memory_full || o->visitor)
		return err;
	o->range->is_memory_full = true;
	return itv_range_read(&o->range->time, samples_fd, &reader);
}

/* If the report has columns, each time has an interval for each column: keep one of them. Ignore
 * overlaps, because the times of different hosts overlap. */
static void join_columns(struct itv_range *time, const struct pp_store *store)
{
	size_t kept = 0;

	if (store->nr_hosts > 1 || store->nr_columns)
		time->overlaps = (struct itv_range_times){ .nr = 0 };
	for (size_t i = 0; i < time->nr_parts; i++) {
		const struct itv_range_part *last = kept ? &time->parts[kept - 1] : NULL;

		if (!store->nr_columns || !last || last->begin != time->parts[i].begin ||
		    last->end != time->parts[i].end)
			time->parts[kept++] = time->parts[i];
	}
	time->nr_parts = kept;
}

/* The database has earlier intervals than those that were read: correct the reasons of gaps. */
static int explain_gaps(struct itv_range *time, const struct pp_store *store)
{
	for (size_t i = 0; i < time->nr_gaps; i++) {
		struct itv_gap *gap = &time->gaps[i];
		char *reason;

		if (strcmp(gap->reason, ITV_GAP_BEFORE) || gap->from_ns / NANO < store->first)
			continue;
		reason = strdup(ITV_GAP_NOT_RUNNING);
		if (!reason)
			return -ENOMEM;
		free(gap->reason);
		gap->reason = reason;
	}
	return 0;
}

static int open_range(struct pp_range **ret, const struct pp_spec *spec,
		      const struct op_session_paths *paths, const struct pp_range_visitor *visitor,
		      unsigned int reads, const struct pp_range_options *options,
		      struct pp_log *log)
{
	struct pp_range *range = calloc(1, sizeof(*range));
	struct opening o = {
		.range = range, .samples = paths->samples, .visitor = visitor, .reads = reads,
		.options = *options, .log = log,
	};
	const struct pp_values *archives = &spec->tags[PP_TAG_ARCHIVE];
	int samples_fd, err;

	if (!range)
		return -ENOMEM;
	range->scratch.lock_fd = -1;
	samples_fd = open_samples_dir(paths, archives->nr ? archives->items[0] : NULL, &log->error);
	err = samples_fd < 0 ? samples_fd : set_periods(&range->time, spec, samples_fd, log);
	if (!err)
		err = read_range(&o, samples_fd);
	if (!err && spec->store) {
		join_columns(&range->time, spec->store);
		err = explain_gaps(&range->time, spec->store);
	}
	if (err && !*log->error.text)
		op_fail(&log->error, err, "cannot read the intervals of %s: %s", paths->dir,
			itv_strerror(err));
	if (!err && !range->time.nr_parts)
		err = fail_empty(range, samples_fd, log);
	if (samples_fd >= 0)
		close(samples_fd);
	if (err)
		pp_range_close(range);
	else
		*ret = range;
	return err;
}

int pp_range_open(struct pp_range **ret, const struct pp_spec *spec,
		  const struct op_session_paths *paths, const struct pp_range_options *options,
		  struct pp_log *log)
{
	return open_range(ret, spec, paths, NULL,
			  options->call_paths ? ITV_READ_ALL : ITV_READ_CELLS | ITV_READ_FILES,
			  options, log);
}

int pp_range_visit(struct pp_range **ret, const struct pp_spec *spec,
		   const struct op_session_paths *paths, const struct pp_range_visitor *visitor,
		   struct pp_log *log)
{
	const struct pp_range_options none = { .call_paths = false };

	return open_range(ret, spec, paths, visitor, visitor->reads, &none, log);
}

void pp_range_close(struct pp_range *range)
{
	if (!range)
		return;
	forget_samples_dirs(range);
	free(range->samples_dirs);
	free(range->sources);
	free(range->run_of);
	pp_scratch_release(&range->scratch);
	itv_range_release(&range->time);
	free(range);
}
