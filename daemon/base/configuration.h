/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * configuration.h -- the configuration of oprofiled.
 *
 * opd_config_parse() and opd_events_resolve() fill in the configuration once. Afterwards other code
 * does not modify the configuration. Only two functions change it later: opd_limits_apply() raises
 * the limits of intervals, and opd_reload() changes the length of intervals and the age at which
 * they are deleted.
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

/* Sources of samples, in the order in which the setting "source" lists its values. */
enum opd_source_kind {
	OPD_SOURCE_AUTO,	/* use the kernel module if it is loaded, otherwise perf_events */
	OPD_SOURCE_MODULE,
	OPD_SOURCE_PERF,
	OPD_SOURCE_REPLAY,
};

#define OPD_MAX_EVENTS	OP_MAX_EVENTS

/* Smallest and largest number of bytes of a thread's stack that perf_events copies with a sample. A
 * perf_events record is at most 64 kB long, including the copied stack and all other fields. */
#define OPD_MIN_STACK	1024
#define OPD_MAX_STACK	64512
#define OPD_MIN_PATHS	(64 << 10)
/* maximum number of trees of call paths (files) that are open at a time */
#define OPD_TREES_OPEN	512

/* the rings of perf_events may use 1/OPD_MEMORY_RINGS of the daemon's memory limit */
#define OPD_MEMORY_RINGS	3
/* 1/OPD_MEMORY_HELD of the memory limit is for records that were copied from the rings */
#define OPD_MEMORY_HELD		8
/* 1/OPD_MEMORY_FILES of the memory limit is for mapped files: tables, sample files, programs */
#define OPD_MEMORY_FILES	8

struct opd_path_config {
	/* maximum number of callers that a sample's call path contains; 0: do not record call
	 * paths */
	unsigned int depth;
	/* record the start address of the function instead of the address in the function */
	bool by_function;
	/* number of bytes of a thread's stack that perf_events copies with a sample; 0: the largest
	 * number that fits into a record */
	unsigned int stack;
	uint64_t limit;		/* maximum size of all call paths of a session on disk, in bytes */
};

struct opd_config {
	/* settings from the command line and the configuration file, or their defaults */
	struct op_settings set;
	/* arguments of the daemon's command line; a reload parses them again together with the file
	 * of --config; borrowed */
	int argc;
	char **argv;
	/* absolute path of the file of --config; NULL: no configuration file */
	char *file;
	/* messages about invalid settings in the file of --config, each with a newline; NULL: no
	 * messages */
	char *complaints;
	bool has_file_events;	/* the configuration file sets the events */
	/* The members below are derived from .set. */
	/* group whose users may read samples, request the status and send "dump"; (gid_t)-1: no
	 * group */
	gid_t group;
	enum opd_source_kind source;
	struct opd_path_config paths;
	/* maximum total size of the symbol and unwind tables in the user's cache, in bytes; 0:
	 * keep the cache's existing limit */
	uint64_t cache_size;
	/* limits of the stored intervals; .interval 0: do not divide the session into intervals;
	 * .max_bytes: maximum size of the session directory */
	struct itv_plan_config intervals;
	/* Maximum memory of the daemon in bytes, including the rings of perf_events; 0: no limit.
	 * The constants OPD_MEMORY_... divide this memory among rings, records and files. */
	uint64_t memory;
	/* maximum size of the symbol tables that the session keeps, in bytes; 0: keep no tables */
	uint64_t symbols;
	/*
	 * The configured events, at least one; opd_sample.event is an index into this array.
	 * opd_events_resolve() replaces .name and .um (unit mask) of each event by the values that
	 * the names of sample files contain; see op_choice_um_word().
	 */
	struct op_event_spec *events;
	size_t nr_events;
	/* hardware codes of .events, and the counter assigned to each event; zero before
	 * opd_events_resolve() */
	struct op_event_plan plan;
	/* value of --image: profile only these programs and libraries; empty: profile all */
	char **images;
	size_t nr_images;
	/* value of --pid: profile only these processes and their future children; only with
	 * perf_events */
	pid_t *pids;
	size_t nr_pids;
};

/* Add a line to @cfg->complaints: the name of the file of --config, then the formatted text. Return
 * 0 or -ENOMEM. */
__attribute__((format(printf, 2, 3)))
int opd_config_complain(struct opd_config *cfg, const char *fmt, ...);

/* Free the memory of @cfg, which may be zeroed. */
void opd_config_release(struct opd_config *cfg);

#endif
