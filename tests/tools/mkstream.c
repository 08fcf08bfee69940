// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkstream.c -- converts a text to a stream in the format of the module's `buffer` file, for tests.
 *
 * One record a line (numbers as in C): ctx TID COOKIE TGID; cpu N; cookie C; kernel; user; guest;
 * modules; trace; count N; anon START END KIND; s OFFSET EVENT; w WORD (any word); bytes N (N zero
 * bytes). "repeat N" before a line writes the record N times.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module/uapi/oprofile.h"

#define E OPROFILE_ESCAPE

static void write_word(unsigned long word)
{
	fwrite(&word, sizeof(word), 1, stdout);
}

struct shape {
	const char *name;
	int nr_args;
	/* words of the record; ARG + n stands for the n-th argument */
	unsigned long words[8];
	int nr_words;
};

#define ARG	(~0UL - 16)

static const struct shape shapes[] = {
	{ "ctx", 3, { E, OPROFILE_CTX_SWITCH, ARG, ARG + 1, E, OPROFILE_CTX_TGID, ARG + 2 }, 7 },
	{ "cpu", 1, { E, OPROFILE_CPU_SWITCH, ARG }, 3 },
	{ "cookie", 1, { E, OPROFILE_COOKIE_SWITCH, ARG }, 3 },
	{ "kernel", 0, { E, OPROFILE_KERNEL_ENTER }, 2 },
	{ "user", 0, { E, OPROFILE_KERNEL_EXIT }, 2 },
	{ "guest", 0, { E, OPROFILE_GUEST_ENTER }, 2 },
	{ "modules", 0, { E, OPROFILE_MODULE_LOADED }, 2 },
	{ "trace", 0, { E, OPROFILE_TRACE_BEGIN }, 2 },
	{ "count", 1, { E, OPROFILE_COUNT, ARG }, 3 },
	{ "anon", 3, { E, OPROFILE_ANON_RANGE, ARG, ARG + 1, ARG + 2 }, 5 },
	{ "s", 2, { ARG, ARG + 1 }, 2 },
	{ "w", 1, { ARG }, 1 },
};

static int write_line(const char *name, const unsigned long *args, int nr_args)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *s = &shapes[i];

		if (strcmp(s->name, name) || s->nr_args != nr_args)
			continue;
		for (int j = 0; j < s->nr_words; j++) {
			unsigned long w = s->words[j];

			write_word(w >= ARG && w < ARG + 8 ? args[w - ARG] : w);
		}
		return 0;
	}
	return -EINVAL;
}

int main(void)
{
	char line[1024];
	unsigned long repeat = 1;
	int nr = 0;

	while (fgets(line, sizeof(line), stdin)) {
		char *save, *name = strtok_r(line, " \t\n", &save), *arg;
		unsigned long args[8];
		int nr_args = 0;

		nr++;
		if (!name || name[0] == '#')
			continue;
		while (nr_args < 8 && (arg = strtok_r(NULL, " \t\n", &save)))
			args[nr_args++] = strtoul(arg, NULL, 0);
		if (!strcmp(name, "repeat") && nr_args == 1) {
			repeat = args[0];
			continue;
		}
		if (!strcmp(name, "bytes") && nr_args == 1) {
			for (; args[0]; args[0]--)
				putchar(0);
			continue;
		}
		for (; repeat; repeat--) {
			if (write_line(name, args, nr_args)) {
				fprintf(stderr, "mkstream: line %d: '%s'?\n", nr, name);
				return 1;
			}
		}
		repeat = 1;
	}
	return fflush(stdout) ? 1 : 0;
}
