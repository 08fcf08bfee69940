/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings_file.h -- parser of files of settings: oprofile.conf and daemonrc.
 *
 * The file has lines NAME=value, with the names of the original opcontrol. A value that contains
 * characters other than letters, digits and -_:,./+@% is in double quotes, with a backslash before
 * each " \ $ and `, and \n for a newline. Lines that begin with # are comments.
 */
#ifndef OP_SETTINGS_FILE_H
#define OP_SETTINGS_FILE_H

#include "libop/settings.h"

/* prefix of the variables that contain events; a number follows */
#define OP_EVENT_VARIABLE	"CHOSEN_EVENTS_"
#define OP_NO_VMLINUX		"none"	/* value of the variable VMLINUX for --no-vmlinux */

/* Called for each line of the file except comments and empty lines. @line: number of the line, from
 * 1 on. @value: the decoded value; NULL: the line is malformed, and @name is the whole line. Return
 * 0 to continue, or a negative errno to stop. */
typedef int (*op_settings_line_fn)(void *arg, unsigned int line, const char *name,
				   const char *value);

/*
 * Read the file @path, and call @fn for each line. Return 0; -ENOENT: the file does not exist;
 * -EINVAL: the file is a directory, a FIFO or a socket; -EFBIG: the file is larger than any file of
 * settings; another negative errno; or the result of @fn.
 */
int op_settings_file_read(const char *path, op_settings_line_fn fn, void *arg);

/* Return the setting that is stored in the variable @name, or NULL. @programs: OP_FOR_*. */
const struct op_setting *op_setting_by_variable(const char *name, unsigned int programs);
/* Return whether any version of opcontrol has written a variable with the name @name: a setting, an
 * event, or a variable that is obsolete now. */
bool op_settings_variable_known(const char *name);

#endif
