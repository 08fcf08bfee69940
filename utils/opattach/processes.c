// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * processes.c -- the processes that are sampled from outside: the target, and children that it
 * starts.
 */
#include "config.h"
#include "utils/opattach/processes.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"

/* minimum pause in ns between two reads of a process's mappings */
#define AGAIN_NS	20000000
/* The pause between two reads of the mappings is at least this number times the duration of one
 * read. */
#define AGAIN_SHARE	10

static void update_images(struct attach_watched *p)
{
	const uint64_t begin = op_now_ns();
	uint64_t pause;

	if (!attach_images_read(&p->images, &p->target))
		attach_paths_modules(&p->paths, &p->images);
	pause = AGAIN_SHARE * (op_now_ns() - begin);
	p->look_ns = op_now_ns() + (pause > AGAIN_NS ? pause : AGAIN_NS);
}

static struct attach_watched *find(struct attach_watch *w, pid_t pid)
{
	struct attach_watched *p, **last = &w->first;
	struct op_reason error = { "" };

	for (; (p = *last); last = &p->next)
		if (p->target.pid == pid && !p->is_other)
			return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	if (attach_target_open(&p->target, pid, &error)) {
		attach_target_close(&p->target);
		free(p);
		return NULL;
	}
	p->images.files = &w->attach->files;
	update_images(p);
	attach_paths_command(&p->paths, &p->target);
	*last = p;
	return p;
}

/* Count a sample. If its pc is outside all known images, read the mappings of the process again,
 * unless the last read was too recent. */
static void count(struct attach_watch *w, struct attach_watched *p, const struct attach_walk *walk,
		  uint64_t ip, uint64_t weight)
{
	if (!attach_images_find(&p->images, ip) && op_now_ns() > p->look_ns)
		update_images(p);
	if (walk) {
		attach_walk(walk, &w->path);
	} else {
		w->path.frames[0] = (struct attach_path_frame){ ip, 0, true };
		w->path.nr = 1;
		w->path.end = OPROFILE_UW_NOT_TAKEN;
	}
	attach_paths_add(&p->paths, &w->path, weight);
}

void attach_watch_sample(struct attach_watch *w, pid_t pid, const struct attach_regs *regs,
			 const unsigned char *stack, size_t len, uint64_t weight)
{
	struct attach_watched *p = find(w, pid);
	const struct attach_walk walk = {
		.target = p ? &p->target : NULL,
		.images = p ? &p->images : NULL,
		.regs = regs,
		.stack = stack,
		.stack_len = len,
	};

	if (p)
		count(w, p, &walk, attach_arch_pc(regs), weight);
	else
		w->unknown += weight;
}

void attach_watch_address(struct attach_watch *w, pid_t pid, uint64_t ip, uint64_t weight)
{
	struct attach_watched *p = find(w, pid);

	if (p)
		count(w, p, NULL, ip, weight);
	else
		w->unknown += weight;
}

void attach_watch_lost(struct attach_watch *w, uint64_t samples)
{
	attach_paths_count_lost(&w->first->paths, RAW_LIVE_NO_STATE, samples);
}

void attach_watch_process(struct attach_watch *w, pid_t pid)
{
	find(w, pid);
}

void attach_watch_exec(struct attach_watch *w, pid_t pid)
{
	for (struct attach_watched *p = w->first; p; p = p->next)
		if (p->target.pid == pid)
			p->is_other = true;
}

void attach_watch_exit(struct attach_watch *w, pid_t pid)
{
	for (struct attach_watched *p = w->first; p; p = p->next)
		if (p->target.pid == pid)
			p->has_exited = true;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int attach_watch_begin(struct attach_watch *w, struct attach *a, struct op_reason *error)
{
	*w = (struct attach_watch){ .attach = a, .signals = -1, .ends = -1 };
	if (!find(w, a->target.pid))
		return op_fail(error, -ESRCH, "process %d has ended", (int)a->target.pid);
	w->ends = syscall(SYS_pidfd_open, a->target.pid, 0);
	w->signals = open_signals();
	if (a->options->ms)
		w->end_ns = op_now_ns() + a->options->ms * 1000000ULL;
	return 0;
}

bool attach_watch_wait(struct attach_watch *w, const int *fds, unsigned int nr, unsigned int ms)
{
	struct pollfd *p = calloc(nr + 2, sizeof(*p));
	bool goes_on = p;

	if (!p)
		return false;
	p[0] = (struct pollfd){ w->signals, POLLIN, 0 };
	p[1] = (struct pollfd){ w->ends, POLLIN, 0 };
	for (unsigned int i = 0; i < nr; i++)
		p[2 + i] = (struct pollfd){ fds[i], POLLIN, 0 };
	if (poll(p, nr + 2, ms) < 0 && errno != EINTR)
		goes_on = false;
	if (p[0].revents || p[1].revents || (w->end_ns && op_now_ns() >= w->end_ns))
		goes_on = false;
	free(p);
	return goes_on;
}

/*
 * Write the .csp file of process @p. If writing fails, record the error, because the files of other
 * processes must still be written.
 */
static void write_one(struct attach_watch *w, struct attach_watched *p)
{
	const struct attach *a = w->attach;
	char *name;
	int err;

	if (!p->paths.counts.taken && p != w->first)
		return;
	err = attach_paths_write(&p->paths, &p->target, &a->options->probe.events[0], a->dir_fd,
				 &name);
	if (err) {
		if (!w->err)
			w->err = op_fail(&w->error, err, "cannot write to %s the file of process "
							 "%d: %s", a->dir,
					 (int)p->target.pid, strerror(-err));
		return;
	}
	op_clean_printf(stderr,
			"opattach: process %d: %llu samples, %llu of them recorded, in %s/%s\n",
			(int)p->target.pid, (unsigned long long)p->paths.counts.taken,
			(unsigned long long)p->paths.counts.recorded, a->dir, name);
	free(name);
}

static void release(struct attach_watched *p)
{
	attach_paths_release(&p->paths);
	attach_images_release(&p->images);
	attach_target_close(&p->target);
	free(p);
}

/* Return whether the process has no threads left. If the first thread has ended, the process looks
 * like a zombie, but other threads may still run. */
static bool is_over(const struct attach_watched *p)
{
	pid_t *tids = NULL;
	int nr;

	if (p->is_other)
		return true;
	if (!p->has_exited)
		return false;
	nr = attach_target_threads(&p->target, &tids);
	free(tids);
	return nr <= 1;
}

void attach_watch_round(struct attach_watch *w)
{
	struct attach_watched *p, **at = &w->first->next;

	while ((p = *at)) {
		if (!is_over(p) || !p->over++) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		write_one(w, p);
		release(p);
	}
}

void attach_watch_forget(struct attach_watch *w)
{
	struct attach_watched *next;

	for (struct attach_watched *p = w->first; p; p = next) {
		next = p->next;
		release(p);
	}
	if (w->signals >= 0)
		close(w->signals);
	if (w->ends >= 0)
		close(w->ends);
}

int attach_watch_end(struct attach_watch *w, struct op_reason *error)
{
	if (w->unknown)
		op_clean_printf(stderr,
				"opattach: %llu samples are of processes that ended before "
				"opattach had read their mappings\n",
				(unsigned long long)w->unknown);
	for (struct attach_watched *p = w->first; p; p = p->next)
		write_one(w, p);
	attach_watch_forget(w);
	if (w->err)
		*error = w->error;
	return w->err;
}
