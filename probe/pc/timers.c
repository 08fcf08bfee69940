// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timers.c -- a timer of CPU time for each thread of a process that does not tell of its threads.
 */
#include "config.h"
#include "probe/pc/timers.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "libop/raw/num.h"
#include "probe/linux/calls.h"

#define ROOM		(2 * PC_TIMERS)
#define LOOK_NS		50000000	/* CPU time of the process from one look at its threads to the next */
#define STOP_MS		1000

/* As the kernel names a thread's clock of CPU time. */
#define THREAD_CLOCK(tid)	((int)(~(unsigned int)(tid) << 3 | 6))

static long create(struct pc_timers *t, int clock, int tid, void *mark, int *id)
{
	struct sigevent event = {
		.sigev_notify = tid ? SIGEV_THREAD_ID : SIGEV_SIGNAL, .sigev_signo = t->signal, .sigev_value.sival_ptr = mark,
	};

	event._sigev_un._tid = tid;
	return arch_call(SYS_timer_create, clock, (long)&event, (long)id, 0, 0, 0);
}

static long set(int id, uint64_t ns)
{
	long s = ns / 1000000000, rest = ns % 1000000000, value[4] = { s, rest, s, rest };

	return arch_call(SYS_timer_settime, id, 0, (long)value, 0, 0, 0);
}

static void delete(int id)
{
	arch_call(SYS_timer_delete, id, 0, 0, 0, 0, 0);
}

/* The thread's place, or the one that it would have. NULL: the table is full. */
static struct pc_timer *find(struct pc_timer table[ROOM], int tid)
{
	for (uint32_t i = 0; i < ROOM; i++) {
		struct pc_timer *p = &table[(tid + i) & (ROOM - 1)];

		if (!p->tid || p->tid == tid)
			return p;
	}
	return NULL;
}

/* A timer that runs out never again is of a thread that has ended: this one has got its number. */
static bool is_running(int id)
{
	long value[4] = { 0, 0, 0, 0 };

	return !arch_call(SYS_timer_gettime, id, (long)value, 0, 0, 0, 0) && (value[2] || value[3]);
}

/* The thread's timer, and 1; 0: it gets none. */
static int begin_thread(struct pc_timers *t, int tid)
{
	int id;

	if (create(t, THREAD_CLOCK(tid), tid, t->tables, &id))
		return 0;
	if (!set(id, t->period_ns))
		return id + 1;
	delete(id);
	return 0;
}

static void take_thread(struct pc_timers *t, int tid, uint32_t *nr)
{
	struct pc_timer *known = find(t->tables[t->now], tid), *p = find(t->tables[!t->now], tid);

	if (!p || p->tid)
		return;
	if (*nr == PC_TIMERS) {
		t->missed++;
		return;
	}
	*p = (struct pc_timer){ tid, 0 };
	++*nr;
	if (known && known->tid && known->id && is_running(known->id - 1)) {
		p->id = known->id;
		known->id = 0;
	} else {
		p->id = begin_thread(t, tid);
		t->missed += !p->id;
	}
}

static void take_names(struct pc_timers *t, long got, uint32_t *nr)
{
	struct entry { uint64_t inode, next; unsigned short len; unsigned char type; char name[]; };

	for (long at = 0; at < got; ) {
		const struct entry *e = (const struct entry *)(t->names + at);
		uint64_t tid;

		at += e->len;
		if (raw_str2num(&tid, e->name, __builtin_strlen(e->name), 10) && tid)
			take_thread(t, tid, nr);
	}
}

static void delete_all(struct pc_timer table[ROOM])
{
	for (uint32_t i = 0; i < ROOM; i++)
		if (table[i].id)
			delete(table[i].id - 1);
	__builtin_memset(table, 0, ROOM * sizeof(table[0]));
}

/* Under .lock. */
static int look(struct pc_timers *t)
{
	int fd = call_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	uint32_t nr = 0;
	long got;

	if (fd < 0)
		return fd;
	t->missed = 0;
	while ((got = call_getdents(fd, t->names, sizeof(t->names))) > 0)
		take_names(t, got, &nr);
	call_close(fd);
	/* What has not gone over to the new table. */
	delete_all(t->tables[t->now]);
	t->now = !t->now;
	return got;
}

int pc_timers_start(struct pc_timers *t, int sig, uint64_t period_ns)
{
	long err;

	t->signal = sig;
	t->period_ns = period_ns;
	t->process = -1;
	err = look(t);
	if (!err)
		err = create(t, CLOCK_PROCESS_CPUTIME_ID, 0, &t->process, &t->process);
	if (!err)
		err = set(t->process, LOOK_NS);
	__atomic_store_n(&t->lock, 0, __ATOMIC_RELEASE);
	if (err)
		pc_timers_stop(t);
	return err;
}

void pc_timers_stop(struct pc_timers *t)
{
	/* Who looks through the threads has no need to wait for anything; but may have lost the CPU. */
	for (int i = 0; i < STOP_MS && __atomic_exchange_n(&t->lock, 1, __ATOMIC_ACQUIRE); i++)
		call_sleep_ms(1);
	if (t->process >= 0)
		delete(t->process);
	t->process = -1;
	delete_all(t->tables[t->now]);
}

uint64_t pc_timers_take(struct pc_timers *t, const siginfo_t *info)
{
	if (info->si_code != SI_TIMER)
		return 0;
	if (info->si_value.sival_ptr == t->tables)
		return 1 + (uint64_t)info->si_overrun;
	if (info->si_value.sival_ptr == &t->process && !__atomic_exchange_n(&t->lock, 1, __ATOMIC_ACQUIRE)) {
		look(t);
		__atomic_store_n(&t->lock, 0, __ATOMIC_RELEASE);
	}
	return 0;
}
