/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h -- the file to which a report is written.
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
	/* .path: final path of the output; .temporary: path of the file that .out writes, which
	 * gets the name .path when the output is complete; .temporary NULL: .out writes to the file
	 * .path itself */
	char *path, *temporary;
};

/* Open the file @path for writing. Return 0 or a negative errno. */
int pp_output_open(struct pp_output *output, const char *path);

/* Close the file. If @complete is true, rename it to its final path; otherwise remove it. Return 0
 * or a negative errno; on an error, the old file stays. */
int pp_output_close(struct pp_output *output, bool complete);

#endif
