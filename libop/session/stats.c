// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stats.c -- the accounting of a session's interrupts: the table of counters, and reading and
 * writing of the file with their values.
 */
#include "config.h"
#include "libop/session/stats.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "libop/session/paths.h"
#include "module/uapi/unwind.h"

#define WRITER		"writer "
/* start of the file's first line; a hash of all other lines follows on this line */
#define CHECK		"check "
#define CHECK_DIGITS	16
#define MAX_FILE	(1u << 20)
/* maximum length of a counter's name, which may include an event's name */
#define MAX_NAME	200
#define MAX_VALUES	1000
#define READ_TIMES	10

#define STAT(k, n, w, a) { .name = n, .kind = OP_STAT_##k, .what = w, .advice = a }

const struct op_stat_desc op_stat_descs[] = {
	/* Counters of the kernel module. */
	STAT(TAKEN, "sample_received", "interrupts taken", NULL),
	STAT(LOSS, "sample_lost_overflow", "CPU buffer full",
	     "use a larger --cpu-buffer-size or sample less often"),
	STAT(LOSS, "sample_lost_pending", "too many tasks waiting to have their address resolved",
	     "sample less often"),
	STAT(LOSS, "sample_unresolved", "task has not run in user mode since the sample",
	     "no action needed: these samples are waiting, and are resolved soon after --stop"),
	STAT(LOSS, "sample_lost_task_exit", "task was exiting", NULL),
	STAT(LOSS, "sample_invalid_eip", "invalid address", NULL),
	STAT(LOSS, "sample_lost_no_mm", "user address of a task without memory map", NULL),
	STAT(LOSS, "sample_lost_no_mapping", "user address without a mapping", NULL),
	STAT(LOSS, "sample_lost_map_busy", "another thread was changing the memory map", NULL),
	STAT(LOSS, "sample_lost_user_quota",
	     "too many tasks of one user waiting to have their address resolved", NULL),
	STAT(LOSS, "sample_lost_no_cookie", "more mapped files than the module can store",
	     "run opcontrol --shutdown and opcontrol --start from time to time"),
	STAT(LOSS, "sample_lost_impossible", "file offset of the code is impossible", NULL),
	STAT(LOSS, "sample_lost_offcpu_late", "thread left its CPU before the sample of its wait", NULL),
	STAT(LOSS, "sample_lost_offcpu_cpu", "wait ended on a CPU that is not sampled (--cpus)", NULL),
	STAT(LOSS, "event_lost_overflow", "event buffer full: the daemon did not keep up",
	     "use a larger --buffer-size or sample less often"),
	STAT(INFO, "governor_throttled", "times the rate was halved because sampling took too long",
	     "sample less often, or raise governor_percent"),
	STAT(INFO, "governor_looked_ns", "nanoseconds measured before the rate was halved", NULL),
	STAT(INFO, "governor_took_ns", "nanoseconds spent sampling before the rate was halved", NULL),
	STAT(INFO, "governor_slow_ns", "nanoseconds at less than the requested rate", NULL),
	STAT(INFO, "period_missed", "timer periods that passed with interrupts off", NULL),
	STAT(INFO, "overflow_missed",
	     "counter overflows that came too late, while sampling stopped", NULL),
	STAT(INFO, "offcpu_ns", "nanoseconds that threads waited off their CPUs", NULL),
	STAT(INFO, "offcpu_not_asked", "periods of waits for reasons that no event samples", NULL),
	STAT(INFO, "offcpu_rest_ns", "nanoseconds of waits without a sample, less than a period for each thread", NULL),
	STAT(INFO, "offcpu_ahead_ns", "nanoseconds of samples before the end of their period, less than a period for each thread", NULL),
	STAT(INFO, "offcpu_unfinished_ns", "nanoseconds without a sample of waits that had not ended at the stop", NULL),
	STAT(INFO, "offcpu_lost_waits", "waits not sampled, because their accounts had no room or their records were lost",
	     "raise /dev/oprofile/offcpu/threads for the module, --max-memory for perf_events"),
	STAT(INFO, "idle_ns", "nanoseconds idle, not sampled", NULL),
	STAT(INFO, "sampling_ns", "nanoseconds spent sampling", NULL),
	STAT(INFO, "user_resolved", "user addresses looked up", NULL),

	/* Counters of the perf_events source. */
	STAT(TAKEN, "perf_taken", "samples that perf_events took", NULL),
	/* this advice differs from the advice of the kernel module's counter, because operf has no
	 * option --cpu-buffer-size */
	STAT(LOSS, "perf_lost_ring", "ring buffer full: the daemon did not keep up",
	     "sample less often, or with opcontrol use a larger --cpu-buffer-size"),
	STAT(LOSS, "perf_lost_pmu", "lost by the PMU driver", NULL),
	STAT(LOSS, "perf_lost_throttled",
	     "too many events between two ticks of the kernel's clock",
	     "use a larger count, or a --filter"),
	STAT(LOSS, "perf_lost_mode", "neither kernel nor user code of this machine", NULL),
	STAT(LOSS, "perf_lost_process",
	     "user address of a process that ended before its mappings were read", NULL),
	STAT(LOSS, "perf_lost_hidden",
	     "user address of a process whose mappings the daemon may not read",
	     "run oprofiled with CAP_SYS_PTRACE, outside of a container"),
	STAT(LOSS, "perf_lost_unread",
	     "user address of a process whose mappings could not be read in time",
	     "lower the load of the machine, or sample less often"),
	STAT(LOSS, "perf_lost_mapping", "user address without a mapping", NULL),
	STAT(LOSS, "perf_lost_event", "event that was not configured", NULL),
	STAT(INFO, "perf_throttled", "times the kernel paused sampling because it took too long",
	     "sample less often"),
	STAT(INFO, "perf_lost_notices",
	     "lost notices of new programs and mappings; the daemon read /proc instead", NULL),
	STAT(INFO, "perf_lost_switches",
	     "lost records of context switches, whose waits are not sampled", "sample fewer processes, or use the kernel module"),
	STAT(INFO, "stacks_kept",
	     "call paths continued beyond their copy of the stack, in stack memory that was read "
	     "for an earlier path",
	     NULL),
	STAT(INFO, "stacks_read",
	     "call paths continued beyond their copy of the stack, in stack memory that was read "
	     "for them",
	     NULL),
	STAT(INFO, "stacks_shortened",
	     "call paths end early, because memory was short for samples that waited",
	     "allow the daemon more memory (--max-memory)"),
	STAT(INFO, "perf_bad_records", "times the ring buffer was damaged and skipped", NULL),

	/* Counters in files of opprobe or pct; the daemon does not write them. */
	STAT(TAKEN, "probe_taken", "samples that a probe took of its program", NULL),
	STAT(STORED, "probe_recorded", "samples that a probe has recorded", NULL),
	STAT(LOSS, "probe_lost_unsafe", "in the probe's own code, or in code excluded by --unsafe",
	     NULL),
	STAT(LOSS, "probe_lost_exception", "while a C++ exception was passed to its handler", NULL),
	STAT(LOSS, "probe_lost_epoch", "while libraries were loaded or unloaded, or in an unknown library",
	     NULL),
	STAT(LOSS, "probe_lost_memory", "out of memory, or disk full", NULL),
	STAT(LOSS, "probe_lost_no_state",
	     "in a thread before it was registered, or after it was removed", NULL),
	STAT(LOSS, "probe_lost_no_room", "the disk was full when the thread began",
	     "free some disk space, or name another directory with opprobe --output"),
	STAT(LOSS, "probe_lost_outside", "address outside of known code", NULL),
	STAT(LOSS, "probe_lost_saturated", "the counter was full",
	     "use wider counters: w4 or w8 in $PCT"),
	STAT(LOSS, "probe_lost_cut_off",
	     "being counted when the program was killed, or in a missing part of the file", NULL),
	STAT(INFO, "probe_calls_lost", "calls that the probe failed to count", NULL),
	STAT(INFO, "probe_calls_lost_no_room",
	     "calls of threads that began when the disk was full, and were not recorded",
	     "free some disk space, or name another directory with opprobe --output"),
	STAT(LOSS, "probe_lost_other", "for a reason that this version does not know", NULL),

	/* Counters of the daemon. */
	STAT(TAKEN, "replay_samples", "samples read from a recorded stream", NULL),
	STAT(STORED, "stored", "counts added to sample files", NULL),
	STAT(LOSS, "lost_disk_full", "disk full: a sample file could not be created or grow",
	     "free some disk space, or choose another --session-dir"),
	STAT(LOSS, "lost_sample_file", "sample file could not be opened or written",
	     "see oprofiled.log for the file and the reason"),
	STAT(LOSS, "lost_too_many_files", "more sample files than one session may hold",
	     "separate less (--separate), or --reset more often"),
	STAT(LOSS, "lost_image_table", "more different programs than the daemon can store",
	     "restart the daemon"),
	STAT(LOSS, "lost_no_domain", "neither kernel nor user code according to the stream", NULL),
	STAT(LOSS, "lost_no_file", "file of the address not known any more", NULL),
	STAT(LOSS, "lost_no_app", "anonymous memory of an unknown program", NULL),
	STAT(LOSS, "lost_event", "event that was not configured", NULL),
	STAT(LOSS, "lost_torn_record", "truncated or damaged record in the stream", NULL),
	STAT(CONVERTED, "ibs_records", "IBS records, converted to the configured events", NULL),
	STAT(CONVERTED, "wakers", "samples of the tasks and interrupts that ended waits", NULL),
	STAT(INFO, "ibs_fetch_records", "IBS records of fetches", NULL),
	STAT(INFO, "ibs_fetch_without", "IBS records of fetches that match no event in use", NULL),
	STAT(INFO, "ibs_op_records", "IBS records of operations", NULL),
	STAT(INFO, "ibs_op_without", "IBS records of operations that match no event in use", NULL),
	STAT(TAKEN, "ibs_derived", "counts of events derived from IBS records", NULL),
	STAT(TAKEN, "recovered_samples", "samples found in the files after the daemon was killed",
	     NULL),
	STAT(TAKEN, "archived_samples", "samples stored while the archive, or the report of a time, was made", NULL),
	STAT(LOSS, "excluded_archive", "excluded from the archive by the user", NULL),
	/* Counters that occur only in profiles of OProfile 1.4's operf. */
	STAT(LOSS, "lost_kernel", "kernel address outside of the kernel and its modules", NULL),
	STAT(LOSS, "lost_no_app_kernel", "kernel code of an unknown program", NULL),
	STAT(LOSS, "lost_hypervisor", "address outside of the hypervisor", NULL),
	STAT(LOSS, "lost_crash", "stored, but lost from the disk in a crash or power cut", NULL),
	STAT(LOSS, "lost_file_damaged", "stored, in a file that was truncated or became unreadable",
	     "only oprofile may change the files of a session"),
	STAT(LOSS, "excluded_image", "excluded by --image", NULL),
	STAT(LOSS, "excluded_domain", "kernel or user code that the event excludes", NULL),
	STAT(INFO, "daemon_killed",
	     "times the daemon was killed: samples still in the kernel (perf_events: up to one "
	     "second, "
	     "module: up to four) are lost and not counted here",
	     NULL),
	STAT(INFO, "totals_damaged",
	     "times the totals were damaged: samples that were lost before are not counted here",
	     NULL),
	STAT(INFO, "totals_unknown",
	     "times the accounting of an interval in a database was not usable: its samples are not "
	     "counted here",
	     NULL),
	STAT(INFO, "over_budget",
	     "samples of new programs beyond their user's budget, reported as (more programs)",
	     "see oprofiled(8), --max-new-files"),
	STAT(INFO, "jit_left_out",
	     "files that name JIT code (perf-PID.map, jit-PID.dump) and were not copied: too large, "
	     "or beyond their user's budget",
	     "see oprofiled(8), jit/"),
	STAT(INFO, "pending", "taken, but not yet stored when these totals were written", NULL),
	STAT(INFO, "stream_unknown_code", "stream records of an unknown kind", NULL),
	STAT(INFO, "stream_bad_record", "invalid stream records", NULL),
	STAT(INFO, "files_set_aside", "files renamed because they are damaged or not sample files",
	     NULL),
	STAT(INFO, "files_of_versions",
	     "sample files renamed because a newer build of their binary was profiled", NULL),
	STAT(INFO, "files_repaired", "sample files repaired when opened", NULL),
	/* Counters of the call paths of stored samples. */
	STAT(PATHS, "paths", "stored samples that are counted in trees of call paths", NULL),
	STAT(INFO, "paths_lost",
	     "stored samples that are in no tree of call paths: disk full, or file not usable",
	     "see oprofiled.log for the reason"),
	STAT(INFO, "paths_foldings",
	     "times a tree of call paths reached its limit and was folded to half",
	     "a larger --callgraph-limit keeps more"),
	STAT(PATHS, "paths_whole", "samples whose call path is whole", NULL),
#define X(end, name, words) \
	STAT(PATHS, "paths_" name, "samples whose call path ends early: " words, \
	     OPROFILE_UW_##end == OPROFILE_UW_DEPTH ? "a larger --callgraph goes deeper" : \
	     OPROFILE_UW_##end == OPROFILE_UW_COPY || OPROFILE_UW_##end == OPROFILE_UW_OUTER ? \
	     "a larger --callgraph-stack copies more of the stack" : NULL),
	OPROFILE_UW_SHORT(X)
#undef X
};

