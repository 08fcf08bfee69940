/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h -- symbol tables and unwind tables of binaries with samples, in the user's cache or beside the sessions. Symbol tables name
 * samples when the binary is gone (libop/session/identity.h, doc/symbol-tables.md); stacks are walked by unwind tables
 * (libcfi/file.h). Each of the two kinds has a struct opd_tables of its own.
 *
 * The daemon opens files and renames results; reading the files, which are strangers', is the work of
 * processes without rights (pp/opsymbols.c). Symbol tables are made one after the other, not in the first minute unless
 * many wait; unwind tables two at a time, and at once. Nothing waits for it but opd_tables_wait(). Its CPU time and the bytes on disk have a budget,
 * of which each user has a share (table_queue.h); a file that breaks it, or kills it, is not tried again.
 */
#ifndef OPD_TABLES_H
#define OPD_TABLES_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPD_TABLES_FDS	264	/* that may be open at once, at most */
#define OPD_TABLE_WORKERS	2	/* processes of one struct opd_tables, at most */

struct opd_finder;
struct opd_identity;
struct opd_image;
struct opd_images;
struct opd_log;
struct opd_tables;

struct opd_tables_kind {
	const char *what;	/* "symbol tables", for the log */
	const char *suffix;	/* the end of their names, before the version */
	unsigned int version;	/* follows the suffix, and precedes the number of a debug file; 0: without a version */
	char request;		/* libop/session/table_request.h */
	char debug_request;	/* the same with the binary's debug file, if it exists */
	bool at_once;		/* and not put off */
	size_t workers;		/* tables that are made at the same time, up to OPD_TABLE_WORKERS */
	bool copied;		/* table_files.h */
	bool sealed;		/* tables end with a checksum (libop/session/table_seal.h) */
};

/* Parameters of a struct opd_tables; the pointers are borrowed. */
struct opd_tables_setup {
	const struct opd_tables_kind *kind;
	/* Called for each offered image. @result: 0 if the table exists, or a negative errno if it
	 * can never be made. */
	void (*done)(void *arg, const struct opd_image *image, int result);
	/* Returns the number of samples that wait for the image's table. NULL: the order of offers
	 * is kept. */
	uint64_t (*waiting)(void *arg, const struct opd_image *image);
	void *arg;		/* passed to the functions above */
	int dir_fd;		/* the directory of tables; opd_tables_create() takes ownership, also on errors */
	uint64_t max_bytes, own_max_bytes;	/* limits: of all tables in the directory, and of these tables */
	struct opd_finder *finder;
	struct opd_log *log;
};

extern const struct opd_tables_kind opd_symbol_tables, opd_stack_tables;

/* Note that the image's symbol table is kept, or cannot be made. For opd_tables_setup.done. */
void opd_symbol_table_done(void *arg, const struct opd_image *image, int result);

/* Create *@ret. Without the program, log its absence and make no tables. Return 0 or a negative
 * errno. */
int opd_tables_create(struct opd_tables **ret, const struct opd_tables_setup *setup);
/* What is not done by now is left out. All functions take NULL. */
void opd_tables_destroy(struct opd_tables *t);

/* The path of the program that reads symbols; NULL: there is none. Takes NULL. */
const char *opd_tables_program(const struct opd_tables *t);

/* A file that samples fell into, as it was found. Kept unless it was, or too much is waiting:
 * opd_tables_catch_up() comes back to it. */
void opd_tables_offer(struct opd_tables *t, const struct opd_image *image, const struct opd_identity *identity);

/* Whether there is use in looking for the file of @image, to offer it: it does not wait for its turn, and its user may
 * have one more. */
bool opd_tables_wants(const struct opd_tables *t, const struct opd_image *image);

/* Offers again what was left out, if it is still there, and marks all that have samples as used. From now
 * on nothing is put off. */
void opd_tables_catch_up(struct opd_tables *t, struct opd_images *images);

/* Return whether @image has a table. */
bool opd_tables_has(const struct opd_tables *t, const struct opd_image *image);

/* Return whether a table is being made. */
bool opd_tables_busy(const struct opd_tables *t);

/* Fill in the descriptors to poll; return their number. Call opd_tables_turn() when one is readable, or at any time. */
size_t opd_tables_fds(const struct opd_tables *t, struct pollfd fds[OPD_TABLE_WORKERS]);
void opd_tables_turn(struct opd_tables *t);

/* The table of an image, to be read and closed: or negative errno. remove: it is damaged. */
int opd_tables_open(const struct opd_tables *t, const struct opd_image *image);
void opd_tables_remove(const struct opd_tables *t, const struct opd_image *image);

/* Note a use of the table of @image at this time. */
void opd_tables_use(const struct opd_tables *t, const struct opd_image *image);

/* Until nothing is waiting, for @ms milliseconds at most. */
void opd_tables_wait(struct opd_tables *t, int ms);
/* Wait up to @ms milliseconds until another table can be begun at once. */
void opd_tables_wait_idle(struct opd_tables *t, int ms);

#endif
