// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer.c -- the process is watched by a timer and ptrace(2), where perf_events are refused: we stay.
 *
 * A thread that has used a period of CPU time since its last sample is stopped for a moment, looked at, and let go. One that
 * waits is left alone.
 */
#include "config.h"
#include "utils/attach/method.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "utils/attach/thread.h"
#include "utils/attach/watched.h"

#define MIN_PERIOD	1000000ULL	/* nanoseconds */

struct charged {
	pid_t tid;
	uint64_t ns;
};

struct timer {
	struct attach_watch watch;
	uint64_t period;
	struct charged *charged;	/* threads that were seen */
	size_t nr;
};

/* Nanoseconds of CPU time; false: the thread has ended. */
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

static struct charged *find(struct timer *t, pid_t tid)
{
	struct charged *more;

	for (size_t i = 0; i < t->nr; i++)
		if (t->charged[i].tid == tid)
			return &t->charged[i];
	more = realloc(t->charged, (t->nr + 1) * sizeof(*more));
	if (!more)
		return NULL;
	t->charged = more;
	more[t->nr] = (struct charged){ tid, 0 };
	cpu_time(&t->watch.attach->target, tid, &more[t->nr].ns);
	return &t->charged[t->nr++];
}

static int sample(struct timer *t, pid_t tid, struct op_reason *why)
{
	const struct attach_target *target = &t->watch.attach->target;
	struct charged *c = find(t, tid);
	struct attach_thread thread;
	uint64_t ns, weight;
	int err;

	if (!c || !cpu_time(target, tid, &ns) || ns < c->ns + t->period)
		return 0;
	weight = (ns - c->ns) / t->period;
	c->ns += weight * t->period;
	err = attach_thread_stop(&thread, target, tid, why);
	if (err)
		return err == -ESRCH || err == -ETIME ? 0 : err;
	if (t->watch.attach->options->pc)
		attach_watch_address(&t->watch, target->pid, attach_arch_pc(&thread.regs), weight);
	else
		attach_watch_sample(&t->watch, target->pid, &thread.regs, NULL, 0, weight);
	attach_thread_release(&thread);
	return 0;
}

static int sample_all(struct timer *t, struct op_reason *why)
{
	pid_t *tids;
	int nr = attach_target_threads(&t->watch.attach->target, &tids), err = 0;

	for (int i = 0; i < nr && !err; i++)
		err = sample(t, tids[i], why);
	if (nr >= 0)
		free(tids);
	return nr < 0 ? -ESRCH : err;
}

static int check(const struct attach *a, struct op_reason *why)
{
	struct attach_thread thread;
	int err;

	if (a->options->probe.nr_events > 1 || a->options->probe.events[0].kind->by != RAW_PROBE_BY_DRIVER)
		return op_fail(why, -EINVAL, "a timer outside samples CPU time alone");
	if (!ATTACH_ARCH_MACHINE || a->target.is_foreign)
		return op_fail(why, -ENOTSUP, "the program is of another word size or machine than opattach");
	/* The rest of a sleep that we interrupt is a system call that the program has not made. */
	if (a->target.is_filtered)
		return op_fail(why, -EPERM, "the process has a seccomp filter, which might end it where a stop interrupts a sleep");
	err = attach_thread_stop(&thread, &a->target, a->target.pid, why);
	attach_thread_release(&thread);
	return err;
}

static int begin(struct attach *a, struct op_reason *why)
{
	struct timer t = { .period = a->options->probe.events[0].period };
	int err = check(a, why);

	if (t.period < MIN_PERIOD)
		t.period = MIN_PERIOD;
	if (!err)
		err = attach_make_dir(a, why);
	if (!err)
		err = attach_watch_begin(&t.watch, a, why);
	if (err)
		return err;
	op_clean_printf(stderr, "opattach: process %d is sampled from outside (timer); end that with Ctrl-C\n", (int)a->target.pid);
	while (!err && attach_watch_wait(&t.watch, NULL, 0, t.period / 1000000))
		err = sample_all(&t, why);
	free(t.charged);
	return attach_watch_end(&t.watch, why);
}

const struct attach_method attach_timer = { .name = "timer", .begin = begin };
