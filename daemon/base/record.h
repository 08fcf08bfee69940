/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h -- common form of samples, to which each source converts its input.
 *
 * A source decodes its stream into runs: a run is a context, and the samples that have this
 * context. The daemon interns everything that a context points to, so the pointers stay valid after
 * the call of the sink.
 */
#ifndef OPD_RECORD_H
#define OPD_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* an image (daemon/image/image.h): there is one object for each file, so images are compared by
 * pointer */
struct opd_image;

enum opd_domain {
	OPD_KERNEL,	/* the sample's offset is an absolute kernel address */
	OPD_USER_FILE,	/* the sample's offset is an offset in the file `image` */
	OPD_USER_ANON,	/* the sample's offset is a user address inside `anon` */
	OPD_GUEST,	/* the sample is in a virtual machine that the task runs; its offset is 0 */
};

struct opd_anon {
	uint64_t start, end;
	/* label of the memory: "anon", "[heap]", "[stack]" or "[vdso]"; never freed */
	const char *label;
};

/* One frame of a call path. Its offset has the same meaning as the offset of a sample. A caller's
 * offset is the offset of its call: the return address minus 1. */
struct opd_frame {
	uint64_t offset;
	/* the kind of code: OPD_KERNEL, OPD_USER_FILE or OPD_USER_ANON */
	enum opd_domain domain;
	/* method that found the frame: OPROFILE_UW_HOW_TABLE, HOW_FP or HOW_KERNEL of enum
	 * oprofile_uw_how */
	uint16_t how;
	const struct opd_image *image;	/* the file of the frame; valid only for OPD_USER_FILE */
	struct opd_anon anon;		/* the memory of the frame; valid only for OPD_USER_ANON */
};

/* The call path of a sample, without the sample's own location. */
struct opd_path {
	/* the frames, outermost first: user frames, then kernel frames */
	const struct opd_frame *frames;
	size_t nr;
	/* a value of enum oprofile_uw_end: WHOLE if the path is complete, otherwise the reason why
	 * it is incomplete */
	uint16_t end;
};

struct opd_context {
	enum opd_domain domain;
	uint32_t cpu;
	pid_t tid, tgid;		/* thread id and process id; both 0: the idle task */
	/* the program that the process runs; NULL: a kernel thread, or unknown */
	const struct opd_image *app;
	const struct opd_image *image;	/* the file of the samples; valid only for OPD_USER_FILE */
	/* the memory of the samples; valid only for OPD_USER_ANON */
	struct opd_anon anon;
	/* Call path of all samples in this run; NULL: no call path was recorded. The sink must not
	 * keep the pointer. */
	const struct opd_path *path;
};

struct opd_sample {
	uint64_t offset;
	uint32_t event;		/* index into opd_config.events */
	uint32_t count;		/* number of interrupts that this sample represents, >= 1 */
};

/* Receiver of the output of sources. Interrupts that do not become samples are reported with the
 * name of their counter (libop/session/stats.h). */
struct opd_sink {
	void (*samples)(struct opd_sink *sink, const struct opd_context *ctx,
			const struct opd_sample *samples, size_t nr);
	void (*modules_changed)(struct opd_sink *sink);
	/* Reports that a task has the name @name. The function is called before the task's samples,
	 * and the caller may free @name after the call. @when: a time in any unit if names may come
	 * out of order; otherwise 0. */
	void (*named)(struct opd_sink *sink, pid_t tgid, pid_t tid, const char *name,
		      uint64_t when);
	/* Reports that a new task begins, with its parent's name. Before, the ids may have belonged
	 * to another task. Only sources that receive notices of fork call this function. */
	void (*started)(struct opd_sink *sink, pid_t tgid, pid_t tid, pid_t parent_tgid,
			pid_t parent_tid);
	/* Reports that a process has executed a program. Only sources that receive notices of exec
	 * call this function. */
	void (*execed)(struct opd_sink *sink, pid_t tgid);
	/* Reports, before the samples, that @tgid has mapped memory for code that it generates,
	 * because the process may end before its samples arrive. Only sources that hold back
	 * samples call this function. */
	void (*makes_code)(struct opd_sink *sink, pid_t tgid);
	/* Reports, after makes_code(), that @tgid has executed another program, or that its id now
	 * belongs to another process. */
	void (*replaced)(struct opd_sink *sink, pid_t tgid);
	/* Counts @nr interrupts as lost, for the reason @stat_name. */
	void (*lost)(struct opd_sink *sink, const char *stat_name, uint64_t nr);
	/* Counts @nr pieces of the stream that could not be decoded; it is unknown whether they
	 * contained interrupts. */
	void (*unread)(struct opd_sink *sink, const char *stat_name, uint64_t nr);
	/* Reports that one interrupt was converted to @derived counts of other events. Called
	 * before the samples with these counts. */
	void (*converted)(struct opd_sink *sink, uint64_t derived);
};

#endif
