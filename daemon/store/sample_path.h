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

struct opd_image;
struct opd_kimage;

/* The identity of a sample file: equal keys mean the same file. Keys are compared as bytes, so zero
 * a key before filling it in. */
struct opd_file_key {
	const struct opd_image *app;	/* the program of the samples; NULL: the kernel */
	/* the file of the samples' code if it is in user mode, otherwise NULL */
	const struct opd_image *image;
	/* the image of the samples' code if it is in the kernel, otherwise NULL */
	const struct opd_kimage *kimage;
	/* label of anonymous memory, a static string; NULL: not anonymous memory */
	const char *anon_label;
	uint64_t anon_start, anon_end;
	int32_t anon_tgid;
	uint32_t event;			/* index into the configured events */
	/* ids of the samples, or OP_ALL where --separate does not distinguish them */
	int32_t tgid, tid, cpu;
	/* number of the program in the process, as in struct op_image_name */
	uint32_t anon_program;
};

/*
 * Set *@ret to the sample file's path, malloc'd and relative to the samples directory. @version: 0
 * for the plain name; otherwise the version of the image that the name includes: the time of
 * modification (in seconds), or a build with OPD_VERSION_BUILD.
 */
int opd_sample_path(char **ret, const struct opd_file_key *key, const struct op_event_spec *event,
		    uint64_t version);

/* Return the image's path in the form that file names contain, malloc'd. Return NULL if there is no
 * memory. */
char *opd_clean_path(const char *path, uint64_t version);

/*
 * Open the directory that contains @path. Unless @made is NULL, make missing directories below
 * @dirfd. Do not follow symbolic links. Set *@base to the last component in @path. Add the number
 * of new directories to *@made, also on failure. Return a descriptor or a negative errno.
 */
int opd_open_parent(int dirfd, const char *path, const char **base, unsigned long *made);

#endif
