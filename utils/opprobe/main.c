// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main of opprobe: profiles a command from inside by a preloaded library.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"
#include "libop/base/plural.h"
#include "libop/base/process.h"
#include "libop/raw/live_to_csp.h"
#include "libop/raw/words.h"
#include "utils/opprobe/driver.h"
#include "utils/opprobe/dumps.h"
#include "utils/opprobe/event.h"
#include "utils/opprobe/options.h"
#include "utils/opprobe/program.h"
#include "utils/opprobe/recover.h"
#include "utils/opprobe/report.h"
#include "utils/opprobe/signals.h"
#include "utils/opprobe/verbose.h"
#include "utils/opprobe/warnings.h"
#include "utils/shared/run_command.h"

/*
 * Store the new value of $LD_PRELOAD in *@ret: the present value, then the probe's library, then
 * the libraries that the events need. The caller frees *@ret. Return 0, or a negative errno with a
 * message in @error.
 */
static int make_preload(const struct probe_options *o, char **ret, struct op_reason *error)
{
	const char *before = getenv("LD_PRELOAD");
	char *list = strdup(before ? before : "");
	int err = list ? 0 : op_fail(error, -ENOMEM, "out of memory");

	for (uint32_t i = 0; !err && i <= o->probe.nr_events + 1; i++) {
		const char *name = !i			   ? o->library :
				   i <= o->probe.nr_events ? o->probe.events[i - 1].kind->library :
				   o->probe.marks	   ? "libopprobe_marker.so" :
							     NULL;
		char *library = NULL, *longer = NULL;

		err = name ? probe_library_find(&library, name, error) : 0;
		if (library && asprintf(&longer, "%s%s%s", list, *list ? ":" : "", library) < 0)
			err = op_fail(error, -ENOMEM, "out of memory");
		else if (library) {
			free(list);
			list = longer;
		}
		free(library);
	}
	if (err)
		free(list);
	else
		*ret = list;
	return err;
}

/* Return the value of $OPPROBE for the command (the caller frees it), or NULL if out of memory.
 * @dir: directory for the files. */
static char *make_words(const struct probe_options *o, const char *dir)
{
	struct raw_probe_words probe = o->probe;
	char *words = NULL;
	size_t size;
	FILE *f = open_memstream(&words, &size);

	if (!f)
		return NULL;
	for (uint32_t i = 0; i < probe.nr_events; i++) {
		char word[PROBE_EVENT_WORD];

		probe_event_word(word, sizeof(word), &probe.events[i]);
		fputs(word, f);
	}
	probe_driver_choose(&probe);
	fprintf(f, "driver=%s,follow=%s,", raw_probe_drivers[probe.driver], raw_probe_follow[probe.follow]);
	if (probe.refused)
		fprintf(f, "refused=%u,", probe.refused);
	if (probe.memory)
		fprintf(f, "memory=%llu,", (unsigned long long)probe.memory);
	for (uint32_t i = 0; i < probe.nr_unsafe; i++)
		fprintf(f, "unsafe=%s,", probe.unsafe[i]);
	if (*probe.unsafe_met)
		fprintf(f, "unsafe-met=%s,", probe.unsafe_met);
	if (probe.marks)
		fprintf(f, "marker=on,returns=%s,", raw_probe_returns[probe.returns]);
	fprintf(f, "%s%s%soutput=%s", probe.by_thread ? "separate=thread," : "", probe.by_function ? "leaf=function," : "",
		probe.is_01_01 ? "csp-version=01.01," : "", dir);
	if (!fclose(f))
		return words;
	free(words);
	return NULL;
}

/*
 * Add an option to $ASAN_OPTIONS with which programs built with AddressSanitizer accept a preloaded
 * library. The user's options follow and so override it.
 */
static int allow_sanitizer(void)
{
	const char *before = getenv("ASAN_OPTIONS");
	char *options;
	int err;

	if (asprintf(&options, "verify_asan_link_order=0%s%s", before && *before ? ":" : "", before ? before : "") < 0)
		return -ENOMEM;
	err = setenv("ASAN_OPTIONS", options, 1) ? -errno : 0;
	free(options);
	return err;
}

static int set_environment(const struct probe_options *o, const char *preload)
{
	char *words = NULL, *dir = realpath(o->dir, NULL);
	int err = dir ? -ENOMEM : -errno;

	if (dir && o->words && asprintf(&words, "%so%s", o->words, dir) < 0)
		words = NULL;
	if (dir && !o->words)
		words = make_words(o, dir);
	if (words && !setenv("LD_PRELOAD", preload, 1) && !setenv(o->words ? "PCT" : "OPPROBE", words, 1))
		err = allow_sanitizer();
	if (!err && (o->debug & PROBE_VERBOSE_WORDS))
		op_clean_printf(stderr, "opprobe: %s=%s LD_PRELOAD=%s\n", o->words ? "PCT" : "OPPROBE", words, preload);
	free(words);
	free(dir);
	return err;
}

