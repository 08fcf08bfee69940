// SPDX-License-Identifier: GPL-2.0-or-later
/* open.c -- opens a session: finds the sample files that match a specification, and sorts them into
 * classes (columns). */
#include "config.h"
#include "pp/session/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/store.h"
#include "libop/base/error.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/base/plural.h"
#include "libop/event/any_cpu.h"
#include "libop/raw/csp.h"
#include "libop/session/paths.h"
#include "libop/session/stats.h"
#include "pp/session/profiles.h"
#include "pp/session/range.h"
#include "pp/session/store.h"
#include "pp/session/tasks.h"
#include "pp/session/trees.h"
#include "pp/session/units.h"
#include "pp/session/wakers.h"
#include "pp/session/where.h"
#include "pp/session/why_empty.h"

#define TOTAL "total_samples"

/* The files in which operf of OProfile 1.4 stores numbers of lost samples (.theirs), and the
 * corresponding counters in struct op_session_stats (.ours). */
static const struct {
	const char *theirs, *ours;
} losses[] = {
	{ "lost_invalid_domain", "lost_no_domain" },
	{ "lost_kernel", "lost_kernel" },
	{ "lost_samplefile", "lost_sample_file" },
	{ "lost_no_mapping", "perf_lost_mapping" },
	{ "lost_no_app_for_kernel_sample", "lost_no_app_kernel" },
	{ "lost_no_app_for_user_sample", "perf_lost_process" },
	{ "lost_invalid_hypervisor_addr", "lost_hypervisor" },
};

/* Name of the file with the number of samples that the kernel discarded before operf read them. The
 * total that operf stores does not include these samples. */
#define LOST_BY_KERNEL "lost_records_by_kernel"

static int read_number(uint64_t *ret, int dirfd, const char *name)
{
	char path[64], *text, *end;
	unsigned long long n;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "stats/%s", name);
	err = op_read_file(dirfd, path, 64, &text, &len);
	if (err)
		return err;
	errno = 0;
	n = strtoull(text, &end, 10);
	err = errno || end == text || text[0] == '-' ? -EINVAL : 0;
	free(text);
	if (!err)
		*ret = n;
	return err;
}

/* Return whether @err means that a statistics file does not exist or has no number. */
static bool is_missing_number(int err)
{
	return err == -ENOENT || err == -EINVAL || err == -EFBIG;
}

/* Add the statistics of OProfile 1.4's operf to @stats. @samples_dirfd: descriptor as for
 * op_session_stats_read(). Return 0, -ENOENT if no statistics exist, or another negative errno.
 * After an error, some statistics may have been added. */
static int pp_operf_stats_read(struct op_session_stats *stats, int samples_dirfd)
{
	uint64_t total, by_kernel = 0, stored;
	int err = read_number(&total, samples_dirfd, TOTAL);

	if (err)
		return is_missing_number(err) ? -ENOENT : err;
	stored = total;
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		uint64_t lost;

		err = read_number(&lost, samples_dirfd, losses[i].theirs);
		if (is_missing_number(err) || (!err && lost > stored))
			continue;
		if (!err)
			err = op_session_stats_add(stats, losses[i].ours, lost);
		if (err)
			return err;
		stored -= lost;
	}
	err = read_number(&by_kernel, samples_dirfd, LOST_BY_KERNEL);
	if (is_missing_number(err))
		err = 0;
	else if (!err)
		err = op_session_stats_add(stats, "perf_lost_ring", by_kernel);
	if (!err)
		err = op_session_stats_add(stats, "perf_taken", total + by_kernel);
	if (!err)
		err = op_session_stats_add(stats, "stored", stored);
	return err;
}

/* Add the samples directory @dir. @source: the source of its samples, which the session then owns;
 * NULL: the files of the directory. */
static int add_samples_dir(struct pp_session *session, const char *dir, struct pp_source *source)
{
	int err = source ? 0 : pp_source_of_session(&source, dir);

	if (!err)
		err = pp_session_add_source(session, source);
	if (err)
		pp_source_close(source);
	return err;
}

/* Return the path of the samples directory of @name, malloc'd. @name is a path if it begins with
 * '.' or '/', else the name of a session. */
