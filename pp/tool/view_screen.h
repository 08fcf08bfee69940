/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_screen.h -- shows an annotated listing on the terminal, in which the user moves with keys.
 */
#ifndef PP_TOOL_VIEW_SCREEN_H
#define PP_TOOL_VIEW_SCREEN_H

#include <stdbool.h>

#include "pp/tool/view.h"

/* Return whether stdin and stdout are a terminal that can move its cursor, and this program was
 * built with ncurses. */
bool pp_view_screen_works(void);

/*
 * Show the view until the user quits. @title: first line of the screen. @classes: names of the
 * view's classes (events). Return 0. If the terminal cannot be used, return -ENOTTY without showing
 * anything.
 */
int pp_view_screen_run(struct pp_view *view, const char *title, const char *const *classes,
		       bool color);

#endif
