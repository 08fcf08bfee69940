/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opener.h -- client of opperfopen, the program that opens perf_events for the service.
 *
 * With kernel.perf_event_paranoid=3, Debian's kernels let only CAP_SYS_ADMIN open perf_events. The
 * service's daemon does not have this capability. opperfopen (daemon/opener/) has it, and opens
 * events of whole CPUs for the daemon. Each request has a connection of its own to a SOCK_SEQPACKET
 * socket: one message with a struct op_perf_request, and one answer with a negative errno, or with
 * 0 and the descriptor.
 */
#ifndef OP_PERF_OPENER_H
#define OP_PERF_OPENER_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* the environment variable with the path of the opener's socket */
#define OP_PERF_OPENER_ENV	"OPROFILE_PERF_OPENER"
#define OP_PERF_REQUEST_MAGIC	0x4f505031u	/* the bytes "OPP1" */

struct op_perf_request {
	uint32_t magic;			/* OP_PERF_REQUEST_MAGIC */
	int32_t cpu;
	/* The message ends after attr.size bytes of .attr. So the client and opperfopen may have
	 * been built with different versions of <linux/perf_event.h>. */
	struct perf_event_attr attr;
};

#define OP_PERF_REQUEST_HEAD	offsetof(struct op_perf_request, attr)

/*
 * Ask the opener that listens at the socket @path to open an event of the whole CPU @cpu. Wait for
 * 10 seconds at most. Return a descriptor that the caller owns, or a negative errno: that of
 * perf_event_open(2); -EPERM if the opener refuses the event; or -EACCES if no opener answers, or
 * if neither root nor this user listens at @path.
 */
int op_perf_opener_open(const char *path, const struct perf_event_attr *attr, int cpu);

#endif
