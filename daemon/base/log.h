/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h -- log of the daemon: all messages go to its log file. Warnings and errors also go to the
 * terminal as long as the daemon has one, and all messages to the journal if standard error is a
 * stream of the journal: then each line begins with its priority, as <4>.
 *
 * A warning or an error that was written in the last OPD_LOG_REPEAT seconds is counted instead. The
 * number follows with the next such message after that time, and when the log ends.
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
#define OPD_LOG_REPEAT	600
#define OPD_LOG_RECENT	16

enum opd_level {
	OPD_ERROR,	/* level of a message: data was lost, or a function does not work */
	OPD_WARN,	/* level of a message: a problem that the user should know */
	OPD_INFO,
	OPD_DEBUG,	/* level of a message: logged only with --verbose */
};

struct opd_log {
	int fd;			/* descriptor of the log file; -1: no log file */
	bool to_stderr;
	bool to_journal;	/* standard error is a stream of the journal */
	bool verbose;
	/* start of the current window of OPD_LOG_WINDOW seconds, on the monotonic clock */
	time_t window;
	unsigned int in_window;
	uint64_t suppressed;
	/* the last warnings and errors, for counts of their repetitions */
	struct opd_log_recent {
		enum opd_level level;
		time_t since;		/* the time of the last line, on the monotonic clock */
		uint64_t nr;		/* number of repetitions since then */
		char text[160];		/* the beginning of the message; empty: unused */
		uint64_t hash;		/* of the whole message */
	} recent[OPD_LOG_RECENT];
};

void opd_log_init(struct opd_log *log);

/* Open (or reopen) the log file @name in the directory @dirfd. Return 0, or a negative errno; after
 * an error the old log file stays open. */
int opd_log_open(struct opd_log *log, int dirfd, const char *name);
/* Write the counts of repeated messages, and close the log file. */
void opd_log_release(struct opd_log *log);

__attribute__((format(printf, 3, 4)))
void opd_log(struct opd_log *log, enum opd_level level, const char *fmt, ...);
/* Log each line of @lines, which may be NULL. */
void opd_log_lines(struct opd_log *log, enum opd_level level, const char *lines);

#endif