const size_t op_nr_stat_descs = sizeof(op_stat_descs) / sizeof(op_stat_descs[0]);

static const struct op_stat_desc *find_desc(const char *name)
{
	for (size_t i = 0; i < op_nr_stat_descs; i++) {
		if (!strcmp(op_stat_descs[i].name, name))
			return &op_stat_descs[i];
	}
	return NULL;
}

static struct op_stat_value *find_value(const struct op_session_stats *s, const char *name)
{
	for (size_t i = 0; i < s->nr; i++) {
		if (!strcmp(s->values[i].name, name))
			return &s->values[i];
	}
	return NULL;
}

/* Return whether @name is one word of printable characters. In the file a blank follows the name,
 * and reports print the name on terminals. */
static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++) {
		if (!isgraph((unsigned char)*c))
			return false;
	}
	return c > name && c - name < MAX_NAME;
}

/* Find the counter with the name of @of, a counter of any session. A counter of the table has its
 * entry, so only names outside of the table are compared. */
static struct op_stat_value *find_same(const struct op_session_stats *s,
				       const struct op_stat_value *of)
{
	for (size_t i = 0; i < s->nr; i++) {
		struct op_stat_value *v = &s->values[i];

		if (v->desc == of->desc && (v->desc || !strcmp(v->name, of->name)))
			return v;
	}
	return NULL;
}

