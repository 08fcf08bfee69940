// SPDX-License-Identifier: GPL-2.0-or-later
/* attach.c -- functions that opattach(1) calls in a program that was started without the probe. */
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
#include "probe/preloaded/variables.h"
#include "probe/probe.h"
#include "probe/wrap/actions.h"
#include "probe/wrap/threads.h"

#define EXPORT	__attribute__((visibility("default")))

/* Another name for opprobe_attach_state, without relocation: opattach may call the functions of
 * this file before the library is relocated. Access to a static variable needs no relocation. */
static uint32_t state;
extern __typeof__(state) opprobe_attach_state EXPORT __attribute__((alias("state")));

/* Allow opattach to call the functions of this file, because the library is now initialized. This
 * is the library's last constructor. */
__attribute__((constructor)) static void loaded(void)
{
	raw_attach_leave(&state);
}

/* Load the libraries that replace functions. @libraries: paths separated by colons, possibly
 * including the probe's own library. Return false if a library cannot be loaded. */
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

/* Stop counting. Pause the drivers first, so that each signal that was counted has a sample. */
static void stop(void)
{
	probe_pause(true);
	run_rate_pauses(probe_run());
	opprobe_stop();
}

/* Count the events of @text in addition to the present events. @libraries: libraries that the
 * events need. Return false on failure. */
static bool add(const char *text, const char *libraries)
{
	struct raw_probe_words words = { .nr_events = 0 };
	size_t wrong;

	/* Stop counting, and wait for threads that are counting now, because the set of events is
	 * about to change. */
	stop();
	states_wait(&probe_run()->states);
	if (!load(libraries) || raw_probe_words_parse(&words, text, &wrong) ||
	    probe_add_events(&words))
		return false;
	return variables_add(&probe_run()->words, libraries);
}

static void detach(void)
{
	probe_detach(true);
	imports_restore();
	variables_unset();
	stop();
	if (scope_is_late((const void *)(uintptr_t)opprobe_attach))
		actions_end();
	probe_drop_pending();
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

	probe_detach(false);

	/* If the events cannot be added, continue with the existing events, or stay detached if
	 * counting was stopped. */
	if (probe_run()->pid && text && !add(text, libraries) && was_stopped) {
		detach();
		return;
	}
	if (probe_run()->pid) {
		variables_set();
		actions_begin();
		if (raw_probe_counts_calls(&probe_run()->words))
			actions_defer();
		run_rate_goes_on(probe_run());
		opprobe_start();
		probe_pause(false);
	} else if (text && load(libraries) && variables_make(text, libraries)) {
		probe_begin(getenv("OPPROBE"));
	}
	if (probe_run()->pid)
		imports_redirect();
	probe_drop_pending();
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
	threads_report();
	probe_thread_adds();
	probe_drop_pending();
}
