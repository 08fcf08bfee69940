/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * restore.h -- restores the terminal before a signal ends the process.
 */
#ifndef PP_TOOL_RESTORE_H
#define PP_TOOL_RESTORE_H

#include <termios.h>

/*
 * Install handlers for signals that end the process. A handler sets stdin to the modes @before,
 * leaves the screen of ncurses, and ends the process with the same signal. Call this after
 * newterm(), which installs handlers that do less.
 */
void pp_restore_on_signals(const struct termios *before);

#endif