/* For --pc: print the name of the sample file of the command, process @pid. */
static void report_addresses(const struct probe_options *o, pid_t pid)
{
	const char *base = strrchr(o->command[0], '/');
	bool is_log = *o->words == 'l' || *o->words == 'c';
	struct stat st;
	char *path;

	base = base ? base + 1 : o->command[0];
	if ((is_log ? asprintf(&path, "%s/%s.%d.pcs", o->dir, base, (int)pid) : asprintf(&path, "%s/%s.pct", o->dir, base)) < 0)
		return;
	if (stat(path, &st))
		op_clean_printf(stderr, "opprobe: cannot find the file %s: the command %suses "
					"another program name; see the files in %s\n", path,
				is_log ? "" : "was killed, left by _exit() or ", o->dir);
	else
		op_clean_printf(stderr, "opprobe: %s are in %s: pct-print --by=func %s\n", is_log ? "addresses" : "counts", path,
				path);
	free(path);
}

/* Return whether all samples and calls were lost because the disk was full. If so, print a
 * message. */
static bool report_full_disk(const char *dir, const struct raw_live_sums *sums)
{
	unsigned long long lost =
		sums->samples.lost[RAW_LIVE_NO_ROOM] + sums->calls.lost[RAW_LIVE_NO_ROOM];

	if (!lost || sums->samples.recorded || sums->calls.recorded)
		return false;
	op_clean_printf(stderr, "opprobe: cannot keep call paths in %s: the disk was full, and %llu samples and calls are lost; free some space there, "
			"or run opprobe --output=DIR\n", dir, lost);
	return true;
}

/* Print why the .csp.live file @path could not be converted to a .csp file. Convert it again to get
 * the cause. */
static void report_left(const char *dir, const char *path)
{
	struct op_reason error = { "" };
	struct raw_live_sums sums = { 0 };
	int err;

	if (!probe_recover_add_up(path, &sums) && report_full_disk(dir, &sums))
		return;
	err = probe_recover(path, &sums, &error);
	if (!err)
		op_clean_printf(stderr, "opprobe: call paths are in %.*s\n", (int)(strlen(path) - strlen(".live")), path);
	else
		op_clean_printf(stderr, "opprobe: call paths are in %s; cannot convert it to a "
					".csp: %s; opreport reads this file, too; to convert it "
					"later, run opprobe --recover=%s\n", path, op_reason_text(&error, err), path);
}

/*
 * Convert the .csp.live files of processes that were killed, and print the name of the file with
 * the call paths of the command (process @pid).
 */
static void report_paths(const struct probe_options *o, pid_t pid, const struct probe_files *before)
{
	struct op_reason error = { "" };
	struct raw_live_sums sums;
	int made = probe_recover_dir(o->dir, &sums, &error);
	size_t others;
	char *path;

	if (made < 0)
		op_clean_printf(stderr, "opprobe: %s\n", error.text);
	else if (o->verbose & PROBE_VERBOSE_RECOVERED)
		op_clean_printf(stderr, "opprobe: %d %s killed or ended without exit(); opprobe made the files\n",
				made, op_plural(made, "process was", "processes were"));
	path = probe_recover_find(o->dir, pid);
	others = probe_files_new(o->dir, before);
	if (path && o->probe.by_thread)
		op_clean_printf(stderr, "opprobe: call paths are in %s, a file for each thread\n", o->dir);
	else if (path && probe_recover_is_left(path))
		report_left(o->dir, path);
	else if (report_full_disk(o->dir, &sums))
		;
	else if (path && others > 1)
		op_clean_printf(stderr, "opprobe: call paths are in %s; other new files there: %zu\n", path, others - 1);
	else if (path)
		op_clean_printf(stderr, "opprobe: call paths are in %s\n", path);
	else
		op_clean_printf(stderr, "opprobe: the command itself has no file in %s\n", o->dir);
	free(path);
}

static int recover(const struct probe_options *o, struct op_reason *error)
{
	struct raw_live_sums sums;

	if (probe_recover(o->recover, &sums, error))
		return CTL_EXIT_FAILED;
	op_clean_printf(stderr, "opprobe: recovered %llu of %llu samples, in %u trees%s\n",
			(unsigned long long)sums.samples.recorded,
			(unsigned long long)sums.samples.taken, sums.trees,
			sums.broken ? "; other trees were broken" : "");
	if (sums.surplus > RAW_LIVE_IN_FLIGHT)
		op_clean_printf(stderr, "opprobe: %s holds %llu samples more than were taken: the file was damaged\n", o->recover,
				(unsigned long long)sums.surplus);
	return EXIT_SUCCESS;
}

/* Wait until the command has ended, and print the names of its files. Return the exit status of the
 * command. */
