/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * restore.h -- restores the terminal when a signal ends the process.
 */
#ifndef PP_TOOL_RESTORE_H
#define PP_TOOL_RESTORE_H

#include <termios.h>

/*
 * Install handlers for the signals that end the process: a handler restores the modes @before of
 * stdin, leaves the screen of ncurses, and ends the process by the signal. Call this function after
 * newterm(), whose handlers do less.
 */
void pp_restore_on_signals(const struct termios *before);

#endif
