// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach.c -- what opattach(1) calls in a program that was not begun with the probe.
 */
#include "config.h"
#include "probe/preloaded/attach.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPPROBE_C
#include "probe/opprobe.h"
#include "probe/probe.h"
#include "probe/wrap/hooks.h"

#define EXPORT	__attribute__((visibility("default")))

/* What is preloaded already goes first, as with opprobe(1). */
static bool set_variables(const char *words, const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	char *list = NULL;
	bool is_set;

	if (asprintf(&list, "%s%s%s", before ? before : "", before && *before ? ":" : "", library) < 0)
		return false;
	is_set = (before && strstr(before, library)) || !setenv("LD_PRELOAD", list, 1);
	free(list);
	return is_set && !setenv("OPPROBE", words, 1);
}

EXPORT void opprobe_attach(const char *text)
{
	if (probe_run()->pid)
		opprobe_start();
	else if (set_variables(text, text + strlen(text) + 1))
		probe_begin(getenv("OPPROBE"));
	probe_lose_pending();
}

EXPORT void opprobe_attach_thread(void)
{
	hook_thread_shows();
	probe_lose_pending();
}
