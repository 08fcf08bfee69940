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
	/* a kind of record that the daemon does not use, or that only newer kernels write */
	OPD_PERF_OTHER,
	OPD_PERF_SAMPLE,
	OPD_PERF_MMAP,
	OPD_PERF_EXEC,		/* a COMM record, written because the task executed a program */
	OPD_PERF_NAME,		/* a COMM record, written because the task changed its name */
	OPD_PERF_FORK,
	OPD_PERF_EXIT,
	OPD_PERF_LOST,		/* the kernel discarded records because the ring was full */
	OPD_PERF_LOST_SAMPLES,	/* the PMU driver discarded samples */
	OPD_PERF_THROTTLE,
	/* a KSYMBOL or BPF_EVENT record: kernel code was added or removed */
	OPD_PERF_KERNEL_CODE,
};

enum opd_perf_mode {
	OPD_PERF_MODE_OTHER,	/* the mode is unknown, or is that of a hypervisor */
	OPD_PERF_MODE_KERNEL,
	OPD_PERF_MODE_USER,
	OPD_PERF_MODE_GUEST,	/* the CPU ran a virtual machine: the guest's kernel or programs */
};

/* The format of records, which is the same for all events of a ring. The members have the names
 * that they have in perf_event_attr. */
struct opd_perf_format {
	/* bits PERF_SAMPLE_*: the decoder supports IDENTIFIER, IP, TID, TIME, CPU, CALLCHAIN,
	 * REGS_USER and STACK_USER */
	uint64_t sample_type;
	int sample_id_all;
	unsigned int nr_regs;	/* number of bits that are set in sample_regs_user */
};

/* The stack of a sample's task. The pointers point into the decoded bytes and may be unaligned. All
 * members are 0 if no stack was requested. */
struct opd_perf_stack {
	/* the addresses of PERF_SAMPLE_CALLCHAIN, each of 8 bytes */
	const unsigned char *chain;
	uint64_t nr_chain;
	uint64_t abi;			/* ABI of the registers in user mode; 0: no registers */
	const unsigned char *regs;	/* values of format.nr_regs registers, each of 8 bytes */
	const unsigned char *bytes;	/* copy of the stack, beginning at the stack pointer */
	uint64_t size;			/* number of bytes of the stack that were copied */
	/* the whole requested size was copied, so the stack may extend beyond the copy */
	bool full;
};

struct opd_perf_record {
	enum opd_perf_kind kind;
	enum opd_perf_mode mode;	/* mode of the CPU; valid only for OPD_PERF_SAMPLE */
	uint64_t time;			/* time of the record; 0: unknown */
	/* ids of the task that the record is about; -1: the task has been reaped */
	int32_t pid, tid;
	union {
		struct {
			uint64_t ip;
			/* id of the event that wrote the record; 0 without
			 * PERF_SAMPLE_IDENTIFIER */
			uint64_t id;
			struct opd_perf_stack stack;
		} sample;
		struct {
			uint64_t start, len, pgoff;
			uint32_t major, minor;
			uint64_t ino, generation;
			/* path of the file; NUL-terminated; points into the decoded bytes */
			const char *path;
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
			uint64_t id;	/* id of the event; 0: unknown */
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
