// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * error.c -- messages for libop's return values.
 */
#include "config.h"
#include "libop/base/error.h"

#include <errno.h>
#include <string.h>

const char *op_strerror(int err)
{
	switch (err) {
	case OP_ERR_DAMAGED:
		return "damaged: its checksum does not match";
	case OP_ERR_MAGIC:
		return "not a sample file";
	case OP_ERR_VERSION:
		return "sample file of another format version; read it with the release that wrote "
		       "it";
	case OP_ERR_NAME:
		return "not the name of a sample file";
	case OP_ERR_KSYMS:
		return "not a kernel symbol snapshot, or a damaged one";
	case OP_ERR_KSYMS_VERSION:
		return "kernel symbol snapshot of a newer version; read it with the release that "
		       "wrote it";
	case OP_ERR_EVENT_NAME:
		return "event name empty, or with a character it cannot have";
	case OP_ERR_EVENT_COUNT:
		return "event count not a number from 1 to 2147483647";
	case OP_ERR_EVENT_NO_COUNT:
		return "event count missing after the name";
	case OP_ERR_TIMER_PERIOD:
		return "TIMER takes a time or a frequency: a number, followed by ns, us, ms, s, Hz "
		       "or kHz "
		       "(default ns)";
	case OP_ERR_TIMER_RANGE:
		return "TIMER samples at 10 Hz to 20 kHz: a period is 50 us to 100 ms";
	case OP_ERR_EVENT_TIME:
		return "a time is for TIMER alone (did you mean TIMER?); the count of any other "
		       "event is a "
		       "number from 1 to 2147483647";
	case OP_ERR_EVENT_FILTER:
		return "filter empty, longer than 2000 bytes, or with a control character";
	case OP_ERR_EVENT_UM:
		return "unit mask not a number, or out of range";
	case OP_ERR_EVENT_FLAG:
		return "kernel and user flags of an event must be 0 or 1";
	case OP_ERR_EVENT_TABLE:
		return "mistake in a table of events";
	case OP_ERR_EVENT_UNKNOWN:
		return "the CPU has no such event";
	case OP_ERR_EVENT_CHOICE:
		return "the CPU cannot count these events";
	case -ENOMEM:
		return "out of memory";
	default:
		return strerror(err < 0 ? -err : err);
	}
}
