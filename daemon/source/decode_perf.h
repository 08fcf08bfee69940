/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_perf.h -- decoder of perf_events records. The decoder has no state, makes no system call,
 * and reads no byte outside its input, even if the input is invalid.
 */
#ifndef OPD_DECODE_PERF_H
#define OPD_DECODE_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum opd_perf_kind {
	/* a type of record that the daemon does not use or know */
	OPD_PERF_OTHER,
	OPD_PERF_SAMPLE,
	OPD_PERF_MMAP,
	OPD_PERF_EXEC,		/* COMM record of an exec */
	OPD_PERF_NAME,		/* COMM record without an exec: the task has changed its name */
	OPD_PERF_FORK,
	OPD_PERF_EXIT,
	OPD_PERF_LOST,		/* records were lost because the ring was full */
	OPD_PERF_LOST_SAMPLES,	/* samples were discarded by the PMU driver */
	OPD_PERF_THROTTLE,
	OPD_PERF_SWITCH,	/* a task leaves its CPU or gets a CPU */
	/* KSYMBOL or BPF_EVENT: kernel code was added or removed */
	OPD_PERF_KERNEL_CODE,
	OPD_PERF_CGROUP,	/* a control group was created */
};

enum opd_perf_mode {
	OPD_PERF_MODE_OTHER,	/* unknown mode, or hypervisor */
	OPD_PERF_MODE_KERNEL,
	OPD_PERF_MODE_USER,
	OPD_PERF_MODE_GUEST,	/* the kernel or a program in a virtual machine */
};

/* The format of records, which is the same for all events that write to a ring. The members are
 * named as in struct perf_event_attr. */
struct opd_perf_format {
	/* supported PERF_SAMPLE_* bits: IDENTIFIER, IP, TID, TIME, CPU, CALLCHAIN, REGS_USER,
	 * STACK_USER, CGROUP */
	uint64_t sample_type;
	int sample_id_all;
	/* number of registers in each sample: number of bits set in .sample_regs_user */
	unsigned int nr_regs;
};

/* The call chain, registers and stack of a sample. The pointers point into the decoded record and
 * may be unaligned. All members are 0 if the event does not record stacks. */
struct opd_perf_stack {
	/* addresses of PERF_SAMPLE_CALLCHAIN, 8 bytes each */
	const unsigned char *chain;
	uint64_t nr_chain;
	uint64_t abi;			/* ABI of the user-mode registers; 0: no registers */
	const unsigned char *regs;	/* values of format.nr_regs registers, 8 bytes each */
	const unsigned char *bytes;	/* copy of the stack from the stack pointer on */
	uint64_t size;			/* number of bytes of the stack in .bytes */
	/* the copy has the size that was requested, so the stack may be larger than the copy */
	bool full;
};

struct opd_perf_record {
	enum opd_perf_kind kind;
	enum opd_perf_mode mode;	/* CPU mode; only for OPD_PERF_SAMPLE */
	uint64_t time;			/* time of the record; 0: unknown */
	/* ids of the task that the record describes; -1: the task was already reaped */
	int32_t pid, tid;
	union {
		struct {
			uint64_t ip;
			/* kernel's id of the event; 0 without PERF_SAMPLE_IDENTIFIER */
			uint64_t id;
			/* id of the task's control group; 0 without PERF_SAMPLE_CGROUP */
			uint64_t cgroup;
			struct opd_perf_stack stack;
		} sample;
		struct {
			uint64_t start, len, pgoff;
			uint32_t major, minor;
			uint64_t ino, generation;
			/* path of the file, NUL-terminated, inside the decoded record */
			const char *path;
		} mmap;
		struct {
			int32_t parent_pid, parent_tid;
		} fork;
		struct {
			/* new name of the task, NUL-terminated, inside the decoded record */
			const char *text;
		} name;
		struct {
			uint64_t id;
			/* absolute path of the group, NUL-terminated, inside the decoded record */
			const char *path;
		} cgroup;
		struct {
			uint64_t nr;
			uint64_t id;	/* kernel's id of the event; 0: unknown */
		} lost;
		struct {
			/* .out: the task leaves its CPU; .can_run: another task gets the CPU,
			 * although the task could run */
			bool out, can_run;
		} change;
	};
};

/*
 * Decode the record at the start of @buf, which may be unaligned. Return its size in bytes, so that
 * the next record begins at @buf + size. Return
 *   0         if @len is less than the size of the record,
 *   -EBADMSG  if the header is invalid; the start of the next record is then unknown.
 * If a complete record is too small for its type, it is returned as OPD_PERF_OTHER with time 0.
 */
ssize_t opd_perf_decode(struct opd_perf_record *ret, const void *buf, size_t len,
			const struct opd_perf_format *fmt);

#endif
