/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive.h -- a session with all that its reports read, in a directory that can be carried to
 * another machine:
 *
 *   OUT/var/lib/oprofile/abi
 *   OUT/var/lib/oprofile/samples/NAME/...	the chosen sample files and what lies beside them
 *   OUT/var/lib/oprofile/profiles/NAME	files that programs wrote of themselves
 *   OUT/PATH					binaries, under the paths they were profiled by
 *   OUT/usr/lib/debug/.build-id/xx/yy.debug	separate debug files
 *   OUT/DIRECTORY-OF-PATH/.debug/NAME		those without a build-id
 *
 * Nothing is written through a symbolic link below OUT. What is there already and the same stays;
 * a session is replaced as a whole, when the new one is complete.
 */
#ifndef PP_ARCHIVE_ARCHIVE_H
#define PP_ARCHIVE_ARCHIVE_H

#include <stdbool.h>
#include <stdio.h>

#include "pp/image/image.h"
#include "pp/base/log.h"
#include "pp/session/session.h"

struct pp_archive_job {
	const char *output;		/* directory; NULL: only list what would go into it */
	FILE *list;			/* where to, when there is no output: a path on each line */
	const struct pp_session *session;
	const struct pp_spec *spec;	/* what @session was opened with */
	int exclude_dependent;
	int kernel_code;		/* keep the running kernel's */
	int arcs;			/* also call-graph files, made from the trees of call paths */
	struct pp_images *images;
	const char *root;		/* what precedes the paths of binaries as found; "" for none */
	struct pp_log *log;
	/*
	 * Made here: of each of the session's directories, beside its list of images, whether call paths of the archive
	 * lead through an image. NULL: through all.
	 */
	bool **leads;
	/* Made here: who else has written a file that the session is made of, and may have named anything as a binary. */
	struct pp_reader *readers;
	size_t nr_readers;
	/* Counted here. */
	size_t nr_samples, nr_binaries, nr_debug, nr_same, nr_failed;
};

/* Negative when something could not be archived, with the reasons in the log; the rest is there.
 * A binary that is not on this machine is no failure: reports are without it here too. */
int pp_archive(struct pp_archive_job *job);

#endif
