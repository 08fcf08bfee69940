/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h -- a walk over a whole profile: programs, their images, the symbols in each image, and the
 * addresses in each symbol. XML, JSON and CSV are writers of this walk, so their contents are the
 * same.
 *
 * Classes of a profile differ in event, process, thread, CPU and source. In a walk, process and
 * thread belong to the program: a program with two threads is visited twice. A column is an event
 * on a CPU, or of a source.
 */
#ifndef PP_FORMAT_WALK_H
#define PP_FORMAT_WALK_H

#include <stdbool.h>

#include "pp/format/format.h"
#include "pp/join/certainty.h"

struct pp_column {
	const char *event;
	uint64_t count;
	uint32_t um;
	int cpu;		/* number of the CPU; OP_ALL: counts of all CPUs are summed */
	bool cpu_unknown;	/* the CPU is unknown, like .cpu_unknown of struct pp_class */
	/* name of the source of the samples; NULL: samples of all sources are summed */
	const char *source;
	const char *unit;	/* unit of the counts, from pp_class_unit() */
	/* times for which the event was enabled and counted, as in struct pp_class; 0: the counts
	 * are not scaled */
	uint64_t enabled_ns, running_ns;
	/* index of the event; all columns with the same event, count and unit mask have the same
	 * index */
	unsigned int event_index;
};

/* A process and thread of the profiled programs. OP_ALL: samples are not separated by process or
 * thread. */
struct pp_walk_task {
	/* ids of the process and thread; OP_ALL: samples are not separated by this id */
	int tgid, tid;
	/* name of the thread, or of the process if the thread is unknown; NULL: unknown */
	const char *name;
};

struct pp_walk {
	const struct pp_report *report;
	const struct pp_profile *profile;
	struct pp_column *columns;
	size_t nr_columns;
	size_t nr_events;
	struct pp_walk_task *tasks;
	size_t nr_tasks;
	/* number of CPUs that have columns of their own; 0: samples of all CPUs are summed */
	size_t nr_cpus;
	bool has_units;	    /* programs are separated by unit */
	bool has_processes; /* samples are separated by process or thread */
	void *arg;		/* argument of all callbacks of the writer */
};

/* A program. In this and the other structs of a walk, .counts has an element for each column. In a
 * differential profile, as many counts of the first profile follow (pp_walk_before()). */
struct pp_walk_program {
	const char *name;
	/* path of a control group of the row (pp/session/units.h); NULL: unknown, or samples are
	 * not separated by unit */
	const char *unit;
	struct pp_walk_task task;
	size_t nr_symbols; /* number of symbols that the walk visits in all images of the program */
	/* counts of the program in all threads of its process */
	const uint64_t *process_counts;
	const uint64_t *counts;
};

struct pp_walk_image {
	const char *name;
	bool is_own;		/* the image is the file of the program itself */
	size_t nr_symbols;	/* number of symbols in the image that the walk visits */
	const uint64_t *counts;
};

struct pp_walk_symbol {
	const struct pp_code *code;
	const struct pp_entry *entry;
	size_t code_index;
	const uint64_t *counts;
	/* inclusive total of the function; NULL: not requested */
	const uint64_t *totals;
};

struct pp_walk_detail {
	const struct pp_walk_symbol *symbol;
	const struct pp_detail *detail;
	const struct pp_frame *frame;	/* innermost frame at the address; NULL: unknown */
	/* number of this sampled address: numbers ascend, and are unique in the walk */
	size_t index;
	const uint64_t *counts;
};

/* A caller or callee of the symbol, in the same program. */
struct pp_walk_arc {
	const struct pp_code *code;
	size_t code_index;
	const uint64_t *counts;
};

/* Callbacks of a writer; each may be NULL. Programs, images and symbols without samples are not
 * visited. */
struct pp_walk_ops {
	void (*begin)(const struct pp_walk *walk);
	void (*program)(const struct pp_walk *walk, const struct pp_walk_program *program);
	void (*image)(const struct pp_walk *walk, const struct pp_walk_image *image);
	/* @nr_details: number of sampled addresses of the symbol, which are visited next. The first
	 * address has .index @first_detail. */
	void (*symbol)(const struct pp_walk *walk, const struct pp_walk_symbol *symbol,
		       size_t first_detail, size_t nr_details);
	void (*detail)(const struct pp_walk *walk, const struct pp_walk_detail *detail);
	/* Called between .begin_arcs and .end_arcs, first for callers, then for callees. */
	void (*begin_arcs)(const struct pp_walk *walk, int callees);
	void (*arc)(const struct pp_walk *walk, const struct pp_walk_arc *arc);
	void (*end_arcs)(const struct pp_walk *walk, int callees);
	void (*end_symbol)(const struct pp_walk *walk);
	void (*end_image)(const struct pp_walk *walk, const struct pp_walk_image *image);
	void (*end_program)(const struct pp_walk *walk, const struct pp_walk_program *program);
	void (*end)(const struct pp_walk *walk);
};

/* Walk over the profile, and call the functions of @ops. Return 0 or -ENOMEM. */
int pp_walk(const struct pp_report *report, const struct pp_walk_ops *ops, void *arg);

/* Return the counts in the first profile, which follow @counts in memory, or NULL if the profile is
 * not differential. */
const uint64_t *pp_walk_before(const struct pp_walk *walk, const uint64_t *counts);
/* Return how @counts changed in a differential profile: "new" if only the second profile has
 * samples, "gone" if only the first has samples, else "both". */
const char *pp_walk_change(const struct pp_walk *walk, const uint64_t *counts);

/* Set *@ret to the confidence interval of a column's change (pp_change_interval()). Return false if
 * there is no interval. */
bool pp_walk_interval(struct pp_interval *ret, const struct pp_walk *walk, const uint64_t *counts,
		      size_t column);
/* Return the sum of the lines that --significant hides, or NULL if no lines are hidden. The array
 * is valid until the walk continues. */
const uint64_t *pp_walk_hidden(const struct pp_walk *walk);

/* Write a title for the sum of the lines that --significant hides to @buf, such as "(not
 * significant: 3 symbols)". */
#define PP_HIDDEN_TITLE	64
void pp_hidden_title(char buf[PP_HIDDEN_TITLE], const struct pp_report *report);

/* Return the number of elements in each array of counts that the walk passes to callbacks. */
size_t pp_walk_nr_counts(const struct pp_walk *walk);

/* Sum the elements of @counts that belong to task number @task (a process and thread) by column.
 * @counts: indexed by class of samples. @to: pp_walk_nr_counts() elements. Return whether any of
 * the task's counts is not 0. */
bool pp_walk_task_counts(const struct pp_walk *walk, size_t task, const uint64_t *counts,
			 uint64_t *to);

/* Return the totals of all samples by column. The array is valid until the walk continues. */
const uint64_t *pp_walk_totals(const struct pp_walk *walk);

/* Write the title of a column to @buf, such as "TIMER:1000000" or "CYCLES:100000:0x02 cpu:3". A
 * unit mask of 0 is omitted. */
void pp_column_title(char *buf, size_t size, const struct pp_column *column);

#endif
