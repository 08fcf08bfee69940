// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main of addr2func: prints the names of the functions at addresses, from the output of
 * `nm -n`.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/option_words.h"
#include "libop/base/process.h"
#include "libop/base/reason.h"
#include "libop/raw/num.h"
#include "utils/addr2func/nm_search.h"

enum { OPT_VERSION = 1, OPT_HELP, OPT_USAGE };

/* maximum length of a symbol name; compilers do not generate longer names */
#define MAX_NAME	65536

static long read_list(void *arg, uint64_t at, void *buf, size_t len)
{
	return pread(*(int *)arg, buf, len, at);
}

/* Open the list of symbols (output of nm). Read the list by pread(2) instead of mapping it: if
 * another process truncated the mapped file, SIGBUS would kill addr2func. */
static int open_list(struct nm_text *text, int *fd, const char *path, struct op_reason *error)
{
	struct stat st;

	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0 || fstat(*fd, &st))
		return op_fail(error, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return op_fail(error, -EINVAL, "%s is not a regular file: addr2func needs random access", path);
	*text = (struct nm_text){ read_list, fd, st.st_size, 0 };
	return 0;
}

/* Translate the addresses in @in (one per line, in hex with or without 0x), and print a symbol name
 * for each. Print "??" for an invalid line and for an address without a symbol. Limit the length of
 * names, because they may come from untrusted programs. */
static int translate(struct nm_text *text, FILE *in, struct op_reason *error)
{
	char *line = NULL, *name = malloc(MAX_NAME);
	size_t size = 0;

	while (name && getline(&line, &size, in) > 0) {
		const char *at = line + strspn(line, " \t");
		size_t len = 0;
		uint64_t pc;

		if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
			at += 2;
		if (raw_str2num(&pc, at, strlen(at), 16))
			len = nm_search(text, pc, name, MAX_NAME);
		op_put_clean(stdout, len ? name : "??", len ? len : 2);
		putchar('\n');
		/* Flush after each line, because an interactive caller waits for the result. */
		if (fflush(stdout))
			break;
	}
	free(line);
	if (!name)
		return -ENOMEM;
	free(name);
	if (ferror(in) || ferror(stdout))
		return op_fail(error, -EIO, "cannot %s: %s", ferror(in) ? "read" : "write", strerror(errno));
	return 0;
}

/* Read the next line of @list into *@line. Return its length without the newline, or -1 at the end
 * of the file. */
static ssize_t next_line(FILE *list, char **line, size_t *size)
{
	ssize_t len = getline(line, size, list);

	return len > 0 && (*line)[len - 1] == '\n' ? len - 1 : len;
}

/* Print the list of symbols with all lines padded to the length of the longest line. A search in
 * the padded list can compute the offset of a line from its number. */
static int pad(int fd, struct op_reason *error)
{
	FILE *list = fdopen(fd, "r");
	ssize_t longest = 0, len;
	char *line = NULL;
	size_t size = 0;

	if (!list)
		return -ENOMEM;
	while ((len = next_line(list, &line, &size)) >= 0)
		longest = len > longest ? len : longest;
	rewind(list);
	while ((len = next_line(list, &line, &size)) >= 0) {
		fwrite(line, len, 1, stdout);
		printf("%*s\n", (int)(longest > len ? longest - len : 0), "");
	}
	free(line);
	len = ferror(list) ? op_fail(error, -EIO, "cannot read the addresses from stdin: %s", strerror(errno)) : 0;
	fclose(list);
	return len || !fflush(stdout) ? len : op_fail(error, -errno, "cannot write to stdout: %s", strerror(errno));
}

static int run(poptContext con, const struct poptOption *table, const int *padded,
	       struct op_reason *error)
{
	struct nm_text text;
	const char *path;
	char meant[200];
	int id, err, fd;

	if (op_options_abbreviate(con, table, NULL))
		return -ENOMEM;
	id = poptGetNextOpt(con);
	switch (id) {
	case OPT_HELP:
		poptPrintHelp(con, stdout, 0);
		return 0;
	case OPT_USAGE:
		poptPrintUsage(con, stdout, 0);
		return 0;
	case OPT_VERSION:
		puts("addr2func: " PACKAGE_STRING);
		return 0;
	}
	if (id < -1)
		return op_fail(error, -EINVAL, "%s: %s%s; see addr2func --help", poptBadOption(con, 0), poptStrerror(id),
			       id == POPT_ERROR_BADOPT ? op_options_suggest(table, poptBadOption(con, 0), meant, sizeof(meant)) : "");
	path = poptGetArg(con);
	if (!path || poptPeekArg(con))
		return op_fail(error, -EINVAL, "the list of symbols is missing: run nm -n PROGRAM "
			       ">LIST, then addr2func LIST");
	err = open_list(&text, &fd, path, error);
	if (!err && *padded)
		return pad(fd, error);
	if (!err)
		err = translate(&text, stdin, error);
	if (fd >= 0)
		close(fd);
	return err;
}

int main(int argc, char **argv)
{
	int padded = 0, err = -ENOMEM;
	const struct poptOption table[] = {
		{ "pad", 'p', POPT_ARG_NONE, &padded, 0, "print the list with all lines as long as the longest", NULL },
		{ "version", 'v', POPT_ARG_NONE, NULL, OPT_VERSION, "print the version", NULL },
		{ "help", 'h', POPT_ARG_NONE, NULL, OPT_HELP, "print this", NULL },
		{ "usage", 'u', POPT_ARG_NONE, NULL, OPT_USAGE, "print a shorter help", NULL },
		POPT_TABLEEND
	};
	struct op_reason error = { "" };
	poptContext con;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	con = poptGetContext("addr2func", argc, (const char **)argv, table, 0);
	if (con) {
		poptSetOtherOptionHelp(con, "[--pad] LIST <ADDRESSES");
		err = run(con, table, &padded, &error);
	}
	poptFreeContext(con);
	if (err)
		fprintf(stderr, "addr2func: %s\n", op_reason_text(&error, err));
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
