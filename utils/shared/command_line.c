// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command_line.c -- parses command lines that consist of options, a command, and the command's
 * arguments.
 */
#include "config.h"
#include "utils/shared/command_line.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/base/option_words.h"
#include "libop/event/spec.h"
#include "utils/shared/run_command.h"

static enum ctl_parse parse(const struct ctl_command_line *line, poptContext con, FILE *out,
			    struct op_reason *error)
{
	char meant[200];
	int id;

	while ((id = poptGetNextOpt(con)) > 0) {
		switch (id) {
		case CTL_OPT_HELP:
			poptPrintHelp(con, out, 0);
			return CTL_DONE;
		case CTL_OPT_USAGE:
			poptPrintUsage(con, out, 0);
			return CTL_DONE;
		case CTL_OPT_VERSION:
			fprintf(out, "%s: " PACKAGE_STRING "\n", line->program);
			return CTL_DONE;
		}
		if (line->parse(line->arg, id, poptGetOptArg(con), error)) {
			if (!*error->text)
				op_fail(error, -ENOMEM, "%s", op_strerror(-ENOMEM));
			return CTL_WRONG;
		}
	}
	if (id < -1) {
		op_fail(error, -EINVAL, "%s: %s%s; see %s --help (options of the command follow "
					"its name)",
			poptBadOption(con, 0), poptStrerror(id), id == POPT_ERROR_BADOPT ?
			op_options_suggest(line->table, poptBadOption(con, 0), meant, sizeof(meant)) : "", line->program);
		return CTL_WRONG;
	}
	return CTL_RUN;
}

/*
 * Return a pointer to the command in @argv. popt stops at the first word that is not an option
 * (POSIXMEHARDER), so the words that are left are the end of @argv.
 */
static char **find_command(poptContext con, int argc, char **argv)
{
	const char **rest = poptGetArgs(con);
	int nr = 0;

	while (rest && rest[nr])
		nr++;
	return nr ? argv + argc - nr : NULL;
}

enum ctl_parse ctl_command_line_parse(const struct ctl_command_line *line, int argc, char **argv,
				      const char **words, char ***command, FILE *out,
				      struct op_reason *error)
{
	poptContext con = words ? poptGetContext(line->program, argc, words, line->table,
						 POPT_CONTEXT_POSIXMEHARDER) : NULL;
	enum ctl_parse ret = CTL_WRONG;

	if (!con || op_options_abbreviate(con, line->table, line->whole)) {
		op_fail(error, -ENOMEM, "%s", op_strerror(-ENOMEM));
	} else if (op_options_once(line->table, words, true, error)) {
		if (!*error->text)
			op_fail(error, -ENOMEM, "%s", op_strerror(-ENOMEM));
	} else {
		poptSetOtherOptionHelp(con, line->usage);
		ret = parse(line, con, out, error);
		if (ret == CTL_RUN)
			*command = find_command(con, argc, argv);
	}
	poptFreeContext(con);
	return ret;
}

int ctl_command_line_exit(const char *program, enum ctl_parse parsed, int status,
			  const struct op_reason *error)
{
	if (*error->text)
		op_clean_printf(stderr, "%s: %s\n", program, error->text);
	switch (parsed) {
	case CTL_RUN:
		return status;
	case CTL_DONE:
		/* exit() reports an error if the output cannot be written */
		return EXIT_SUCCESS;
	case CTL_WRONG:
		break;
	}
	return CTL_EXIT_FAILED;
}

int ctl_parse_numbers(pid_t **ids, size_t *nr, char *list, const char *option, const char *what,
		     struct op_reason *error)
{
	char *part;

	while ((part = strsep(&list, ","))) {
		char *end;
		long n = *part >= '0' && *part <= '9' ? strtol(part, &end, 10) : 0;

		if (n <= 0 || n > INT32_MAX || *end)
			return op_fail(error, -EINVAL,
				       "option \"--%s\": \"%s\" is not a %s number", option, part,
				       what);
		if (op_grow(ids, *nr))
			return -ENOMEM;
		(*ids)[(*nr)++] = (pid_t)n;
	}
	return 0;
}

int ctl_event_of_frequency(char **ret, const char *text, struct op_reason *error)
{
	size_t len = strspn(text, "0123456789.");
	struct op_event_spec spec;
	char *event;
	int err;

	if (!len || text[len])
		return op_fail(error, -EINVAL, "option \"--frequency\": \"%s\" is not a number of "
					       "samples a second", text);
	if (asprintf(&event, OP_EVENT_TIMER ":%sHz", text) < 0)
		return -ENOMEM;
	err = op_event_spec_parse(&spec, event);
	if (err) {
		free(event);
		return op_fail(error, err, "option \"--frequency\": %s", op_strerror(err));
	}
	op_event_spec_release(&spec);
	*ret = event;
	return 0;
}

int ctl_wall_parse(bool *latency, const char *value, struct op_reason *error)
{
	*latency = value && !strcmp(value, "latency");
	if (*latency || !value || !*value)
		return 0;
	return op_fail(error, -EINVAL, "option \"--wall\": \"%s\" is not \"latency\"", value);
}
