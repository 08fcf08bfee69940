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
	const char *suffix;	/* of their names, before the version */
	unsigned int version;	/* 0: none. Else the name has it after the suffix, and then a number of the debug file, if one was read */
	char request;		/* libop/session/table_request.h */
	char debug_request;	/* likewise, with the binary's debug file where there is one */
	bool at_once;		/* and not put off */
	size_t workers;		/* tables that are made at the same time, up to OPD_TABLE_WORKERS */
	bool copied;		/* table_files.h */
};

/* What a struct opd_tables is made of; the pointers are borrowed. */
struct opd_tables_setup {
	const struct opd_tables_kind *kind;
	/* Told of an image that was offered: 0, there is a table; or a negative errno, and there never will be one. */
	void (*done)(void *arg, const struct opd_image *image, int result);
	/* Return how many samples wait for the image's table, or NULL: the order of offers is kept. */
	uint64_t (*waiting)(void *arg, const struct opd_image *image);
	void *arg;		/* of the functions above */
	int dir_fd;		/* of the directory of tables; opd_tables_create() takes it over, also when it fails */
	uint64_t max_bytes, own_max_bytes;	/* on disk, of all tables in the directory, of these tables */
	struct opd_finder *finder;
	struct opd_log *log;
};

extern const struct opd_tables_kind opd_symbol_tables, opd_stack_tables;

/* Call it when the image's symbol table is kept, or nothing can be done about that: for opd_tables_setup.done. */
void opd_symbol_table_done(void *arg, const struct opd_image *image, int result);

/* Return 0 or a negative errno. Without the program, log that and keep nothing. */
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

/* Whether there is a table of @image. */
bool opd_tables_has(const struct opd_tables *t, const struct opd_image *image);

/* Whether a table is being made. */
bool opd_tables_busy(const struct opd_tables *t);

/* Fill in the descriptors to poll; return their number. Call opd_tables_turn() when one is readable, or at any time. */
size_t opd_tables_fds(const struct opd_tables *t, struct pollfd fds[OPD_TABLE_WORKERS]);
void opd_tables_turn(struct opd_tables *t);

/* The table of an image, to be read and closed: or negative errno. remove: it is damaged. */
int opd_tables_open(const struct opd_tables *t, const struct opd_image *image);
void opd_tables_remove(const struct opd_tables *t, const struct opd_image *image);

/* Note that the table of @image is used now. */
void opd_tables_use(const struct opd_tables *t, const struct opd_image *image);

/* Until nothing is waiting, for @ms milliseconds at most. */
void opd_tables_wait(struct opd_tables *t, int ms);
/* Until another table can be begun at once, for @ms milliseconds at most. */
void opd_tables_wait_idle(struct opd_tables *t, int ms);

#endif
