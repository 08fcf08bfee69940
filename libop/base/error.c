// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * error.c -- error messages for the values that functions of libop return.
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
		return "the sample file has another format version; read it with the release that "
		       "wrote it";
	case OP_ERR_NAME:
		return "not the name of a sample file";
	case OP_ERR_KSYMS:
		return "not a kernel symbol snapshot, or a damaged one";
	case OP_ERR_KSYMS_VERSION:
		return "the kernel symbol snapshot has a newer version; read it with the release "
		       "that wrote it";
	case OP_ERR_EVENT_NAME:
		return "the event's name is empty or has an invalid character";
	case OP_ERR_EVENT_COUNT:
		return "the event's count is not a number from 1 to 2147483647";
	case OP_ERR_EVENT_NO_COUNT:
		return "the event has no count after its name";
	case OP_ERR_TIMER_PERIOD:
		return "TIMER takes a time or a frequency: a number, followed by ns, us, ms, s, Hz "
		       "or kHz "
		       "(default ns)";
	case OP_ERR_TIMER_RANGE:
		return "TIMER samples at 10 Hz to 20 kHz: a period is 50 us to 100 ms";
	case OP_ERR_EVENT_TIME:
		return "only TIMER takes a time (did you mean TIMER?); the count of any other "
		       "event is a number from 1 to 2147483647";
	case OP_ERR_EVENT_FILTER:
		return "the filter is empty, is longer than 2000 bytes, or has a control character";
	case OP_ERR_EVENT_UM:
		return "the unit mask is not a number, or is out of range";
	case OP_ERR_EVENT_FLAG:
		return "kernel and user flags of an event must be 0 or 1";
	case OP_ERR_EVENT_TABLE:
		return "a table of events has a mistake";
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
