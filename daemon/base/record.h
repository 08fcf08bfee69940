/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h -- the common form of samples: each source converts its input to these structures.
 *
 * A source decodes its stream into runs. A run is a context (process, program, file) and the
 * samples with this context. All objects that a context points to live as long as the daemon, so
 * pointers stay valid after the sink's function returns.
 */
#ifndef OPD_RECORD_H
#define OPD_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An executable file or library that has samples (daemon/image/image.h). Each file has exactly one
 * struct opd_image, so pointers to images can be compared. */
struct opd_image;

enum opd_domain {
	OPD_KERNEL,	/* the sample's offset is an absolute kernel address */
	OPD_USER_FILE,	/* the sample's offset is an offset in the file `image` */
	OPD_USER_ANON,	/* the sample's offset is a user address inside `anon` */
	OPD_GUEST,	/* the sample is in a virtual machine that the task runs; its offset is 0 */
};

struct opd_anon {
	uint64_t start, end;
	/* name of the mapping: "anon", "[heap]", "[stack]" or "[vdso]"; never freed */
	const char *label;
};

/* One frame of a call path. .domain determines what .offset means. The offset of a caller is the
 * return address minus 1, so that it belongs to the call instruction. */
struct opd_frame {
	uint64_t offset;
	/* OPD_KERNEL, OPD_USER_FILE or OPD_USER_ANON */
	enum opd_domain domain;
	/* how the unwinder found the frame: OPROFILE_UW_HOW_TABLE, HOW_FP or HOW_KERNEL of enum
	 * oprofile_uw_how */
	uint16_t how;
	/* file that contains the frame's code; only for OPD_USER_FILE */
	const struct opd_image *image;
	/* mapping that contains the frame's code; only for OPD_USER_ANON */
	struct opd_anon anon;
};

/* The callers of a sampled function (its call path), without the sampled address. */
struct opd_path {
	/* user frames, then kernel frames; both lists begin with the outermost caller */
	const struct opd_frame *frames;
	size_t nr;
	/* enum oprofile_uw_end: WHOLE for a complete path, otherwise the reason why the unwinder
	 * stopped */
	uint16_t end;
};

struct opd_context {
	enum opd_domain domain;
	uint32_t cpu;
	pid_t tid, tgid;		/* thread id and process id; both 0: the idle task */
	/* program that the process executes; NULL: kernel thread, or unknown */
	const struct opd_image *app;
	/* file that contains the sampled code; only for OPD_USER_FILE */
	const struct opd_image *image;
	/* mapping that contains the sampled code; only for OPD_USER_ANON */
	struct opd_anon anon;
	/* Path of the task's control group when it was sampled, shortened if necessary
	 * (daemon/image/cgroups.h). Equal paths have the same address. NULL: unknown, or
	 * --separate=unit is not set */
	const char *unit;
	/* The samples are of a waker: a task or an interrupt that ended waits of this program, or
	 * of opd_kernel_threads. tid, tgid, app and the place are the waker's; the ids of an
	 * interrupt are 0. NULL: ordinary samples. */
	const struct opd_image *woken;
	/* Call path of all samples of this run; NULL: not recorded. Valid only during the call of
	 * the sink's function. */
	const struct opd_path *path;
};

struct opd_sample {
	uint64_t offset;
	uint32_t event;		/* index into opd_config.events */
	uint32_t count;		/* number of interrupts that this sample represents, >= 1 */
};

/* The receiver of the samples that a source produces. Interrupts that do not become samples are
 * reported as lost, with the name of a counter in libop/session/stats.h. */
struct opd_sink {
	void (*samples)(struct opd_sink *sink, const struct opd_context *ctx,
			const struct opd_sample *samples, size_t nr);
	void (*modules_changed)(struct opd_sink *sink);
	/* A task has the name @name. Called before the task's samples; the caller may free @name
	 * after the call. @when: the time of the name, in any unit, if a source may report names
	 * out of order; otherwise 0. */
	void (*named)(struct opd_sink *sink, pid_t tgid, pid_t tid, const char *name,
		      uint64_t when);
	/* A new task has started; the arguments also name its parent. Another task may have had the
	 * same ids before. Called only by sources that get fork events. */
	void (*started)(struct opd_sink *sink, pid_t tgid, pid_t tid, pid_t parent_tgid,
			pid_t parent_tid);
	/* A process has executed a program. Called only by sources that get exec events. */
	void (*execed)(struct opd_sink *sink, pid_t tgid);
	/* The process @tgid has mapped memory for code that it generates. Called before the
	 * samples, because the process may end before its samples arrive. Called only by sources
	 * that delay samples. */
	void (*makes_code)(struct opd_sink *sink, pid_t tgid);
	/* Called after makes_code(): the process @tgid has executed another program, or a new
	 * process now has the id @tgid. */
	void (*replaced)(struct opd_sink *sink, pid_t tgid);
	/* @nr interrupts were lost. @stat_name is the name of the counter for the reason. */
	void (*lost)(struct opd_sink *sink, const char *stat_name, uint64_t nr);
	/* @nr records of the source's stream could not be decoded. Interrupts in these records are
	 * lost. */
	void (*unread)(struct opd_sink *sink, const char *stat_name, uint64_t nr);
	/* One interrupt was converted to @derived counts of other events (IBS). Called before the
	 * samples with these counts. */
	void (*converted)(struct opd_sink *sink, uint64_t derived);
};

#endif
