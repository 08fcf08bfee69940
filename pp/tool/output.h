/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h -- the output file of a report.
 *
 * A regular file is replaced when the new file is complete. If the report fails, an old file stays
 * unchanged, and no new file is created.
 */
#ifndef PP_OUTPUT_H
#define PP_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct pp_output {
	FILE *out;
	/* .path: final path. .temporary: path of the file that is written and later renamed to
	 * .path; NULL: .path is written in place. */
	char *path, *temporary;
};

/* Open the output file @path. Return 0 or a negative errno. */
int pp_output_open(struct pp_output *output, const char *path);

/* Close the file. If @complete, rename it to its final path, else remove it. Return 0 or a negative
 * errno; on an error, the old file stays. */
int pp_output_close(struct pp_output *output, bool complete);

#endif