static void add_value(struct op_stat_value *to, uint64_t value)
{
	to->value = value < UINT64_MAX - to->value ? to->value + value : UINT64_MAX;
}

/* Append a counter, which @s does not have. */
static int append(struct op_session_stats *s, const char *name, const struct op_stat_desc *desc,
		  uint64_t value)
{
	char *copy;

	if (op_grow(&s->values, s->nr))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	s->values[s->nr++] = (struct op_stat_value){ .name = copy, .desc = desc, .value = value };
	return 0;
}

int op_session_stats_add(struct op_session_stats *s, const char *name, uint64_t value)
{
	struct op_stat_value *v;

	if (!is_name(name))
		return -EINVAL;
	v = find_value(s, name);
	if (!v)
		return append(s, name, find_desc(name), value);
	add_value(v, value);
	return 0;
}

int op_session_stats_add_same(struct op_session_stats *s, const struct op_stat_value *of,
			      uint64_t value)
{
	struct op_stat_value *v = find_same(s, of);

	if (!v)
		return append(s, of->name, of->desc, value);
	add_value(v, value);
	return 0;
}

int op_session_stats_add_all(struct op_session_stats *s, const struct op_session_stats *from)
{
	int err = 0;

	for (size_t i = 0; i < from->nr && !err; i++)
		err = op_session_stats_add_same(s, &from->values[i], from->values[i].value);
	return err;
}

