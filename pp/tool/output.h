/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h -- the file that a report is written to.
 *
 * A regular file is replaced when the new one is complete, so a report that fails leaves the old
 * file as it was, and no file where there was none.
 */
#ifndef PP_OUTPUT_H
#define PP_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct pp_output {
	FILE *out;
	/* @temporary becomes @path; NULL: @out writes to the file itself */
	char *path, *temporary;
};

/* Open the file @path for writing. Return 0 or a negative errno. */
int pp_output_open(struct pp_output *output, const char *path);

/* Close the file. @complete: put it in place; otherwise remove it. Return 0 or a negative errno;
 * on an error, the old file stays. */
int pp_output_close(struct pp_output *output, bool complete);

#endif
