// SPDX-License-Identifier: GPL-2.0-or-later
/* why_empty.c -- finds the reason for an empty report, and a remedy. */
#include "config.h"
#include "pp/session/why_empty.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/nearest.h"
#include "libop/base/plural.h"
#include "libop/session/cgroup.h"
#include "libop/session/writer.h"
#include "pp/session/open.h"
#include "pp/source/memory.h"

#define MAX_VALUES 5	/* maximum number of sessions or values that a message lists */

/* Return the pid of the daemon that adds samples to @samples_dir. Return 0 if @samples_dir does
 * not belong to the current session, the only session to which a daemon writes, or if no daemon
 * runs. */
static int daemon_pid(const struct op_session_paths *paths, const char *samples_dir)
{
	char comm_path[64], comm[32] = "";
	FILE *f = strcmp(samples_dir, paths->current) ? NULL : fopen(paths->lock, "re");
	int pid = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%d", &pid) != 1 || pid <= 0)
		pid = 0;
	fclose(f);
	if (!pid || !op_pid_lives(pid))
		return 0;
	/* The daemon may have exited, and another process may have its pid. So check the name of
	 * the process. */
	snprintf(comm_path, sizeof(comm_path), "/proc/%d/comm", pid);
	f = fopen(comm_path, "re");
	if (!f)
		return 0;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = '\0';
	fclose(f);
	return strncmp(comm, "oprofiled", 9) ? 0 : pid;
}

static void print_session_option(FILE *f, const struct op_session_paths *paths)
{
	char option[OP_SESSION_OPTION_SIZE];

	fputs(op_session_option(option, paths->dir), f);
}

/* Return whether operf made the session. If no session exists (@session is NULL), return whether
 * operf is the usual program to make a session in this directory. */
static bool is_operfs(const struct op_session_paths *paths, const struct pp_session *session)
{
	for (size_t i = 0; session && i < session->nr_samples_dirs; i++)
		if (*session->about[i].command)
			return true;
	return !strcmp(paths->dir, OP_LOCAL_SESSION_DIR) ||
	       (geteuid() && strcmp(paths->dir, OP_DEFAULT_SESSION_DIR));
}

/* Print which commands record samples in the session directory: "rofile a program with ...". The
 * caller prints the first letter, 'P' or 'p'. */
static void print_how(FILE *f, const struct op_session_paths *paths)
{
	fputs("rofile a program with operf", f);
	if (strcmp(paths->dir, OP_LOCAL_SESSION_DIR))
		print_session_option(f, paths);
	fputs(" COMMAND", f);
	if (is_operfs(paths, NULL))
		return;
	fputs(geteuid() ? ", or as root the whole machine with opcontrol"
			: ", or the whole machine with "
			  "opcontrol",
	      f);
	print_session_option(f, paths);
	fputs(" --start", f);
}

static int is_session(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && entry->d_type != DT_REG;
}

/* Print a list of existing sessions, "; there are: a, b", and suggest a name similar to @wrong,
 * which does not exist. Return the number of sessions. */
static int print_sessions(FILE *f, const struct op_session_paths *paths, const char *wrong)
{
	struct op_nearest nearest = { .nr = 0 };
	struct dirent **entries = NULL;
	char meant[600];
	int nr = scandir(paths->samples, &entries, is_session, alphasort);

	for (int i = 0; i < nr; i++) {
		if (i < MAX_VALUES)
			op_clean_printf(f, "%s%s", i ? ", " : "; there are: ", entries[i]->d_name);
		op_nearest_add(&nearest, wrong, entries[i]->d_name);
	}
	if (nr > MAX_VALUES)
		op_clean_printf(f, " and %d more", nr - MAX_VALUES);
	op_clean_printf(f, "%s", op_nearest_text_of(&nearest, "session:", meant, sizeof(meant)));
	for (int i = 0; i < nr; i++)
		free(entries[i]);
	free(entries);
	return nr > 0 ? nr : 0;
}

/* Return whether @dir contains a samples directory, so that it can be the argument of
 * --session-dir. */
static bool is_session_dir(const char *dir)
{
	struct op_session_paths paths;
	struct stat st;
	bool ret;

	if (op_session_paths_init(&paths, dir))
		return false;
	ret = !stat(paths.samples, &st) && S_ISDIR(st.st_mode);
	op_session_paths_release(&paths);
	return ret;
}

/* If the specification names a binary, print why the name was not used as the path of a profile. In
 * this case the session was searched for the name; the caller prints the result of that search. */
