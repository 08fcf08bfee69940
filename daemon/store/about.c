// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * about.c -- when, where and of what a session is taken.
 */
#include "config.h"
#include "daemon/store/about.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "daemon/base/configuration.h"
#include "libop/session/about.h"

void opd_about_write(const struct opd_config *cfg, const char *limits, int current_fd)
{
	struct op_session_about about = { 0 };
	struct utsname uts;

	if (cfg->source == OPD_SOURCE_REPLAY || uname(&uts))
		return;
	if (op_session_about_read(&about, current_fd) || !about.begun)
		about.begun = time(NULL);
	about.ended = time(NULL);
	snprintf(about.host, sizeof(about.host), "%s", uts.nodename);
	snprintf(about.kernel, sizeof(about.kernel), "%s", uts.release);
	if (cfg->set.command)
		snprintf(about.command, sizeof(about.command), "%s", cfg->set.command);
	snprintf(about.limits, sizeof(about.limits), "%s", limits);
	op_session_about_write(&about, current_fd);
}
