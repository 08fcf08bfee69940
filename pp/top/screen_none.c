// SPDX-License-Identifier: GPL-2.0-or-later
/* screen_none.c -- replacement of screen.c in a build without ncurses: optop only prints text. */
#include "config.h"
#include "pp/top/screen.h"

#include <errno.h>

int pp_top_screen(struct pp_top *top, struct pp_top_command *command, struct pp_log *log)
{
	(void)top;
	(void)command;
	return op_fail(&log->error, -ENOSYS,
		       "this optop was built without ncurses: use --batch, or build it again after "
		       "installing libncurses-dev (ncurses-devel)");
}
