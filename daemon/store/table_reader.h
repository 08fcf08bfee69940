/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_reader.h -- runs the process that parses untrusted binaries: without rights, one file at a
 * time (libop/session/table_request.h).
 */
#ifndef OPD_TABLE_READER_H
#define OPD_TABLE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OPD_TABLE_READERS_STUCK	8

struct opd_finder;

struct opd_table_reader {
	char *program;		/* path of the program; NULL: not installed */
	bool urgent;		/* users of its tables wait; if false, it runs at lowest priority */
	pid_t pid;		/* 0: not running */
	int socket;		/* -1: not running */
	/* killed processes that have not ended yet, and may never end, because of a file that does
	 * not answer */
	pid_t killed[OPD_TABLE_READERS_STUCK];
	size_t nr_killed;
};

/* Initialize @r. Return 0, ENOENT if the program is not installed, or ENOMEM. */
int opd_table_reader_init(struct opd_table_reader *r, bool urgent);
void opd_table_reader_release(struct opd_table_reader *r);

/* Start the process if it does not run. Return 0 or a negative errno; EBUSY: too many processes are
 * stuck. */
int opd_table_reader_start(struct opd_table_reader *r);
/*
 * Send @request for a table in @out_fd of the file @path_fd, a descriptor by O_PATH that @finder
 * opens. @debug_fd: the debug file for a request with one, else -1. @payer: see struct
 * opd_identity. Return 0 or a negative errno.
 */
int opd_table_reader_ask(const struct opd_table_reader *r, struct opd_finder *finder, char request,
			 int path_fd, uint32_t payer, int out_fd, int debug_fd);
/* Receive the answer. Return EAGAIN without an answer yet, EPIPE if the process has ended, else 0
 * with the answer (0 or a negative errno) in *@result. */
int opd_table_reader_answer(const struct opd_table_reader *r, int32_t *result);
/* End the process: it has 0.1 s to end by itself, and is then killed; with @now it is killed at
 * once. Does not wait for its end. */
void opd_table_reader_end(struct opd_table_reader *r, bool now);

/* Return the CPU time that the process has used, in ms. */
uint64_t opd_table_reader_cpu_ms(const struct opd_table_reader *r);

#endif
