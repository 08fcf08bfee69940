/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h -- the fourth stage: words. A format is a table of functions over a finished profile;
 * each lives in a file of its own.
 */
#ifndef PP_FORMAT_FORMAT_H
#define PP_FORMAT_FORMAT_H

#include <stdio.h>

#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct pp_format_options {
	int long_filenames;
	int show_header;
	int show_address;
	int accumulated;
	int global_percent;
	int details;
	int verbose;		/* also counters that only developers ask for */
};

struct pp_report {
	const struct pp_session *session;
	const struct pp_profile *profile;	/* sorted, thinned out */
	const struct pp_format_options *options;
	FILE *out;
};

struct pp_format_ops {
	const char *name;
	void (*header)(
		const struct pp_report *report); /* first: what was profiled, and what was lost */
	void (*summary)(const struct pp_report *report);	/* programs and their libraries */
	void (*symbols)(const struct pp_report *report);	/* the list of symbols */
};

extern const struct pp_format_ops pp_format_text;

#endif
