/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- what the daemon says: to its log file, and warnings and errors to the terminal as long as
 * there is one.
 *
 * Text that users can influence (paths) may be in the arguments: control characters come out as
 * \xNN. Output is limited to OPD_LOG_BURST lines in OPD_LOG_WINDOW seconds, so that nobody can fill
 * the disk through the log; what was suppressed is counted and said.
 */
#ifndef OPD_LOG_H
#define OPD_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define OPD_LOG_BURST	200
#define OPD_LOG_WINDOW	10

enum opd_level {
	OPD_ERROR,	/* something is lost or does not work */
	OPD_WARN,	/* the user should know */
	OPD_INFO,
	OPD_DEBUG,	/* only with --verbose */
};

struct opd_log {
	int fd;			/* -1: none */
	bool to_stderr;
	bool verbose;
	time_t window;		/* when the current window of the limit began, monotonic */
	unsigned int in_window;
	uint64_t suppressed;
};

void opd_log_init(struct opd_log *log);

/* Opens (or opens again) @name in the directory @dirfd. 0 or negative errno, then the old one stays. */
int opd_log_open(struct opd_log *log, int dirfd, const char *name);
void opd_log_release(struct opd_log *log);

__attribute__((format(printf, 3, 4)))
void opd_log(struct opd_log *log, enum opd_level level, const char *fmt, ...);

#endif