static void print_no_file(FILE *f, const struct pp_spec *spec)
{
	const char *name;

	if (!spec->tags[PP_TAG_BINARY].nr)
		return;
	name = spec->tags[PP_TAG_BINARY].items[0];
	if (is_session_dir(name))
		op_clean_printf(f, "%s: a session directory (read it with --session-dir=%s)", name,
				name);
	else if (access(name, F_OK))
		op_clean_printf(f, "%s: no such file", name);
	else
		op_clean_printf(f, "%s: not a file that a probe wrote (.csp, .csp.live, .pct)",
				name);
	fputs("; a program of that name cannot be looked up either:\n  ", f);
}

int pp_report_no_session(const struct op_session_paths *paths, const char *name,
		       const char *samples_dir, const struct pp_spec *spec, struct op_reason *error)
{
	char *text = NULL;
	struct stat st;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	print_no_file(f, spec);
	if (stat(paths->dir, &st) == 0 && !S_ISDIR(st.st_mode)) {
		op_clean_printf(
			f, "%s is a file, not a session directory: --session-dir=DIR names one",
			paths->dir);
	} else if (access(paths->dir, F_OK)) {
		op_clean_printf(f,
			"no session directory %s: no samples were recorded there.\n"
			"  P",
			paths->dir);
		print_how(f, paths);
		fputs(", or name the directory of the samples with --session-dir=DIR", f);
	} else if (daemon_pid(paths, samples_dir)) {
		op_clean_printf(f,
			"no samples yet in %s: the daemon is running (pid %d) and has not "
			"written samples.\n"
			"  Run opcontrol",
			samples_dir, daemon_pid(paths, samples_dir));
		print_session_option(f, paths);
		fputs(" --dump to write its samples", f);
	} else if (access(paths->samples, F_OK)) {
		op_clean_printf(f,
			"%s has no samples: none were recorded there yet, or it is not a session "
			"directory.\n"
			"  P",
			paths->dir);
		print_how(f, paths);
		fputs(", or name the directory of the samples with --session-dir=DIR", f);
	} else {
		op_clean_printf(f, "no session '%s' (%s)", name, samples_dir);
		fputs(print_sessions(f, paths, name) ?
			      ".\n  Choose one with session:NAME, or p" :
			      ".\n  P",
		      f);
		print_how(f, paths);
	}
	return op_fail_lines(error, -ENOENT, f, &text);
}

int pp_report_no_access(const struct op_session_paths *paths, const char *samples_dir,
		       struct op_reason *error)
{
	const struct group *group = NULL;
	const struct passwd *user;
	char owner[64];
	struct stat st;

	if (stat(paths->samples, &st) < 0)
		return op_fail(
			error, -EACCES,
			"cannot read %s: you have no permission to enter a directory of this path",
			samples_dir);
	user = getpwuid(st.st_uid);
	snprintf(owner, sizeof(owner), "%s", user ? user->pw_name : "its owner");
	if (st.st_mode & S_IXGRP && st.st_gid)
		group = getgrgid(st.st_gid);
	user = getpwuid(geteuid());
	if (group)
		return op_fail(
			error, -EACCES,
			"cannot read %s: samples reveal data of all programs, so only %s and the "
			"group %s may read them.\n  Run this as %s, or ask root for usermod -aG %s "
			"%s and log in again",
			samples_dir, owner, group->gr_name, owner, group->gr_name,
			user ? user->pw_name : "USER");
	return op_fail(
		error, -EACCES,
		"cannot read %s: samples reveal data of all programs, so only %s may read them.\n  "
		"Run this as %s, or have %s choose a group that you are in: opcontrol "
		"--group=NAME, before "
		"--start",
		samples_dir, owner, owner, owner);
}

static void print_losses(FILE *f, const struct op_session_stats *stats)
{
	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (!v->value || (v->desc && v->desc->kind != OP_STAT_LOSS))
			continue;
		op_clean_printf(f, "\n  %" PRIu64 " %s", v->value,
				v->desc ? v->desc->what : v->name);
		if (v->desc && v->desc->advice)
			op_clean_printf(f, ": %s", v->desc->advice);
	}
}

static void print_unknown_files(FILE *f, const struct pp_files *files)
{
	if (!files->nr_unknown)
		return;
	op_clean_printf(f, "\n  %zu %s there %s not have the name of a sample file, for example %s",
			files->nr_unknown, op_plural(files->nr_unknown, "file", "files"),
			op_plural(files->nr_unknown, "does", "do"), files->unknown_path);
}

