/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_entry.h -- the data of one process, a mapping as a record describes it, and the clock of
 * records.
 */
#ifndef OPD_PROCESS_ENTRY_H
#define OPD_PROCESS_ENTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "daemon/image/maps.h"
#include "libop/base/clock.h"

/* Maximum memory in bytes for the paths of mapped files of all processes. */
#define OPD_NAMES_MAX	(16u << 20)

struct opd_process {
	pid_t tgid;
	struct opd_mapped_file *app;	/* the program's file; NULL: kernel thread, or unknown */
	struct opd_maps *maps;
	/* Only process*.c and made_code.c write the members below. */
	/* the entry has no data, because the process was not in /proc any more */
	bool gone;
	/* the daemon may not inspect the process: the entry has no data before the next exec */
	bool hidden;
	/* the last read of /proc failed, although the daemon may inspect the process: the entry has
	 * only the data of later records. The daemon tries again. */
	bool unread;
	/* the process has called exec: the next file that it maps is the program */
	bool execing;
	/* a record of perf_events about the process may have been lost */
	bool doubted;
	/* the process writes names of its functions to /tmp/perf-TGID.map */
	bool has_map;
	/* the process has mapped a file jit-NUMBER.dump, which describes its JIT code */
	bool has_dump;
	/* .has_own_tmp: the process may have another /tmp, to which it writes perf-TGID.map
	 * (made_code.c); valid if .asked_namespaces */
	bool asked_namespaces, has_own_tmp;
	/* number of calls until made_code.c searches for perf-TGID.map again */
	unsigned int ask_map;
	/* all threads have exited, and the entry is in the list of dead processes */
	bool dead;
	unsigned int nr_threads;
	/* time of the last read from /proc; 0: never read, because perf_events records have
	 * described the process from its start */
	uint64_t scanned_at;
	uint64_t died_at;
	/* the process is not read from /proc again before this time */
	uint64_t ask_at;
	struct opd_process *next;	/* next entry in the hash bucket */
	struct opd_process *older, *newer;	/* neighbours in the list of dead processes */
};

/* A mapping, with the name that a record of perf_events contains: "/path", "//anon" or "[heap]". */
struct opd_mapping {
	uint64_t start, len, pgoff;
	uint64_t dev, ino, generation;
	const char *name;
};

/* Return the current time on the clock of perf_events records. */
static inline uint64_t opd_perf_now(void)
{
	return op_clock_ns(CLOCK_MONOTONIC_RAW);
}

#endif
