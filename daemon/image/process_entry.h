/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_entry.h -- data of one process, a mapping as notices describe it, and the clock of
 * notices.
 */
#ifndef OPD_PROCESS_ENTRY_H
#define OPD_PROCESS_ENTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "daemon/image/maps.h"
#include "libop/base/clock.h"

/* Limit of the memory for the names of mapped files of all processes, in bytes. */
#define OPD_NAMES_MAX	(16u << 20)

struct opd_process {
	pid_t tgid;
	struct opd_mapped_file *app;	/* file of the program; NULL: a kernel thread, or unknown */
	struct opd_maps *maps;
	/* Only process*.c and made_code.c write the members after this line. */
	/* the process has no data, because it was not in /proc any more */
	bool gone;
	/* the process has no data until it executes a program, because the daemon may not inspect
	 * it */
	bool hidden;
	/* the process executed a program; the file that is mapped next is this program */
	bool execing;
	bool doubted;			/* a notice about the process may have been lost */
	/* the process writes the names of its functions to /tmp/perf-TGID.map */
	bool has_map;
	/* the process has mapped a file with a name like jit-NUMBER.dump, which describes its
	 * code */
	bool has_dump;
	/* .has_own_tmp: the process may see another /tmp, in which it writes perf-TGID.map
	 * (made_code.c); .asked_namespaces: .has_own_tmp is known */
	bool asked_namespaces, has_own_tmp;
	/* number of calls after which made_code.c looks for perf-TGID.map again */
	unsigned int ask_map;
	/* all threads have exited, and the process is in the list of dead processes */
	bool dead;
	unsigned int nr_threads;
	/* time of the last read of the process from /proc; 0: never read, because notices described
	 * the whole process */
	uint64_t scanned_at;
	uint64_t died_at;
	/* earliest time of the next read of the process from /proc */
	uint64_t ask_at;
	struct opd_process *next;	/* next process in the same bucket of the hash table */
	struct opd_process *older, *newer;	/* neighbours in the list of dead processes */
};

/* A mapping with its name as perf_events reports it: "/path", "//anon" or "[heap]". */
struct opd_mapping {
	uint64_t start, len, pgoff;
	uint64_t dev, ino, generation;
	const char *name;
};

/* Return the present time on the clock of the notices. */
static inline uint64_t opd_perf_now(void)
{
	return op_clock_ns(CLOCK_MONOTONIC_RAW);
}

#endif
