/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notify.h -- messages to systemd or another service manager that started the daemon
 * (sd_notify(3)). The functions do nothing without a service manager, or if oprofile was
 * configured without libsystemd.
 */
#ifndef OPD_NOTIFY_H
#define OPD_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* Send @state, one or more lines such as "READY=1". Errors are ignored, because the daemon works
 * without a service manager. */
void opd_notify(const char *state);

/* Return true if a service manager has started the daemon and receives its messages. */
bool opd_notify_is_heard(void);

/* Return the watchdog timeout in ms: the service manager ends the daemon if it does not send
 * "WATCHDOG=1" within this time. 0: no watchdog. */
uint64_t opd_notify_watchdog_ms(void);

#endif
