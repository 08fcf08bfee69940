/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- log of the daemon: all messages go to its log file, and warnings and errors also go to
 * the terminal as long as the daemon has one.
 *
 * Arguments may contain text that users control (paths), so control characters are written as \xNN.
 * Output is limited to OPD_LOG_BURST lines in OPD_LOG_WINDOW seconds, so that no user can fill the
 * disk through the log; the number of suppressed lines is logged.
 */
#ifndef OPD_LOG_H
#define OPD_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define OPD_LOG_BURST	200
#define OPD_LOG_WINDOW	10

enum opd_level {
	OPD_ERROR,	/* level of a message: data was lost, or a function does not work */
	OPD_WARN,	/* level of a message: a problem that the user should know */
	OPD_INFO,
	OPD_DEBUG,	/* level of a message: logged only with --verbose */
};

struct opd_log {
	int fd;			/* descriptor of the log file; -1: no log file */
	bool to_stderr;
	bool verbose;
	/* start of the current window of OPD_LOG_WINDOW seconds, on the monotonic clock */
	time_t window;
	unsigned int in_window;
	uint64_t suppressed;
};

void opd_log_init(struct opd_log *log);

/* Open (or reopen) the log file @name in the directory @dirfd. Return 0, or a negative errno; after
 * an error the old log file stays open. */
int opd_log_open(struct opd_log *log, int dirfd, const char *name);
void opd_log_release(struct opd_log *log);

__attribute__((format(printf, 3, 4)))
void opd_log(struct opd_log *log, enum opd_level level, const char *fmt, ...);

#endif
