/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_reader.h -- process that parses untrusted binaries: it has no rights, and handles one file
 * at a time (libop/session/table_request.h).
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
	char *program;		/* path of the program that reads binaries; NULL: not installed */
	/* samples wait for the tables; if false, the reader process runs at low priority */
	bool urgent;
	pid_t pid;		/* process id of the reading program; 0: not running */
	int socket;		/* socket to the reading program; -1: not running */
	/* killed reader processes that have not ended yet, and may never end, because a file system
	 * does not answer */
	pid_t killed[OPD_TABLE_READERS_STUCK];
	size_t nr_killed;
};

/* Initialize @r. Return 0, ENOENT if the program is not installed, or ENOMEM. */
int opd_table_reader_init(struct opd_table_reader *r, bool urgent);
void opd_table_reader_release(struct opd_table_reader *r);

/* Start the reader process if it does not run. Return 0 or a negative errno; -EBUSY: too many
 * killed processes have not ended. */
int opd_table_reader_start(struct opd_table_reader *r);
/*
 * Ask the reader process to write a table into @out_fd. The binary is @path_fd, an O_PATH
 * descriptor, which @finder opens for reading. @request: see table_request.h. @debug_fd: the
 * separate debug file, if @request needs one, else -1. @payer: see struct opd_identity. Return 0 or
 * a negative errno.
 */
int opd_table_reader_ask(const struct opd_table_reader *r, struct opd_finder *finder, char request,
			 int path_fd, uint32_t payer, int out_fd, int debug_fd);
/* Receive the reader's answer. Return -EAGAIN if there is no answer yet, -EPIPE if the process has
 * ended, or 0 with the answer (0 or a negative errno) in *@result. */
int opd_table_reader_answer(const struct opd_table_reader *r, int32_t *result);
/* End the reader process: wait up to 0.1 s until it exits, then kill it; with @now kill it at once.
 * Do not wait until a killed process has ended. */
void opd_table_reader_end(struct opd_table_reader *r, bool now);

/* Return the CPU time that the reader process has used, in ms. */
uint64_t opd_table_reader_cpu_ms(const struct opd_table_reader *r);

#endif
