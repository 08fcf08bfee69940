/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h -- the daemon as a service: reports to the service manager that the daemon is ready,
 * lives and ends, and the line of text that `systemctl status` prints.
 */
#ifndef OPD_SERVICE_H
#define OPD_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

struct opd_parts;

struct opd_service {
	const struct opd_parts *parts;	/* borrowed */
	bool is_heard;		/* a service manager listens */
	uint64_t watchdog_ms;	/* half the time limit of the watchdog; 0: no watchdog */
	/* times, in ms of op_now_ms(), of the next messages */
	uint64_t alive_due, text_due;
	char text[200];		/* the last line of text that was sent */
};

/* The values of the line of text. */
struct opd_service_facts {
	bool is_running;
	const char *rate;	/* words for the events, such as "1 kHz" */
	const char *source;	/* name of the source: "module", "perf", .. */
	uint64_t taken, lost;	/* numbers of samples taken and lost */
	uint64_t bytes;		/* of the session directory; 0: not counted */
	int64_t since;		/* time of the oldest samples, seconds since 1970; 0: unknown */
};

/* Report that the daemon needs more time to start, before work that may take long. */
void opd_service_more_time(void);
/* Report that the daemon cannot start or continue, with the cause @text. */
void opd_service_failed(const char *text);

/* Begin the reports of a daemon that is ready. @parts must outlive @s. */
void opd_service_begin(struct opd_service *s, const struct opd_parts *parts);
/* Return the time, in ms of op_now_ms(), at which opd_service_turn() must be called; UINT64_MAX: no
 * call is needed. */
uint64_t opd_service_due(const struct opd_service *s);
void opd_service_turn(struct opd_service *s);
/* Report that the daemon reads its configuration again, and that it has done so. */
void opd_service_reloading(void);
void opd_service_reloaded(struct opd_service *s);
/* Report that the daemon ends. */
void opd_service_end(void);

/* Write the line of text for @facts. For tests. */
void opd_service_text(char *text, size_t size, const struct opd_service_facts *facts);

#endif
