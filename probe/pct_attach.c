// SPDX-License-Identifier: GPL-2.0-or-later
/* pct_attach.c -- functions that opattach(1) calls in a program that contains the pc sample
 * collector. */
#include "config.h"
#include "probe/pct_attach.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/raw/attach_state.h"
#include "probe/pc/here.h"
#include "probe/pc/pct.h"

#define EXPORT	__attribute__((visibility("default")))

/* Another name for pct_attach_state, without relocation: opattach may call the functions of this
 * file before the library is relocated. Access to a static variable needs no relocation. */
static uint32_t state;
extern __typeof__(state) pct_attach_state EXPORT __attribute__((alias("state")));

__attribute__((constructor)) static void loaded(void)
{
	raw_attach_leave(&state);
}

/* Environment variables that this file has set for programs that this program executes. Global,
 * because the environment is. */
static struct {
	bool has_words;			/* this file has added the variable $PCT */
	/* values of $LD_PRELOAD, malloc'd. @list: the new value (NULL: unchanged); @before: the
	 * original value (NULL: the variable was not set) */
	char *list, *before;
} variables;

/* Append @library to the list in $LD_PRELOAD. */
static void preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	char *list = NULL;

	if (!*library || variables.list || (before && strstr(before, library)) ||
	    asprintf(&list, "%s%s%s", before ? before : "", before && *before ? ":" : "", library) <
		    0)
		return;
	variables.before = before ? strdup(before) : NULL;
	if (setenv("LD_PRELOAD", list, 1)) {
		free(list);
		list = NULL;
	}
	variables.list = list;
}

/* Restore $LD_PRELOAD, unless the program has changed it since preload(). */
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

/* Return a copy of the environment with $PCT set to @words as its first variable. setenv() cannot
 * be used: a shell defines its own setenv(), which only changes shell variables. The copy is never
 * freed, because the run keeps pointers into it. */
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
	/* raw_argv_find() searches for argv before the environment. This invalid pointer ends the
	 * search. */
	made[0] = (char *)1;
	made[1] = assigned;
	memcpy(made + 2, environ, (nr + 1) * sizeof(*made));
	return made + 1;
}

static void attach(const char *text)
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

EXPORT void pct_attach(const char *text)
{
	if (!raw_attach_enter(&state))
		return;
	attach(text);
	raw_attach_leave(&state);
}

EXPORT void pct_detach(void)
{
	if (!raw_attach_enter(&state))
		return;
	pct_off();
	if (variables.has_words)
		unsetenv("PCT");
	variables.has_words = false;
	forget_preload();
	raw_attach_leave(&state);
}
