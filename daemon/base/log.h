/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- the daemon's log. All messages go to its log file. Warnings and errors also go to the
 * terminal while the daemon has one. If standard error is connected to the systemd journal, all
 * messages go there, too, and each line begins with its priority, for example <4>.
 *
 * A warning or error that was written in the last OPD_LOG_REPEAT seconds is only counted. The
 * number of repetitions is written with the next such message after that time, and when the log is
 * closed.
 *
 * Messages may contain text that users control (paths), so control characters are written as \xNN.
 * At most OPD_LOG_BURST lines are written per OPD_LOG_WINDOW seconds, so that no user can fill the
 * disk through the log. The number of suppressed lines is logged.
 */
#ifndef OPD_LOG_H
#define OPD_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define OPD_LOG_BURST	200
#define OPD_LOG_WINDOW	10
#define OPD_LOG_REPEAT	600
#define OPD_LOG_RECENT	16

enum opd_level {
	OPD_ERROR,	/* data was lost, or a feature does not work */
	OPD_WARN,	/* a problem that the user should know */
	OPD_INFO,
	OPD_DEBUG,	/* logged only with --verbose */
};

struct opd_log {
	int fd;			/* descriptor of the log file; -1: no log file */
	bool to_stderr;
	/* standard error, to which messages are written, is the systemd journal */
	bool to_journal;
	bool verbose;
	/* start of the current time window for the limit of lines, in seconds of the monotonic
	 * clock */
	time_t window;
	unsigned int in_window;
	uint64_t suppressed;
	/* warnings and errors that were written recently, to count repetitions of a message instead
	 * of writing them */
	struct opd_log_recent {
		enum opd_level level;
		time_t since;		/* time when the message was written, monotonic clock */
		uint64_t nr;		/* number of repetitions of the message after .since */
		char text[160];		/* beginning of the message; empty: the entry is unused */
		uint64_t hash;		/* hash of the whole message */
	} recent[OPD_LOG_RECENT];
};

void opd_log_init(struct opd_log *log);

/* Open the log file @name in the directory @dirfd, or open it again. Return 0 or a negative errno;
 * after an error the old log file stays open. */
int opd_log_open(struct opd_log *log, int dirfd, const char *name);
/* Write the pending numbers of repetitions, and close the log file. */
void opd_log_release(struct opd_log *log);

__attribute__((format(printf, 3, 4)))
void opd_log(struct opd_log *log, enum opd_level level, const char *fmt, ...);
/* Log each line of the text @lines, which may be NULL, as one message. */
void opd_log_lines(struct opd_log *log, enum opd_level level, const char *lines);

#endif
