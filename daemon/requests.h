/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.h -- requests to the daemon through its control socket: handles them, and checks the
 * privileges of clients.
 */
#ifndef OPD_REQUESTS_H
#define OPD_REQUESTS_H

#include <stdint.h>

#include "daemon/control.h"

struct opd_parts;

struct opd_requests {
	struct opd_parts *parts;	/* parts of the daemon; borrowed */
	/* time of the last "dump" request of a client that is not the owner */
	uint64_t member_dump_ms;
	uint64_t refresh_ms;		/* time of the last refresh of the mapped sample files */
	char error[600];		/* error text in the answer to the last request */
};

/* Handle a request of a control client (type opd_control_fn). @requests: a struct opd_requests. */
const char *opd_request(void *requests, char *line, enum opd_peer peer, struct opd_reply *reply);

#endif
