// SPDX-License-Identifier: GPL-2.0-or-later
/* notify_systemd.c -- messages to the service manager through libsystemd. */
#include "config.h"
#include "daemon/base/notify.h"

#include <stdlib.h>
#include <systemd/sd-daemon.h>

void opd_notify(const char *state)
{
	sd_notify(0, state);
}

bool opd_notify_is_heard(void)
{
	const char *socket = getenv("NOTIFY_SOCKET");

	return socket && *socket;
}

uint64_t opd_notify_watchdog_ms(void)
{
	uint64_t us;

	return sd_watchdog_enabled(0, &us) > 0 ? us / 1000 : 0;
}
