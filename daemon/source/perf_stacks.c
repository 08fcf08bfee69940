// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_stacks.c -- cache of the outer parts of threads' stacks, which perf_events does not copy
 * into samples.
 */
#include "config.h"
#include "daemon/source/perf_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/source/decode_perf.h"

#define MAX_THREADS	64
#define ROOM		(256u << 10)	/* maximum number of bytes that are cached of each stack */
/* maximum number of bytes that one read copies from a thread's stack */
#define READ		(128u << 10)
/* If a stack walk reaches the end of the sample's copy in the innermost frame, this many bytes at
 * the end of the copy are compared with the cached part of the stack. */
#define INNERMOST	64
/* maximum number of bytes of the sample's copy that are compared with the cached part of the
 * stack */
#define COMPARED	256
#define MAX_STATES	256
/*
 * Minimum interval between two reads of a thread's stack. Each read that fails doubles the interval
 * of the thread up to MAX_AGAIN_NS. If the daemon reads samples late, the stack has changed, so
 * that reads fail and only cost time: a request to the finder's process, and a copy.
 */
#define AGAIN_NS	1000000
#define MAX_AGAIN_NS	128000000
/*
 * Read a thread's stack again when its cached part is older than RENEW_NS, because the frames
 * beyond the sample's copy may have changed. If the read fails, use the cached part until it is
 * STALE_NS old.
 */
#define RENEW_NS	5000000
#define STALE_NS	500000000

/* The cached part of a thread's stack, which contains the addresses from .from to .top. Address
 * .top is at the end of the buffer .bytes. */
struct opd_perf_outer {
	/* the thread whose stack is cached; 0: unused entry */
	pid_t pid, tid;
	/* sequence number of the last use; the entry with the lowest number is evicted first */
	uint64_t used;
	/* time of the sample that caused the last attempt to read, in ns, and minimum time until
	 * the next attempt */
	uint64_t tried_at, wait;
	/* time of the sample that caused the last successful read, in ns */
	uint64_t read_at;
	uint64_t from, top;
	unsigned char *bytes;		/* buffer of ROOM bytes */
	size_t nr_states;
	struct opd_perf_frame_state states[MAX_STATES];
};

struct opd_perf_stacks {
	opd_perf_stacks_read_fn read;
	void *arg;
	uint64_t turn;
	struct opd_perf_stacks_counters counters;
	struct opd_perf_outer threads[MAX_THREADS];
	unsigned char bytes[READ];
};

int opd_perf_stacks_create(struct opd_perf_stacks **ret, opd_perf_stacks_read_fn read, void *arg)
{
	struct opd_perf_stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->read = read;
	s->arg = arg;
	*ret = s;
	return 0;
}

void opd_perf_stacks_destroy(struct opd_perf_stacks *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < MAX_THREADS; i++)
		free(s->threads[i].bytes);
	free(s);
}

const struct opd_perf_stacks_counters *opd_perf_stacks_counters(const struct opd_perf_stacks *s)
{
	return &s->counters;
}

static bool is_kept(const struct opd_perf_outer *o, const struct opd_perf_frame_state *at)
{
	for (size_t i = 0; i < o->nr_states; i++)
		if (o->states[i].sp == at->sp && o->states[i].pc == at->pc &&
		    o->states[i].fp == at->fp)
			return true;
	return false;
}

/* The bytes of a sample's stack copy that are compared with the cached part. If the cached part
 * does not contain the same bytes at the same addresses, it does not belong to the sample's
 * stack. */
struct shared {
	uint64_t from;			/* stack address of .bytes[0] */
	const unsigned char *bytes;
	size_t size;
};

/*
 * Set *@ret to the bytes of @copy that are compared with the cached part of the stack: the return
 * address at address @slot and the first words of the caller's frame, as far as @copy contains
 * them. @copy begins at address @sp. If @slot is 0, use the last words of @copy. Return false if
 * @copy does not contain the words.
 */
static bool find_shared(struct shared *ret, uint64_t slot, uint64_t sp,
			const struct opd_perf_stack *copy)
{
	const size_t least = slot ? sizeof(uint64_t) : INNERMOST;
	uint64_t at = slot ? slot - sp : copy->size - least, left = copy->size - at;

	if (copy->size < least || at > copy->size - least)
		return false;
	*ret = (struct shared){
		.from = sp + at, .bytes = copy->bytes + at,
		.size = left < COMPARED ? left : COMPARED,
	};
	return true;
}

static bool repeats(const struct opd_perf_outer *o, const struct shared *shared)
{
	return shared->from >= o->from && shared->from + shared->size <= o->top &&
	       !memcmp(o->bytes + ROOM - (o->top - shared->from), shared->bytes, shared->size);
}

/* Return the thread's entry. If the thread has no entry, clear and return the least recently used
 * entry. Return NULL if memory is short. */
