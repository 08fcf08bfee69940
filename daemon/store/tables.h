/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h -- symbol tables and unwind tables of binaries with samples, in the user's cache or
 * beside the sessions. Symbol tables give names to samples after the binary was deleted
 * (libop/session/identity.h, doc/symbol-tables.md); unwind tables are for unwinding stacks
 * (libcfi/file.h). Each kind of table has its own struct opd_tables.
 *
 * The daemon opens files and renames results; processes without rights (pp/opsymbols.c) read the
 * files, which are untrusted. Symbol tables are made one after the other, and not in the first
 * minute unless many files wait; unwind tables are made two at a time and without delay. Only
 * opd_tables_wait() and opd_tables_wait_idle() block. CPU time and bytes on disk have a budget, of
 * which each user has a share (table_queue.h); a file that exceeds the budget, or crashes the
 * process, is not retried.
 */
#ifndef OPD_TABLES_H
#define OPD_TABLES_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPD_TABLES_FDS	264	/* maximum number of descriptors open at the same time */
/* maximum number of worker processes of one struct opd_tables */
#define OPD_TABLE_WORKERS	2

struct opd_finder;
struct opd_identity;
struct opd_image;
struct opd_images;
struct opd_log;
struct opd_tables;

struct opd_tables_kind {
	const char *what;	/* name of the kind in messages, for example "symbol tables" */
	const char *suffix;	/* suffix of the tables' file names, which precedes the version */
	/* version of the format; it follows the suffix in file names; 0: file names have no
	 * version */
	unsigned int version;
	/* request that makes the reader process write a table (libop/session/table_request.h) */
	char request;
	char debug_request;	/* the request if the binary has a separate debug file */
	bool at_once;		/* tables are made without delay */
	/* number of tables that are made at the same time, at most OPD_TABLE_WORKERS */
	size_t workers;
	/* a finished table is copied into its directory (libop/session/table_files.h) */
	bool copied;
	bool sealed;		/* tables end with a checksum (libop/session/table_seal.h) */
};

/* Parameters of a struct opd_tables; the pointers are borrowed. */
struct opd_tables_setup {
	const struct opd_tables_kind *kind;
	/* Called for each offered image. @result: 0 if the image's table exists, or a negative
	 * errno if it can never be made. */
	void (*done)(void *arg, const struct opd_image *image, int result);
	/* Returns the number of samples that wait for the image's table. NULL: tables are made in
	 * the order of offers. */
	uint64_t (*waiting)(void *arg, const struct opd_image *image);
	void *arg;		/* argument for the callback functions above */
	/* descriptor of the directory of tables; opd_tables_create() takes ownership, also after
	 * errors */
	int dir_fd;
	/* .max_bytes: limit of the size of all tables in the directory; .own_max_bytes: limit of
	 * the tables of this kind */
	uint64_t max_bytes, own_max_bytes;
	/* the directory is a part of the session directory, whose size is limited (disk.h) */
	bool in_memory;
	struct opd_finder *finder;
	struct opd_log *log;
};

extern const struct opd_tables_kind opd_symbol_tables, opd_stack_tables;

/* Mark the image as finished: its symbol table was made, or cannot be made. Used as
 * opd_tables_setup.done. */
void opd_symbol_table_done(void *arg, const struct opd_image *image, int result);

/* Create *@ret. If the program that makes tables is not installed, log a warning and make no
 * tables. Return 0 or a negative errno. */
int opd_tables_create(struct opd_tables **ret, const struct opd_tables_setup *setup);
/* Destroy @t and discard the jobs in its queue; files of tables remain. This function and the
 * functions below accept NULL. */
void opd_tables_destroy(struct opd_tables *t);

/* Return the path of the program that makes tables; NULL: not installed. */
const char *opd_tables_program(const struct opd_tables *t);

/* Offer the file of an image with samples. Make its table unless the table exists or too many jobs
 * are waiting; then opd_tables_catch_up() offers the file again. Return false if no table exists
 * and none will be made. */
bool opd_tables_offer(struct opd_tables *t, const struct opd_image *image,
		      const struct opd_identity *identity);

/* Return whether the caller should open the file of @image to offer it: its table is not being
 * made, and its user may add one more job. */
bool opd_tables_wants(const struct opd_tables *t, const struct opd_image *image);

/* Offer again all images with samples that have no table, if their files still exist, and mark the
 * tables of all images with samples as used. From now on no job is postponed. */
void opd_tables_catch_up(struct opd_tables *t, struct opd_images *images);

/* Return whether the table of @image is complete. */
bool opd_tables_has(const struct opd_tables *t, const struct opd_image *image);

/* Return whether a table is being made now. */
bool opd_tables_busy(const struct opd_tables *t);

/* Fill in the descriptors to poll; return their number. Call opd_tables_turn() when one of these
 * descriptors is readable, or at any time. */
size_t opd_tables_fds(const struct opd_tables *t, struct pollfd fds[OPD_TABLE_WORKERS]);
void opd_tables_turn(struct opd_tables *t);

/* Open the table of an image; the caller closes it. Return a descriptor or a negative errno. A
 * caller that finds the table damaged calls opd_tables_remove() to delete it. */
int opd_tables_open(const struct opd_tables *t, const struct opd_image *image);
void opd_tables_remove(const struct opd_tables *t, const struct opd_image *image);

/* Set the time of last use of the table of @image to the present time. */
void opd_tables_use(const struct opd_tables *t, const struct opd_image *image);

/* Wait until no table is being made, for @ms milliseconds at most. */
void opd_tables_wait(struct opd_tables *t, int ms);
/* Wait up to @ms milliseconds until another table can be begun at once. */
void opd_tables_wait_idle(struct opd_tables *t, int ms);

#endif
