// SPDX-License-Identifier: GPL-2.0-or-later
/* wait_reasons.c -- reason and place of a wait, from the kernel functions on the thread's stack. */
#include "config.h"
#include "daemon/source/wait_reasons.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/image/kernel_snapshot.h"
#include "daemon/source/perf_regs.h"
#include "libop/base/grow.h"
#include "module/uapi/offcpu.h"
#include "module/uapi/unwind.h"

/* The meanings of a function. The values below FIRST_MEANING are reasons of waits, for functions
 * that implement system calls. */
enum meaning {
	UNKNOWN = 0,
	FIRST_MEANING = OPROFILE_OFFCPU_MAX_REASON + 1,
	BY_FUTEX = FIRST_MEANING,	/* futex(), whose arguments determine the reason */
	BY_FILE,		/* a call that reads or writes a file */
	ENTRY,			/* the entry of native system calls */
	OLD_ENTRY,		/* the entry of system calls of 32-bit programs */
	DISK,			/* the wait is "iowait" */
	STOP,
	SIGNALS,		/* handles signals: a wait in the function itself is a stop */
	KTHREAD,		/* calls the functions of the kernel's own threads */
	DEATH,			/* the thread never returns */
	OF_PIPE, OF_SOCKET, OF_DEVICE,	/* the type of the file that is read or written */
};

/* The function at .address has the meaning .meaning. The next symbol ends it. */
struct symbol {
	uint64_t address;
	unsigned char meaning;
};

struct opd_wait_reasons {
	/* in the order of the addresses; successive symbols have different meanings */
	struct symbol *symbols;
	size_t nr;
	/* the section of the functions that wait on behalf of their callers: schedule(),
	 * mutex_lock(), ... */
	uint64_t scheduler_start, scheduler_end;
	/* from the first function of `waking` to the end of the last one */
	uint64_t waking_start, waking_end;
};

struct row {
	const char *name;
	unsigned char meaning;
};

/* Functions that implement a system call: the names of calls without their prefixes. */
static const struct row calls[] = {
	{ "futex", BY_FUTEX },
	{ "futex_waitv", OPROFILE_OFFCPU_LOCK },
	{ "futex_wait", OPROFILE_OFFCPU_LOCK },
	{ "semop", OPROFILE_OFFCPU_LOCK },
	{ "semtimedop", OPROFILE_OFFCPU_LOCK },
	{ "flock", OPROFILE_OFFCPU_LOCK },
	{ "fcntl", OPROFILE_OFFCPU_LOCK },
	{ "nanosleep", OPROFILE_OFFCPU_SLEEP },
	{ "hrtimer_nanosleep", OPROFILE_OFFCPU_SLEEP },
	{ "common_nsleep", OPROFILE_OFFCPU_SLEEP },
	{ "clock_nanosleep", OPROFILE_OFFCPU_SLEEP },
	{ "rt_sigsuspend", OPROFILE_OFFCPU_SLEEP },
	{ "sigsuspend", OPROFILE_OFFCPU_SLEEP },
	{ "rt_sigtimedwait", OPROFILE_OFFCPU_SLEEP },
	{ "sigtimedwait", OPROFILE_OFFCPU_SLEEP },
	{ "pause", OPROFILE_OFFCPU_SLEEP },
	{ "poll", OPROFILE_OFFCPU_POLL },
	{ "select", OPROFILE_OFFCPU_POLL },
	{ "ppoll", OPROFILE_OFFCPU_POLL },
	{ "pselect", OPROFILE_OFFCPU_POLL },
	{ "pselect6", OPROFILE_OFFCPU_POLL },
	{ "epoll_wait", OPROFILE_OFFCPU_POLL },
	{ "epoll_pwait", OPROFILE_OFFCPU_POLL },
	{ "epoll_pwait2", OPROFILE_OFFCPU_POLL },
	{ "accept", OPROFILE_OFFCPU_NET },
	{ "accept4", OPROFILE_OFFCPU_NET },
	{ "connect", OPROFILE_OFFCPU_NET },
	{ "sendto", OPROFILE_OFFCPU_NET },
	{ "sendmsg", OPROFILE_OFFCPU_NET },
	{ "sendmmsg", OPROFILE_OFFCPU_NET },
	{ "recvfrom", OPROFILE_OFFCPU_NET },
	{ "recvmsg", OPROFILE_OFFCPU_NET },
	{ "recvmmsg", OPROFILE_OFFCPU_NET },
	{ "wait", OPROFILE_OFFCPU_CHILD },
	{ "wait4", OPROFILE_OFFCPU_CHILD },
	{ "waitid", OPROFILE_OFFCPU_CHILD },
	{ "fsync", OPROFILE_OFFCPU_IO },
	{ "fdatasync", OPROFILE_OFFCPU_IO },
	{ "sync", OPROFILE_OFFCPU_IO },
	{ "syncfs", OPROFILE_OFFCPU_IO },
	{ "sync_file_range", OPROFILE_OFFCPU_IO },
	{ "msync", OPROFILE_OFFCPU_IO },
	{ "io_getevents", OPROFILE_OFFCPU_IO },
	{ "io_uring_enter", OPROFILE_OFFCPU_IO },
	{ "read", BY_FILE },
	{ "readv", BY_FILE },
	{ "pread64", BY_FILE },
	{ "preadv", BY_FILE },
	{ "preadv2", BY_FILE },
	{ "write", BY_FILE },
	{ "writev", BY_FILE },
	{ "pwrite64", BY_FILE },
	{ "pwritev", BY_FILE },
	{ "pwritev2", BY_FILE },
	{ "sendfile", BY_FILE },
	{ "sendfile64", BY_FILE },
	{ "splice", BY_FILE },
	{ "tee", BY_FILE },
	{ "vmsplice", BY_FILE },
};

