/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive.h -- a single file with a part of a store (store.h), for other machines: intervals,
 * kernel symbols and symbol tables. doc/interval-file.md describes the format.
 *
 * The file may come from an untrusted user. So the name of each member must be a valid file name of
 * a store, and members cannot be links or directories.
 */
#ifndef ITV_ARCHIVE_H
#define ITV_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

/* prefix of the names of archive members that are symbol tables */
#define ITV_ARCHIVE_TABLES	"tables/"

/* The state of writing an archive. */
struct itv_archive {
	int fd;			/* file to which the archive is written; borrowed */
	uint64_t at;		/* file offset at which the next member is written */
	uint32_t nr;		/* number of members added so far */
};

/* Truncate the file @fd, and begin an archive in it. Return 0 or a negative errno. */
int itv_archive_begin(struct itv_archive *a, int fd);
/* Add the contents of the file @from to the archive as the member @name: the name of an interval,
 * of kernel symbols or, after ITV_ARCHIVE_TABLES, of a symbol table. Return 0, -EINVAL for another
 * name, or another negative errno. */
int itv_archive_add(struct itv_archive *a, const char *name, int from);
/* Write the header of the archive. Without the header, the file is not a valid archive. Return 0 or
 * a negative errno. */
int itv_archive_end(const struct itv_archive *a);

/*
 * Unpack the archive @fd into the empty directory @store. @max_bytes: maximum length of the
 * archive. If an interval is damaged, unpack it anyway, because the reader of the interval reports
 * the damage. Any other damaged member is skipped, and its name is passed to @damaged. Return 0, a
 * negative errno or an enum itv_file_error (file.h); after an error, @store may contain files.
 */
int itv_archive_unpack(int fd, int store, uint64_t max_bytes,
		       void (*damaged)(void *arg, const char *name), void *arg);

#endif
