/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive.h -- a part of a store (store.h) in one file, for other machines: intervals, kernel
 * symbols and symbol tables. doc/interval-file.md describes the bytes.
 *
 * A reader may get the file from somebody else. So a member has only a name that a store has, no
 * member is a link or a directory, and the bytes that are unpacked are those of the file.
 */
#ifndef ITV_ARCHIVE_H
#define ITV_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

/* prefix of the names of symbol tables in an archive */
#define ITV_ARCHIVE_TABLES	"tables/"

/* An archive that is being written. */
struct itv_archive {
	int fd;			/* borrowed */
	uint64_t at;		/* offset of the end of the last member */
	uint32_t nr;		/* members */
};

/* Begin an archive in the file @fd, whose contents are removed. Return 0 or a negative errno. */
int itv_archive_begin(struct itv_archive *a, int fd);
/* Add the contents of the file @from as the member @name: the name of an interval, of kernel
 * symbols or, after ITV_ARCHIVE_TABLES, of a symbol table. Return 0, -EINVAL for another name, or
 * another negative errno. */
int itv_archive_add(struct itv_archive *a, const char *name, int from);
/* Write the header, which makes the file an archive. Return 0 or a negative errno. */
int itv_archive_end(const struct itv_archive *a);

/*
 * Unpack the archive @fd into the empty directory @store, which becomes a store. @max_bytes limits
 * the file's length. A damaged interval is unpacked, because its reader reports the damage; another
 * damaged member is left out, and its name is passed to @damaged. Return 0, a negative errno or an
 * enum itv_file_error (file.h); then @store may have files.
 */
int itv_archive_unpack(int fd, int store, uint64_t max_bytes,
		       void (*damaged)(void *arg, const char *name), void *arg);

#endif
