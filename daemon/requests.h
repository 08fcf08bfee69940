/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.h -- what can be asked of the daemon through its socket: by whom, and what is answered.
 */
#ifndef OPD_REQUESTS_H
#define OPD_REQUESTS_H

#include <stdint.h>

#include "daemon/control.h"

struct opd_parts;

struct opd_requests {
	struct opd_parts *parts;	/* borrowed */
	uint64_t member_dump_ms;	/* asked for by others than root or us */
	char error[600];		/* of the last request */
};

/* An opd_control_fn; @requests: a struct opd_requests. */
const char *opd_request(void *requests, char *line, enum opd_peer peer, struct opd_reply *reply);

#endif
