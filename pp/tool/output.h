/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h -- the output file of a report.
 *
 * An existing regular file is replaced only when the new file is complete. If the report fails, the
 * existing file stays unchanged, and no new file is created.
 */
#ifndef PP_OUTPUT_H
#define PP_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct pp_output {
	FILE *out;
	/* .path: final path of the output. .temporary: path of the temporary file, which is later
	 * renamed to .path; NULL if .path is written in place. */
	char *path, *temporary;
};

/* Open the output file @path. Return 0 or a negative errno. */
int pp_output_open(struct pp_output *output, const char *path);

/* Close the file. If @complete, rename it to its final path; otherwise remove it. Return 0 or a
 * negative errno. On an error, an existing file at the final path stays. */
int pp_output_close(struct pp_output *output, bool complete);

#endif
