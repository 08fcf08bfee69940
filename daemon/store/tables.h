/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h -- symbol tables and unwind tables of binaries with samples, stored in the user's cache
 * or beside the sessions. Symbol tables contain the names of functions, even after the binary was
 * deleted (libop/session/identity.h, doc/symbol-tables.md). Unwind tables are used to unwind stacks
 * (libcfi/file.h). Each kind of table has its own struct opd_tables.
 *
 * The daemon opens the binaries and renames the finished tables; unprivileged helper processes
 * (pp/opsymbols.c) parse the untrusted binaries. Symbol tables are made one at a time, and not in
 * the first minute unless many files wait. Unwind tables are made two at a time and immediately.
 * Only opd_tables_wait() and opd_tables_wait_idle() block. CPU time and disk space are limited, and
 * each user has a share (table_queue.h). A file that exceeds the limits or crashes the helper is
 * not retried.
 */
#ifndef OPD_TABLES_H
#define OPD_TABLES_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPD_TABLES_FDS	264	/* maximum number of descriptors that this code has open */
/* maximum number of helper processes per struct opd_tables */
#define OPD_TABLE_WORKERS	2

struct opd_finder;
struct opd_identity;
struct opd_image;
struct opd_images;
struct opd_log;
struct opd_tables;

struct opd_tables_kind {
	/* name of this kind of tables for messages, for example "symbol tables" */
	const char *what;
	const char *suffix;	/* suffix of the tables' file names, before .version */
	/* format version, which follows the suffix in file names; 0: no version in names */
	unsigned int version;
	/* request to the helper process (libop/session/table_request.h) */
	char request;
	char debug_request;	/* the same request for a binary with a separate debug file */
	bool at_once;		/* make the tables without delay */
	/* number of helper processes for this kind of tables, at most OPD_TABLE_WORKERS */
	size_t workers;
	/* copy a finished table to its directory (libop/session/table_files.h) */
	bool copied;
	bool sealed;		/* a table file ends with a checksum (libop/session/table_seal.h) */
};

/* The arguments of opd_tables_create(). All pointers are borrowed. */
struct opd_tables_setup {
	const struct opd_tables_kind *kind;
	/* Called for each image that was passed to opd_tables_offer(). @result: 0 if the image's
	 * table exists, or a negative errno if the image will never get a table. */
	void (*done)(void *arg, const struct opd_image *image, int result);
	/* Return the number of samples that wait for the table of @image. NULL: make tables in the
	 * order of the calls of opd_tables_offer(). */
	uint64_t (*waiting)(void *arg, const struct opd_image *image);
	void *arg;		/* argument of the callbacks above */
	/* directory in which the tables are stored; opd_tables_create() takes ownership of the
	 * descriptor, also after an error */
	int dir_fd;
	/* maximum size of all tables in the directory, and of the tables of this kind */
	uint64_t max_bytes, own_max_bytes;
	/* the tables' directory is part of the session directory, whose size is limited (disk.h) */
	bool in_memory;
	struct opd_finder *finder;
	struct opd_log *log;
};

extern const struct opd_tables_kind opd_symbol_tables, opd_stack_tables;

/* Callback for opd_tables_setup.done: mark the image, because its symbol table exists or cannot be
 * made. */
void opd_symbol_table_done(void *arg, const struct opd_image *image, int result);

/* Create *@ret. If the helper program is not installed, log a warning; then no tables are made.
 * Return 0 or a negative errno. */
int opd_tables_create(struct opd_tables **ret, const struct opd_tables_setup *setup);
/* Destroy @t and drop its queued jobs. Finished tables are not deleted. @t may be NULL in this
 * function and the functions below. */
void opd_tables_destroy(struct opd_tables *t);

/* Return the path of the helper program that makes tables; NULL: not installed. */
const char *opd_tables_program(const struct opd_tables *t);

/*
 * Make the table of an image with samples from the image's file, unless the table exists. If too
 * many jobs are queued, do nothing; opd_tables_catch_up() will try again. Return false if the image
 * has no table and no table will be made now.
 */
bool opd_tables_offer(struct opd_tables *t, const struct opd_image *image,
		      const struct opd_identity *identity);

/* Return true if the caller should open the file of @image and call opd_tables_offer(): the table
 * is not being made, and the user may add a job. */
bool opd_tables_wants(const struct opd_tables *t, const struct opd_image *image);

/* Call opd_tables_offer() again for all images that have samples but no table, if their files still
 * exist. Mark the tables of all images with samples as recently used. After this call, jobs are no
 * longer postponed. */
void opd_tables_catch_up(struct opd_tables *t, struct opd_images *images);

/* Return true if the table of @image exists. */
bool opd_tables_has(const struct opd_tables *t, const struct opd_image *image);

/* Return true if a table is being made now. */
bool opd_tables_busy(const struct opd_tables *t);

/* Store the descriptors to poll in @fds, and return their number. When one of them is readable,
 * call opd_tables_turn(); additional calls do no harm. */
size_t opd_tables_fds(const struct opd_tables *t, struct pollfd fds[OPD_TABLE_WORKERS]);
void opd_tables_turn(struct opd_tables *t);

/* Open the table of @image. Return a descriptor, which the caller closes, or a negative errno. If
 * the table is damaged, the caller deletes it with opd_tables_remove(). */
int opd_tables_open(const struct opd_tables *t, const struct opd_image *image);
void opd_tables_remove(const struct opd_tables *t, const struct opd_image *image);

/* Set the time of last use of the table of @image to now. */
void opd_tables_use(const struct opd_tables *t, const struct opd_image *image);

/* Wait up to @ms milliseconds until no table is being made. */
void opd_tables_wait(struct opd_tables *t, int ms);
/* Wait up to @ms milliseconds until a helper process is free. */
void opd_tables_wait_idle(struct opd_tables *t, int ms);

#endif
