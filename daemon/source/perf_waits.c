// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_waits.c -- samples of waits from the context switches that perf_events records. */
#include "config.h"
#include "daemon/source/perf_waits.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/base/configuration.h"
#include "daemon/source/events.h"
#include "daemon/source/perf_regs.h"
#include "daemon/source/wait_reasons.h"
#include "module/uapi/offcpu.h"
#include "module/uapi/offcpu_account.h"

#define NO_EVENT	-1
/* maximum number of kernel frames of a stack; the outer frames are ignored */
#define MAX_KERNEL	127
/* maximum number of threads with an account: the default of the kernel module's setting
 * offcpu/threads */
#define MAX_THREADS	32768
/* The accounts and their stacks may use 1/MEMORY_SHARE of the daemon's memory. */
#define MEMORY_SHARE	8
#define BUCKETS		4096
#define NR_REGS		((size_t)__builtin_popcountll(OPD_PERF_REGS))

/* The account of a thread, and the stack with which it left its CPU. */
struct thread {
	struct thread *next;		/* in the same bucket */
	int32_t tid;
	struct oprofile_offcpu_account account;
	uint64_t since;			/* time at which the thread left its CPU; 0: it runs */
	unsigned char reason;
	/* the thread is about to exit: free the account at the next switch */
	bool exits;
	/* .record is the stack with which the thread left its CPU */
	bool has_place;
	uint32_t cpu;
	struct opd_perf_record record;
	unsigned char *bytes;		/* the memory to which .record points */
	size_t room;			/* size of .bytes */
};

struct opd_perf_waits {
	struct thread *buckets[BUCKETS];
	size_t nr;			/* number of accounts */
	/* memory of the accounts with their stacks in bytes, and its limit; 0: no limit */
	uint64_t bytes, max_bytes;
	uint64_t period;
	__u64 random;			/* state of the generator of random numbers; never 0 */
	int event[OPROFILE_OFFCPU_MAX_REASON + 1];
	struct opd_wait_reasons *reasons;
	bool stack;
	opd_perf_waits_fn fn;
	void *arg;
	struct opd_perf_waits_counters counters;
	/* rests of the accounts that were freed */
	uint64_t rest, ahead;
};

int opd_perf_waits_create(struct opd_perf_waits **ret, const struct opd_config *cfg,
			  const char *kallsyms, bool stack, opd_perf_waits_fn fn, void *arg)
{
	struct opd_perf_waits *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	err = opd_wait_reasons_create(&w->reasons, kallsyms);
	if (err) {
		free(w);
		return err;
	}
	w->max_bytes = cfg->memory / MEMORY_SHARE;
	w->stack = stack;
	w->fn = fn;
	w->arg = arg;
	if (getrandom(&w->random, sizeof(w->random), 0) != sizeof(w->random) || !w->random)
		w->random = 88172645463325252ull;
	for (size_t i = 0; i <= OPROFILE_OFFCPU_MAX_REASON; i++)
		w->event[i] = NO_EVENT;
	for (size_t i = 0; i < cfg->nr_events; i++) {
		const struct op_event_spec *e = &cfg->events[i];

		if (!opd_event_is_offcpu(cfg, i) || e->um > OPROFILE_OFFCPU_MAX_REASON)
			continue;
		w->event[e->um] = (int)i;
		w->period = e->count;
	}
	*ret = w;
	return 0;
}

/* Return whether the accounts may use @more bytes. */
static bool has_room(const struct opd_perf_waits *w, size_t more)
{
	return !w->max_bytes || (w->bytes <= w->max_bytes && more <= w->max_bytes - w->bytes);
}

static struct thread **bucket_of(struct opd_perf_waits *w, int32_t tid)
{
	return &w->buckets[(uint32_t)tid % BUCKETS];
}