/* Functions with other meanings. A name that ends with '*' means all functions with this prefix. */
static const struct row functions[] = {
	{ "do_syscall_64", ENTRY },
	{ "x64_sys_call", ENTRY },
	{ "invoke_syscall", ENTRY },
	{ "el0_svc", ENTRY },
	{ "do_el0_svc", ENTRY },
	{ "el0_svc_common*", ENTRY },
	{ "do_int80_syscall_32", OLD_ENTRY },
	{ "do_int80_emulation", OLD_ENTRY },
	{ "int80_emulation", OLD_ENTRY },
	{ "do_fast_syscall_32", OLD_ENTRY },
	{ "__do_fast_syscall_32", OLD_ENTRY },
	{ "do_el0_svc_compat", OLD_ENTRY },
	{ "io_schedule", DISK },
	{ "io_schedule_timeout", DISK },
	{ "mutex_lock_io*", DISK },
	{ "kthread", KTHREAD },
	{ "do_task_dead", DEATH },
	{ "do_signal_stop", STOP },
	{ "do_jobctl_trap", STOP },
	{ "ptrace_stop", STOP },
	{ "do_freezer_trap", STOP },
	{ "__refrigerator", STOP },
	/* Compilers inline do_freezer_trap() into get_signal(), which also calls functions that
	 * exit. */
	{ "get_signal", SIGNALS },
	{ "pipe_*", OF_PIPE },
	{ "anon_pipe_*", OF_PIPE },
	{ "fifo_*", OF_PIPE },
	{ "sock_*", OF_SOCKET },
	{ "unix_stream_*", OF_SOCKET },
	{ "unix_dgram_*", OF_SOCKET },
	{ "inet_recvmsg", OF_SOCKET },
	{ "inet_sendmsg", OF_SOCKET },
	{ "tty_*", OF_DEVICE },
	{ "n_tty_*", OF_DEVICE },
	{ "eventfd_*", OF_DEVICE },
	{ "signalfd_*", OF_DEVICE },
	{ "timerfd_*", OF_DEVICE },
	{ "inotify_*", OF_DEVICE },
	{ "fanotify_*", OF_DEVICE },
	{ "userfaultfd_*", OF_DEVICE },
	{ "fuse_dev_*", OF_DEVICE },
	{ "devkmsg_*", OF_DEVICE },
	{ "do_syslog", OF_DEVICE },
};

/*
 * Functions that wake a thread on behalf of their callers. They are in files that the kernel's
 * build links one after another, because they are in one folder: kernel/sched/. So each function
 * between two of them belongs to the scheduler, too.
 */
static const char *const waking[] = {
	"try_to_wake_up", "wake_up_process", "wake_up_state", "wake_up_q", "default_wake_function",
	"autoremove_wake_function", "woken_wake_function", "__wake_up_common", "__wake_up",
	"__wake_up_common_lock", "__wake_up_locked", "__wake_up_locked_key", "__wake_up_sync_key",
	"wake_up_bit", "__wake_up_bit", "wake_up_var", "wake_bit_function", "complete",
	"complete_all", "swake_up_locked", "swake_up_one", "swake_up_all",
};
/* maximum size in bytes of the code from the first to the last of these functions; if it is larger,
 * the kernel was linked in another way, and the range is unknown */
#define MAX_WAKING	(1u << 20)

