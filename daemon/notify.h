/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notify.h -- tells the service manager (systemd) what state we are in, when there is one.
 */
#ifndef OPD_NOTIFY_H
#define OPD_NOTIFY_H

/* @state: "READY=1", "STOPPING=1", ...; without NOTIFY_SOCKET in the environment does nothing. */
void opd_notify(const char *state);

#endif
