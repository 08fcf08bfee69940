/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h -- error codes beside errno. Functions of libop return 0, a negative errno, or one of
 * these codes.
 */
#ifndef OP_BASE_ERROR_H
#define OP_BASE_ERROR_H

enum op_error {
	OP_ERR_MAGIC = -6000,	/* not a sample file */
	OP_ERR_VERSION,		/* a sample file of another format version */
	OP_ERR_NAME,		/* not a sample file's name */
	OP_ERR_KSYMS,		/* not a kernel symbol snapshot */
	OP_ERR_EVENT_NAME,	/* empty, or with '.', '/' or ',' in it */
	OP_ERR_EVENT_COUNT,	/* not a number, or out of range */
	OP_ERR_EVENT_UM,
	OP_ERR_EVENT_FLAG,	/* kernel or user neither 0 nor 1 */
	OP_ERR_EVENT_TABLE,	/* a mistake in an events or unit_masks file */
	OP_ERR_EVENT_UNKNOWN,	/* the CPU has no event of that name */
	OP_ERR_EVENT_CHOICE,	/* the CPU cannot count this event, or these events together */
	OP_ERR_EVENT_NO_COUNT,
	OP_ERR_TIMER_PERIOD,	/* not a number, or an unknown unit */
	OP_ERR_TIMER_RANGE,
	OP_ERR_EVENT_TIME,	/* a time instead of an event count */
	OP_ERR_DAMAGED,		/* the checksum in a file does not match its content */
};

/* Return the message for a return value of libop, including errno values, without a full stop.
 * Never NULL. */
const char *op_strerror(int err);

#endif
