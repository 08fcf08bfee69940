// SPDX-License-Identifier: GPL-2.0-or-later
/* why_empty.c -- finds the reason for an empty report. */
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
#include "libop/session/writer.h"

#define MAX_VALUES 5	/* maximum in a list of sessions */

/* Return the pid of the daemon that adds samples to @samples_dir, or 0. A daemon writes only to the
 * current session. */
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
	/* The pid may have been reused. */
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

/* Return whether the session is operf's, which has samples of one command only. */
static bool is_operfs(const struct op_session_paths *paths, const struct pp_session *session)
{
	for (size_t i = 0; session && i < session->nr_samples_dirs; i++)
		if (*session->about[i].command)
			return true;
	return !strcmp(paths->dir, OP_LOCAL_SESSION_DIR) ||
	       (geteuid() && strcmp(paths->dir, OP_DEFAULT_SESSION_DIR));
}

/* Print "rofile ... with" and the commands that record samples in this place. */
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

/* Print "; there are: a, b" with the names of sessions, and a suggestion for @wrong. Return the
 * number of sessions. */
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

/* Return whether @dir is a directory for --session-dir. */
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

/* Print the reason why a name on the command line is not a probe's file. It is then taken for a
 * binary in the session, and the failure to find that binary is printed next. */
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
			"no samples yet in %s: the daemon is running (pid %d) and has written "
			"none.\n"
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

static void print_strange_files(FILE *f, const struct pp_files *files)
{
	if (!files->nr_strange)
		return;
	op_clean_printf(f, "\n  %zu %s there %s not have the name of a sample file, for example %s",
			files->nr_strange, op_plural(files->nr_strange, "file", "files"),
			op_plural(files->nr_strange, "does", "do"), files->a_strange);
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
				"written none.\n  Run opcontrol", dir, pid);
		print_session_option(f, paths);
		fputs(" --dump to write its samples; if there are still none, opcontrol", f);
		print_session_option(f, paths);
		fputs(" --status prints whether profiling was started", f);
	} else if (session->has_stats && is_operfs(paths, session)) {
		op_clean_printf(f,
				"no samples in %s. Did the program run only a moment, was "
				"it asleep, or is the event's count too high for such a short run?",
				dir);
	} else if (session->has_stats) {
		op_clean_printf(f, "no samples in %s. Was profiling started (opcontrol", dir);
		print_session_option(f, paths);
		fputs(" --start), was the machine idle, or is the event's count too high for such "
		      "a short run?", f);
	} else {
		op_clean_printf(f, "no samples in %s: it is empty. P", dir);
		print_how(f, paths);
	}
	print_strange_files(f, &session->files);
	return op_fail_lines(error, -ENODATA, f, &text);
}
