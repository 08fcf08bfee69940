/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- warnings about a profile: about single binaries, missing files and symbols, and
 * sample files whose samples differ from the totals.
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
		uint32_t binary;	/* index of the binary in the profile */
		char *text;
	} *items;		/* samples without symbols, in order of binary */
	size_t nr;
};

/* Move the warnings of a binary from @queue to @warnings, and write its other messages to @log.
 * Call this in ascending order of binaries. Return 0 or -ENOMEM. */
int pp_warnings_take(struct pp_warnings *warnings, uint32_t binary, struct pp_log_queue *queue,
		     struct pp_log *log);

/* Write the warnings: one for each binary if there are few or @log is verbose, else one for all.
 * Binaries below @threshold percent, which the report does not show, are only included if @log is
 * verbose. Return 0 or -ENOMEM. */
int pp_warnings_report(const struct pp_warnings *warnings, const struct pp_profile *profile,
		     double threshold, struct pp_log *log);

/* @warnings may be zeroed. */
void pp_warnings_release(struct pp_warnings *warnings);

/* A warning about samples in binaries that no longer exist and of which only names were kept. */

/* The end of a message about missing binaries: how to provide them. */
#define PP_GONE_WAYS                                                                               \
	"Lines and assembly need the binary itself: name its new place with --image-path=DIR or "    \
	"--root=DIR, download it with --debuginfod, or archive it with oparchive while it exists"

#define PP_GONE_ID_SIZE	160
/* Write a sentence with the build-id of a missing binary and the command that downloads this build,
 * or "" if the build-id is unknown. Return @buf. */
const char *pp_gone_id(char buf[PP_GONE_ID_SIZE], const struct pp_binary *binary);

/* Warn if more than 1 % of the samples (if @log is verbose: any samples) have no @what, such as
 * "source lines", because only the names of their binaries were kept. Return 0 or -ENOMEM. */
int pp_gone_report(const struct pp_profile *profile, const char *what, struct pp_log *log);

/* A text about binaries whose symbols are missing, with remedies. */

/* Print lines about binaries with a large share of samples without symbols, if there are such
 * binaries. Do not call this for differential profiles. @command: this report's command line, for a
 * shell. @asked: the report has asked the servers of debug files. Return 0 or -ENOMEM. */
int pp_unnamed_report(const struct pp_profile *profile, const char *command, bool asked, FILE *out);

/* Comparison of the samples in sample files with the totals of each session. */

/*
 * Return the maximum number of samples that the files of session @i may have beyond its totals: a
 * running daemon stores samples after it writes the totals. Return 0 without a daemon.
 */
uint64_t pp_stored_behind(const struct pp_session *session, size_t i);

/* Warn about each session whose sample files and totals differ. @read: the number of samples in the
 * files of each session. */
void pp_stored_check(const struct pp_session *session, const uint64_t *read, struct pp_log *log);

#endif
