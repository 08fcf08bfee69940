/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_entry.h -- data of one process, a mapping as in notices, and the clock of notices.
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
	bool gone;			/* no data: the process was not in /proc any more */
	bool hidden;			/* no data until it execs: no permission to inspect it */
	bool execing;			/* the next mapped file is the program */
	bool doubted;			/* a notice about the process may have been lost */
	/* the process writes names of its code to /tmp/perf-TGID.map */
	bool has_map;
	/* the process has mapped a file of the name jit-NUMBER.dump, which describes code */
	bool has_dump;
	/* .asked_namespaces: .has_own_tmp is known; .has_own_tmp: perf-TGID.map may be in another
	 * /tmp (made_code.c) */
	bool asked_namespaces, has_own_tmp;
	/* number of calls until made_code.c looks for perf-TGID.map again */
	unsigned int ask_map;
	/* all threads have exited, and the process is in the list of dead processes */
	bool dead;
	unsigned int nr_threads;
	/* time of the last read from /proc; 0: never, because the notices were complete */
	uint64_t scanned_at;
	uint64_t died_at;
	uint64_t ask_at;		/* earliest time of the next read of /proc */
	struct opd_process *next;	/* next process in its hash bucket */
	struct opd_process *older, *newer;	/* neighbours in the list of dead processes */
};

/* A mapping with its name in perf_events: "/path", "//anon", "[heap]". */
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
