/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- warnings about a profile: about single binaries, about missing files or symbols,
 * and about sample files whose sum differs from the daemon's totals.
 */
#ifndef PP_PROFILE_WARNINGS_H
#define PP_PROFILE_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pp/base/log.h"
#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct pp_warnings {
	struct pp_binary_warning {
		/* index, in the profile, of the binary that the warning is about */
		uint32_t binary;
		char *text;
	} *items;		/* warnings, sorted by binary */
	size_t nr;
};

/* Move the warnings about @binary from @queue to @warnings, and write the other messages of @queue
 * to @log. Call this for the binaries in ascending order. Return 0 or -ENOMEM. */
int pp_warnings_add_queue(struct pp_warnings *warnings, uint32_t binary, struct pp_log_queue *queue,
			  struct pp_log *log);

/* Write the warnings to @log: one for each binary if they are few or if @log is verbose, else a
 * single warning for all binaries. Unless @log is verbose, omit binaries below @threshold percent,
 * which the report does not show. Return 0 or -ENOMEM. */
int pp_warnings_report(const struct pp_warnings *warnings, const struct pp_profile *profile,
		     double threshold, struct pp_log *log);

/* Free the contents of @warnings, which may be zeroed. */
void pp_warnings_release(struct pp_warnings *warnings);

/* A warning about samples in missing binaries, of which only the names are known. */

/* end of a message about missing binaries: how the user can get them */
#define PP_GONE_WAYS                                                                               \
	"Lines and assembly need the binary itself: name its new place with --image-path=DIR or "    \
	"--root=DIR, download it with --debuginfod, or archive it with oparchive while it exists"

#define PP_GONE_ID_SIZE	160
/* Write a sentence to @buf with the build-id of a missing binary and the command that downloads
 * this build. If the build-id is unknown, write "". Return @buf. */
const char *pp_gone_id(char buf[PP_GONE_ID_SIZE], const struct pp_binary *binary);

/* Warn if more than 1 % of the samples (with a verbose @log: any samples) have no @what, such as
 * "source lines", because their binaries are missing and only names are known. Return 0 or
 * -ENOMEM. */
int pp_gone_report(const struct pp_profile *profile, const char *what, struct pp_log *log);

/* Lines about binaries with missing symbols, and remedies. */

/* Print a list of the binaries with a large percentage of samples without symbols, if such binaries
 * exist. Do not call this for differential profiles. @command: this report's command line, quoted
 * for a shell. @asked: servers of debug files were already asked. Return 0 or -ENOMEM. */
int pp_unnamed_report(const struct pp_profile *profile, const char *command, bool asked, FILE *out);

/* Comparison of each session's sample files with the totals that the daemon recorded. */

/*
 * Return the maximum number of samples by which the files of session @i may exceed the recorded
 * totals: a running daemon writes the totals first, and stores more samples later. Return 0 if no
 * daemon runs.
 */
uint64_t pp_stored_after(const struct pp_session *session, size_t i);

/* Warn about each session whose sample files do not have the same sum as the recorded totals.
 * @read: for each session, the number of samples in its files. */
void pp_stored_check(const struct pp_session *session, const uint64_t *read, struct pp_log *log);

#endif
