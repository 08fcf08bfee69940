/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notify.h -- reports the daemon's state to the service manager (systemd), if there is one.
 */
#ifndef OPD_NOTIFY_H
#define OPD_NOTIFY_H

/* Report @state: "READY=1", "STOPPING=1", ...; do nothing without NOTIFY_SOCKET in the environment.
 */
void opd_notify(const char *state);

#endif
