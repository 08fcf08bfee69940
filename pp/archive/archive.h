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
	/* the specification (selection of samples) with which @session was opened */
	const struct pp_spec *spec;
	bool exclude_dependent;
	bool kernel_code;		/* also archive the running kernel's code */
	/* make call-graph files from the trees of call paths */
	bool arcs;
	struct pp_images *images;
	const char *root;		/* prefix of the binaries' paths on this machine, or "" */
	struct pp_log *log;
	/*
	 * Set by pp_archive(): .leads[i][j] is whether an archived call path uses image j of the
	 * list of images in samples directory i. NULL: archive all images.
	 */
	bool **leads;
	/* private to pp_archive(): other users who own profiles of the session. A binary is
	 * archived only if these users may read it. */
	struct pp_reader *readers;
	size_t nr_readers;
	/* Result: numbers of copied sample files, binaries and debug files; number of files that
	 * the archive already had (.nr_same); number of failures. */
	size_t nr_samples, nr_binaries, nr_debug, nr_same, nr_failed;
};

/* Make the archive, or list its files. If some files cannot be archived, archive the others and
 * return a negative errno with the causes in the log. A binary that does not exist on this machine
 * is not an error. Return 0 on success. */
int pp_archive(struct pp_archive_job *job);

#endif
