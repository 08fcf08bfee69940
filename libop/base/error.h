/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h -- error codes in addition to errno. Functions of libop return 0, a negative errno, or
 * one of these codes.
 */
#ifndef OP_BASE_ERROR_H
#define OP_BASE_ERROR_H

enum op_error {
	OP_ERR_MAGIC = -6000,	/* the file does not have the magic number of a sample file */
	OP_ERR_VERSION,		/* the file is a sample file of another format version */
	OP_ERR_NAME,		/* the name is not the name of a sample file */
	OP_ERR_KSYMS,		/* the file does not contain symbols of the kernel */
	OP_ERR_KSYMS_VERSION,	/* the file of kernel symbols has another format version */
	OP_ERR_EVENT_NAME,	/* the event name is empty, or contains '.', '/' or ',' */
	OP_ERR_EVENT_COUNT,	/* the event's count is not a number, or out of range */
	OP_ERR_EVENT_UM,
	OP_ERR_EVENT_FLAG,	/* the event's kernel or user flag is neither 0 nor 1 */
	OP_ERR_EVENT_TABLE,	/* a file `events` or `unit_masks` has a syntax error */
	OP_ERR_EVENT_UNKNOWN,	/* this CPU has no event of that name */
	/* this CPU cannot count the event, or cannot count these events together */
	OP_ERR_EVENT_CHOICE,
	OP_ERR_EVENT_NO_COUNT,
	OP_ERR_TIMER_PERIOD,	/* the timer's period is not a number, or has an unknown unit */
	OP_ERR_TIMER_RANGE,
	OP_ERR_EVENT_TIME,	/* the event's count is a time, which is valid only for the timer */
	OP_ERR_EVENT_FILTER,	/* the filter is empty, too long, or has a control character */
	OP_ERR_DAMAGED,		/* the checksum in a file does not match its contents */
};

/* Return the error message for @err, a return value of libop. This may be a negative errno. The
 * message has no full stop, and is never NULL. */
const char *op_strerror(int err);

#endif