uint64_t op_session_stats_same(const struct op_session_stats *s, const struct op_stat_value *of)
{
	const struct op_stat_value *v = find_same(s, of);

	return v ? v->value : 0;
}

uint64_t op_session_stats_get(const struct op_session_stats *s, const char *name)
{
	const struct op_stat_value *v = find_value(s, name);

	return v ? v->value : 0;
}

int op_event_time_name(char *name, size_t size, enum op_event_time which, const char *event,
		       uint64_t count, uint32_t um)
{
	int len =
		snprintf(name, size, "%s:%s.%" PRIu64 ".%" PRIu32,
			 which == OP_EVENT_ENABLED ? "enabled_ns" : "running_ns", event, count, um);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

int op_session_stats_event_time(const struct op_session_stats *s, const char *event, uint64_t count,
				uint32_t um, uint64_t *enabled, uint64_t *running)
{
	char name[2][OP_EVENT_TIME_NAME];
	const struct op_stat_value *v[2];

	for (int i = 0; i < 2; i++) {
		if (op_event_time_name(name[i], sizeof(name[i]), i ? OP_EVENT_RUNNING :
				       OP_EVENT_ENABLED, event, count, um))
			return -ENOENT;
		v[i] = find_value(s, name[i]);
		if (!v[i])
			return -ENOENT;
	}
	*enabled = v[0]->value;
	*running = v[1]->value;
	return 0;
}

uint64_t op_session_stats_sum(const struct op_session_stats *s, enum op_stat_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->nr; i++) {
		const uint64_t value = s->values[i].value;

		if (s->values[i].desc && s->values[i].desc->kind == kind)
			sum = value < UINT64_MAX - sum ? sum + value : UINT64_MAX;
	}
	return sum;
}

static uint64_t hash_of(const char *text, size_t len)
{
	return op_hash_bytes(OP_HASH_BEGIN, text, len);
}

