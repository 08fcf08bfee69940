/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notify.h -- messages to the service manager that started the daemon (sd_notify(3)). Without a
 * service manager, or if oprofile was configured without libsystemd, the functions do nothing.
 */
#ifndef OPD_NOTIFY_H
#define OPD_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* Send @state, lines such as "READY=1". An error is harmless, because the daemon works without a
 * service manager. */
void opd_notify(const char *state);

/* Return whether a service manager listens. */
bool opd_notify_is_heard(void);

/* Return the time in ms after which the service manager ends a daemon that has not sent
 * "WATCHDOG=1"; 0: the service manager does not watch the daemon. */
uint64_t opd_notify_watchdog_ms(void);

#endif