static struct opd_perf_outer *place_for(struct opd_perf_stacks *s, pid_t pid, pid_t tid)
{
	struct opd_perf_outer *oldest = s->threads;

	for (size_t i = 0; i < MAX_THREADS; i++) {
		if (s->threads[i].pid == pid && s->threads[i].tid == tid)
			return &s->threads[i];
		if (s->threads[i].used < oldest->used)
			oldest = &s->threads[i];
	}
	if (!oldest->bytes)
		oldest->bytes = malloc(ROOM);
	if (!oldest->bytes)
		return NULL;
	oldest->pid = pid;
	oldest->tid = tid;
	oldest->tried_at = oldest->read_at = oldest->from = oldest->top = oldest->nr_states = 0;
	oldest->wait = AGAIN_NS;
	return oldest;
}

/* Copy @size bytes of the stack at @address to the buffer of the cached part. Skip bytes above
 * o->top, and bytes for which the buffer is too small. */
static void put(struct opd_perf_outer *o, uint64_t address, const unsigned char *bytes,
		uint64_t size)
{
	uint64_t start = o->top > ROOM ? o->top - ROOM : 0,
		 end = address + size < o->top ? address + size : o->top;

	if (address < start) {
		if (start - address >= size)
			return;
		bytes += start - address;
		address = start;
	}
	if (address >= end)
		return;
	memcpy(o->bytes + ROOM - (o->top - address), bytes, end - address);
	if (address < o->from)
		o->from = address;
}

/* Read the thread's stack into the cached part, from the address of @shared on. The bytes of
 * @shared must be unchanged. Return true if the cached part now contains more than the sample's
 * copy, which ends at address @end. */
static bool read_outer(struct opd_perf_stacks *s, struct opd_perf_outer *o,
		       const struct shared *shared, uint64_t end)
{
	ssize_t got = s->read(s->arg, o->tid, shared->from, s->bytes, READ);

	if (got < (ssize_t)shared->size || memcmp(s->bytes, shared->bytes, shared->size) ||
	    shared->from + (uint64_t)got <= end)
		return false;
	o->nr_states = 0;
	o->from = o->top = shared->from + (uint64_t)got;
	put(o, shared->from, s->bytes, (uint64_t)got);
	return true;
}

/* Call read_outer() and return its result; return false if the last attempt was less than o->wait
 * ago. */
static bool renew(struct opd_perf_stacks *s, struct opd_perf_outer *o, uint64_t time,
		  const struct shared *shared, uint64_t end)
{
	if (o->tried_at && time - o->tried_at < o->wait)
		return false;
	o->tried_at = time;
	if (!read_outer(s, o, shared, end)) {
		o->wait = o->wait < MAX_AGAIN_NS ? 2 * o->wait : MAX_AGAIN_NS;
		return false;
	}
	o->wait = AGAIN_NS;
	o->read_at = time;
	return true;
}

struct opd_perf_outer *opd_perf_stacks_find(struct opd_perf_stacks *s, pid_t pid, pid_t tid,
					    uint64_t time, const struct opd_perf_frame_state *at,
					    uint64_t slot, uint64_t sp,
					    const struct opd_perf_stack *copy)
{
	struct shared shared;
	struct opd_perf_outer *o;
	uint64_t age;
	bool kept;

	if (tid <= 0 || !find_shared(&shared, slot, sp, copy))
		return NULL;
	o = place_for(s, pid, tid);
	if (!o)
		return NULL;
	o->used = ++s->turn;
	age = time > o->read_at ? time - o->read_at : 0;
	kept = is_kept(o, at) && repeats(o, &shared);
	if ((!kept || age >= RENEW_NS) && renew(s, o, time, &shared, sp + copy->size)) {
		s->counters.read++;
		return o;
	}
	if (!kept || age >= STALE_NS)
		return NULL;
	s->counters.kept++;
	return o;
}

bool opd_perf_outer_word(const struct opd_perf_outer *o, uint64_t address, unsigned int size,
			 __u64 *value)
{
	uint64_t got = 0;

	if (address < o->from || address >= o->top || o->top - address < size)
		return false;
	memcpy(&got, o->bytes + ROOM - (o->top - address), size);
	*value = got;
	return true;
}

void opd_perf_outer_save(struct opd_perf_outer *o, const struct opd_perf_frame_state *states,
			 size_t nr, uint64_t sp, const struct opd_perf_stack *copy)
{
	/* Store only the outermost frames: later walks will reach these frames again. */
	size_t skip = nr > MAX_STATES ? nr - MAX_STATES : 0;

	o->nr_states = nr - skip;
	memcpy(o->states, states + skip, o->nr_states * sizeof(*states));
	/* Also store the sample's copy of the stack: the copy of a later sample may end at a lower
	 * address. */
	if (sp + copy->size >= o->from)
		put(o, sp, copy->bytes, copy->size);
}
