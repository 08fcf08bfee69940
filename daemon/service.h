/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h -- the daemon as a service: reports the daemon's state to the service manager, and
 * sends the status line that `systemctl status` prints.
 */
#ifndef OPD_SERVICE_H
#define OPD_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/watchdog.h"
#include "libop/base/reason.h"

struct opd_parts;

struct opd_service {
	const struct opd_parts *parts;	/* parts of the daemon; borrowed */
	/* a service manager has started the daemon and receives its messages */
	bool is_heard;
	struct opd_watchdog watchdog;
	uint64_t text_due;	/* time of the next status line, in ms of op_now_ms() */
	char text[200];		/* last status line that was sent */
};

/* The values that the status line contains. */
struct opd_service_facts {
	bool is_running;
	const char *rate;	/* description of the events, such as "1 kHz" */
	const char *source;	/* name of the source: "module", "perf", ... */
	uint64_t taken, lost;	/* numbers of samples taken and lost */
	uint64_t bytes;		/* size of the session directory; 0: not counted */
	/* time of the session directory's oldest samples in seconds since 1970; 0: unknown */
	int64_t since;
};

/* Ask the service manager for more start-up time, before work that may take long. */
void opd_service_more_time(void);
/* Report to the service manager that the daemon cannot start or continue. @text: the cause. */
void opd_service_failed(const char *text);

/* Report to the service manager that the daemon is ready, and start to send status lines. @parts
 * must outlive @s. */
void opd_service_begin(struct opd_service *s, const struct opd_parts *parts);
/* Return the time, in ms of op_now_ms(), at which opd_service_turn() must be called; UINT64_MAX:
 * no call is needed. */
uint64_t opd_service_due(const struct opd_service *s);
void opd_service_turn(struct opd_service *s);
/* Report to the watchdog that a step of the main loop has ended. */
void opd_service_alive(struct opd_service *s);
/* Report to the service manager that a reload of the configuration starts. */
void opd_service_reloading(void);
/* Report to the service manager that the reload of the configuration has ended. */
void opd_service_reloaded(struct opd_service *s);
/* Report to the service manager that the daemon is ending. */
void opd_service_end(void);

/* Format the status line for @facts. Public for tests. */
void opd_service_text(char *text, size_t size, const struct opd_service_facts *facts);

#endif
