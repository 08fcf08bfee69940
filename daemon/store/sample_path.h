/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_path.h -- makes the name of a sample file, and opens its directory below directories that
 * users have named.
 *
 * Users choose the paths of images. In a sample file's name
 *  - a component longer than a file system allows (the kernel appends " (deleted)") is cut, and
 *    ends in "~" and a hash of the whole component,
 *  - a path longer than OPD_MAX_IMAGE_PATH is cut in the same way, so that two such paths still
 *    make a name that can be opened,
 *  - "." and ".." components and empty ones are removed.
 */
#ifndef OPD_SAMPLE_PATH_H
#define OPD_SAMPLE_PATH_H

#include <stdint.h>
#include <sys/types.h>

#include "libop/event/spec.h"
#include "libop/session/mangle.h"

#define OPD_MAX_IMAGE_PATH	1700
/* Flag of a version: the other bits are a hash of a build-id, not a time
 * (libop/session/identity.h). */
#define OPD_VERSION_BUILD	(1ull << 63)

struct opd_image;
struct opd_kimage;

/* The identity of a sample file: equal keys, one file. Keys are compared as bytes, so zero one
 * before filling it in. */
struct opd_file_key {
	const struct opd_image *app;	/* the program; NULL: the kernel */
	const struct opd_image *image;	/* user code */
	const struct opd_kimage *kimage;	/* kernel code */
	const char *anon_label;		/* anonymous memory; the string is static */
	uint64_t anon_start, anon_end;
	int32_t anon_tgid;
	uint32_t event;			/* index into the configured events */
	int32_t tgid, tid, cpu;		/* or OP_ALL */
	uint32_t anon_program;		/* as in struct op_image_name */
};

/*
 * Set *@ret to the malloc'd path relative to the samples directory. @version != 0: not the plain
 * name but the one for samples of another version of the image, last modified at that time
 * (seconds).
 */
int opd_sample_path(char **ret, const struct opd_file_key *key, const struct op_event_spec *event,
		    uint64_t version);

/* Return the image's path in the form for names, malloc'd; NULL without memory. */
char *opd_clean_path(const char *path, uint64_t version);

/*
 * Open the directory that contains @path; make missing directories below @dirfd, unless @made is
 * NULL; follow no link. Set *@base to the last component in @path. Add the number of new
 * directories to *@made, also on failure. Return a descriptor or a negative errno.
 */
int opd_open_parent(int dirfd, const char *path, const char **base, unsigned long *made);

#endif
