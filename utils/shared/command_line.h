/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_line.h -- the command lines of operf, ocount, opperfex, opprobe and opattach: options,
 * then a command with its arguments.
 */
#ifndef UTILS_SHARED_COMMAND_LINE_H
#define UTILS_SHARED_COMMAND_LINE_H

#include <popt.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "libop/base/reason.h"

enum ctl_parse {
	CTL_RUN,
	/* result: exit, because the text of --help, --usage or --version was printed to @out */
	CTL_DONE,
	CTL_WRONG,	/* result: exit with an error, whose cause is in @error */
};

/* Ids of the last entries of a table of options. Ids from 1 on belong to the program. */
enum { CTL_OPT_VERSION = 1000, CTL_OPT_HELP, CTL_OPT_USAGE };
#define CTL_LAST_OPTIONS \
	{ "version", 'v', POPT_ARG_NONE, NULL, CTL_OPT_VERSION, "print the version", NULL }, \
	{ "help", 'h', POPT_ARG_NONE, NULL, CTL_OPT_HELP, "print this help", NULL }, \
	{ "usage", 'u', POPT_ARG_NONE, NULL, CTL_OPT_USAGE, "print a shorter help", NULL }, \
	POPT_TABLEEND

struct ctl_command_line {
	const char *program;
	const struct poptOption *table;
	/* names of the options that cannot be abbreviated, ended by NULL: the argument @whole of
	 * op_options_abbreviate() */
	const char *const *whole;
	const char *usage;		/* text that follows the program's name in its help */
	/*
	 * Handle the option @id and free @value, which is malloc'd or NULL. Return 0, or a
	 * negative errno with a message in @error.
	 */
	int (*parse)(void *arg, int id, char *value, struct op_reason *error);
	void *arg;
};

/*
 * Parse @words, which is @argv or an array of the same number of words; NULL: there was no memory.
 * Set *@command to the part of @argv that begins with the command, or to NULL if there is no
 * command.
 */
enum ctl_parse ctl_command_line_parse(const struct ctl_command_line *line, int argc, char **argv,
				      const char **words, char ***command, FILE *out,
				      struct op_reason *error);

/* Print @error, and return main's exit status. @status is the result of the run after CTL_RUN. */
int ctl_command_line_exit(const char *program, enum ctl_parse parsed, int status,
			  const struct op_reason *error);

/* Lists of process or thread numbers in options: "17,42". */

/*
 * Append the numbers of @list, which is modified, to *@ids, an array of op_grow(). @option and
 * @what ("process") are for the message. Return 0, -EINVAL or -ENOMEM.
 */
int ctl_take_numbers(pid_t **ids, size_t *nr, char *list, const char *option, const char *what,
		     struct op_reason *error);

/* Conversion of --frequency=HZ to an event of the timer. */

/*
 * Store the malloc'd name of the event that samples @text times a second in *@ret. Return 0, or a
 * negative errno with a message in @error.
 */
int ctl_event_of_frequency(char **ret, const char *text, struct op_reason *error);

#endif
