// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer.c -- samples a process from outside by a timer and ptrace(2), if perf_events are refused.
 * opattach keeps running.
 *
 * At each tick of the timer, opattach stops each thread that has used a sampling period of CPU time
 * since its last sample, reads its stack, and continues it. Waiting threads are not stopped. New
 * children of the process are found at each tick and sampled as well. Threads are traced only while
 * they are stopped.
 */
#include "config.h"
#include "utils/opattach/method.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "utils/opattach/children.h"
#include "utils/opattach/thread.h"
#include "utils/opattach/processes.h"

#define MIN_PERIOD	1000000ULL	/* minimum sampling period in ns */

struct charged {
	pid_t tid;
	uint64_t ns;
};

/* A sampled process: the target or a descendant of the target. */
struct timed {
	struct timed *next;
	struct attach_target target;
	/* for each thread: the CPU time that samples already account for */
	struct charged *charged;
	size_t nr;
};

struct timer {
	struct attach_watch watch;
	uint64_t period;
	struct timed *first;
};

/* Set *@ret to the CPU time that thread @tid has used, in ns. Return false if the thread has
 * ended. */
static bool cpu_time(const struct attach_target *t, pid_t tid, uint64_t *ns)
{
	char path[64], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), "task/%d/schedstat", (int)tid);
	fd = openat(t->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		*text = '\0';
	if (fd >= 0)
		close(fd);
	*ns = strtoull(text, NULL, 10);
	return *text;
}

/* Find or add the entry of thread @tid. A thread without an entry has started after the last tick,
 * so its CPU time begins at 0. Return NULL if out of memory. */
static struct charged *find(struct timed *p, pid_t tid)
{
	struct charged *more;

	for (size_t i = 0; i < p->nr; i++)
		if (p->charged[i].tid == tid)
			return &p->charged[i];
	more = realloc(p->charged, (p->nr + 1) * sizeof(*more));
	if (!more)
		return NULL;
	p->charged = more;
	more[p->nr] = (struct charged){ tid, 0 };
	return &p->charged[p->nr++];
}

static struct timed *add(struct timer *t, pid_t pid)
{
	struct timed *p = calloc(1, sizeof(*p)), **last = &t->first;
	struct op_reason error = { "" };

	if (!p || attach_target_open(&p->target, pid, &error)) {
		if (p)
			attach_target_close(&p->target);
		free(p);
		return NULL;
	}
	while (*last)
		last = &(*last)->next;
	*last = p;
	attach_watch_process(&t->watch, pid);
	return p;
}

static void drop(struct timed *p)
{
	attach_target_close(&p->target);
	free(p->charged);
	free(p);
}

static void add_child(void *arg, pid_t child)
{
	struct timer *t = arg;
	struct timed *p = t->first;

	while (p && p->target.pid != child)
		p = p->next;
	if (!p)
		add(t, child);
}

static bool is_alive(const struct attach_target *t)
{
	char state[32];

	return attach_target_status(t, 0, "State", state, sizeof(state)) && *state != 'Z' &&
	       *state != 'X';
}

/* Return whether the process is alive. If it has executed another program, open it again. */
static bool is_there(struct timer *t, struct timed *p)
{
	struct attach_target now;
	struct op_reason error = { "" };

	if (attach_target_is_there(&p->target))
		return true;
	/* While the open directory /proc/PID of the process is valid, no other process has the same
	 * id. */
	if (attach_target_open(&now, p->target.pid, &error) || !is_alive(&p->target)) {
		attach_target_close(&now);
		return false;
	}
	attach_target_close(&p->target);
	p->target = now;
	attach_watch_exec(&t->watch, now.pid);
	attach_watch_process(&t->watch, now.pid);
	return true;
}

/* Remove processes that have ended, and add new children of the sampled processes. */
static void update_processes(struct timer *t)
{
	struct timed *p, **last = &t->first->next;

	attach_threads_release();
	is_there(t, t->first);
	while ((p = *last)) {
		if (is_there(t, p)) {
			last = &p->next;
		} else {
			*last = p->next;
			attach_watch_exit(&t->watch, p->target.pid);
			drop(p);
		}
	}
	for (p = t->first; p; p = p->next)
		attach_children(&p->target, add_child, t);
}

