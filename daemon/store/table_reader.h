/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_reader.h -- the process that parses strangers' binaries: without rights, one file at a time
 * (libop/session/table_request.h).
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
	char *program;		/* its path; NULL: there is none */
	bool urgent;		/* somebody waits for it; else it comes after all that wants the CPU */
	pid_t pid;		/* 0: not running */
	int socket;		/* -1: not running */
	pid_t killed[OPD_TABLE_READERS_STUCK];	/* and not gone yet, perhaps never: over a file that does not answer */
	size_t nr_killed;
};

/* 0, ENOENT when the program is not installed, ENOMEM. */
int opd_table_reader_init(struct opd_table_reader *r, bool urgent);
void opd_table_reader_release(struct opd_table_reader *r);

/* Starts the process if it does not run: 0 or negative errno, EBUSY: too many are stuck. */
int opd_table_reader_start(struct opd_table_reader *r);
/*
 * Send @request for a table in @out_fd of the file @path_fd, a descriptor by O_PATH that @finder
 * opens. @debug_fd: the debug file for a request with one, else -1. @payer: see struct
 * opd_identity. Return 0 or a negative errno.
 */
int opd_table_reader_ask(const struct opd_table_reader *r, struct opd_finder *finder, char request, int path_fd,
			 uint32_t payer, int out_fd, int debug_fd);
/* EAGAIN: no answer yet. EPIPE: the process is gone. Else 0 and its answer, 0 or negative errno, in *@result. */
int opd_table_reader_answer(const struct opd_table_reader *r, int32_t *result);
/* It ends by itself, for which it has 0.1 s, or is killed: at once, when @now. Nobody waits for that. */
void opd_table_reader_end(struct opd_table_reader *r, bool now);

/* Milliseconds of CPU time that the process has used. */
uint64_t opd_table_reader_cpu_ms(const struct opd_table_reader *r);

#endif
