/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_entry.h -- the data of one process, a mapping as in notices, and the clock of notices.
 */
#ifndef OPD_PROCESS_ENTRY_H
#define OPD_PROCESS_ENTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "daemon/image/maps.h"
#include "libop/base/clock.h"

/* Limit of the memory for names of mapped files, of all processes, in bytes. */
#define OPD_NAMES_MAX	(16u << 20)

struct opd_process {
	pid_t tgid;
	struct opd_mapped_file *app;	/* the program; NULL: kernel thread, or not known */
	struct opd_maps *maps;
	/* The members below belong to process*.c. */
	bool gone;			/* no data: the process was not in /proc any more */
	bool hidden;			/* no data until it execs: no permission to inspect it */
	bool execing;			/* the next mapped file is the program */
	bool doubted;			/* a notice about the process may have been lost */
	bool has_map;			/* it writes names of its code to /tmp/perf-TGID.map */
	/* has mapped a file of the name jit-NUMBER.dump, which describes code */
	bool has_dump;
	/* has_own_tmp: the map may be in another /tmp (made_code.c) */
	bool asked_namespaces, has_own_tmp;
	unsigned int ask_map;		/* calls left until made_code.c looks for the map again */
	/* all threads have exited; it is in the list of dead processes */
	bool dead;
	unsigned int nr_threads;
	uint64_t scanned_at;		/* 0: never; the notices were complete */
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
