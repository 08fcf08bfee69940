/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h -- the one form in which samples reach attribution, whatever source they came from.
 *
 * A source decodes its own stream into runs: a context, and samples that share it. Everything a
 * context points to is interned by the daemon and outlives the call.
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

/* One place of a path of calls; offsets as samples have them. A caller's is in its call: the return address minus 1. */
struct opd_frame {
	uint64_t offset;
	enum opd_domain domain;		/* OPD_KERNEL, OPD_USER_FILE or OPD_USER_ANON */
	uint16_t how;			/* enum oprofile_uw_how: HOW_TABLE, HOW_FP or HOW_KERNEL */
	const struct opd_image *image;	/* OPD_USER_FILE only */
	struct opd_anon anon;		/* OPD_USER_ANON only */
};

/* How a sample came to where it is, without that place itself. */
struct opd_path {
	const struct opd_frame *frames;	/* outermost first; user's, then kernel's */
	size_t nr;
	uint16_t end;			/* enum oprofile_uw_end: WHOLE, or why there is no more of it */
};

struct opd_context {
	enum opd_domain domain;
	uint32_t cpu;
	pid_t tid, tgid;		/* 0, 0: the idle task */
	const struct opd_image *app;	/* the program; NULL: kernel thread, or not known */
	const struct opd_image *image;	/* OPD_USER_FILE only */
	struct opd_anon anon;		/* OPD_USER_ANON only */
	/* Of all samples that this is given with; NULL: none was taken. Not kept by who is given it. */
	const struct opd_path *path;
};

struct opd_sample {
	uint64_t offset;
	uint32_t event;		/* index into the configured events */
	uint32_t count;		/* interrupts this stands for, >= 1 */
};

/* Where sources deliver. What becomes no sample is told by the name of its counter (libop/session/stats.h). */
struct opd_sink {
	void (*samples)(struct opd_sink *sink, const struct opd_context *ctx,
			const struct opd_sample *samples, size_t nr);
	void (*modules_changed)(struct opd_sink *sink);
	/* A task had a name, which is not the caller's for longer; before its samples. @when: in whatever unit, if names
	 * come out of order; 0: they do not. */
	void (*named)(struct opd_sink *sink, pid_t tgid, pid_t tid, const char *name, uint64_t when);
	/* A task begins, with its parent's name; these ids meant another one until now. Told by sources that know. */
	void (*started)(struct opd_sink *sink, pid_t tgid, pid_t tid, pid_t parent_tgid, pid_t parent_tid);
	/* Sources that receive notices report here that a process has executed a program. */
	void (*execed)(struct opd_sink *sink, pid_t tgid);
	/* Sources that hold samples back report here, before the samples, that @tgid has mapped memory
	 * for code that it makes, because the process may end before its samples come; */
	void (*makes_code)(struct opd_sink *sink, pid_t tgid);
	/* and that @tgid has become another program, or another process, after that. */
	void (*replaced)(struct opd_sink *sink, pid_t tgid);
	/* Interrupts that end here: a loss. */
	void (*lost)(struct opd_sink *sink, const char *stat_name, uint64_t nr);
	/* Pieces of the stream that mean nothing; no interrupt is known to be among them. */
	void (*unread)(struct opd_sink *sink, const char *stat_name, uint64_t nr);
	/* One interrupt stood for @derived counts of other events; before the samples that have them. */
	void (*converted)(struct opd_sink *sink, uint64_t derived);
};

#endif
