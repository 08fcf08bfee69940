/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * configuration.h -- what the user asked oprofiled to do, and nothing else.
 *
 * Filled once by opd_config_parse() and opd_events_resolve(), then read-only; everybody
 * takes it as const.
 */
#ifndef OPD_CONFIG_H
#define OPD_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/event/plan.h"
#include "libop/settings.h"

/* In the order of the words of the setting "source". */
enum opd_source_kind {
	OPD_SOURCE_AUTO,	/* the module when it is there, else perf_events */
	OPD_SOURCE_MODULE,
	OPD_SOURCE_PERF,
	OPD_SOURCE_REPLAY,
};

#define OPD_MAX_EVENTS	OP_MAX_EVENTS

/* A record of perf_events has 64 kB, with the copy and all else. */
#define OPD_MIN_STACK	1024
#define OPD_MAX_STACK	64512
#define OPD_MIN_PATHS	(64 << 10)
#define OPD_TREES_OPEN	512	/* at once */

struct opd_path_config {
	unsigned int depth;	/* 0: no call paths are taken */
	bool by_function;	/* frames are functions, not addresses */
	unsigned int stack;	/* bytes that perf_events copies; 0: as many as its buffers can hold */
	uint64_t limit;		/* bytes of a session's paths on disk */
};

struct opd_config {
	struct op_settings set;	/* as the command line has them, or by default */
	/* What is made of some of them. */
	gid_t group;		/* may read samples, ask for status and dump; (gid_t)-1: nobody */
	enum opd_source_kind source;
	struct opd_path_config paths;
	uint64_t cache_size;	/* limit of all tables in the cache, in bytes; 0: the limit stays as it is */
	uint64_t symbols;	/* bytes that kept symbol tables may have; 0: none are kept */
	/*
	 * At least one; opd_sample.event indexes it. Once resolved, name and um are those in names of
	 * sample files (op_choice_um_word()).
	 */
	struct op_event_spec *events;
	size_t nr_events;
	struct op_event_plan plan;	/* for the same events; zeros until resolved */
	char **images;		/* --image: only these programs and libraries; none: all */
	size_t nr_images;
	pid_t *pids;		/* --pid: only these and their future children; perf source only */
	size_t nr_pids;
};

/* Takes one of zeros. */
void opd_config_release(struct opd_config *cfg);

#endif
