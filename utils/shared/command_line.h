/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_line.h -- command lines of operf, ocount, opperfex, opprobe and opattach: options, then a
 * command with its arguments.
 */
#ifndef UTILS_SHARED_COMMAND_LINE_H
#define UTILS_SHARED_COMMAND_LINE_H

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "libop/base/reason.h"

enum ctl_parse {
	CTL_RUN,
	/* result: --help, --usage or --version was printed to @out; exit successfully */
	CTL_DONE,
	CTL_WRONG,	/* result: the command line is wrong; exit with the message in @error */
};

/* Ids of options that all programs have. A program's own ids start at 1. */
enum { CTL_OPT_VERSION = 1000, CTL_OPT_HELP, CTL_OPT_USAGE };
#define CTL_LAST_OPTIONS \
	{ "version", 'v', POPT_ARG_NONE, NULL, CTL_OPT_VERSION, "print the version", NULL }, \
	{ "help", 'h', POPT_ARG_NONE, NULL, CTL_OPT_HELP, "print this help", NULL }, \
	{ "usage", 'u', POPT_ARG_NONE, NULL, CTL_OPT_USAGE, "print a shorter help", NULL }, \
	POPT_TABLEEND

struct ctl_command_line {
	const char *program;
	const struct poptOption *table;
	/* names of options that cannot be abbreviated, NULL-terminated: the argument @whole of
	 * op_options_abbreviate() */
	const char *const *whole;
	/* text after the program's name in the help: the syntax of the arguments */
	const char *usage;
	/*
	 * Handle the option @id, and free @value, which is malloc'd or NULL. Return 0, or a
	 * negative errno with a message in @error.
	 */
	int (*parse)(void *arg, int id, char *value, struct op_reason *error);
	void *arg;
};

/*
 * Parse @words: @argv, or a modified copy of the same length; NULL: the copy failed for lack of
 * memory. Set *@command to the part of @argv from the command on, or to NULL if there is no
 * command.
 */
enum ctl_parse ctl_command_line_parse(const struct ctl_command_line *line, int argc, char **argv,
				      const char **words, char ***command, FILE *out,
				      struct op_reason *error);

/* Print @error, and return the exit status for main(). @status: result of the run, used if @parsed
 * is CTL_RUN. */
int ctl_command_line_exit(const char *program, enum ctl_parse parsed, int status,
			  const struct op_reason *error);

/* Lists of process or thread numbers in options: "17,42". */

/*
 * Append the numbers of @list, which is modified, to *@ids, an array of op_grow(). @option and
 * @what ("process") are used in the error message. Return 0, -EINVAL or -ENOMEM.
 */
int ctl_parse_numbers(pid_t **ids, size_t *nr, char *list, const char *option, const char *what,
		     struct op_reason *error);

/* Conversion of --frequency=HZ to an event of the timer. */

/*
 * Set *@ret to the malloc'd name of a timer event with @text samples per second. Return 0, or a
 * negative errno with a message in @error.
 */
int ctl_event_of_frequency(char **ret, const char *text, struct op_reason *error);

/* The events of --wall: where threads compute, and where they wait. Both have a sample for each
 * millisecond, so the samples of a thread add up to the time since its creation. */
#define CTL_WALL_COMPUTES	"TIMER:1ms"
#define CTL_WALL_WAITS		"OFFCPU:1ms"
/* The third event of --wall=latency: the clock time of programs. */
#define CTL_WALL_LATENCY	"LATENCY:1ms"

/* Set *@latency to whether @value, the value of --wall or NULL, requests the third event. Return 0,
 * or -EINVAL with a message. */
int ctl_wall_parse(bool *latency, const char *value, struct op_reason *error);

#endif
