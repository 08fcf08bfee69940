/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h -- the unit oprofile.service, for root: opcontrol and systemctl are two names for the
 * same daemon.
 */
#ifndef UTILS_OPCONTROL_SERVICE_H
#define UTILS_OPCONTROL_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"

/* prefix of /run, /etc and of systemctl's path, for tests */
#define CTL_ROOT_ENV	"OPROFILE_TEST_ROOT"

struct ctl_service {
	bool is_there;		/* systemd runs, and has the unit */
	pid_t pid;		/* of the daemon that the unit has started; 0: none */
	char state[32];		/* such as "active" or "failed" */
};

/* Return the prefix of paths: "" except in tests. */
const char *ctl_root(void);

/* Find the unit. Without systemd, or without the unit, @ret is all zeros. */
void ctl_service_find(struct ctl_service *ret);

/* Run systemctl @verb oprofile.service, and wait for its end. Return 0, or a negative errno with a
 * message in @error. */
int ctl_service_run(const char *verb, struct op_reason *error);

#endif
