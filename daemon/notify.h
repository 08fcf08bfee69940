/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notify.h -- reports of the daemon's state to the service manager (systemd), if there is one.
 */
#ifndef OPD_NOTIFY_H
#define OPD_NOTIFY_H

/* Report @state, for example "READY=1" or "STOPPING=1". Do nothing if NOTIFY_SOCKET is not in the
 * environment. */
void opd_notify(const char *state);

#endif