static int follow(const struct probe_options *o, struct run_command *command,
		  const struct probe_files *before, struct op_reason *error)
{
	const pid_t pid = command->pid;
	int ended, err = run_command_wait(command, &ended);

	if (err) {
		op_fail(error, err, "cannot wait for %s: %s", o->command[0], strerror(-err));
		return CTL_EXIT_FAILED;
	}
	if (o->debug & PROBE_VERBOSE_END)
		fprintf(stderr, "opprobe: process %d ended with 0x%x\n", (int)pid, ended);
	if (o->words)
		report_addresses(o, pid);
	else
		report_paths(o, pid, before);
	return run_command_exit_status("opprobe", o->command[0], ended, 0);
}

/* Run opreport on the new files. Ignore a failure, because opprobe exits with the status of the
 * command. */
static void report(const struct probe_options *o, const struct probe_files *before)
{
	struct op_reason error = { "" };

	if (probe_report(o->dir, before, &error))
		op_clean_printf(stderr, "opprobe: %s\n", error.text);
}

/* Copy the dumps of JIT code (dumps.h), because the programs that wrote them may remove them. */
static void copy_dumps(const struct probe_options *o, const struct probe_files *before,
		       time_t start)
{
	struct op_reason error = { "" };

	if (probe_dumps_copy(o->dir, "/tmp", before, start, &error))
		op_clean_printf(stderr, "opprobe: %s\n", error.text);
}

/* Create the directory for the files. Return 0, or a negative errno with a message in @error if the
 * directory cannot be used. After an error, the command must not run. */
static int make_dir(const char *path, struct op_reason *error)
{
	int err = mkdir(path, 0700) && errno != EEXIST ? -errno : 0,
	    fd = err ? -1 : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (!err && (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS)))
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err ? op_fail(error, err, "cannot make files in %s: %s; name another directory with --output=DIR", path, strerror(-err)) : 0;
}

/* Finish after the command has ended: copy dumps and print reports. @begun and @start: time at
 * which the command was started, by time() and by op_now_ns(). */
static void conclude(const struct probe_options *o, const struct probe_files *before, time_t begun,
		     uint64_t start)
{
	copy_dumps(o, before, begun);
	if (o->verbose & PROBE_VERBOSE_FILES)
		probe_print_files(o->dir, before);
	if (o->verbose & PROBE_VERBOSE_TIME)
		probe_print_time(start);
	if (o->report)
		report(o, before);
}

static int run(struct probe_options *o, struct op_reason *error)
{
	struct run_command command = { 0 };
	struct probe_files before = { NULL, 0 };
	struct probe_warnings warnings = { .fd = -1 };
	bool has_run = false;
	struct probe_signals signals;
	char *path = NULL, *preload = NULL;
	int err = run_command_find(&path, o->command[0], error), status = CTL_EXIT_FAILED, met = -1;
	uint64_t start = op_now_ns();
	const time_t begun = time(NULL);

	if (err) {
		status = run_command_error_status(err);
		goto done;
	}
	if (probe_program_check(path, !o->words, error) || probe_driver_check(&o->probe, error) ||
	    make_preload(o, &preload, error))
		goto done;
	if (make_dir(o->dir, error))
		goto done;
	met = probe_unsafe_open(&o->probe, o->dir, error);
	if (met < 0 && o->probe.nr_unsafe)
		goto done;
	if (o->words && !strcmp(o->library, "libitimer.so"))
		probe_driver_report_pc(o->rate ? o->rate : RAW_PCT_RATE);
	probe_warnings_open(&warnings, o->dir);
	err = set_environment(o, preload);
	if (err) {
		op_fail(error, err, "%s: %s", o->dir, strerror(errno));
		goto done;
	}
	if (probe_files_list(&before, o->dir, error) &&
	    (o->report || (o->verbose & PROBE_VERBOSE_FILES)))
		goto done;
	*error = (struct op_reason){ "" };
	if (probe_signals_open(&signals, &command, o->debug & PROBE_VERBOSE_SIGNALS, error))
		goto done;
	if (run_command_fork(&command, o->command, o->caller, error))
		goto close;
	err = run_command_exec(&command, o->command[0], error);
	if (err) {
		status = run_command_error_status(err);
		goto close;
	}
	status = follow(o, &command, &before, error);
	has_run = !*error->text;
close:
	run_command_release(&command);
	probe_signals_close(&signals);
	if (has_run)
		conclude(o, &before, begun, start);
done:
	probe_warnings_close(&warnings);
	probe_unsafe_close(met, &o->probe, o->dir, has_run);
	probe_files_release(&before);
	free(preload);
	free(path);
	return status;
}

int main(int argc, char **argv)
{
	struct op_caller caller;
	struct probe_options options = { .caller = &caller };
	struct op_reason error = { "" };
	int status = CTL_EXIT_FAILED;
	enum ctl_parse parsed;

	op_process_prepare(&caller, OP_PROCESS_WORKS);
	parsed = probe_options_parse(&options, argc, argv, stdout, &error);
	if (parsed == CTL_RUN)
		status = options.recover ? recover(&options, &error) : run(&options, &error);
	probe_options_release(&options);
	return ctl_command_line_exit("opprobe", parsed, status, &error);
}
