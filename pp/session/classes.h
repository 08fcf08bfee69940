/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classes.h -- classes of sample files. Each class is a column of the report.
 *
 * Sample files differ in several axes: event (with count and unit mask), process, thread, CPU and,
 * with --by-source, source. A table can have columns for one axis; the other axes must be merged
 * (summed).
 */
#ifndef PP_SESSION_CLASSES_H
#define PP_SESSION_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/log.h"
#include "pp/session/files.h"
#include "pp/session/spec.h"

/* Bit set of the axes (such as processes and CPUs) over which samples are summed. */
enum pp_merge {
	PP_MERGE_CPU = 1,
	PP_MERGE_LIB = 2,	/* not an axis: sum a library's samples over all programs */
	PP_MERGE_TID = 4,
	PP_MERGE_TGID = 8,	/* sum samples over all processes; implies PP_MERGE_TID */
	PP_MERGE_UNITMASK = 16,
	PP_MERGE_UNIT = 32,	/* not an axis: units are rows (units.h) */
	PP_MERGE_ALL = 63,
	/* sum the unit masks of OFFCPU, the reasons of waits, but not those of other events */
	PP_MERGE_REASONS = 64,
};

enum pp_axis {
	PP_AXIS_NONE,
	PP_AXIS_EVENT,
	PP_AXIS_TGID,
	PP_AXIS_TID,
	PP_AXIS_CPU,
	PP_AXIS_SOURCE
};

struct pp_class {
	char *event;
	uint64_t count;
	uint32_t um; /* unit mask of the event; 0 if samples of different unit masks are summed */
	int tgid, tid, cpu; /* ids of the samples; OP_ALL: summed over all ids, or not recorded */
	/* the session of this class (column) did not record the id, but sessions of other classes
	 * did */
	bool tgid_unknown, tid_unknown, cpu_unknown;
	/* directory of a session, or path of a program's own profile; NULL if sources are merged */
	const char *source;
	/* name of the thread or, if threads are summed, of the process; NULL: unknown */
	const char *task_name;
	/* Times in ns, summed over all CPUs. .enabled_ns: time for which the event was requested.
	 * .running_ns: time for which the event was counted, which is less if events shared a
	 * counter. Both 0: unknown; treat the event as counted all the time. */
	uint64_t enabled_ns, running_ns;
};

struct pp_classes {
	/* classes (columns), sorted by event, process, thread, CPU and source */
	struct pp_class *items;
	size_t nr;		/* number of classes (columns), at most PP_MAX_CLASSES */
	/* the axis (such as CPU) in which the classes differ; if there are several, the first */
	enum pp_axis axis;
	const char *column;	/* borrowed, as in struct pp_files */
};

/* Return whether the event of @class, a column, was counted only part of the time, so that a
 * profile scales its counts up. */
static inline bool pp_class_is_scaled(const struct pp_class *class)
{
	return class->running_ns && class->running_ns < class->enabled_ns;
}

/* Return the axes @merge, with PP_MERGE_REASONS if @spec sums the reasons of waits. */
unsigned int pp_merge_reasons(const struct pp_spec *spec, unsigned int merge);
/* Return the unit mask of the class (column) of samples of @event with the unit mask @um: 0 if unit
 * masks are summed. */
uint32_t pp_class_um(const char *event, uint32_t um, unsigned int merge);

/* Return the unit of the counts of the class (column) @class: "samples", or "bytes", "calls" or
 * "returns" for events that a probe counts without sampling. */
const char *pp_class_unit(const struct pp_class *class);

/* maximum number of columns of a table; if there are more, the user has to merge an axis */
#define PP_MAX_COLUMNS 256
/* maximum number of classes (columns) in formats that programs read (JSON, XML): enough for the
 * processes, threads and CPUs of a large system */
#define PP_MAX_CLASSES 4096

/* Return a hint for an error message: how the user selects one value of the classes' axis. */
const char *pp_axis_choose(const struct pp_classes *classes);
/* Return a hint for an error message: how to sum the samples over all values of the classes' axis.
 * Return NULL if that is impossible. */
const char *pp_axis_merge(const struct pp_classes *classes);

/* Make the classes (columns) of @files, and set .class of each file. @any_axes: accept classes that
 * differ in several axes, and more than PP_MAX_COLUMNS classes. Return 0, -ENOMEM, or -EINVAL if
 * there are too many classes, or if they differ in several axes without @any_axes. On -EINVAL, the
 * log has the axes, their values and the options that select or merge values. */
int pp_classes_make(struct pp_classes *ret, struct pp_files *files, unsigned int merge,
		    bool any_axes, struct pp_log *log);
void pp_classes_release(struct pp_classes *classes);

#endif
