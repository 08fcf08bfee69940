/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive.h -- an archive: a session and all files that reports of the session read, in a directory
 * that can be copied to another machine.
 *
 *   OUT/var/lib/oprofile/abi
 *   OUT/var/lib/oprofile/samples/NAME/...   the selected sample files and the files next to them
 *   OUT/var/lib/oprofile/profiles/NAME      files that programs wrote about themselves
 *   OUT/PATH                                binaries, by their paths while profiled
 *   OUT/usr/lib/debug/.build-id/xx/yy.debug separate debug files
 *   OUT/DIRECTORY-OF-PATH/.debug/NAME       debug files without a build-id
 *
 * No file is written through a symbolic link below OUT. A file that the archive already has is not
 * copied again. An archived session is replaced as a whole when the new copy is complete.
 */
#ifndef PP_ARCHIVE_ARCHIVE_H
#define PP_ARCHIVE_ARCHIVE_H

#include <stdbool.h>
#include <stdio.h>

#include "pp/image/image.h"
#include "pp/base/log.h"
#include "pp/session/session.h"

struct pp_archive_job {
	/* directory of the archive; NULL: only list the files, do not copy them */
	const char *output;
	/* if .output is NULL: the stream to which the path of each file is printed */
	FILE *list;
	const struct pp_session *session;
	const struct pp_spec *spec;	/* the specification with which @session was opened */
	bool exclude_dependent;
	bool kernel_code;		/* archive the code of the running kernel */
	/* write call-graph files, made from the trees of call paths */
	bool arcs;
	struct pp_images *images;
	const char *root;		/* prefix of the paths of binaries, or "" */
	struct pp_log *log;
	/*
	 * Set by pp_archive(): for each directory of the session, an array with an element for each
	 * image in the directory's list of images: whether archived call paths use the image. NULL:
	 * archive all images.
	 */
	bool **leads;
	/* Results: numbers of files that were copied. */
	struct pp_reader *readers;
	size_t nr_readers;
	/* Output: numbers of files that were copied. */
	size_t nr_samples, nr_binaries, nr_debug, nr_same, nr_failed;
};

/* Make or list the archive. Return 0, or a negative errno if a file could not be archived, with the
 * causes in the log; the other files are archived. A binary that does not exist on this machine is
 * not an error. */
int pp_archive(struct pp_archive_job *job);

#endif
