/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_perf.h -- the bytes of a perf_events ring to records: a pure function, no state, no system
 * call. Whatever the bytes are, nothing outside them is read.
 */
#ifndef OPD_DECODE_PERF_H
#define OPD_DECODE_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum opd_perf_kind {
	OPD_PERF_OTHER,		/* of no interest, or of a kind that newer kernels write */
	OPD_PERF_SAMPLE,
	OPD_PERF_MMAP,
	OPD_PERF_EXEC,		/* a COMM record that an exec caused */
	OPD_PERF_NAME,		/* a COMM record of a task that gave itself a name */
	OPD_PERF_FORK,
	OPD_PERF_EXIT,
	OPD_PERF_LOST,		/* records of the ring dropped: it was full */
	OPD_PERF_LOST_SAMPLES,	/* samples dropped by the PMU driver */
	OPD_PERF_THROTTLE,
	OPD_PERF_KERNEL_CODE,	/* KSYMBOL or BPF: code of the kernel came or went */
};

enum opd_perf_mode {
	OPD_PERF_MODE_OTHER,	/* not known, hypervisor */
	OPD_PERF_MODE_KERNEL,
	OPD_PERF_MODE_USER,
	OPD_PERF_MODE_GUEST,	/* in a virtual machine, its kernel or its programs */
};

/* What the events of a ring have in common; perf_event_attr's fields of the same name. */
struct opd_perf_format {
	uint64_t sample_type;	/* a subset of OPD_PERF_SAMPLE_TYPES */
	int sample_id_all;
	unsigned int nr_regs;	/* bits in sample_regs_user */
};

/* PERF_SAMPLE_ bits that the decoder understands. */
extern const uint64_t OPD_PERF_SAMPLE_TYPES;

/* What a sample has of its task's stacks: inside the bytes decoded, not aligned. All 0 when it was not asked for. */
struct opd_perf_stack {
	const unsigned char *chain;	/* PERF_SAMPLE_CALLCHAIN: 8 bytes each */
	uint64_t nr_chain;
	uint64_t abi;			/* of the registers in user mode; 0: there are none */
	const unsigned char *regs;	/* 8 bytes for each of format.nr_regs */
	const unsigned char *bytes;	/* from the stack pointer on */
	uint64_t size;			/* of those that could be copied */
	bool full;			/* as many as were asked for: there may be more */
};

struct opd_perf_record {
	enum opd_perf_kind kind;
	enum opd_perf_mode mode;	/* SAMPLE */
	uint64_t time;			/* 0 when the record has none */
	int32_t pid, tid;		/* of the task in question; -1 for one already reaped */
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
			const char *path;	/* inside the bytes decoded; NUL-terminated */
		} mmap;
		struct {
			int32_t parent_pid, parent_tid;
		} fork;
		struct {
			const char *text;	/* EXEC, NAME; as mmap.path */
		} name;
		struct {
			uint64_t nr;
			uint64_t id;	/* 0: not known whose */
		} lost;
	};
};

/*
 * Decodes the record at the start of @buf, which need not be aligned. Returns its size, so that
 * buf + size is the next record, or
 *   0         @len ends before the record does
 *   -EBADMSG  the header makes no sense; there is no telling where the next record starts.
 * A record that is complete but too small for its kind comes as OPD_PERF_OTHER, time 0.
 */
ssize_t opd_perf_decode(struct opd_perf_record *ret, const void *buf, size_t len,
			const struct opd_perf_format *fmt);

#endif
