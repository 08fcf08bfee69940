/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_tables.h -- unwind tables (doc/unwind-tables.md) of images.
 *
 * A helper process makes the files with the tables (daemon/store/tables.h); this code loads the
 * files. If a stack walk needs a table that is not loaded yet, it ends and reports this reason. Not
 * thread-safe.
 */
#ifndef OPD_UNWIND_TABLES_H
#define OPD_UNWIND_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "libcfi/file.h"

struct opd_image;
struct opd_unwind_tables;

struct opd_unwind {
	/* the mapped table file; NULL: not loaded, for the reason .end */
	const struct cfi_file *file;
	/* the table in the file; NULL: the file only lists the ends of call instructions */
	const struct oprofile_uw_table *table;
	/* reason why .file is NULL: not loaded yet, too large, or no unwind information */
	enum oprofile_uw_end end;
};

/* Callback that requests a table. For an image without a table, it is called repeatedly, at a
 * limited rate. The callee loads the table immediately, or has it made and loads it later. */
typedef void (*opd_unwind_want)(void *arg, const struct opd_image *image);

int opd_unwind_tables_create(struct opd_unwind_tables **ret, opd_unwind_want want, void *arg);
void opd_unwind_tables_destroy(struct opd_unwind_tables *t);	/* @t may be NULL. */

/* Set a callback that waits up to @ms milliseconds (0: do not wait) for tables that are being made.
 * It returns true if some tables are still not complete. */
typedef bool (*opd_unwind_wait)(void *arg, int ms);
void opd_unwind_tables_set_wait(struct opd_unwind_tables *t, opd_unwind_wait wait, void *arg);
/* Call the callback of opd_unwind_tables_set_wait() and return its result; without a callback
 * return false. */
bool opd_unwind_tables_wait(struct opd_unwind_tables *t, int ms);

/* Set a callback for each table that was loaded, and for each image that will not get a table,
 * with the reason in @unwind->end. NULL: no callback. */
typedef void (*opd_unwind_report)(void *arg, const struct opd_image *image,
				const struct opd_unwind *unwind);
void opd_unwind_tables_report(struct opd_unwind_tables *t, opd_unwind_report report, void *arg);

/* Return the number of lookups of @image's table before the table was loaded. */
uint64_t opd_unwind_tables_missed(const struct opd_unwind_tables *t, const struct opd_image *image);

/* Call @fn for each image whose table was looked up since the last opd_unwind_tables_each_used().
 * If the kernel module has the tables, also call @fn for each image with samples and a loaded
 * table. */
void opd_unwind_tables_each_used(struct opd_unwind_tables *t,
				 void (*fn)(void *arg, const struct opd_image *image), void *arg);

/* Return the table of @image, never NULL. The pointer is valid until the next call for another
 * image. */
const struct opd_unwind *opd_unwind_tables_get(struct opd_unwind_tables *t,
					       const struct opd_image *image);
/* Return the unwind table of the vDSO of the daemon's word size or, if @is_32, of x86_64's 32-bit
 * vDSO. Never NULL. */
const struct opd_unwind *opd_unwind_tables_vdso(struct opd_unwind_tables *t, bool is_32);

/* Load the table of @image from the file @fd, which the caller closes. The daemon must own the
 * file, and no process may still be able to write to it. Return 0 or a negative errno. */
int opd_unwind_tables_load(struct opd_unwind_tables *t, const struct opd_image *image, int fd);
/* Free the physical memory of the loaded tables. The tables stay valid: the kernel reads their
 * pages again at the next access. */
void opd_unwind_tables_relieve(struct opd_unwind_tables *t);
/* Record that @image will not get a table, for the reason @end. */
void opd_unwind_tables_give_up(struct opd_unwind_tables *t, const struct opd_image *image,
			       enum oprofile_uw_end end);

#endif
