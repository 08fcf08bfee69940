/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_path.h -- makes the names of sample files, which contain paths that users have chosen, and
 * opens the directories of the files.
 *
 * In the name of a sample file
 *   - a component that is too long for the file system (the kernel may append " (deleted)") is
 *     truncated, and ends with "~" and a hash of the whole component,
 *   - a path longer than OPD_MAX_IMAGE_PATH is truncated in the same way, so that a name that
 *     contains two such paths can still be opened,
 *   - empty components, "." and ".." are removed.
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

/* The key of a sample file: equal keys mean the same file. Keys are compared as bytes, so zero the
 * whole struct before setting its members. */
struct opd_file_key {
	/* program that the process executes; NULL: kernel code, counted for all programs
	 * together */
	const struct opd_image *app;
	/* file that contains the user code, or NULL */
	const struct opd_image *image;
	/* kernel image that contains the code, or NULL */
	const struct opd_kimage *kimage;
	/* label of anonymous memory, a static string, or NULL */
	const char *anon_label;
	uint64_t anon_start, anon_end;
	int32_t anon_tgid;
	uint32_t event;			/* index into the configured events */
	/* ids of the task and the CPU, or OP_ALL if --separate does not distinguish them */
	int32_t tgid, tid, cpu;
	/* for anonymous memory: value of opd_jit_program() for the process */
	uint32_t anon_program;
	/* struct opd_context.unit, or NULL if --separate does not distinguish units */
	const char *unit;
	const struct opd_image *woken;	/* struct opd_context.woken */
};

/*
 * Set *@ret to the path of the sample file relative to the samples directory; the caller frees it.
 * @version: 0 for the plain name. Otherwise the name includes the version of the image: its
 * modification time in seconds, or a build with OP_VERSION_BUILD.
 */
int opd_sample_path(char **ret, const struct opd_file_key *key, const struct op_event_spec *event,
		    uint64_t version);

/* Return the path of an image in the form that names of sample files contain (see above), or NULL
 * if memory is short. The caller frees the result. */
char *opd_clean_path(const char *path, uint64_t version);

/*
 * Open the directory that contains @path. Unless @made is NULL, create missing directories below
 * @dirfd, and add their number to *@made, also after an error. Follow no symbolic links. Set
 * *@base to the last component of @path. Return a descriptor or a negative errno.
 */
int opd_open_parent(int dirfd, const char *path, const char **base, unsigned long *made);

#endif