/* The wrapper of a system call, which takes the registers of the caller. */
static const char *const wrappers[] = { "__x64_sys_", "__arm64_sys_" };
/* The function behind the wrapper, which may be the outermost one: the wrapper ends with a jump. */
static const char *const inner[] = {
	"__se_sys_", "__do_sys_", "ksys_", "do_sys_", "__sys_", "core_sys_", "kernel_", "vfs_", "do_",
};

static const char *without(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) ? NULL : name + len;
}

/* Return true if @name is @pattern. @name may have a suffix of the compiler, such as ".isra.0". */
static bool matches(const char *name, const char *pattern)
{
	size_t len = strlen(pattern);

	if (pattern[len - 1] == '*')
		return !strncmp(name, pattern, len - 1);
	return !strncmp(name, pattern, len) && (!name[len] || name[len] == '.');
}

static unsigned char meaning_of_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (matches(name, calls[i].name))
			return calls[i].meaning;
	return UNKNOWN;
}

static unsigned char meaning_of(const char *name)
{
	const char *call;
	unsigned char meaning;

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
		call = without(name, wrappers[i]);
		if (call) {
			meaning = meaning_of_call(call);
			return meaning ? meaning : OPROFILE_OFFCPU_OTHER;
		}
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (matches(name, functions[i].name))
			return functions[i].meaning;
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
		call = without(name, inner[i]);
		meaning = call ? meaning_of_call(call) : UNKNOWN;
		if (meaning)
			return meaning;
	}
	return meaning_of_call(name);
}

/* If @sym is a function that wakes threads, extend their range to it. Until end_waking(), the end
 * of the range is the start of the last function. */
static void extend_waking(struct opd_wait_reasons *r, const struct opd_kallsym *sym)
{
	for (size_t i = 0; i < sizeof(waking) / sizeof(waking[0]); i++) {
		if (strcmp(sym->name, waking[i]))
			continue;
		if (!r->waking_start || sym->address < r->waking_start)
			r->waking_start = sym->address;
		if (sym->address > r->waking_end)
			r->waking_end = sym->address;
	}
}

static int add_symbol(void *arg, const struct opd_kallsym *sym)
{
	struct opd_wait_reasons *r = arg;

	if (!strcmp(sym->name, "__sched_text_start"))
		r->scheduler_start = sym->address;
	if (!strcmp(sym->name, "__sched_text_end"))
		r->scheduler_end = sym->address;
	if (!sym->address || !strchr("tTwW", sym->type))
		return 0;
	if (op_grow(&r->symbols, r->nr))
		return -ENOMEM;
	if (!sym->module)
		extend_waking(r, sym);
	r->symbols[r->nr++] = (struct symbol){
		.address = sym->address,
		.meaning = sym->module ? UNKNOWN : meaning_of(sym->name),
	};
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->meaning > y->meaning) - (x->meaning < y->meaning);
}

/* Sort the symbols, and keep only those that change the meaning. Of several symbols at an address,
 * one with a meaning stays. */
static void merge(struct opd_wait_reasons *r)
{
	size_t nr = 0;

	qsort(r->symbols, r->nr, sizeof(*r->symbols), by_address);
	for (size_t i = 0; i < r->nr; i++) {
		if (i + 1 < r->nr && r->symbols[i + 1].address == r->symbols[i].address)
			continue;
		if (!nr || r->symbols[i].meaning != r->symbols[nr - 1].meaning)
			r->symbols[nr++] = r->symbols[i];
	}
	r->nr = nr;
}

/* Set the end of the range of functions that wake threads to the symbol after the last function. */
static void end_waking(struct opd_wait_reasons *r)
{
	uint64_t end = UINT64_MAX;

	for (size_t i = 0; i < r->nr; i++)
		if (r->symbols[i].address > r->waking_end && r->symbols[i].address < end)
			end = r->symbols[i].address;
	r->waking_end = end;
	if (!r->waking_start || end - r->waking_start > MAX_WAKING)
		r->waking_start = r->waking_end = 0;
}

int opd_wait_reasons_create(struct opd_wait_reasons **ret, const char *kallsyms)
{
	struct opd_wait_reasons *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	err = opd_kallsyms_read(kallsyms, add_symbol, r);
	if (!err && !r->nr)
		err = -ENODATA;
	if (err) {
		opd_wait_reasons_destroy(r);
		return err;
	}
	end_waking(r);
	merge(r);
	*ret = r;
	return 0;
}

void opd_wait_reasons_destroy(struct opd_wait_reasons *r)
{
	if (!r)
		return;
	free(r->symbols);
	free(r);
}

static unsigned int find(const struct opd_wait_reasons *r, uint64_t address)
{
	size_t low = 0, high = r->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? r->symbols[low - 1].meaning : UNKNOWN;
}

