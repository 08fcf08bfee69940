// SPDX-License-Identifier: GPL-2.0-or-later
/* view_screen_none.c -- replacement of view_screen.c in a build without ncurses: listings are shown
 * by a pager. */
#include "config.h"
#include "pp/tool/view_screen.h"

#include <errno.h>

bool pp_view_screen_works(void)
{
	return false;
}

int pp_view_screen_run(struct pp_view *view, const char *title, const char *const *classes,
		       bool color)
{
	(void)view;
	(void)title;
	(void)classes;
	(void)color;
	return -ENOTTY;
}