int pp_report_no_files(const struct op_session_paths *paths, const struct pp_session *session,
		      struct op_reason *error)
{
	uint64_t taken = op_session_stats_sum(&session->stats, OP_STAT_TAKEN);
	uint64_t lost = op_session_stats_sum(&session->stats, OP_STAT_LOSS);
	const char *dir = session->samples_dirs[0];
	int pid = daemon_pid(paths, dir);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	if (session->has_arcs) {
		op_clean_printf(f, "%s has only call-graph files: add --callgraph", dir);
	} else if (session->has_stats && lost) {
		op_clean_printf(f, "no samples in %s: ", dir);
		if (lost < taken)
			op_clean_printf(f, "of %" PRIu64 " that were taken %" PRIu64 " were lost:",
					taken, lost);
		else
			op_clean_printf(f, "all %" PRIu64 " that were taken were lost:", taken);
		print_losses(f, &session->stats);
		if (pid)
			op_clean_printf(f, "\n  The daemon is running (pid %d) and goes on", pid);
	} else if (pid) {
		op_clean_printf(f,
				"no samples yet in %s: the daemon is running (pid %d) and has "
				"not written samples.\n  Run opcontrol", dir, pid);
		print_session_option(f, paths);
		fputs(" --dump to write its samples; if this does not help, opcontrol", f);
		print_session_option(f, paths);
		fputs(" --status prints whether profiling was started", f);
	} else if (session->has_stats && is_operfs(paths, session)) {
		op_clean_printf(f,
				"no samples in %s. Did the program run only a moment, was "
				"it asleep, did the event not happen, or is its count too high "
				"for such a short run?",
				dir);
	} else if (session->has_stats) {
		op_clean_printf(f, "no samples in %s. Was profiling started (opcontrol", dir);
		print_session_option(f, paths);
		fputs(" --start), was the machine idle, did the event not happen, or is its count "
		      "too high for such a short run?", f);
	} else {
		op_clean_printf(f, "no samples in %s: it is empty. P", dir);
		print_how(f, paths);
	}
	print_unknown_files(f, &session->files);
	return op_fail_lines(error, -ENODATA, f, &text);
}

/* Error messages about tags and values of a specification that match no sample file. */

#define MAX_VALUES 5	/* maximum number of sessions or values that a message lists */

/* Return the name that is compared with the values of @tag; the file owns the name. Return NULL if
 * the values of @tag are numbers. PP_TAG_BINARY compares two names: @which is 0 for the program and
 * 1 for the image. */
static const char *name_of(const struct pp_sample_file *file, enum pp_tag tag, int which)
{
	switch (tag) {
	case PP_TAG_EVENT:
		return file->name.event;
	case PP_TAG_IMAGE:
		return file->app;
	case PP_TAG_BINARY:
		return which ? file->image : file->app;
	case PP_TAG_LIB_IMAGE:
		return file->image;
	default:
		return NULL;
	}
}

/* Return a value of @tag that matches the file, as the user would write it, malloc'd. @which: as
 * for name_of(). */
static char *value_of(const struct pp_sample_file *file, enum pp_tag tag, int which)
{
	const struct op_sample_name *name = &file->name;
	char *text = NULL;
	int64_t n;

	if (name_of(file, tag, which))
		return strdup(name_of(file, tag, which));
	switch (tag) {
	case PP_TAG_UNIT:
		return name->app.unit ? op_cgroup_name(name->app.unit, false) : NULL;
	case PP_TAG_CONTAINER:
		return name->app.unit ? op_cgroup_container(name->app.unit, false) : NULL;
	case PP_TAG_POD:
		return name->app.unit ? op_cgroup_pod(name->app.unit) : NULL;
	case PP_TAG_COUNT:
		n = name->count;
		break;
	case PP_TAG_UNITMASK:
		n = name->um;
		break;
	case PP_TAG_TGID:
		n = name->tgid;
		break;
	case PP_TAG_TID:
		n = name->tid;
		break;
	case PP_TAG_CPU:
		n = name->cpu;
		break;
	default:
		return NULL;
	}
	if (n == OP_ALL)
		return strdup("all");
	return asprintf(&text, "%" PRId64, n) < 0 ? NULL : text;
}

/* Print a suggestion like " (did you mean image:nginx?)" for the value @wrong. Compare only the
 * last components of paths, unless @wrong is a path. */