static char *samples_dir_of(const struct op_session_paths *paths, const char *name)
{
	char *dir;

	if (name[0] == '.' || name[0] == '/')
		return strdup(name);
	return asprintf(&dir, "%s/%s", paths->samples, name) < 0 ? NULL : dir;
}

static int add_stats(struct pp_session *session, size_t i, int dirfd)
{
	struct op_session_stats *stats = &session->sources[i]->stats;
	struct op_session_stats *sum = session->nr_profiles ? &session->beside : &session->stats;
	struct stat st;
	int err;

	/* Read the modification time of the file before its contents. If a daemon replaces the file
	 * in between, the contents are newer than this time, never older. */
	if (!fstatat(dirfd, OP_STATS_FILE, &st, AT_SYMLINK_NOFOLLOW))
		session->sources[i]->stats_ns =
			(uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	err = op_session_stats_read(stats, dirfd);
	if (err == -ENOENT) {
		err = pp_operf_stats_read(stats, dirfd);
		session->has_operf_stats |= !err;
	}
	if (!err)
		err = op_session_stats_add_all(sum, stats);
	session->has_stats |= !err && !session->nr_profiles;
	return err;
}

/* Warn if the daemon that wrote session @i was killed: its sample files are complete, but the
 * totals in its statistics may be too low. */
static void warn_of_killed(const struct pp_session *session, size_t i, struct pp_log *log)
{
	const struct op_session_writer *writer = &session->sources[i]->stats.writer;
	char option[OP_SESSION_OPTION_SIZE];

	if (writer->pid && !op_session_writer_lives(writer))
		pp_warn(log,
			"%s: its daemon (pid %d) was killed, so its totals may lack samples that "
			"its files have; opcontrol%s --save=NAME, or a daemon that starts there, "
			"corrects them",
			session->samples_dirs[i], (int)writer->pid,
			op_session_option(option, session->dir));
}

/* Set the session number of the @nr @files, except the first @before files. */
static void note_session(struct pp_sample_file *files, size_t before, size_t nr, size_t session)
{
	for (size_t i = before; i < nr; i++)
		files[i].session = session;
}

/* Read the session @name. @source as for add_samples_dir(). */
static int read_session_of(struct pp_session *session, const struct op_session_paths *paths,
			   const char *name, struct pp_source *source, struct pp_log *log)
{
	size_t files = session->files.nr, arcs = session->files.nr_arcs,
	       i = session->nr_samples_dirs;
	char *found = samples_dir_of(paths, name);
	const char *dir;
	int err, dirfd;

	if (!found) {
		pp_source_close(source);
		return -ENOMEM;
	}
	err = add_samples_dir(session, found, source);
	free(found);
	if (err)
		return err;
	dir = session->samples_dirs[i];
	err = source ? pp_files_add_interval(&session->files, source, false) :
		       pp_files_add(&session->files, dir, log);
	if (err && source)
		return op_fail(&log->error, err, "cannot read the intervals of %s: %s", paths->dir,
			       op_strerror(err));
	if (err == -ENOENT || err == -ENOTDIR)
		return pp_report_no_session(paths, name, dir, session->spec, &log->error);
	if (err == -EACCES)
		return pp_report_no_access(paths, dir, &log->error);
	if (err)
		return op_fail(&log->error, err, "%s: %s", dir, op_strerror(err));
	note_session(session->files.items, files, session->files.nr, i);
	note_session(session->files.arcs, arcs, session->files.nr_arcs, i);
	dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = dirfd < 0 ? -errno : 0;
	if (!err) {
		op_session_about_read(&session->about[i], dirfd);
		op_task_names_read(&session->task_names[i], 0, dirfd);
		err = add_stats(session, i, dirfd);
		warn_of_killed(session, i, log);
		close(dirfd);
	}
	if (err == -ENOMEM)
		return err;
	if (err && err != -ENOENT)
		pp_warn(log, "%s/%s: %s; losses are not shown", dir, OP_STATS_FILE,
			op_strerror(err));
	return 0;
}

static int read_session(struct pp_session *session, const struct op_session_paths *paths,
			const char *name, struct pp_log *log)
{
	return read_session_of(session, paths, name, NULL, log);
}

static bool is_excluded(const struct pp_spec *spec, const char *name)
{
	return spec->tags[PP_TAG_SESSION_EXCLUDE].nr &&
	       pp_values_match(&spec->tags[PP_TAG_SESSION_EXCLUDE], name);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && entry->d_type != DT_REG;
}

/* Read all sessions whose names match @glob. Return 0 or a negative errno. */
static int read_matching(struct pp_session *session, const struct op_session_paths *paths,
			 const struct pp_spec *spec, const char *glob, struct pp_log *log)
{
	struct dirent **entries = NULL;
	int nr = scandir(paths->samples, &entries, is_visible, alphasort), found = 0, err = 0;

	for (int i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;

		if (!err && !fnmatch(glob, name, 0)) {
			found = 1;
			if (!is_excluded(spec, name))
				err = read_session(session, paths, name, log);
		}
		free(entries[i]);
	}
	free(entries);
	if (!found)
		/* The samples directory does not exist: let read_session() store the error
		 * message. */
		return read_session(session, paths, glob, log);
	return err;
}

/* Return the name (malloc'd) of the session that is read by default: the current session, or the
 * only session of an archive. */
static char *usual_session(const struct pp_session *session, const struct op_session_paths *paths)
{
	struct dirent **entries = NULL;
	char *name = NULL;
	int nr;

	if (!session->archive || pp_is_directory(paths->current))
		return strdup("current");
	nr = scandir(paths->samples, &entries, is_visible, alphasort);
	name = strdup(nr == 1 ? entries[0]->d_name : "current");
	for (int i = 0; i < nr; i++)
		free(entries[i]);
	free(entries);
	return name;
}

/* Read the samples of the range of time that the user chose. */
static int read_range(struct pp_session *session, const struct op_session_paths *paths,
		      const struct pp_session_options *options, struct pp_log *log)
{
	const struct pp_spec *spec = options->spec;
	int err;

	if (spec->tags[PP_TAG_SESSION].nr)
		return op_fail(&log->error, -EINVAL,
			       "time: and session: exclude each other: a saved session is not part "
			       "of the intervals");
	err = pp_range_open(&session->range, spec, paths,
			    &(struct pp_range_options){ .call_paths = options->paths,
							.runs_apart = options->runs_apart,
							.as_files = options->as_files }, log);
	for (size_t i = 0; !err && i < session->range->nr_samples_dirs; i++) {
		struct pp_source *source = session->range->sources[i];

		session->range->sources[i] = NULL;
		err = read_session_of(session, paths, session->range->samples_dirs[i], source, log);
	}
	return err;
}

/* Log a note if the session has closed intervals that the report does not include, because the user
 * has not chosen a time. */
static void note_intervals(const struct op_session_paths *paths, struct pp_log *log)
{
	char *path;
	bool has;

	if (asprintf(&path, "%s/" ITV_STORE_DIR, paths->samples) < 0)
		return;
	has = pp_is_directory(path);
	free(path);
	if (has)
		pp_note(log,
			"these are the samples of the interval that is not closed yet; --last=1h "
			"or --since=TIME adds closed intervals");
}

/* prefix of the sessions that operf --repeat makes: run-01, run-02 and so on */
#define RUN	"run-"
#define RUNS	RUN "*"

/* Return whether to read the runs of operf --repeat by default: they exist, and no current session,
 * which would be newer, exists. */
static bool has_runs(const struct op_session_paths *paths)
{
	char *first;
	bool has;

	if (pp_is_directory(paths->current) || asprintf(&first, "%s/" RUN "01", paths->samples) < 0)
		return false;
	has = pp_is_directory(first);
	free(first);
	return has;
}

/* Return whether each samples directory of the session is one run of a repeated command, or one
 * period of time. */
static bool are_runs(const struct pp_session *session)
{
	if (session->range)
		return session->range->nr_runs > 0;
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const char *name = strrchr(session->samples_dirs[i], '/');

		if (!name || strncmp(name + 1, RUN, strlen(RUN)))
			return false;
	}
	return session->nr_samples_dirs > 1;
}

