/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h -- what the user asked oprofiled to do, and nothing else.
 *
 * Filled once by opd_config_parse() and opd_events_resolve(), then read-only; everybody
 * takes it as const.
 */
#ifndef OPD_CONFIG_H
#define OPD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/cpu/detect.h"
#include "libop/event/choose.h"
#include "libop/event/spec.h"

enum opd_source_kind {
	OPD_SOURCE_AUTO,	/* the module when it is there, else perf_events */
	OPD_SOURCE_MODULE,
	OPD_SOURCE_PERF,
	OPD_SOURCE_REPLAY,
};

/* --separate; OPD_SEPARATE_KERNEL never comes without OPD_SEPARATE_LIB. */
enum {
	OPD_SEPARATE_LIB = 1 << 0,
	OPD_SEPARATE_KERNEL = 1 << 1,
	OPD_SEPARATE_THREAD = 1 << 2,
	OPD_SEPARATE_CPU = 1 << 3,
};

#define OPD_MAX_EVENTS	OP_MAX_EVENTS

#define OPD_MAX_TIME_SLICE	10000	/* ms */
#define OPD_MAX_JITTER		16	/* bits */

struct opd_config {
	char *session_dir;
	gid_t group;		/* may read samples, ask for status and dump; (gid_t)-1: nobody */
	enum opd_source_kind source;
	char *why;		/* who chose the source says why; or NULL */
	char *command;		/* what is profiled, for reports; or NULL */
	char *replay;		/* the recorded stream; its cookies are in REPLAY.cookies */
	char *oprofilefs;	/* where the module's file system is mounted */
	/*
	 * At least one; opd_sample.event indexes it. Once resolved, name and um are those in names of
	 * sample files (op_choice_um_word()).
	 */
	struct op_event_spec *events;
	size_t nr_events;
	struct op_event_choice *choices; /* of the same events; NULL until resolved */
	struct op_event_table *table;	/* that choices point into */
	struct op_cpu_found cpu;	/* whose events they are; cpu.cpu NULL until resolved */
	char *cpu_type;		/* --cpu-type: take this for the CPU; or NULL */
	char *backend;		/* of the module: auto, native, perf, timer; NULL: leave what is set */
	unsigned long time_slice;	/* ms that a group of events is counted; 0: the module's default */
	unsigned long jitter;	/* random low bits of periods; 0: none */
	char *cpus;		/* to be sampled: a list, all or auto; NULL: auto */
	unsigned int separate;
	char **images;		/* --image: only these programs and libraries; none: all */
	size_t nr_images;
	char *vmlinux;		/* name of the kernel image in sample files, or NULL */
	bool no_vmlinux;
	bool foreground;
	bool start;		/* begin sampling without waiting for "start" */
	bool verbose;
	unsigned long buffer_size;	/* 0: leave what is set */
	unsigned long buffer_watershed;
	unsigned long cpu_buffer_size;
	pid_t *pids;		/* --pid: only these and their future children; perf source only */
	size_t nr_pids;
	unsigned long max_files;	/* sample files one session may hold */
	unsigned long new_files;	/* of one user in a minute; 0: no limit */
	uint64_t symbols;	/* bytes that kept symbol tables may have; 0: none are kept */
	size_t max_open;	/* 0: as many as RLIMIT_NOFILE allows */
};

/* Takes one of zeros. */
void opd_config_release(struct opd_config *cfg);

#endif
