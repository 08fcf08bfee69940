/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h -- hooks: functions of the collector (the library that samples) that replacements of C
 * library functions call.
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
	/*
	 * before_exec(): called before exec*(). exec_failed(): called after an exec*() that failed.
	 * Both are also called in children of vfork(). @kept passes data from the first function to
	 * the second.
	 */
	void (*before_exec)(long kept[4]);
	void (*exec_failed)(const long kept[4]);

	/* thread_begins(): called in a new thread (see threads.h). thread_ends(): called in a
	 * thread that is ending. */
	void (*thread_begins)(bool in_handler);
	void (*thread_ends)(void);

	/* Mark the calling thread's allocations from now on as the collector's own, which are
	 * not counted, or as the program's. */
	void (*allocates)(bool is_ours);

	/* Called when a signal arrives for which the program has a handler. Return true to defer
	 * the signal, because the thread is in the probe: a handler that forks or leaves by
	 * siglongjmp() would leave the thread's trees inconsistent. A deferred signal is blocked
	 * until the thread leaves the probe. */
	bool (*defers)(int sig, const siginfo_t *info, void *context);

	/* Return the mask of signals that must not be blocked. Signal n is bit n - 1. */
	uint64_t (*own_signals)(void);

	/* Return whether the collector counts in this process. False, for example, in a child of
	 * vfork(). */
	bool (*is_here)(void);

	/* Called when a crash signal arrives. Does not return if the collector itself caused the
	 * fault. */
	void (*crashed)(const siginfo_t *info, const void *context);

	/* Called before the process ends by _exit() or a similar function. */
	void (*exits)(void);

	/* Called before a seccomp filter is installed; afterwards the kernel may kill the process
	 * for the collector's system calls. @kills: the filter would also kill programs that this
	 * process executes. */
	void (*filters)(bool kills);

	/* unloading(): called before dlclose(). unloaded(): called after dlclose(). */
	void (*unloading)(void);
	void (*unloaded)(void);
};

/*
 * Set the table of hooks. A hook may be NULL if the library contains no replacement that calls it.
 * If the program has already installed a seccomp filter, call the hook .filters at once.
 * Idempotent.
 */
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