static int read_sessions(struct pp_session *session, const struct op_session_paths *paths,
			 const struct pp_session_options *options, struct pp_log *log)
{
	const struct pp_spec *spec = options->spec;
	const struct pp_values *names = &spec->tags[PP_TAG_SESSION];
	char *usual;
	int err;

	session->files.wakers = options->wakers;
	if (spec->tags[PP_TAG_TIME].nr || session->unpacked.dir || spec->store)
		return read_range(session, paths, options, log);
	if (!names->nr && has_runs(paths))
		return read_matching(session, paths, spec, RUNS, log);
	if (!names->nr) {
		note_intervals(paths, log);
		usual = usual_session(session, paths);
		err = usual ? read_session(session, paths, usual, log) : -ENOMEM;
		free(usual);
		return err;
	}
	for (size_t i = 0; i < names->nr; i++) {
		const char *name = names->items[i];

		if (name[0] != '.' && name[0] != '/' && strpbrk(name, "*?["))
			err = read_matching(session, paths, spec, name, log);
		else
			err = is_excluded(spec, name) ? 0 :
							read_session(session, paths, name, log);
		if (err)
			return err;
	}
	if (session->nr_samples_dirs)
		return 0;
	return op_fail(&log->error, -EINVAL, "session-exclude: excludes all sessions, so there "
					     "is nothing to report: name fewer sessions");
}

