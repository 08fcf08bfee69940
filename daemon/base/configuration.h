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

/* The order is that of the words of the setting "source". */
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
#define OPD_TREES_OPEN	512	/* trees open at the same time */

struct opd_path_config {
	unsigned int depth;	/* 0: do not record call paths */
	bool by_function;	/* frames are functions, not addresses */
	/* bytes that perf_events copies; 0: as many as its buffers can hold */
	unsigned int stack;
	uint64_t limit;		/* bytes of a session's paths on disk */
};

struct opd_config {
	struct op_settings set;	/* as given on the command line, or the defaults */
	/* The members below are derived from @set. */
	/* group that may read samples, ask for status and dump; (gid_t)-1: no group */
	gid_t group;
	enum opd_source_kind source;
	struct opd_path_config paths;
	/* limit of all tables in the cache, in bytes; 0: keep the present limit */
	uint64_t cache_size;
	uint64_t symbols;	/* limit of the kept symbol tables, in bytes; 0: keep no tables */
	/*
	 * At least one event; opd_sample.event is an index into this array. After
	 * opd_events_resolve(), name and um are those in the names of sample files
	 * (op_choice_um_word()).
	 */
	struct op_event_spec *events;
	size_t nr_events;
	struct op_event_plan plan;	/* for the same events; zeros until resolved */
	char **images;		/* --image: profile only these programs and libraries; none: all */
	size_t nr_images;
	/* --pid: profile only these processes and their future children; only with perf_events */
	pid_t *pids;
	size_t nr_pids;
};

/* Release a configuration. It may be all zeros. */
void opd_config_release(struct opd_config *cfg);

#endif
