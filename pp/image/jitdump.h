/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump.h -- the records of jit-PID.dump: perf's jitdump (the kernel's
 * tools/perf/Documentation/jitdump-specification.txt), and records that only libopagent writes
 * (agents/jitdump.h).
 */
#ifndef PP_IMAGE_JITDUMP_H
#define PP_IMAGE_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PP_JITDUMP_LOAD,
	PP_JITDUMP_MOVE,
	PP_JITDUMP_DEBUG_INFO,
	PP_JITDUMP_CLOSE,
	PP_JITDUMP_UNWINDING,
	/* source lines of the function in the previous record; in perf's format the lines precede
	 * the function */
	PP_JITDUMP_OUR_LINES = 0x4f500000,
	PP_JITDUMP_OUR_NAME, /* a new function, without the bytes of its code */
};

/* Offsets of fields in a record of a jitdump. */
enum {
	PP_JITDUMP_RECORD_TIME = 8,
	PP_JITDUMP_RECORD_MIN = 16,
	PP_JITDUMP_LOAD_ADDRESS = 32,
	PP_JITDUMP_LOAD_SIZE = 40,
	PP_JITDUMP_LOAD_NAME = 56,
	PP_JITDUMP_MOVE_OLD = 32,
	PP_JITDUMP_MOVE_NEW = 40,
	PP_JITDUMP_MOVE_END = 64,
	PP_JITDUMP_UNWINDING_SIZE = 16,
	PP_JITDUMP_UNWINDING_INDEX_SIZE = 24,
	PP_JITDUMP_UNWINDING_BYTES = 40,
};

#define PP_JITDUMP_MAX_CODE	(1ull << 30)	/* maximum size of one function, in bytes */

struct pp_jitdump {
	const char *data;
	size_t size;
	uint16_t machine;	/* ELF machine of the code, EM_* */
	bool swap;		/* the numbers are not in this machine's byte order */
	/* time stamps are from the dump's own clock, not from CLOCK_MONOTONIC */
	bool own_clock;
	size_t first;		/* offset of the first record in the dump */
};

/* Parse the header of the dump @data. Return 0, or -EINVAL if it is not a jitdump. */
int pp_jitdump_open(struct pp_jitdump *ret, const char *data, size_t size);

/* Call @fn with the id, bytes and size of each complete record, until @fn returns a value other
 * than 0. Return the last value of @fn, or 0 if the dump has no records. */
typedef int (*pp_jitdump_fn)(void *arg, uint32_t id, const char *record, size_t size);
int pp_jitdump_each(const struct pp_jitdump *dump, pp_jitdump_fn fn, void *arg);

#endif
