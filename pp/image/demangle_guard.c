// SPDX-License-Identifier: GPL-2.0-or-later
/* demangle_guard.c -- calls of libiberty with a limited buffer and a timer of CPU time.
 * siglongjmp() ends a call that exceeds either limit. */
#include "config.h"
#include "pp/image/demangle_guard.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pp/image/demangle.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define OPTIONS		(DMGL_PARAMS | DMGL_ANSI)
/* Names of fewer bytes are demangled without a timer, because that is faster than setting a
 * timer. */
#define ALWAYS_QUICK	40
#define SECOND		1000000000u

/* CPU time that is added for a Rust name that could not be demangled in time. siglongjmp() out of
 * libiberty leaks memory, so the number of such names must be limited. */
#define RUST_TIME	(PP_DEMANGLE_TIME / 2)

struct pp_demangle_guard {
	timer_t timer;
	sigjmp_buf way_out;
	volatile sig_atomic_t running, waits_for_piece, is_late;
	size_t used, nr_pieces;
	char text[PP_MAX_DEMANGLED];
};

typedef int demangle_fn(const char *name, int options, demangle_callbackref append_output,
			void *arg);

static void abort_call(int sig, siginfo_t *info, void *context)
{
	struct pp_demangle_guard *guard = info->si_value.sival_ptr;

	(void)sig;
	(void)context;
	if (info->si_code != SI_TIMER)
		return;
	guard->is_late = 1;
	if (guard->running && !guard->waits_for_piece)
		siglongjmp(guard->way_out, ETIME);
}

/* Install the handler of the timer's signal. Idempotent. */
static int install_handler(int sig)
{
	/* The handler does not return, so it must not block its own signal. */
	struct sigaction action = {.sa_sigaction = abort_call,
				   .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
	sigset_t set;

	sigemptyset(&action.sa_mask);
	if (sigaction(sig, &action, NULL))
		return -errno;
	sigemptyset(&set);
	sigaddset(&set, sig);
	return -pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int pp_demangle_guard_create(struct pp_demangle_guard **ret)
{
	struct pp_demangle_guard *guard = malloc(sizeof(*guard));
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN };
	int err;

	if (!guard)
		return -ENOMEM;
	guard->running = guard->waits_for_piece = guard->is_late = 0;
	event.sigev_value.sival_ptr = guard;
	event.sigev_notify_thread_id = gettid();
	err = install_handler(event.sigev_signo);
	if (!err && timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &guard->timer))
		err = -errno;
	if (err) {
		free(guard);
		return err;
	}
	*ret = guard;
	return 0;
}

void pp_demangle_guard_free(struct pp_demangle_guard *guard)
{
	if (!guard)
		return;
	timer_delete(guard->timer);
	free(guard);
}

/* Append output of a demangler to the text. Also limit the number of calls, because libiberty may
 * append empty strings without end. */
static void append_output(const char *text, size_t n, void *arg)
{
	struct pp_demangle_guard *guard = arg;

	if (guard->is_late)
		siglongjmp(guard->way_out, ETIME);
	if (n >= sizeof(guard->text) - guard->used || ++guard->nr_pieces > sizeof(guard->text))
		siglongjmp(guard->way_out, EFBIG);
	memcpy(guard->text + guard->used, text, n);
	guard->used += n;
}

/*
 * Call one demangler. Return 1 if it demangled @name, 0 if @name is not of the demangler's
 * language, -EFBIG if the output is too long, or -ETIME if the time limit has expired. @allocates:
 * the demangler allocates memory, so the timer must not interrupt it, because malloc() may hold a
 * lock. Then only the output callback can end the call.
 */
static int call(struct pp_demangle_guard *guard, demangle_fn *demangle, const char *name,
		bool allocates)
{
	int err = sigsetjmp(guard->way_out, 0), found;

	if (err) {
		guard->running = 0;
		return -err;
	}
	guard->used = guard->nr_pieces = 0;
	guard->waits_for_piece = allocates;
	guard->running = 1;
	/* The timer expires only once, possibly between two demanglers. Then skip the second
	 * demangler. */
	found = guard->is_late ? 0 : demangle(name, OPTIONS, append_output, guard);
	guard->running = 0;
	return found ? 1 : guard->is_late ? -ETIME : 0;
}

/* Try the Rust demangler first, because old Rust names look like C++ names. */
static int call_each(struct pp_demangle_guard *guard, const char *name)
{
	int found = call(guard, rust_demangle_callback, name, true);

	return found ? found : call(guard, cplus_demangle_v3_callback, name, false);
}

/* Set the guard's timer to @ns, or stop it if @ns is 0. Return the time in ns that was left on the
 * timer. */
static uint64_t set_timer(struct pp_demangle_guard *guard, uint64_t ns)
{
	const struct itimerspec new = { .it_value = { .tv_nsec = ns } };
	struct itimerspec old;

	if (timer_settime(guard->timer, 0, &new, &old))
		return 0;
	return old.it_value.tv_sec * (uint64_t)SECOND + old.it_value.tv_nsec;
}

int pp_demangle_guarded(struct pp_demangle_guard *guard, const char *name, const char **ret_text,
			uint64_t *ret_time)
{
	bool is_timed = strlen(name) >= ALWAYS_QUICK;
	int found;

	*ret_time = 0;
	guard->is_late = 0;
	if (is_timed)
		set_timer(guard, PP_DEMANGLE_TIME);
	found = call_each(guard, name);
	if (is_timed)
		*ret_time = PP_DEMANGLE_TIME - set_timer(guard, 0);
	if (found < 0 && !strncmp(name, "_R", 2))
		*ret_time += RUST_TIME;
	if (found <= 0)
		return found ? found : -ENOENT;
	guard->text[guard->used] = '\0';
	*ret_text = guard->text;
	return guard->used;
}
