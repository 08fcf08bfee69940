/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h -- optop on a terminal.
 */
#ifndef PP_TOP_SCREEN_H
#define PP_TOP_SCREEN_H

#include "pp/top/options.h"

/* Show snapshots on the terminal until the user quits, or until command->nr snapshots were shown.
 * Return 0, or a negative errno with the reason in the log. */
int pp_top_screen(struct pp_top *top, struct pp_top_command *command, struct pp_log *log);

#endif
