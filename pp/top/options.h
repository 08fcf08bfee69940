/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- the command line of optop.
 */
#ifndef PP_TOP_OPTIONS_H
#define PP_TOP_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "pp/top/rows.h"
#include "pp/top/top.h"

struct pp_top_command {
	struct pp_top_options top;
	struct pp_top_view view;
	bool batch;		/* print text instead of drawing on a terminal */
	long nr;		/* number of snapshots until optop exits; 0: unlimited */
	double delay;		/* time between snapshots, in seconds */
	long lines;		/* number of lines of a printed snapshot; 0: all */
	/* arguments of --session-dir, --image-path and --event, owned by this struct */
	char *session_dir, *image_path, *event;
};

#define PP_TOP_DONE	1	/* returned after --help, --usage or --version was printed */

/* Parse the command line. Return 0, PP_TOP_DONE, or a negative errno with the reason in @error. In
 * all cases the caller releases @command. */
int pp_top_parse(struct pp_top_command *command, int argc, char **argv, FILE *out,
		 struct op_reason *error);
void pp_top_command_release(struct pp_top_command *command);

#endif
