/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * restore.h -- restores the terminal before a signal ends the process.
 */
#ifndef PP_TOOL_RESTORE_H
#define PP_TOOL_RESTORE_H

#include <termios.h>

/*
 * Install handlers for signals that end the process. A handler sets stdin to the terminal modes
 * @before, leaves the screen of ncurses, and ends the process with the same signal. Call this after
 * newterm(), whose own handlers do not restore everything.
 */
void pp_restore_on_signals(const struct termios *before);

#endif
