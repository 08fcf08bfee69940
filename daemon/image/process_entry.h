/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_entry.h -- what is known of one process, a mapping as notices tell it, and the clock of both.
 */
#ifndef OPD_PROCESS_ENTRY_H
#define OPD_PROCESS_ENTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "daemon/image/maps.h"

/* Bytes of names of mapped files, of all processes. */
#define OPD_NAMES_MAX	(16u << 20)

struct opd_process {
	pid_t tgid;
	struct opd_mapped_file *app;	/* the program; NULL: kernel thread, or not known */
	struct opd_maps *maps;
	/* The rest belongs to process*.c. */
	bool gone;			/* nothing is known: it was not there any more */
	bool hidden;			/* nothing is known until it execs: we may not look */
	bool execing;			/* the next file mapped is the program */
	bool doubted;			/* a notice about the process may have been lost */
	bool has_map;			/* its code is named in /tmp/perf-TGID.map */
	bool has_dump;			/* has mapped a file of the name jit-NUMBER.dump, which describes code */
	bool asked_namespaces, has_own_tmp;	/* has_own_tmp: the map may be in another /tmp (made_code.c) */
	unsigned int ask_map;		/* calls left until made_code.c looks for the map again */
	bool dead;			/* all threads have exited; in the list of the dead */
	unsigned int nr_threads;
	uint64_t scanned_at;		/* 0: never; the notices told everything */
	uint64_t died_at;
	uint64_t ask_at;		/* not before may /proc be asked again */
	struct opd_process *next;	/* in its bucket */
	struct opd_process *older, *newer;	/* in the list of the dead */
};

/* A mapping as perf_events names it: "/path", "//anon", "[heap]". */
struct opd_mapping {
	uint64_t start, len, pgoff;
	uint64_t dev, ino, generation;
	const char *name;
};

/* Now, on the clock of the notices. */
static inline uint64_t opd_perf_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
