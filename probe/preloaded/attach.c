// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach.c -- what opattach(1) calls in a program that was not begun with the probe.
 */
#include "config.h"
#include "probe/preloaded/attach.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPPROBE_C
#include "libop/raw/attach_state.h"
#include "probe/opprobe.h"
#include "probe/preloaded/imports.h"
#include "probe/preloaded/scope.h"
#include "probe/probe.h"
#include "probe/wrap/actions.h"
#include "probe/wrap/exec.h"
#include "probe/wrap/hooks.h"

#define EXPORT	__attribute__((visibility("default")))

/* The entry points use @state, whose address needs no relocation: they may be called before the library has been relocated. */
static uint32_t state;
extern __typeof__(state) opprobe_attach_state EXPORT __attribute__((alias("state")));

/* Accept calls. This is the last of the library's constructors. */
__attribute__((constructor)) static void loaded(void)
{
	raw_attach_leave(&state);
}

/* What programs find that this one begins while it is sampled, "NAME=VALUE"; all are malloc'd. */
static struct {
	char *words, *list;		/* NULL: the program was begun with them */
	char *before;			/* $LD_PRELOAD, NULL: there was none */
} variables;

static const char *value_of(const char *variable)
{
	return strchr(variable, '=') + 1;
}

static bool set_variables(void)
{
	if (!variables.words)
		return true;
	exec_adds((const char *const[]){ variables.words, variables.list });
	return !setenv("LD_PRELOAD", value_of(variables.list), 1) && !setenv("OPPROBE", value_of(variables.words), 1);
}

/* What is preloaded already goes first, as with opprobe(1). */
static bool make_variables(const char *words, const char *library)
{
	const char *before = getenv("LD_PRELOAD");

	bool has_it = before && strstr(before, library);
	char *list = NULL, *assigned = NULL;

	if (asprintf(&list, "LD_PRELOAD=%s%s%s", before ? before : "", before && *before && !has_it ? ":" : "",
		     has_it ? "" : library) < 0 ||
	    asprintf(&assigned, "OPPROBE=%s", words) < 0 || (before && !(variables.before = strdup(before)))) {
		free(list);
		return false;
	}
	variables.list = list;
	variables.words = assigned;
	return set_variables();
}

/* Unless the program has set something else meanwhile. */
static void unset_variables(void)
{
	const char *list = getenv("LD_PRELOAD");

	if (!variables.words)
		return;
	exec_adds(NULL);
	unsetenv("OPPROBE");
	if (!list || strcmp(list, value_of(variables.list)))
		return;
	if (variables.before)
		setenv("LD_PRELOAD", variables.before, 1);
	else
		unsetenv("LD_PRELOAD");
}

/* What stands in for functions, by their paths with a colon between them; the probe itself is one of them. */
static bool load(const char *libraries)
{
	char *list = strdup(libraries), *rest = list;
	bool is_loaded = list != NULL;

	for (const char *path; is_loaded && (path = strsep(&rest, ":"));) {
		const struct link_map *map = *path ? dlopen(path, RTLD_NOW) : NULL;

		is_loaded = map || !*path;
		if (map)
			imports_add(map->l_ld);
	}
	free(list);
	imports_add((const void *)(uintptr_t)opprobe_attach);
	return is_loaded;
}

/* Stop counting. In this order each counted signal has a sample. */
static void stop(void)
{
	probe_pause(true);
	run_rate_pauses(probe_run());
	opprobe_stop();
}

/* Count the events of @text in addition to the present ones. Return false if that is impossible. */
static bool add(const char *text, const char *libraries)
{
	char *const words_before = variables.words, *const list_before = variables.list, *const before = variables.before;
	struct raw_probe_words words = { .nr_events = 0 };
	size_t wrong;
	bool is_set;

	/* The events are about to change: wait for threads that are counting. */
	stop();
	states_wait(&probe_run()->states);
	if (!load(libraries) || raw_probe_words_parse(&words, text, &wrong) || probe_add_events(&words))
		return false;
	/* A program that was started with the probe keeps its words in the environment. */
	if (!words_before)
		return true;
	unset_variables();
	variables.before = NULL;
	is_set = make_variables(text, libraries);
	if (is_set) {
		free(words_before);
		free(list_before);
		free(before);
	}
	return is_set;
}

static void detach(void)
{
	imports_give_back();
	unset_variables();
	stop();
	if (scope_is_late((const void *)(uintptr_t)opprobe_attach))
		actions_end();
	probe_lose_pending();
}

EXPORT void opprobe_detach(void)
{
	if (!raw_attach_enter(&state))
		return;
	detach();
	raw_attach_leave(&state);
}

static void attach(const char *text)
{
	const char *libraries = text ? text + strlen(text) + 1 : "";
	const bool was_stopped = probe_is_stopped();

	/* If the events cannot be added, the process goes on with the others, or stays stopped. */
	if (probe_run()->pid && text && !add(text, libraries) && was_stopped) {
		detach();
		return;
	}
	if (probe_run()->pid) {
		set_variables();
		actions_begin();
		if (raw_probe_counts_calls(&probe_run()->words))
			actions_defer();
		run_rate_goes_on(probe_run());
		opprobe_start();
		probe_pause(false);
	} else if (text && load(libraries) && make_variables(text, libraries)) {
		probe_begin(getenv("OPPROBE"));
	}
	if (probe_run()->pid)
		imports_take();
	probe_lose_pending();
}

EXPORT void opprobe_attach(const char *text)
{
	if (!raw_attach_enter(&state))
		return;
	attach(text);
	raw_attach_leave(&state);
}

EXPORT void opprobe_attach_thread(void)
{
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != RAW_ATTACH_READY)
		return;
	hook_thread_shows();
	probe_thread_adds();
	probe_lose_pending();
}