static bool is_dependent(const struct pp_sample_file *file)
{
	return strcmp(file->app, file->image) || (file->callee && strcmp(file->app, file->callee));
}

/* Remove the files that do not match the profile specification. Return the number of files left. */
static size_t filter_files(struct pp_sample_file *files, size_t nr,
			   const struct pp_session_options *options, size_t *nr_dependent)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		struct pp_sample_file *file = &files[i];
		int dependent = options->exclude_dependent && is_dependent(file);

		*nr_dependent += dependent;
		if (dependent || !pp_spec_matches(options->spec, &file->name, file->relative))
			pp_sample_file_release(file);
		else
			files[kept++] = *file;
	}
	return kept;
}

static bool any_matches(const struct pp_sample_file *files, size_t nr, const struct pp_spec *spec)
{
	for (size_t i = 0; i < nr; i++)
		if (pp_spec_matches(spec, &files[i].name, files[i].relative))
			return true;
	return false;
}

/* --merge=lib: sum the samples of a library over all programs. */
static void merge_libs(struct pp_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		files->items[i].app = files->items[i].image;
	for (size_t i = 0; i < files->nr_arcs; i++) {
		files->arcs[i].app = files->arcs[i].image;
		files->arcs[i].callee_app = files->arcs[i].callee;
	}
	pp_files_sort(files);
}

static void forget_arcs(struct pp_files *files)
{
	for (size_t i = 0; i < files->nr_arcs; i++)
		pp_sample_file_release(&files->arcs[i]);
	files->nr_arcs = 0;
}

static int begin_sum(void *arg, const struct pp_source_facts *facts)
{
	(void)arg;
	(void)facts;
	return 0;
}

static int add_count(void *arg, uint64_t key, uint64_t count)
{
	(void)key;
	*(uint64_t *)arg += count;
	return 0;
}

/* Add the samples of idle waits that @options->spec hides to the session's sums. Ignore the error
 * of a file that cannot be read: no report needs this file. */
static void count_idle_waits(struct pp_session *session, const struct pp_session_options *options)
{
	struct pp_spec shown = *options->spec;

	if (!shown.hides_idle || shown.tags[PP_TAG_UNITMASK].nr)
		return;
	shown.hides_idle = false;
	for (size_t i = 0; i < session->files.nr; i++) {
		const struct pp_sample_file *file = &session->files.items[i];
		const struct pp_source *source = session->sources[file->session];
		enum op_idle_wait wait = op_event_idle_wait(file->name.event, file->name.um);
		struct pp_source_taker taker = {
			.begin = begin_sum, .address = add_count,
			.arg = &session->idle[wait],
		};

		if (wait && !(options->exclude_dependent && is_dependent(file)) &&
		    pp_spec_matches(&shown, &file->name, file->relative))
			source->ops->addresses(source, &file->part, &taker);
	}
	for (int i = OP_NOT_IDLE + 1; i < OP_NR_IDLE_WAITS; i++)
		session->idle[OP_NOT_IDLE] += session->idle[i];
}

