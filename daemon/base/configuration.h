/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * configuration.h -- the configuration of oprofiled.
 *
 * opd_config_parse() and opd_events_resolve() fill it once. After that it is read-only, and every
 * user takes it as const; only opd_reload() changes the times of intervals.
 */
#ifndef OPD_CONFIG_H
#define OPD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "intervals/plan.h"
#include "libop/event/plan.h"
#include "libop/settings.h"

/* Sources of samples. The order is that of the words of the setting "source". */
enum opd_source_kind {
	OPD_SOURCE_AUTO,	/* use the kernel module if it is loaded, otherwise perf_events */
	OPD_SOURCE_MODULE,
	OPD_SOURCE_PERF,
	OPD_SOURCE_REPLAY,
};

#define OPD_MAX_EVENTS	OP_MAX_EVENTS

/* Smallest and largest size of a copied stack, in bytes. A record of perf_events is limited to 64
 * kB, which must hold the copied stack and all other fields. */
#define OPD_MIN_STACK	1024
#define OPD_MAX_STACK	64512
#define OPD_MIN_PATHS	(64 << 10)
#define OPD_TREES_OPEN	512	/* limit of trees of call paths that are open at the same time */

/* shares of opd_config.memory: the rings of perf_events have a third at most, and so on */
#define OPD_MEMORY_RINGS	3
/* share of the memory limit for records that were moved out of the rings */
#define OPD_MEMORY_HELD		8
/* share of the memory limit for mapped files: tables, sample files, programs */
#define OPD_MEMORY_FILES	8

struct opd_path_config {
	/* maximum number of callers in a call path; 0: do not record call paths */
	unsigned int depth;
	/* a frame of a call path is recorded as the start of its function, not as its address */
	bool by_function;
	/* number of bytes that perf_events copies from a stack; 0: as many as its buffers can
	 * hold */
	unsigned int stack;
	uint64_t limit;		/* limit of the size of a session's call paths on disk, in bytes */
};

struct opd_config {
	struct op_settings set;	/* the settings from the command line; otherwise their defaults */
	/* the command line, which is read again with the file of --config; borrowed */
	int argc;
	char **argv;
	/* value of --config, an absolute path; NULL: all settings come from the command line */
	char *file;
	/* lines about settings in that file that cannot be used, each with a newline; NULL: none */
	char *complaints;
	bool has_file_events;	/* the events are those of that file */
	/* The members below are derived from @set. */
	/* group whose users may read samples, request the status and send "dump"; (gid_t)-1: no
	 * group */
	gid_t group;
	enum opd_source_kind source;
	struct opd_path_config paths;
	/* limit of the size of all symbol tables and unwind tables in the user's cache together, in
	 * bytes; 0: keep the limit that the cache has */
	uint64_t cache_size;
	/* .interval 0: the session has no intervals; .max_bytes is the limit of the session
	 * directory */
	struct itv_plan_config intervals;
	/*
	 * limit of the daemon's memory, including the rings of perf_events, in bytes; 0: no limit.
	 * The parts that can grow with the load have shares of it (OPD_MEMORY_...).
	 */
	uint64_t memory;
	/* limit of the size of the symbol tables that the session keeps, in bytes; 0: keep no
	 * symbol tables */
	uint64_t symbols;
	/*
	 * The configured events, at least one; opd_sample.event is an index into this array.
	 * opd_events_resolve() replaces .name and .um of each event by the name and the number
	 * (op_choice_um_word()) that the names of sample files contain.
	 */
	struct op_event_spec *events;
	size_t nr_events;
	/* codes and counters of .events; zeros until opd_events_resolve() */
	struct op_event_plan plan;
	/* value of --image: the programs and libraries to profile; empty: all */
	char **images;
	size_t nr_images;
	/* value of --pid: the processes to profile, with all children that they start later; only
	 * with perf_events */
	pid_t *pids;
	size_t nr_pids;
};

/* Release the memory of a configuration, which may be all zeros. */
void opd_config_release(struct opd_config *cfg);

#endif