/* Return whether threads of the process may be stopped. After a stop, the kernel continues an
 * interrupted sleep by the system call restart_syscall. Programs do not make this call, so a
 * seccomp filter may forbid it. */
static bool may_stop(const struct attach_target *t)
{
	return !t->is_filtered && !t->is_foreign;
}

static int sample(struct timer *t, struct timed *p, pid_t tid, struct op_reason *error)
{
	struct charged *c = find(p, tid);
	struct attach_thread thread;
	uint64_t ns, weight;
	int err;

	if (!c || !cpu_time(&p->target, tid, &ns) || ns < c->ns + t->period)
		return 0;
	weight = (ns - c->ns) / t->period;
	c->ns += weight * t->period;
	err = may_stop(&p->target) ? attach_thread_stop(&thread, &p->target, tid, error) : -EPERM;
	if (err) {
		attach_watch_lost(&t->watch, weight);
		return err == -ESRCH || err == -ETIME || p != t->first ? 0 : err;
	}
	if (t->watch.attach->options->pc)
		attach_watch_address(&t->watch, p->target.pid, attach_arch_pc(&thread.regs),
				     weight);
	else
		attach_watch_sample(&t->watch, p->target.pid, &thread.regs, NULL, 0, weight);
	attach_thread_release(&thread);
	return 0;
}

static int sample_all(struct timer *t, struct op_reason *error)
{
	int err = 0;

	update_processes(t);
	for (struct timed *p = t->first; p && !err; p = p->next) {
		pid_t *tids;
		int nr = attach_target_threads(&p->target, &tids);

		for (int i = 0; i < nr && !err; i++)
			err = sample(t, p, tids[i], error);
		if (nr >= 0)
			free(tids);
		else if (p == t->first)
			err = -ESRCH;
	}
	return err;
}

/* Record that all CPU time that the threads have used until now is accounted for, so that this time
 * causes no samples. */
static void charge_all(struct timer *t)
{
	update_processes(t);
	for (struct timed *p = t->first; p; p = p->next) {
		struct charged *c;
		pid_t *tids;
		int nr = attach_target_threads(&p->target, &tids);

		for (int i = 0; i < nr; i++)
			if ((c = find(p, tids[i])))
				cpu_time(&p->target, tids[i], &c->ns);
		if (nr >= 0)
			free(tids);
	}
}

static int check(const struct attach *a, struct op_reason *error)
{
	struct attach_thread thread;
	int err;

	if (a->options->probe.nr_events > 1 ||
	    a->options->probe.events[0].kind->by != RAW_PROBE_BY_DRIVER)
		return op_fail(error, -EINVAL, "a timer outside the process samples only CPU time");
	if (!ATTACH_ARCH_MACHINE || a->target.is_foreign)
		return op_fail(error, -ENOTSUP,
			       "the program has another word size or machine type than opattach");
	if (a->target.is_filtered)
		return op_fail(error, -EPERM,
			       "the process has a seccomp filter, which might end the process "
			       "when opattach interrupts a sleep");
	err = attach_thread_stop(&thread, &a->target, a->target.pid, error);
	attach_thread_release(&thread);
	return err;
}

static int begin(struct attach *a, struct op_reason *error)
{
	struct timer t = { .period = a->options->probe.events[0].period };
	int err = check(a, error);

	if (t.period < MIN_PERIOD)
		t.period = MIN_PERIOD;
	if (!err)
		err = attach_make_dir(a, error);
	if (!err)
		err = attach_watch_begin(&t.watch, a, error);
	if (err)
		return err;
	if (!add(&t, a->target.pid)) {
		attach_watch_forget(&t.watch);
		return op_fail(error, -ESRCH, "process %d has ended", (int)a->target.pid);
	}
	charge_all(&t);
	attach_has_begun(a);
	op_clean_printf(
		stderr,
		"opattach: process %d is sampled from outside (timer); end that with Ctrl-C\n",
		(int)a->target.pid);
	while (!err && attach_watch_wait(&t.watch, NULL, 0, t.period / 1000000)) {
		err = sample_all(&t, error);
		attach_watch_round(&t.watch);
	}
	for (struct timed *p = t.first, *next; p; p = next) {
		next = p->next;
		drop(p);
	}
	return attach_watch_end(&t.watch, error);
}

const struct attach_method attach_timer = { .name = "timer", .begin = begin };