static void print_suggestion(FILE *f, const struct pp_files *files, enum pp_tag tag,
			     const char *wrong)
{
	struct op_nearest nearest = { .nr = 0 };
	const char *last = "", *name;
	char prefix[32], meant[600];

	for (size_t i = 0; i < 2 * files->nr && (name = name_of(&files->items[i / 2], tag, i % 2));
	     i++) {
		const char *slash = strchr(wrong, '/') ? NULL : strrchr(name, '/');

		/* Files of the same program are adjacent, so skip a name that equals the previous
		 * name. */
		if (strcmp(name, last))
			op_nearest_add(&nearest, wrong, slash ? slash + 1 : name);
		last = name;
	}
	snprintf(prefix, sizeof(prefix), "%s:", pp_tag_name(tag));
	op_clean_printf(f, "%s", op_nearest_text_of(&nearest, prefix, meant, sizeof(meant)));
}

static bool has_units(const struct pp_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		if (files->items[i].name.app.unit)
			return true;
	return false;
}

/* Print "; there are: ..." with the values of a tag for which no file matches. */
static void print_available(FILE *f, const struct pp_files *files, enum pp_tag tag)
{
	size_t nr = 0, i, j, nr_values = tag == PP_TAG_BINARY ? 2 * files->nr : files->nr;
	char *seen[MAX_VALUES];
	bool more = false;

	/* List the names of all programs before the names of images. */
	for (i = 0; i < nr_values && !more; i++) {
		char *value = value_of(&files->items[i % files->nr], tag, i >= files->nr);

		/* an empty value: the file has no container or pod */
		if (!value || !*value) {
			free(value);
			continue;
		}
		for (j = 0; j < nr && strcmp(seen[j], value); j++)
			;
		if (j < nr) {
			free(value);
		} else if (nr == MAX_VALUES) {
			more = true;
			free(value);
		} else {
			op_clean_printf(f, "%s%s", nr ? ", " : "; there are: ", value);
			seen[nr++] = value;
		}
	}
	if (!nr)
		fputs(tag >= PP_TAG_UNIT && !has_units(files) ?
			      " (the session was not separated by unit: opcontrol --separate=unit)" :
			      "; there are none", f);
	if (more)
		fputs(" and more", f);
	if (nr == 1 && !strcmp(seen[0], "all"))
		op_clean_printf(f, " (the session was not separated by %s: opcontrol --separate)",
			pp_tag_name(tag));
	for (j = 0; j < nr; j++)
		free(seen[j]);
}

/* Suggest a specification instead of @wrong: a word without a tag selects a binary, but the user
 * may have meant a saved session, which needs the tag "session:". */
static void print_session_suggestion(FILE *f, const struct pp_session *session, const char *wrong)
{
	const char *dir = session->samples_dirs[0], *end = strrchr(dir, '/');
	struct stat st;
	char *path;

	if (asprintf(&path, "%s/samples/current", wrong) < 0)
		return;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		op_clean_printf(f, " (a session directory? session-dir:%s reads its samples)", wrong);
		free(path);
		return;
	}
	free(path);
	if (strchr(wrong, '/')) {
		if (!strpbrk(wrong, "*?[") && access(wrong, F_OK))
			fputs(" (no such file)", f);
		return;
	}
	if (!end || *wrong == '.' || asprintf(&path, "%.*s/%s", (int)(end - dir), dir, wrong) < 0)
		return;
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		op_clean_printf(f, " (there is a session of that name: session:%s)", wrong);
	free(path);
}

static size_t nr_matching(const struct pp_files *files, const struct pp_spec *spec, enum pp_tag tag)
{
	size_t nr = 0;

	for (size_t i = 0; i < files->nr; i++)
		nr += pp_spec_tag_matches(spec, tag, &files->items[i].name,
					  files->items[i].relative);
	return nr;
}

/* Return whether the sample file matches all tags of @spec except the tag "event:". */
static bool passes_but_event(const struct pp_sample_file *file, const struct pp_spec *spec)
{
	for (int tag = 0; tag < PP_NR_TAGS; tag++)
		if (tag != PP_TAG_EVENT &&
		    !pp_spec_tag_matches(spec, tag, &file->name, file->relative))
			return false;
	return true;
}

static bool counts_heap(const struct pp_source *source)
{
	for (size_t c = 0; c < source->nr_classes; c++)
		if (!strcmp(source->classes[c].event, PP_SOURCE_NOT_FREED))
			return true;
	return false;
}

/* Return whether the user asked for leaks: @spec selects memory that was not freed, and a probe
 * recorded heap use of a selected program. */
static bool asks_for_leaks(const struct pp_session *session, const struct pp_spec *spec)
{
	const struct pp_values *events = &spec->tags[PP_TAG_EVENT];

	if (!events->nr || strcmp(events->items[0], PP_SOURCE_NOT_FREED))
		return false;
	for (size_t i = 0; i < session->files.nr; i++)
		if (counts_heap(session->sources[session->files.items[i].session]) &&
		    passes_but_event(&session->files.items[i], spec))
			return true;
	return false;
}

