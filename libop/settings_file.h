/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings_file.h -- reader of files of settings: oprofile.conf and daemonrc.
 *
 * The file has lines NAME=value with the names of the original opcontrol. A value with other
 * characters than letters, digits and -_:,./+@% is written in double quotes, with backslashes
 * before " \ $ and `, and \n for a newline. Lines that begin with # are comments.
 */
#ifndef OP_SETTINGS_FILE_H
#define OP_SETTINGS_FILE_H

#include "libop/settings.h"

/* the variables of events: this prefix and a number */
#define OP_EVENT_VARIABLE	"CHOSEN_EVENTS_"
#define OP_NO_VMLINUX		"none"	/* value of the variable VMLINUX after --no-vmlinux */

/* Called for each line but comments and empty lines. @line: the number of the line, from 1 on.
 * @value: the decoded value; NULL: the line is malformed, and @name is all of it. Returns 0, or a
 * negative errno, which ends the reading. */
typedef int (*op_settings_line_fn)(void *arg, unsigned int line, const char *name,
				   const char *value);

/*
 * Read the file @path. Return 0; -ENOENT: the file does not exist; -EINVAL: the file is a
 * directory, a FIFO or a socket; -EFBIG: the file is larger than any file of settings; another
 * negative errno; or the result of @fn.
 */
int op_settings_file_read(const char *path, op_settings_line_fn fn, void *arg);

/* Return the setting of a variable, or NULL. @programs: OP_FOR_*. */
const struct op_setting *op_setting_by_variable(const char *name, unsigned int programs);
/* Return whether opcontrol has ever written a variable of this name: a setting, an event, or a
 * variable without a meaning today. */
bool op_settings_variable_known(const char *name);

#endif