static void put_check(char *text, size_t len)
{
	const size_t line = strlen(CHECK) + CHECK_DIGITS + 1;
	char digits[CHECK_DIGITS + 1];

	snprintf(digits, sizeof(digits), "%0*" PRIx64, CHECK_DIGITS,
		 hash_of(text + line, len - line));
	memcpy(text + strlen(CHECK), digits, CHECK_DIGITS);
}

/* Return whether the hash in the file matches the contents. Accept files of earlier versions,
 * which have no hash. */
static bool is_whole(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);
	uint64_t check;
	char rest;

	if (!len || memchr(text, '\0', len))
		return false;
	if (strncmp(text, CHECK, strlen(CHECK)))
		return true;
	return end && sscanf(text + strlen(CHECK), "%" SCNx64 "%c", &check, &rest) == 2 &&
	       rest == '\n' && check == hash_of(end + 1, len - (end + 1 - text));
}

int op_session_stats_write(const struct op_session_stats *s, int samples_dirfd)
{
	char *text = NULL, writer[OP_SESSION_WRITER_TEXT];
	size_t len;
	FILE *f;
	int err = 0;

	f = open_memstream(&text, &len);
	if (!f)
		return -ENOMEM;
	fprintf(f, CHECK "%0*d\n", CHECK_DIGITS, 0);
	if (s->writer.pid)
		fprintf(f, WRITER "%s\n", op_session_writer_print(writer, &s->writer));
	for (size_t i = 0; i < s->nr; i++)
		fprintf(f, "%s %" PRIu64 "\n", s->values[i].name, s->values[i].value);
	if (fclose(f))
		err = -ENOMEM;
	else
		put_check(text, len);
	if (!err)
		err = op_replace_file_in_place(samples_dirfd, OP_STATS_FILE, text, len, 0644);
	if (err == -ENOENT) {
		err = op_make_parents(samples_dirfd, OP_STATS_FILE, 0755);
		if (!err)
			err = op_replace_file_in_place(samples_dirfd, OP_STATS_FILE, text, len,
						       0644);
	}
	free(text);
	return err;
}

/* Parse a line "name value", and replace the blank by a NUL. Return false for any other line. */
static bool parse_line(char *line, uint64_t *value)
{
	char *blank = strchr(line, ' '), *end;

	if (!blank || !isdigit((unsigned char)blank[1]))
		return false;
	*blank = '\0';
	errno = 0;
	*value = strtoull(blank + 1, &end, 10);
	return !errno && !*end && is_name(line);
}

int op_session_stats_parse(struct op_session_stats *s, char *text)
{
	struct op_session_stats new = { 0 };
	char *line, *next;
	uint64_t value;
	int err = 0;

	for (line = text; line && !err; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		/* Add up the values of lines with the same name. MAX_VALUES limits the number of
		 * different names, because the search for a name is linear. */
		if (!strncmp(line, CHECK, strlen(CHECK)))
			continue;
		if (!strncmp(line, WRITER, strlen(WRITER)))
			op_session_writer_parse(&new.writer, line + strlen(WRITER));
		else if (new.nr < MAX_VALUES && parse_line(line, &value))
			err = op_session_stats_add(&new, line, value);
	}
	if (err) {
		op_session_stats_release(&new);
		return err;
	}
	*s = new;
	return 0;
}

/* Read the file until two successive reads return the same text, because a daemon may be writing to
 * the file. */
static int read_twice(int samples_dirfd, char **ret, size_t *ret_len)
{
	char *text = NULL, *again;
	size_t len = 0, len_again = 0;
	int err;

	for (int i = 0; i < READ_TIMES; i++) {
		err = op_read_file(samples_dirfd, OP_STATS_FILE, MAX_FILE, &again, &len_again);
		if (err)
			break;
		if (text && len == len_again && !memcmp(text, again, len)) {
			free(again);
			break;
		}
		free(text);
		text = again;
		len = len_again;
	}
	if (err)
		free(text);
	else
		*ret = text;
	*ret_len = len;
	return err;
}

static int read_whole(int samples_dirfd, char **ret)
{
	size_t len = 0;
	int err;

	for (int i = 0; i < READ_TIMES; i++) {
		err = read_twice(samples_dirfd, ret, &len);
		if (err)
			return err;
		if (is_whole(*ret, len))
			return 0;
		free(*ret);
	}
	return OP_ERR_DAMAGED;
}

int op_session_stats_read(struct op_session_stats *s, int samples_dirfd)
{
	char *text;
	int err;

	err = read_whole(samples_dirfd, &text);
	if (err)
		return err;
	err = op_session_stats_parse(s, text);
	free(text);
	return err;
}

void op_session_stats_release(struct op_session_stats *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->values[i].name);
	free(s->values);
	memset(s, 0, sizeof(*s));
}