/* Return the sum of the counts of @event in all files that match the other tags of @spec. */
static uint64_t sum_of_event(const struct pp_session *session, const struct pp_spec *spec,
			     const char *event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < session->files.nr; i++) {
		const struct pp_sample_file *file = &session->files.items[i];
		const struct pp_source *source = session->sources[file->session];

		if (source->memory && !strcmp(file->name.event, event) &&
		    passes_but_event(file, spec))
			sum += pp_memory_count(source, file->part.class, file->part.binary);
	}
	return sum;
}

/* Store the answer that there are no leaks in @error, and return PP_SESSION_NO_LEAKS, which is not
 * a failure. */
static int report_no_leaks(const struct pp_session *session, const struct pp_spec *spec,
			 struct op_reason *error)
{
	uint64_t allocated = sum_of_event(session, spec, "allocations"),
		 freed = sum_of_event(session, spec, "frees");
	uint64_t lost = op_session_stats_sum(&session->stats, OP_STAT_LOSS), calls = 0;
	bool is_sampled;
	char losses[64] = "";

	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		calls += session->sources[i]->of_calls.recorded;
	/* If the probe sampled the allocations, it recorded fewer calls than allocated blocks. */
	is_sampled = calls && calls < allocated;
	if (lost)
		snprintf(losses, sizeof(losses), "; %" PRIu64 " samples or calls were lost", lost);
	if (!allocated)
		return op_fail(error, PP_SESSION_NO_LEAKS, "no leaks: no block was allocated%s",
			       losses);
	if (freed < allocated)
		return op_fail(error, PP_SESSION_NO_LEAKS,
			       "no leaks: of %" PRIu64 " blocks, %" PRIu64
			       " were not freed, and these have a size of 0%s",
			       allocated, allocated - freed, losses);
	return op_fail(error, PP_SESSION_NO_LEAKS,
		       is_sampled ? "no leaks were sampled: all of about %" PRIu64
				    " blocks were freed%s"
				  : "no leaks: all %" PRIu64 " blocks were freed%s",
		       allocated, losses);
}

int pp_report_no_match(const struct pp_session *session, const struct pp_spec *spec,
			struct op_reason *error)
{
	const struct pp_files *files = &session->files;
	bool is_profile = session->sources[0]->memory;
	int tag, alone = 0;
	char *text = NULL;
	size_t size;
	FILE *f;

	if (asks_for_leaks(session, spec))
		return report_no_leaks(session, spec, error);
	f = open_memstream(&text, &size);
	if (!f)
		return -ENOMEM;
	if (session->range)
		fputs("nothing of this time matches the profile specification:", f);
	else if (is_profile)
		op_clean_printf(f, "nothing in %s matches the profile specification:",
				session->samples_dirs[0]);
	else
		op_clean_printf(
			f, "none of the %zu sample %s in %s matches the profile specification:",
			files->nr + files->nr_arcs,
			op_plural(files->nr + files->nr_arcs, "file", "files"),
			session->samples_dirs[0]);
	for (tag = 0; tag < PP_NR_TAGS; tag++) {
		if (!spec->tags[tag].nr || nr_matching(files, spec, tag))
			continue;
		alone = 1;
		op_clean_printf(f, "\n  %s matches %s:%s",
				is_profile || session->range ? "nothing" : "no file",
				pp_tag_name(tag), spec->tags[tag].items[0]);
		if (tag == PP_TAG_EVENT &&
		    !strncmp(spec->tags[tag].items[0], "bytes ", strlen("bytes ")))
			fputs(", which opprobe -e malloc counts", f);
		print_suggestion(f, files, tag, spec->tags[tag].items[0]);
		if (tag == PP_TAG_BINARY)
			print_session_suggestion(f, session, spec->tags[tag].items[0]);
		print_available(f, files, tag);
	}
	if (!alone) {
		for (tag = 0; tag < PP_NR_TAGS; tag++) {
			if (!spec->tags[tag].nr || tag == PP_TAG_ARCHIVE || tag == PP_TAG_SESSION ||
			    tag == PP_TAG_SESSION_EXCLUDE)
				continue;
			op_clean_printf(f, "\n  %zu pass %s:%s", nr_matching(files, spec, tag),
				pp_tag_name(tag), spec->tags[tag].items[0]);
		}
		fputs("\n  but no file matches all of them", f);
	}
	return op_fail_lines(error, -ENODATA, f, &text);
}
