/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * configuration.h -- the configuration of oprofiled.
 *
 * opd_config_parse() and opd_events_resolve() fill it once. After that it is read-only, and every
 * user takes it as const.
 */
#ifndef OPD_CONFIG_H
#define OPD_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/event/plan.h"
#include "libop/settings.h"

/* Sources of samples, in the order of the words of the setting "source". */
enum opd_source_kind {
	OPD_SOURCE_AUTO,	/* the module if it is loaded, else perf_events */
	OPD_SOURCE_MODULE,
	OPD_SOURCE_PERF,
	OPD_SOURCE_REPLAY,
};

#define OPD_MAX_EVENTS	OP_MAX_EVENTS

/* A record of perf_events is limited to 64 kB, with the copy of the stack and all other fields. */
#define OPD_MIN_STACK	1024
#define OPD_MAX_STACK	64512
#define OPD_MIN_PATHS	(64 << 10)
#define OPD_TREES_OPEN	512	/* limit of trees of call paths that are open at the same time */

struct opd_path_config {
	unsigned int depth;	/* 0: do not record call paths */
	bool by_function;	/* a frame is the start of a function, not an address */
	/* number of bytes of a stack that perf_events copies; 0: as many as its buffers can hold */
	unsigned int stack;
	uint64_t limit;		/* limit of the size of a session's call paths on disk, in bytes */
};

struct opd_config {
	struct op_settings set;	/* the settings of the command line, or their defaults */
	/* The members below are derived from @set. */
	/* group that may read samples, ask for status and dump; (gid_t)-1: no group */
	gid_t group;
	enum opd_source_kind source;
	struct opd_path_config paths;
	/* limit of all tables in the cache, in bytes; 0: keep the present limit */
	uint64_t cache_size;
	uint64_t symbols;	/* limit of the kept symbol tables, in bytes; 0: keep no tables */
	/*
	 * The configured events, at least one; opd_sample.event is an index into this array. After
	 * opd_events_resolve(), .name and .um of each event are those in the names of sample files
	 * (op_choice_um_word()).
	 */
	struct op_event_spec *events;
	size_t nr_events;
	/* codes and counters of .events; zeros until opd_events_resolve() */
	struct op_event_plan plan;
	char **images;		/* --image: profile only these programs and libraries; none: all */
	size_t nr_images;
	/* --pid: profile only these processes and their future children; only with perf_events */
	pid_t *pids;
	size_t nr_pids;
};

/* Release the memory of a configuration, which may be all zeros. */
void opd_config_release(struct opd_config *cfg);

#endif