static struct thread *find(struct opd_perf_waits *w, int32_t tid)
{
	struct thread *t = *bucket_of(w, tid);

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

static void add_rest(const struct opd_perf_waits *w, const struct thread *t, uint64_t *rest,
		     uint64_t *ahead)
{
	int64_t ns = oprofile_offcpu_rest(&t->account, w->period);

	if (ns >= 0)
		*rest += (uint64_t)ns;
	else
		*ahead += (uint64_t)-ns;
}

static void release(struct opd_perf_waits *w, int32_t tid)
{
	struct thread **at = bucket_of(w, tid), *t;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	t = *at;
	if (!t)
		return;
	add_rest(w, t, &w->rest, &w->ahead);
	*at = t->next;
	w->nr--;
	w->bytes -= sizeof(*t) + t->room;
	free(t->bytes);
	free(t);
}

void opd_perf_waits_destroy(struct opd_perf_waits *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (w->buckets[i])
			release(w, w->buckets[i]->tid);
	opd_wait_reasons_destroy(w->reasons);
	free(w);
}

static struct thread *find_or_add(struct opd_perf_waits *w, int32_t tid)
{
	struct thread *t = find(w, tid), **bucket = bucket_of(w, tid);

	if (t)
		return t;
	t = w->nr < MAX_THREADS && has_room(w, sizeof(*t)) ? calloc(1, sizeof(*t)) : NULL;
	if (!t) {
		w->counters.lost_waits++;
		return NULL;
	}
	t->tid = tid;
	t->account.moment = oprofile_offcpu_moment(w->period, 0,
						   (__u32)oprofile_offcpu_random(&w->random));
	t->next = *bucket;
	*bucket = t;
	w->nr++;
	w->bytes += sizeof(*t);
	return t;
}

/* Copy the kernel addresses of the stack to @to, innermost first. Return their number. */
static size_t kernel_part(const struct opd_perf_stack *s, uint64_t *to)
{
	bool in_kernel = false;
	uint64_t address;
	size_t nr = 0;

	for (uint64_t i = 0; i < s->nr_chain && nr < MAX_KERNEL; i++) {
		memcpy(&address, s->chain + 8 * i, sizeof(address));
		if (address >= (uint64_t)PERF_CONTEXT_MAX)
			in_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
		else if (in_kernel)
			to[nr++] = address;
	}
	return nr;
}

/* Copy @size bytes to the thread's memory at *@at, and advance *@at. Return the copy. */
static const unsigned char *keep_bytes(unsigned char **at, const void *from, size_t size)
{
	unsigned char *to = *at;

	if (size)
		memcpy(to, from, size);
	*at += size;
	return to;
}

/* Copy the stack of @r to @t: the @nr kernel addresses @kernel, the registers, and the bytes of the
 * program's stack. Return 0, or -ENOMEM, also if the accounts have no room. */
static int keep(struct opd_perf_waits *w, struct thread *t, const struct opd_perf_record *r,
		const uint64_t *kernel, size_t nr)
{
	const struct opd_perf_stack *s = &r->sample.stack;
	const uint64_t marker = (uint64_t)PERF_CONTEXT_KERNEL;
	const size_t regs = s->abi ? 8 * NR_REGS : 0;
	const size_t size = 8 * (nr + 1) + regs + s->size;
	unsigned char *at;

	if (size > t->room) {
		unsigned char *bytes = NULL;

		if (has_room(w, size - t->room))
			bytes = realloc(t->bytes, size);
		if (!bytes)
			return -ENOMEM;
		w->bytes += size - t->room;
		t->bytes = bytes;
		t->room = size;
	}
	t->record = *r;
	at = t->bytes;
	t->record.sample.stack.chain = keep_bytes(&at, &marker, sizeof(marker));
	keep_bytes(&at, kernel, 8 * nr);
	t->record.sample.stack.nr_chain = nr + 1;
	t->record.sample.stack.regs = keep_bytes(&at, s->regs, regs);
	t->record.sample.stack.bytes = keep_bytes(&at, s->bytes, s->size);
	return 0;
}

/* Note the stack with which a thread leaves its CPU. */
static void note_place(struct opd_perf_waits *w, uint32_t cpu, const struct opd_perf_record *r)
{
	struct thread *t = find_or_add(w, r->tid);
	const struct opd_perf_stack *s = &r->sample.stack;
	uint64_t kernel[MAX_KERNEL];
	struct opd_perf_regs regs;
	size_t nr, place;
	bool has_regs;

	if (!t)
		return;
	nr = kernel_part(s, kernel);
	/* Use the stack, too: an exit record may come later than the records of the switch. */
	if (t->exits || opd_wait_is_death(w->reasons, kernel, nr)) {
		release(w, r->tid);
		return;
	}
	place = opd_wait_place(w->reasons, kernel, nr);
	has_regs = s->abi && !opd_perf_regs_init(&regs, s->abi, s->regs);
	t->reason = (unsigned char)opd_wait_reason(w->reasons, kernel, nr, s->abi != 0,
						   has_regs ? &regs : NULL);
	t->cpu = cpu;
	t->since = 0;
	t->has_place = !keep(w, t, r, kernel + place, nr - place);
	if (!t->has_place)
		return;
	if (has_regs && !w->stack) {
		t->record.mode = OPD_PERF_MODE_USER;
		t->record.sample.ip = opd_perf_reg(&regs, OPD_PERF_REG_PC);
	} else {
		t->record.mode = OPD_PERF_MODE_KERNEL;
		/* the address of the call, not of the instruction after the call */
		t->record.sample.ip = nr ? kernel[place] - 1 : r->sample.ip;
	}
}

/* Add @ns to the thread's account, and deliver the samples that are due. */
static void account(struct opd_perf_waits *w, struct thread *t, uint64_t ns, uint64_t time)
{
	uint64_t nr = oprofile_offcpu_wait(&t->account, ns, w->period,
					   oprofile_offcpu_random(&w->random));
	int event = w->event[t->reason];

	w->counters.ns += ns;
	if (!nr)
		return;
	if (event == NO_EVENT) {
		w->counters.not_asked += nr;
		return;
	}
	t->record.time = time;
	w->fn(w->arg, t->cpu, event, &t->record, nr);
}

static void leave(struct opd_perf_waits *w, const struct opd_perf_record *r)
{
	struct thread *t = find(w, r->tid);

	if (!t)
		return;
	if (!t->has_place) {
		w->counters.lost_waits++;
		return;
	}
	if (r->change.can_run)
		t->reason = OPROFILE_OFFCPU_RUNQUEUE;
	t->since = r->time;
}

static void come(struct opd_perf_waits *w, const struct opd_perf_record *r)
{
	struct thread *t = find(w, r->tid);

	if (!t)
		return;
	if (t->since)
		account(w, t, r->time > t->since ? r->time - t->since : 0, r->time);
	t->since = 0;
	t->has_place = false;
}

void opd_perf_waits_apply(struct opd_perf_waits *w, uint32_t cpu, const struct opd_perf_record *r)
{
	/* the idle tasks have the id 0, and a task that was reaped -1 */
	if (r->tid <= 0)
		return;
	if (r->kind == OPD_PERF_SAMPLE)
		note_place(w, cpu, r);
	else if (r->kind == OPD_PERF_SWITCH && r->change.out)
		leave(w, r);
	else if (r->kind == OPD_PERF_SWITCH)
		come(w, r);
}

void opd_perf_waits_notice(struct opd_perf_waits *w, const struct opd_perf_record *r)
{
	struct thread *t;

	if (r->kind == OPD_PERF_FORK)
		release(w, r->tid);
	if (r->kind != OPD_PERF_EXIT)
		return;
	/* The thread leaves its CPU once more after this record. */
	t = find(w, r->tid);
	if (t)
		t->exits = true;
}

void opd_perf_waits_until(struct opd_perf_waits *w, uint64_t now)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct thread *t = w->buckets[i]; t; t = t->next) {
			if (!t->since || t->since >= now)
				continue;
			account(w, t, now - t->since, now);
			t->since = now;
		}
	}
}

void opd_perf_waits_forget(struct opd_perf_waits *w)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct thread *t = w->buckets[i]; t; t = t->next) {
			t->since = 0;
			t->has_place = false;
		}
	}
}

const struct opd_perf_waits_counters *opd_perf_waits_counters(const struct opd_perf_waits *w)
{
	return &w->counters;
}

void opd_perf_waits_rests(const struct opd_perf_waits *w, uint64_t *rest, uint64_t *ahead)
{
	*rest = w->rest;
	*ahead = w->ahead;
	for (size_t i = 0; i < BUCKETS; i++)
		for (const struct thread *t = w->buckets[i]; t; t = t->next)
			add_rest(w, t, rest, ahead);
}
