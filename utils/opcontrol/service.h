/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h -- controls the systemd unit oprofile.service. If root uses opcontrol, opcontrol and
 * systemctl start and stop the same daemon.
 */
#ifndef UTILS_OPCONTROL_SERVICE_H
#define UTILS_OPCONTROL_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"

/* name of an environment variable: prefix of the paths of /run, /etc and systemctl, for tests */
#define CTL_ROOT_ENV	"OPROFILE_TEST_ROOT"

struct ctl_service {
	/* whether systemd is running, and the unit oprofile.service is installed */
	bool is_there;
	/* pid of the daemon that the unit has started; 0: the unit runs no daemon */
	pid_t pid;
	char state[32];		/* state of the unit, such as "active" or "failed" */
};

/* Return the prefix of paths: "" except in tests. */
const char *ctl_root(void);

/* Query the state of the unit oprofile.service. If systemd or the unit does not exist, *@ret is
 * zeroed. */
void ctl_service_find(struct ctl_service *ret);

/* Run "systemctl @verb oprofile.service" and wait until it has finished. Before "start", clear the
 * failures of the unit, so that systemd does not refuse the start because of earlier starts. Return
 * 0, or a negative errno with a message in @error. */
int ctl_service_run(const char *verb, struct op_reason *error);

#endif