static unsigned int reason_of_file(bool pipe, bool socket, bool device)
{
	return pipe ? OPROFILE_OFFCPU_PIPE :
	       socket ? OPROFILE_OFFCPU_NET :
	       device ? OPROFILE_OFFCPU_OTHER : OPROFILE_OFFCPU_IO;
}

/* @regs: NULL, or the user-mode registers, which still have the arguments of the call. */
static unsigned int reason_of_futex(const struct opd_perf_regs *regs)
{
	unsigned int op, value;		/* the registers' numbers in DWARF */

	switch (regs ? regs->machine : OPROFILE_UW_I386) {
	case OPROFILE_UW_X86_64:
		op = 4, value = 1;	/* rsi, rdx */
		break;
	case OPROFILE_UW_AARCH64:
		op = 1, value = 2;	/* x1, x2 */
		break;
	default:
		return OPROFILE_OFFCPU_LOCK;
	}
	return oprofile_offcpu_reason_of_futex(opd_perf_reg(regs, op), opd_perf_reg(regs, value));
}

/* Return whether a function with the meaning @meaning has called the scheduler. */
static bool waits_in(const struct opd_wait_reasons *r, const uint64_t *stack, size_t nr,
		     unsigned int meaning)
{
	size_t place = opd_wait_place(r, stack, nr);

	return place < nr && find(r, stack[place] - 1) == meaning;
}

/*
 * Return whether a thread of the kernel waits for work: the wait is in the function of the thread,
 * or in a function that it calls. Deeper waits belong to work that the thread does.
 */
static bool is_idle_kthread(const struct opd_wait_reasons *r, const uint64_t *stack, size_t nr)
{
	size_t place = opd_wait_place(r, stack, nr);

	for (size_t i = place; i < nr && i <= place + 2; i++)
		if (find(r, stack[i] - 1) == KTHREAD)
			return true;
	return false;
}

unsigned int opd_wait_reason(const struct opd_wait_reasons *r, const uint64_t *stack, size_t nr,
			     bool user, const struct opd_perf_regs *regs)
{
	bool seen[OF_DEVICE + 1] = { false };
	unsigned int call = UNKNOWN;

	/* a return address may be the first address of the next function */
	for (size_t i = nr; i-- > 0;) {
		unsigned int meaning = find(r, stack[i] - 1);

		seen[meaning] = true;
		/* The outermost call decides: its functions call those of other calls. */
		if (!call && meaning && meaning <= BY_FILE)
			call = meaning;
	}
	if (!user && !seen[DISK] && is_idle_kthread(r, stack, nr))
		return OPROFILE_OFFCPU_SLEEP;
	if (!user)
		return seen[DISK] ? OPROFILE_OFFCPU_IO : OPROFILE_OFFCPU_OTHER;
	if (seen[STOP] || waits_in(r, stack, nr, SIGNALS))
		return OPROFILE_OFFCPU_STOPPED;
	if (!seen[ENTRY] && !seen[OLD_ENTRY])
		return nr ? OPROFILE_OFFCPU_FAULT : OPROFILE_OFFCPU_OTHER;
	if (seen[DISK])
		return OPROFILE_OFFCPU_IO;
	if (seen[OLD_ENTRY] || !call)
		return OPROFILE_OFFCPU_OTHER;
	if (call == BY_FUTEX)
		return reason_of_futex(regs);
	return call == BY_FILE ? reason_of_file(seen[OF_PIPE], seen[OF_SOCKET], seen[OF_DEVICE]) :
				 call;
}

bool opd_wait_is_death(const struct opd_wait_reasons *r, const uint64_t *stack, size_t nr)
{
	return waits_in(r, stack, nr, DEATH);
}

static bool is_scheduler(const struct opd_wait_reasons *r, uint64_t address)
{
	return address - 1 >= r->scheduler_start && address - 1 < r->scheduler_end;
}

size_t opd_wait_place(const struct opd_wait_reasons *r, const uint64_t *stack, size_t nr)
{
	size_t i = 0;

	while (i < nr && !is_scheduler(r, stack[i]))
		i++;
	if (i == nr)
		return 0;
	while (i < nr && is_scheduler(r, stack[i]))
		i++;
	return i < nr ? i : 0;
}

void opd_wait_scheduler(const struct opd_wait_reasons *r, uint64_t *start, uint64_t *end)
{
	*start = r->scheduler_start;
	*end = r->scheduler_end;
}

void opd_wait_waking(const struct opd_wait_reasons *r, uint64_t *start, uint64_t *end)
{
	*start = r->waking_start;
	*end = r->waking_end;
}