static int choose_files(struct pp_session *session, const struct op_session_paths *paths,
			const struct pp_session_options *options, struct pp_log *log)
{
	struct pp_files *files = &session->files;
	size_t nr_dependent = 0, nr_before;

	session->has_arcs = files->nr_arcs != 0;
	if (!options->callgraph)
		forget_arcs(files);
	if (session->nr_profiles)
		pp_profiles_select_kernel(session);
	if (options->wakers && (session->nr_profiles || !files->nr))
		return pp_wakers_report_none(&log->error);
	if (!files->nr && !files->nr_arcs)
		return session->nr_profiles ? pp_profiles_report_empty(session, log) :
					      pp_report_no_files(paths, session, &log->error);
	pp_files_sort(files);
	count_idle_waits(session, options);
	if (session->idle[OP_NOT_IDLE] &&
	    !any_matches(files->items, files->nr, options->spec))
		return op_fail(&log->error, -EINVAL,
			       "all matching samples are of threads that wait in poll (%" PRIu64
			       "), in sleep (%" PRIu64 ") or for a condition (%" PRIu64
			       "): show them with --idle", session->idle[OP_IDLE_POLL],
			       session->idle[OP_IDLE_SLEEP], session->idle[OP_IDLE_CONDITION]);
	if (!any_matches(files->items, files->nr, options->spec) &&
	    !any_matches(files->arcs, files->nr_arcs, options->spec))
		return pp_report_no_match(session, options->spec, &log->error);
	if (pp_apart_init(&session->apart, files))
		return -ENOMEM;
	nr_before = files->nr;
	files->nr = filter_files(files->items, files->nr, options, &nr_dependent);
	session->is_filtered = files->nr < nr_before;
	files->nr_arcs = filter_files(files->arcs, files->nr_arcs, options, &nr_dependent);
	if (!files->nr && !files->nr_arcs) {
		return op_fail(&log->error, -EINVAL,
			       "all matching sample files (%zu) belong to libraries or the "
			       "kernel, which are excluded: omit --exclude-dependent",
			       nr_dependent);
	}
	if (session->files.nr_unknown)
		pp_warn(log, "%zu %s skipped, not named like a sample file, for example %s",
			session->files.nr_unknown,
			op_plural(session->files.nr_unknown, "file", "files"),
			session->files.unknown_path);
	if (options->merge & PP_MERGE_LIB)
		merge_libs(&session->files);
	return 0;
}

static bool in_class(const struct pp_class *class, const struct op_sample_name *name)
{
	return class->count == name->count && !strcmp(class->event, name->event);
}

/*
 * For each class (column), sum the time for which its event was counted. If classes with different
 * unit masks were merged, their events were counted one after another, so their times are added. If
 * the time of one session is unknown, the sum is unknown.
 */
static void add_times(struct pp_session *session)
{
	const struct pp_files *files = &session->files;

	for (size_t c = 0; c < session->classes.nr; c++) {
		struct pp_class *class = &session->classes.items[c];
		uint32_t seen[32], um, nr = 0;

		for (size_t i = 0; i < files->nr; i++) {
			uint64_t enabled, running;
			uint32_t s;

			if (files->items[i].class != c || !in_class(class, &files->items[i].name))
				continue;
			um = files->items[i].name.um;
			for (s = 0; s < nr && seen[s] != um; s++)
				;
			if (s < nr || nr == 32)
				continue;
			seen[nr++] = um;
			if (op_session_stats_event_time(
				    session->nr_profiles ? &session->beside : &session->stats,
				    class->event, class->count, um, &enabled, &running))
				continue;
			class->enabled_ns += enabled;
			class->running_ns += running;
		}
	}
}

static void name_classes(struct pp_session *session)
{
	for (size_t c = 0; c < session->classes.nr; c++) {
		struct pp_class *class = &session->classes.items[c];

		for (size_t i = 0; i < session->nr_samples_dirs && !class->task_name; i++)
			class->task_name =
				pp_task_name(&session->task_names[i], class->tgid, class->tid);
	}
}

/* Show processes and threads as rows, or merge them, as the options require. Then make the
 * classes (columns of the report). */
static int classify(struct pp_session *session, const struct pp_session_options *options,
		    struct pp_log *log)
{
	int chosen = options->spec->tags[PP_TAG_TGID].nr || options->spec->tags[PP_TAG_TID].nr;
	unsigned int merge = options->merge;
	int err = 0;

