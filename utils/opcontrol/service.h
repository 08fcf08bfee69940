/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h -- control of the systemd unit oprofile.service. For root, opcontrol and systemctl
 * start and stop the same daemon.
 */
#ifndef UTILS_OPCONTROL_SERVICE_H
#define UTILS_OPCONTROL_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"

/* prefix of /run, /etc and of systemctl's path, for tests */
#define CTL_ROOT_ENV	"OPROFILE_TEST_ROOT"

struct ctl_service {
	bool is_there;		/* systemd is running and has the unit */
	pid_t pid;		/* pid of the daemon that the unit has started; 0: no daemon */
	char state[32];		/* the unit's state, such as "active" or "failed" */
};

/* Return the prefix of paths: "" except in tests. */
const char *ctl_root(void);

/* Query the state of the unit. Without systemd or without the unit, *@ret is zeroed. */
void ctl_service_find(struct ctl_service *ret);

/* Run systemctl @verb oprofile.service, and wait for it. Return 0, or a negative errno with a
 * message in @error. */
int ctl_service_run(const char *verb, struct op_reason *error);

#endif
