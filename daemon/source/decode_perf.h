/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_perf.h -- decoder of perf_events rings: converts bytes into records. A pure function,
 * without state or system calls, that reads no byte outside its input, whatever the input contains.
 */
#ifndef OPD_DECODE_PERF_H
#define OPD_DECODE_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum opd_perf_kind {
	/* a kind that the daemon does not use, or that newer kernels write */
	OPD_PERF_OTHER,
	OPD_PERF_SAMPLE,
	OPD_PERF_MMAP,
	OPD_PERF_EXEC,		/* a COMM record that an exec caused */
	OPD_PERF_NAME,		/* a COMM record of a task that changed its name */
	OPD_PERF_FORK,
	OPD_PERF_EXIT,
	OPD_PERF_LOST,		/* records that the kernel discarded because the ring was full */
	OPD_PERF_LOST_SAMPLES,	/* samples that the PMU driver discarded */
	OPD_PERF_THROTTLE,
	OPD_PERF_KERNEL_CODE,	/* KSYMBOL or BPF: kernel code was added or removed */
};

enum opd_perf_mode {
	OPD_PERF_MODE_OTHER,	/* unknown, or a hypervisor */
	OPD_PERF_MODE_KERNEL,
	OPD_PERF_MODE_USER,
	OPD_PERF_MODE_GUEST,	/* a virtual machine, its kernel or its programs */
};

/* The format of records, which all events of a ring share. Members have the names of
 * perf_event_attr. */
struct opd_perf_format {
	/* PERF_SAMPLE_*: the decoder supports IDENTIFIER, IP, TID, TIME, CPU, CALLCHAIN, REGS_USER
	 * and STACK_USER */
	uint64_t sample_type;
	int sample_id_all;
	unsigned int nr_regs;	/* number of bits in sample_regs_user */
};

/* The stack of a sample's task. Pointers point into the decoded bytes, not aligned. All members are
 * 0 if no stack was requested. */
struct opd_perf_stack {
	const unsigned char *chain;	/* addresses of PERF_SAMPLE_CALLCHAIN, 8 bytes each */
	uint64_t nr_chain;
	uint64_t abi;			/* ABI of the registers in user mode; 0: no registers */
	const unsigned char *regs;	/* 8 bytes for each of format.nr_regs */
	const unsigned char *bytes;	/* copy of the stack from the stack pointer on */
	uint64_t size;			/* number of bytes of the stack that could be copied */
	/* the whole requested size was copied, so the stack may be larger */
	bool full;
};

struct opd_perf_record {
	enum opd_perf_kind kind;
	enum opd_perf_mode mode;	/* mode of the CPU; only for OPD_PERF_SAMPLE */
	uint64_t time;			/* 0 if the record has no time */
	/* ids of the task that the record is about; -1: the task has been reaped */
	int32_t pid, tid;
	union {
		struct {
			uint64_t ip;
			uint64_t id;	/* 0 without PERF_SAMPLE_IDENTIFIER */
			struct opd_perf_stack stack;
		} sample;
		struct {
			uint64_t start, len, pgoff;
			uint32_t major, minor;
			uint64_t ino, generation;
			const char *path;	/* points into the decoded bytes; NUL-terminated */
		} mmap;
		struct {
			int32_t parent_pid, parent_tid;
		} fork;
		struct {
			/* new name of the task; points into the decoded bytes, NUL-terminated */
			const char *text;
		} name;
		struct {
			uint64_t nr;
			uint64_t id;	/* 0: unknown */
		} lost;
	};
};

/*
 * Decode the record at the start of @buf, which need not be aligned. Return its size, so that buf +
 * size is the next record, or
 *   0         if @len is less than the size of the record,
 *   -EBADMSG  if the header is invalid; then the start of the next record is unknown.
 * A complete record that is too small for its kind becomes OPD_PERF_OTHER with time 0.
 */
ssize_t opd_perf_decode(struct opd_perf_record *ret, const void *buf, size_t len,
			const struct opd_perf_format *fmt);

#endif
