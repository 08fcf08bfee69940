/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h -- the common form of samples: each source converts its input to it.
 *
 * A source decodes its stream into runs: a context, and the samples that share it. The daemon
 * interns everything that a context points to, so the pointers stay valid after the call.
 */
#ifndef OPD_RECORD_H
#define OPD_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_image;	/* daemon/image/image.h: a mapped file, interned: compare by pointer */

enum opd_domain {
	OPD_KERNEL,	/* sample offset: absolute kernel address */
	OPD_USER_FILE,	/* sample offset: offset in the file `image` */
	OPD_USER_ANON,	/* sample offset: user address inside `anon` */
	OPD_GUEST,	/* in a virtual machine that the task runs; sample offset: 0 */
};

struct opd_anon {
	uint64_t start, end;
	const char *label;	/* static or interned: "anon", "[heap]", "[stack]", "[vdso]" */
};

/* One frame of a call path; offsets as in samples. A caller's offset is that of its call: the
 * return address minus 1. */
struct opd_frame {
	uint64_t offset;
	enum opd_domain domain;		/* OPD_KERNEL, OPD_USER_FILE or OPD_USER_ANON */
	uint16_t how;			/* enum oprofile_uw_how: HOW_TABLE, HOW_FP or HOW_KERNEL */
	const struct opd_image *image;	/* OPD_USER_FILE only */
	struct opd_anon anon;		/* OPD_USER_ANON only */
};

/* The call path of a sample, without the sample's own location. */
struct opd_path {
	const struct opd_frame *frames;	/* outermost frame first; user frames, then kernel frames */
	size_t nr;
	/* enum oprofile_uw_end: WHOLE, or the reason why the path is incomplete */
	uint16_t end;
};

struct opd_context {
	enum opd_domain domain;
	uint32_t cpu;
	pid_t tid, tgid;		/* 0, 0: the idle task */
	const struct opd_image *app;	/* the program; NULL: a kernel thread, or not known */
	const struct opd_image *image;	/* OPD_USER_FILE only */
	struct opd_anon anon;		/* OPD_USER_ANON only */
	/* Call path of all samples in this run; NULL: no path was taken. The sink must not keep the
	 * pointer. */
	const struct opd_path *path;
};

struct opd_sample {
	uint64_t offset;
	uint32_t event;		/* index into the configured events */
	uint32_t count;		/* number of interrupts that this sample represents, >= 1 */
};

/* Receiver of the output of sources. Interrupts that do not become samples are reported with the
 * name of their counter (libop/session/stats.h). */
struct opd_sink {
	void (*samples)(struct opd_sink *sink, const struct opd_context *ctx,
			const struct opd_sample *samples, size_t nr);
	void (*modules_changed)(struct opd_sink *sink);
	/* A task has the name @name, which the caller may free after the call. Called before the
	 * task's samples. @when: a time in any unit if names may come out of order; otherwise 0. */
	void (*named)(struct opd_sink *sink, pid_t tgid, pid_t tid, const char *name,
		      uint64_t when);
	/* A task begins, and has its parent's name; until now these ids belonged to another task.
	 * Only sources that know of new tasks call this. */
	void (*started)(struct opd_sink *sink, pid_t tgid, pid_t tid, pid_t parent_tgid,
			pid_t parent_tid);
	/* Sources that receive notices report here that a process has executed a program. */
	void (*execed)(struct opd_sink *sink, pid_t tgid);
	/* Sources that hold back samples report here, before the samples, that @tgid has mapped
	 * memory for code that it generates, because the process may end before its samples arrive.
	 */
	void (*makes_code)(struct opd_sink *sink, pid_t tgid);
	/* After makes_code(): @tgid has executed another program, or its id belongs to another
	 * process now. */
	void (*replaced)(struct opd_sink *sink, pid_t tgid);
	/* Count @nr interrupts as lost, for the reason @stat_name. */
	void (*lost)(struct opd_sink *sink, const char *stat_name, uint64_t nr);
	/* Count @nr unreadable pieces of the stream; it is unknown whether they contained
	 * interrupts. */
	void (*unread)(struct opd_sink *sink, const char *stat_name, uint64_t nr);
	/* One interrupt was converted to @derived counts of other events. Called before the samples
	 * with these counts. */
	void (*converted)(struct opd_sink *sink, uint64_t derived);
};

#endif
