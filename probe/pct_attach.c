// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pct_attach.c -- what opattach(1) calls in a program that has a collector of addresses in it.
 */
#include "config.h"
#include "probe/pct_attach.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/pc/here.h"
#include "probe/pc/pct.h"

#define EXPORT	__attribute__((visibility("default")))

/* What was set in the environment, for what the program starts meanwhile. */
static struct {
	bool has_words;			/* $PCT */
	char *list, *before;		/* $LD_PRELOAD, malloc'd; @list NULL: not set, @before NULL: there was none */
} variables;

/* What is preloaded already goes first. */
static void preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	char *list = NULL;

	if (!*library || variables.list || (before && strstr(before, library)) ||
	    asprintf(&list, "%s%s%s", before ? before : "", before && *before ? ":" : "", library) < 0)
		return;
	variables.before = before ? strdup(before) : NULL;
	if (setenv("LD_PRELOAD", list, 1)) {
		free(list);
		list = NULL;
	}
	variables.list = list;
}

/* Unless the program has set something else meanwhile. */
static void forget_preload(void)
{
	const char *list = getenv("LD_PRELOAD");

	if (variables.list && list && !strcmp(list, variables.list)) {
		if (variables.before)
			setenv("LD_PRELOAD", variables.before, 1);
		else
			unsetenv("LD_PRELOAD");
	}
	free(variables.list);
	free(variables.before);
	variables.list = variables.before = NULL;
}

/* The environment with $PCT, in front of another. A shell's setenv() is its own, and changes the shell's variables only. malloc'd, and never
 * freed: the run has the words from there. */
static char **make_environment(const char *words)
{
	char **made, *assigned;
	size_t nr = 0;

	while (environ[nr])
		nr++;
	made = malloc((nr + 3) * sizeof(*made));
	if (!made || asprintf(&assigned, "PCT=%s", words) < 0) {
		free(made);
		return NULL;
	}
	/* No arguments stand in front of this one: raw_argv_find() is not to look for them. */
	made[0] = (char *)1;
	made[1] = assigned;
	memcpy(made + 2, environ, (nr + 1) * sizeof(*made));
	return made + 1;
}

EXPORT void pct_attach(const char *text)
{
	const bool has_own = getenv("PCT");
	char **environment = environ;

	if (!has_own || *text) {
		variables.has_words |= !setenv("PCT", text, 1) && !has_own;
		environment = make_environment(text);
	}
	preload(text + strlen(text) + 1);
	if (environment)
		pc_here_on(environment);
}

EXPORT void pct_detach(void)
{
	pct_off();
	if (variables.has_words)
		unsetenv("PCT");
	variables.has_words = false;
	forget_preload();
}
