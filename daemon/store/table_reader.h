/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_reader.h -- the reader: an unprivileged helper process that parses untrusted binaries, one
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
	char *program;		/* path of the program pp/opsymbols; NULL: not installed */
	/* samples wait for the reader's tables; false: run the reader at low priority */
	bool urgent;
	pid_t pid;		/* reader process; 0: not running */
	int socket;		/* socket to the reader; -1: the reader is not running */
	/* readers that were killed but still exist: a file system that does not answer may block
	 * them forever */
	pid_t killed[OPD_TABLE_READERS_STUCK];
	size_t nr_killed;
};

/* Initialize @r. Return 0 or a negative errno: -ENOENT if the program is not installed, -EPERM if
 * another user could replace it, or -ENOMEM. */
int opd_table_reader_init(struct opd_table_reader *r, bool urgent);
void opd_table_reader_release(struct opd_table_reader *r);

/* Start the reader if it is not running. Return 0 or a negative errno; -EBUSY: too many readers
 * that were killed still exist. */
int opd_table_reader_start(struct opd_table_reader *r);
/*
 * Ask the reader to write a table to @out_fd. @path_fd: O_PATH descriptor of the binary, which
 * @finder opens for reading. @request: see table_request.h. @debug_fd: the separate debug file if
 * @request needs it, otherwise -1. @payer: see struct opd_identity. Return 0 or a negative errno.
 */
int opd_table_reader_request(const struct opd_table_reader *r, struct opd_finder *finder,
			     char request, int path_fd, uint32_t payer, int out_fd, int debug_fd);
/* Receive the reader's answer: return 0, and set *@result to 0 or the reader's negative errno.
 * Return -EAGAIN if no answer has arrived, or -EPIPE if the reader has ended. */
int opd_table_reader_answer(const struct opd_table_reader *r, int32_t *result);
/* End the reader: wait up to 0.1 s for its exit, then kill it. If @now, kill it immediately. Do not
 * wait until a killed process has ended. */
void opd_table_reader_end(struct opd_table_reader *r, bool now);

/* Return the CPU time of the reader in ms. */
uint64_t opd_table_reader_cpu_ms(const struct opd_table_reader *r);

#endif
