// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * notify_none.c -- empty versions of the functions of notify.h, for a configuration without
 * libsystemd.
 */
#include "config.h"
#include "daemon/base/notify.h"

void opd_notify(const char *state)
{
	(void)state;
}

bool opd_notify_is_heard(void)
{
	return false;
}

uint64_t opd_notify_watchdog_ms(void)
{
	return 0;
}