	if (options->merge_tasks && !chosen)
		merge |= PP_MERGE_TGID | PP_MERGE_TID;
	merge = pp_merge_reasons(options->spec, merge);
	if (!options->any_axes || options->task_rows)
		err = pp_tasks_to_rows(&session->files, session->task_names, chosen, &merge);
	if (!err && !(merge & (PP_MERGE_UNIT | PP_MERGE_LIB)))
		err = pp_units_to_rows(&session->files);
	if (!err && options->wakers)
		err = pp_wakers_to_rows(&session->files);
	if (!err)
		err = pp_classes_make(&session->classes, &session->files, merge,
				      options->any_axes || session->is_repeated, log);
	return err;
}

static bool is_of_crashes(const struct pp_sample_file *file)
{
	return !strcmp(file->name.event, RAW_CSP_CRASHES);
}

static void drop_crashes(struct pp_sample_file *items, size_t *nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < *nr; i++)
		if (is_of_crashes(&items[i]))
			pp_sample_file_release(&items[i]);
		else
			items[kept++] = items[i];
	*nr = kept;
}

/* Remove the counts of SIGSEGV signals if there are other samples. Some run-time systems raise
 * SIGSEGV in normal operation. */
static void drop_crash_counts(struct pp_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		if (!is_of_crashes(&files->items[i])) {
			drop_crashes(files->items, &files->nr);
			drop_crashes(files->trees, &files->nr_trees);
			return;
		}
}

/* If each source is a column, set the titles of the columns. */
static int name_sources(struct pp_session *session, const struct pp_session_options *options)
{
	const struct pp_store *store = options->spec->store;

	if (!store || !store->nr_columns) {
		if (options->by_source || session->is_repeated)
			session->files.sources = session->samples_dirs;
		return 0;
	}
	session->columns = calloc(session->nr_samples_dirs + 1, sizeof(*session->columns));
	if (!session->columns)
		return -ENOMEM;
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		uint32_t kernel = pp_range_kernel(session->samples_dirs[i]);

		session->columns[i] = kernel && kernel <= store->nr_columns ?
					      store->columns[kernel - 1] : (char *)"?";
	}
	session->files.sources = session->columns;
	session->files.column = store->column;
	return 0;
}

int pp_session_open(struct pp_session **ret, const struct pp_session_options *options,
		    struct pp_log *log)
{
	struct pp_session *session = calloc(1, sizeof(*session));
	struct op_session_paths paths = { 0 };
	char *in_archive = NULL;
	int err;

	if (!session)
		return -ENOMEM;
	session->unpacked.lock_fd = -1;
	session->files.anon_ranges = options->anon_ranges;
	session->spec = options->spec;
	session->exclude_dependent = options->exclude_dependent;
	session->libs_merged = (options->merge & PP_MERGE_LIB) != 0;
	err = pp_find_archive(&session->archive, &in_archive, &session->unpacked, options->spec,
			      options->session_dir, log);
	if (!err)
		err = pp_find_session_dir(&paths, in_archive ? in_archive : options->session_dir,
					  !options->spec->tags[PP_TAG_PROFILE].nr, log);
	if (err)
		goto done;
	session->dir = strdup(paths.dir);
	if (!session->dir) {
		err = -ENOMEM;
		goto done;
	}
	err = pp_profiles_add(session, log);
	if (!err && pp_profiles_need_sessions(session, options->session_dir, paths.samples)) {
		pp_verbose(log, "samples of %s", paths.samples);
		err = read_sessions(session, &paths, options, log);
	}
	if (err)
		goto done;
	err = choose_files(session, &paths, options, log);
	if (!err && options->paths)
		err = pp_trees_find(session, log);
	if (err)
		goto done;
	if (options->one_class && !options->spec->tags[PP_TAG_EVENT].nr)
		drop_crash_counts(&session->files);
	session->is_repeated = options->runs_apart && are_runs(session);
	err = name_sources(session, options);
	if (!err)
		err = classify(session, options, log);
	if (err)
		goto done;
	add_times(session);
	name_classes(session);
	pp_verbose(log, "%zu sample %s, %zu %s", session->files.nr,
		   op_plural(session->files.nr, "file", "files"), session->classes.nr,
		   op_plural(session->classes.nr, "class", "classes"));
	*ret = session;
	session = NULL;
done:
	free(in_archive);
	op_session_paths_release(&paths);
	pp_session_close(session);
	return err;
}
