/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- warnings about a profile: messages about single binaries, missing files or symbols,
 * and sample files that differ from the totals.
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
		uint32_t binary;	/* index in the profile */
		char *text;
	} *items;		/* sorted by binary */
	size_t nr;
};

/* Move the warnings about @binary from @queue to @warnings, and write the other messages to @log.
 * Call this in ascending order of binaries. Return 0 or -ENOMEM. */
int pp_warnings_take(struct pp_warnings *warnings, uint32_t binary, struct pp_log_queue *queue,
		     struct pp_log *log);

/* Write the warnings: one for each binary if there are few or @log is verbose, else one for all.
 * Unless @log is verbose, omit binaries below @threshold percent, which the report does not show.
 * Return 0 or -ENOMEM. */
int pp_warnings_report(const struct pp_warnings *warnings, const struct pp_profile *profile,
		     double threshold, struct pp_log *log);

/* Free the contents of @warnings, which may be zeroed. */
void pp_warnings_release(struct pp_warnings *warnings);

/* A warning about samples in missing binaries, of which only names are known. */

/* The end of a message about missing binaries: how to make them available. */
#define PP_GONE_WAYS                                                                               \
	"Lines and assembly need the binary itself: name its new place with --image-path=DIR or "    \
	"--root=DIR, download it with --debuginfod, or archive it with oparchive while it exists"

#define PP_GONE_ID_SIZE	160
/* Write a sentence with the build-id of a missing binary and the command that downloads this build
 * to @buf, or "" if the build-id is unknown. Return @buf. */
const char *pp_gone_id(char buf[PP_GONE_ID_SIZE], const struct pp_binary *binary);

/* Warn if more than 1 % of the samples (if @log is verbose: any samples) lack @what, such as
 * "source lines", because only names of their binaries are known. Return 0 or -ENOMEM. */
int pp_gone_report(const struct pp_profile *profile, const char *what, struct pp_log *log);

/* Lines about binaries with missing symbols, and remedies. */

/* Print lines about binaries with a large share of samples without symbols, if there are any. Do
 * not call this for differential profiles. @command: this report's command line, quoted for a
 * shell. @asked: servers of debug files were asked. Return 0 or -ENOMEM. */
int pp_unnamed_report(const struct pp_profile *profile, const char *command, bool asked, FILE *out);

/* Comparison of each session's sample files with its totals. */

/*
 * Return the maximum number of samples by which the files of session @i may exceed its totals: a
 * running daemon writes the totals first and stores samples later. Return 0 without a daemon.
 */
uint64_t pp_stored_after(const struct pp_session *session, size_t i);

/* Warn about each session whose sample files differ from its totals. @read: for each session, the
 * number of samples in its files. */
void pp_stored_check(const struct pp_session *session, const uint64_t *read, struct pp_log *log);

#endif
