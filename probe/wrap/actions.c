// SPDX-License-Identifier: GPL-2.0-or-later
/* actions.c -- replacements of sigaction() and similar functions: crash signals reach the probe
 * before the program's handlers, and the program cannot change the action of the sample signal. */
#include "config.h"
#include "probe/wrap/actions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "probe/linux/calls.h"
#include "probe/wrap/hooks.h"

#define EXPORT		__attribute__((visibility("default")))
#define STACK_SIZE	65536

/* The C library's internal name of sigaction(). No preloaded library replaces it. */
extern int __sigaction(int sig, const struct sigaction *act, struct sigaction *old);

static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };

/*
 * Signal actions that the program has set, indexed by signal. The probe's signal handlers call the
 * functions in this table. For the sample signal, actions_forward() sets the signal mask .sa_mask.
 * For other signals, the kernel has set this mask before it called the probe's handler.
 */
static struct sigaction wanted[_NSIG];
/* The remaining variables belong to the process, as its signal actions do. */
static bool is_begun;
static bool is_deferring;
static int own_signal;			/* number of the sample signal; 0: not chosen yet */
static __thread void *own_stack;

static bool is_crash(int sig)
{
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		if (sig == crashes[i])
			return true;
	return false;
}

static bool is_ours(int sig)
{
	return is_begun && sig > 0 && sig < _NSIG &&
	       (is_deferring || is_crash(sig) || sig == own_signal);
}

static bool is_function(const struct sigaction *a)
{
	return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

static void send_again(int sig, const siginfo_t *info)
{
	arch_call(SYS_rt_tgsigqueueinfo, call_getpid(), arch_call(SYS_gettid, 0, 0, 0, 0, 0, 0),
		  sig, (long)info, 0, 0);
}

static void set_default(int sig)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };

	__sigaction(sig, &action, NULL);
}

/*
 * Perform the default action of a signal: install the default action in the kernel, and let the
 * signal happen again. When the handler returns, a faulting instruction faults again. But a signal
 * from a process must be sent again.
 */
static void do_default(int sig, const siginfo_t *info)
{
	set_default(sig);
	if (info->si_code <= 0)
		send_again(sig, info);
}

static void call(int sig, siginfo_t *info, void *context)
{
	const struct sigaction a = wanted[sig];

	/* Another thread may have removed the program's handler since the signal arrived. */
	if (!is_function(&a)) {
		if (a.sa_handler == SIG_DFL)
			send_again(sig, info);
		return;
	}
	if (a.sa_flags & SA_RESETHAND) {
		wanted[sig].sa_handler = SIG_DFL;
		if (!is_crash(sig) && sig != own_signal)
			set_default(sig);
	}
	a.sa_sigaction(sig, info, context);
}

static void on_crash(int sig, siginfo_t *info, void *context)
{
	int before = errno;

	hooks()->crashed(info, context);
	errno = before;
	if (!is_function(&wanted[sig]))
		do_default(sig, info);
	else if (!hooks()->defers(sig, info, context))
		call(sig, info, context);
}

static void on_handled(int sig, siginfo_t *info, void *context)
{
	if (!hooks()->defers(sig, info, context))
		call(sig, info, context);
}

/* Call the program's handler as the kernel would. The probe's handler runs with the probe's signal
 * mask, so first set the mask that the program's handler expects. */
void actions_forward(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	uint64_t mask, more;

	if (is_function(&wanted[sig])) {
		if (hooks()->defers(sig, info, context))
			return;
		__builtin_memcpy(&mask, &c->uc_sigmask, sizeof(mask));
		__builtin_memcpy(&more, &wanted[sig].sa_mask, sizeof(more));
		mask |= more | 1ULL << (sig - 1);
		arch_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof(mask), 0, 0);
		call(sig, info, context);
	} else if (wanted[sig].sa_handler == SIG_DFL && info->si_code <= 0) {
		do_default(sig, info);
	}
}

/* Install the kernel's action of @sig: the probe's handler if the program has a handler, or if a
 * crash signal has the default action; otherwise the program's action. An ignored signal stays
 * ignored, because executed programs inherit that. */
