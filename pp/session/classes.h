/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classes.h -- equivalence classes of sample files: each is a column of the report. Files differ
 * in event (with count and unit mask), thread group, thread, CPU and, when that is asked for, source; a table has room for
 * one of these axes. Merging takes an axis away.
 */
#ifndef PP_SESSION_CLASSES_H
#define PP_SESSION_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/log.h"
#include "pp/session/files.h"

enum pp_merge {		/* bits: what is added up */
	PP_MERGE_CPU = 1,
	PP_MERGE_LIB = 2,	/* not a class: libraries are not told apart by program */
	PP_MERGE_TID = 4,
	PP_MERGE_TGID = 8,	/* implies PP_MERGE_TID */
	PP_MERGE_UNITMASK = 16,
	PP_MERGE_ALL = 31,
};

enum pp_axis { PP_AXIS_NONE, PP_AXIS_EVENT, PP_AXIS_TGID, PP_AXIS_TID, PP_AXIS_CPU, PP_AXIS_SOURCE };

struct pp_class {
	char *event;
	uint64_t count;
	uint32_t um;		/* the first file's when merged */
	int tgid, tid, cpu;	/* OP_ALL when merged or not separated */
	bool tgid_unknown, tid_unknown, cpu_unknown;	/* not recorded, while other classes have values */
	const char *source;	/* a session's directory, or a program's own file; NULL when they are added up */
	const char *task_name;	/* what the thread, or the process, calls itself; NULL: not known */
	/* How long the event was wanted and how long it was counted (ns, all CPUs): less when
	 * events took turns on the counters. 0, 0: not known, which means all the time. */
	uint64_t enabled_ns, running_ns;
};

struct pp_classes {
	struct pp_class *items;	/* sorted */
	size_t nr;		/* <= PP_MAX_CLASSES */
	enum pp_axis axis;	/* in what they differ; the first when there are several */
};

/* Was it counted only part of the time? Then all its counts in a profile are scaled up. */
static inline bool pp_class_is_scaled(const struct pp_class *class)
{
	return class->running_ns && class->running_ns < class->enabled_ns;
}

/* What its counts are of: "samples", or of what a probe counts without sampling "bytes", "calls" or "returns". */
const char *pp_class_unit(const struct pp_class *class);

#define PP_MAX_COLUMNS 256	/* more is a mistake, not a table */
#define PP_MAX_CLASSES 4096	/* for programs: processes, threads and CPUs of a system in use */

/* Return parts of a message: how to choose one value of the axis, and how to add up all values. */
const char *pp_axis_choose(enum pp_axis axis);
const char *pp_axis_merge(enum pp_axis axis);

/* Fills *@ret and the class of each file. -EINVAL when there are more than PP_MAX_CLASSES, or,
 * unless @any_axes, when more than one axis varies or more than PP_MAX_COLUMNS are needed: the log
 * then has the axes, their values, and what to write to choose. */
int pp_classes_make(struct pp_classes *ret, struct pp_files *files, unsigned int merge,
		    int any_axes, struct pp_log *log);
void pp_classes_release(struct pp_classes *classes);

#endif
