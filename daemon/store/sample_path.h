/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_path.h -- the name of a sample file, and the way to it through directories that users
 * have named.
 *
 * Paths of images are the users' choice. In a sample file's name
 *  - a component longer than a file system allows (the kernel appends " (deleted)") is cut and
 *    ends in "~" and a hash of all of it,
 *  - a path longer than OPD_MAX_IMAGE_PATH is cut likewise, so that two of them still make a name
 *    that can be opened,
 *  - "." and ".." components and empty ones vanish.
 */
#ifndef OPD_SAMPLE_PATH_H
#define OPD_SAMPLE_PATH_H

#include <stdint.h>
#include <sys/types.h>

#include "libop/event/spec.h"
#include "libop/session/mangle.h"

#define OPD_MAX_IMAGE_PATH	1700
/* In a version: the rest is no time of change, but a build (libop/session/identity.h). */
#define OPD_VERSION_BUILD	(1ull << 63)

struct opd_image;
struct opd_kimage;

/* What makes a sample file: equal keys, one file. Compared as bytes, so zero it first. */
struct opd_file_key {
	const struct opd_image *app;	/* NULL: the kernel is its own program */
	const struct opd_image *image;	/* user code */
	const struct opd_kimage *kimage;	/* kernel code */
	const char *anon_label;		/* anonymous memory: static, and the rest */
	uint64_t anon_start, anon_end;
	int32_t anon_tgid;
	uint32_t event;			/* index into the configured ones */
	int32_t tgid, tid, cpu;		/* or OP_ALL */
	uint32_t anon_program;		/* op_image_name's */
};

/*
 * *@ret: malloc'd path relative to the samples directory. @version != 0: not the plain name but the
 * one for samples of another version of the image, last modified at that time (seconds).
 */
int opd_sample_path(char **ret, const struct opd_file_key *key, const struct op_event_spec *event,
		    uint64_t version);

/* The image's path as it may stand in a name; malloc'd, NULL: out of memory. */
char *opd_clean_path(const char *path, uint64_t version);

/*
 * Opens the directory that holds @path, making what is missing below @dirfd; no link is followed.
 * *@base points at the last component in @path. *@made counts directories made, also on failure; NULL:
 * none is made. A descriptor or negative errno.
 */
int opd_open_parent(int dirfd, const char *path, const char **base, unsigned long *made);

#endif
