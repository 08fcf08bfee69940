/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h -- functions of the collector that replacements of C library functions call.
 *
 * The collector passes a table of its functions to hooks_set(). The replacements call no function
 * of the collector by name, to avoid a circular dependency: the collector also calls the
 * replacements' functions.
 */
#ifndef PROBE_WRAP_HOOKS_H
#define PROBE_WRAP_HOOKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct hooks {
	/* Called before exec*(), and after an exec*() that failed; also in children of vfork().
	 * @kept carries data from the first call to the second. */
	void (*before_exec)(long kept[4]);
	void (*exec_failed)(const long kept[4]);

	/* Called in a new thread (see threads.h), and in a thread that ends. */
	void (*thread_begins)(bool in_handler);
	void (*thread_ends)(void);

	/* Mark later allocations of the calling thread as the collector's own, which are not
	 * counted, or as the program's. */
	void (*allocates)(bool is_ours);

	/* Called when a signal arrives for which the program has a handler. Return true to defer
	 * the signal, because the thread is in the probe: a handler that forks or leaves by
	 * siglongjmp() would leave the thread's trees inconsistent. A deferred signal is blocked
	 * until the thread leaves the probe. */
	bool (*defers)(int sig, const siginfo_t *info, void *context);

	/* Return the set of signals that must not be blocked. Signal n is bit n - 1. */
	uint64_t (*own_signals)(void);

	/* Return whether the collector counts in this process. False, for example, in a child of
	 * vfork(). */
	bool (*is_here)(void);

	/* Called when a crash signal arrives. Does not return if the collector itself caused the
	 * fault. */
	void (*crashed)(const siginfo_t *info, const void *context);

	/* Called when the process ends. */
	void (*exits)(void);

	/* Called before a seccomp filter is installed; afterwards the kernel may kill the process
	 * for the collector's system calls. @kills: the filter would also kill programs that this
	 * process executes. */
	void (*filters)(bool kills);

	/* Called before and after dlclose(). */
	void (*unloading)(void);
	void (*unloaded)(void);
};

/* Set the table of hooks. Hooks that no linked replacement calls may be NULL. If the program has
 * already installed a seccomp filter, call the hook for filters at once. Idempotent. */
void hooks_set(const struct hooks *hooks);

/*
 * The table of hooks; atomic. Before hooks_set(), it has functions that do nothing, because
 * constructors of the program's libraries may call replaced functions before the collector's
 * constructor runs.
 */
extern const struct hooks *hooks_now __attribute__((visibility("hidden")));

static inline const struct hooks *hooks(void)
{
	return __atomic_load_n(&hooks_now, __ATOMIC_ACQUIRE);
}

#endif
