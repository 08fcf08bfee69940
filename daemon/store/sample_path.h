/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_path.h -- names of sample files, and opening of their directories, whose names users can
 * choose.
 *
 * Users choose the paths of images. In a sample file's name
 *  - a component longer than a file system allows (the kernel appends " (deleted)") is cut, and
 *    ends in "~" and a hash of the whole component,
 *  - a path longer than OPD_MAX_IMAGE_PATH is cut in the same way, so that a name made of two cut
 *    paths can still be opened,
 *  - "." and ".." components and empty ones are removed.
 */
#ifndef OPD_SAMPLE_PATH_H
#define OPD_SAMPLE_PATH_H

#include <stdint.h>
#include <sys/types.h>

#include "libop/event/spec.h"
#include "libop/session/mangle.h"

#define OPD_MAX_IMAGE_PATH	1700
/* Flag of a version: the other bits are a hash of the build-id (libop/session/identity.h). Without
 * the flag a version is a time. */
#define OPD_VERSION_BUILD	(1ull << 63)

struct opd_image;
struct opd_kimage;

/* The identity of a sample file: equal keys mean the same file. Keys are compared as bytes, so zero
 * a key before filling it in. */
struct opd_file_key {
	const struct opd_image *app;	/* the program; NULL: the kernel */
	const struct opd_image *image;	/* the file of the user code, or NULL */
	const struct opd_kimage *kimage;	/* the image of the kernel code, or NULL */
	/* label of anonymous memory, or NULL; the string is static */
	const char *anon_label;
	uint64_t anon_start, anon_end;
	int32_t anon_tgid;
	uint32_t event;			/* index into the configured events */
	int32_t tgid, tid, cpu;		/* or OP_ALL */
	uint32_t anon_program;		/* as in struct op_image_name */
};

/*
 * Set *@ret to the sample file's path, malloc'd and relative to the samples directory. @version: 0
 * for the plain name; else the time of modification (in seconds) or the build of the image's
 * version that the name includes.
 */
int opd_sample_path(char **ret, const struct opd_file_key *key, const struct op_event_spec *event,
		    uint64_t version);

/* Return the image's path, malloc'd, in the form that file names contain; NULL if memory is
 * short. */
char *opd_clean_path(const char *path, uint64_t version);

/*
 * Open the directory that contains @path. Unless @made is NULL, make missing directories below
 * @dirfd. Do not follow symbolic links. Set *@base to the last component in @path. Add the number
 * of new directories to *@made, also on failure. Return a descriptor or a negative errno.
 */
int opd_open_parent(int dirfd, const char *path, const char **base, unsigned long *made);

#endif