static int install(int sig)
{
	struct sigaction action = wanted[sig];

	if (sig == own_signal)
		return 0;
	if (action.sa_handler == SIG_DFL && is_crash(sig)) {
		sigemptyset(&action.sa_mask);
		action.sa_flags = SA_ONSTACK;
	}
	if (is_function(&action) || (action.sa_handler == SIG_DFL && is_crash(sig))) {
		action.sa_flags = (action.sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
		action.sa_sigaction = is_crash(sig) ? on_crash : on_handled;
	}
	return __sigaction(sig, &action, NULL);
}

/* Return the action that the program has set for @sig, given the kernel's action @now. */
static struct sigaction action_of_program(int sig, const struct sigaction *now)
{
	return now->sa_sigaction == on_crash || now->sa_sigaction == on_handled || sig == own_signal
		       ? wanted[sig]
		       : *now;
}

void actions_begin(void)
{
	struct sigaction now;

	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		if (!__sigaction(crashes[i], NULL, &now)) {
			wanted[crashes[i]] = action_of_program(crashes[i], &now);
			install(crashes[i]);
		}
	is_begun = true;
}

void actions_defer(void)
{
	struct sigaction now;

	if (__atomic_exchange_n(&is_deferring, true, __ATOMIC_RELAXED))
		return;
	for (int sig = 1; sig < _NSIG; sig++)
		if (!is_crash(sig) && sig != own_signal && !__sigaction(sig, NULL, &now) &&
		    is_function(&now)) {
			wanted[sig] = now;
			install(sig);
		}
}

void actions_end(void)
{
	struct sigaction now;

	is_begun = false;
	__atomic_store_n(&is_deferring, false, __ATOMIC_RELAXED);
	for (int sig = 1; sig < _NSIG; sig++)
		if (sig != own_signal && !__sigaction(sig, NULL, &now) &&
		    (now.sa_sigaction == on_crash || now.sa_sigaction == on_handled))
			__sigaction(sig, &wanted[sig], NULL);
}

uint64_t actions_all_but_raised(void)
{
	static const int raised[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
	uint64_t all = UINT64_MAX;

	for (size_t i = 0; i < sizeof(raised) / sizeof(raised[0]); i++)
		all &= ~(1ULL << (raised[i] - 1));
	return all;
}

int actions_set(int sig, void (*handler)(int sig, siginfo_t *info, void *context), uint64_t mask)
{
	struct sigaction action = {.sa_sigaction = handler,
				   .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	uint64_t own = 1ULL << (sig - 1);

	if (sig == own_signal)
		return 0;
	if (own_signal)
		__sigaction(own_signal, &wanted[own_signal], NULL);
	own_signal = 0;
	__builtin_memcpy(&action.sa_mask, &mask, sizeof(mask));
	if (__sigaction(sig, &action, &wanted[sig]))
		return -errno;
	own_signal = sig;
	/* The process may have inherited a signal mask that blocks the sample signal: unblock
	 * it. */
	arch_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&own, 0, sizeof(own), 0, 0);
	return 0;
}

EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction before;
	int err = 0;

	if (!is_ours(sig))
		return __sigaction(sig, act, old);
	if (__sigaction(sig, NULL, &before))
		return -1;
	before = action_of_program(sig, &before);
	if (act && hooks()->is_here()) {
		wanted[sig] = *act;
		err = install(sig);
		if (err)
			wanted[sig] = before;
	} else if (act) {
		/* A child of vfork() shares the table of actions with its parent: do not change
		 * the table. */
		err = __sigaction(sig, act, NULL);
	}
	if (!err && old)
		*old = before;
	return err;
}

static void (*set(int sig, void (*handler)(int sig), int flags))(int sig)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags }, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&action.sa_mask);
	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, sig);
	return sigaction(sig, &action, &old) ? SIG_ERR : old.sa_handler;
}

EXPORT void (*signal(int sig, void (*handler)(int sig)))(int sig)
{
	return set(sig, handler, SA_RESTART);
}

void (*bsd_signal(int sig, void (*handler)(int sig)))(int sig);
EXPORT void (*bsd_signal(int sig, void (*handler)(int sig)))(int sig)
{
	return set(sig, handler, SA_RESTART);
}

EXPORT void (*ssignal(int sig, void (*handler)(int sig)))(int sig)
{
	return set(sig, handler, SA_RESTART);
}

EXPORT void (*__sysv_signal(int sig, void (*handler)(int sig)))(int sig)
{
	return set(sig, handler, SA_RESETHAND | SA_NODEFER);
}

EXPORT void (*sysv_signal(int sig, void (*handler)(int sig)))(int sig)
{
	return set(sig, handler, SA_RESETHAND | SA_NODEFER);
}

EXPORT int sigignore(int sig)
{
	return set(sig, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

/* Replaced, because the C library's sigset() calls an internal sigaction() instead of the
 * replacement. */
EXPORT void (*sigset(int sig, void (*handler)(int sig)))(int sig)
{
	struct sigaction action = { .sa_handler = handler }, old;
	sigset_t one, before;

	sigemptyset(&one);
	if (sigaddset(&one, sig) || sigaction(sig, handler == SIG_HOLD ? NULL : &action, &old) ||
	    sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &one, &before))
		return SIG_ERR;
	return sigismember(&before, sig) ? SIG_HOLD : old.sa_handler;
}

static long set_stack(const stack_t *stack, stack_t *old)
{
	return arch_call(SYS_sigaltstack, (long)stack, (long)old, 0, 0, 0, 0);
}

void actions_thread_begins(void **stack)
{
	stack_t now = { .ss_size = STACK_SIZE };
	long at;

	if (set_stack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
		return;
	if (!*stack) {
		at = call_mmap(STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);
		if (call_failed(at))
			return;
		*stack = (void *)at;
	}
	now = (stack_t){ .ss_sp = *stack, .ss_size = STACK_SIZE };
	if (!set_stack(&now, NULL))
		own_stack = *stack;
}

void actions_thread_ends(void)
{
	stack_t now;

	if (own_stack && !set_stack(NULL, &now) && now.ss_sp == own_stack) {
		now = (stack_t){ .ss_flags = SS_DISABLE };
		set_stack(&now, NULL);
	}
	own_stack = NULL;
}

EXPORT int sigaltstack(const stack_t *stack, stack_t *old)
{
	stack_t before;
	long err = set_stack(stack, &before);

	if (err) {
		errno = -err;
		return -1;
	}
	if (old)
		*old = own_stack && before.ss_sp == own_stack ?
			       (stack_t){ .ss_flags = SS_DISABLE } : before;
	return 0;
}
