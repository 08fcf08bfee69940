// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timers.c -- clocks for all threads of a process. Each clock sends a signal to its thread at each
 * period. New threads are found by listing the threads of the process.
 */
#include "config.h"
#include "probe/pc/timers.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "libop/raw/num.h"
#include "probe/linux/calls.h"

#define ROOM		(2 * PC_TIMERS)
/* period of the process-wide timer, in ns of CPU time of the process */
#define MEET_NS		10000000
/* number of signals of the process-wide timer between two scans of the threads */
#define LOOKS		5
#define STOP_MS		1000

/* Clock id of the CPU time clock of thread @tid, as the kernel encodes it; @tid 0: of the
 * process. */
#define CPU_CLOCK(tid, which)	((int)(~(unsigned int)(tid) << 3 | (which)))
#define VIRT		1u
#define SCHED		2u
#define OF_THREAD	4u

static int cpu_clock(const struct pc_timers *t, int tid)
{
	return CPU_CLOCK(tid, (t->clock == RAW_PCT_VIRTUAL ? VIRT : SCHED) | (tid ? OF_THREAD : 0));
}

static long create(struct pc_timers *t, int clock, int tid, void *mark, int *id)
{
	struct sigevent event = {
		.sigev_notify = tid ? SIGEV_THREAD_ID : SIGEV_SIGNAL,
		.sigev_signo = t->perf.signal,
		.sigev_value.sival_ptr = mark,
	};

	event._sigev_un._tid = tid;
	return arch_call(SYS_timer_create, clock, (long)&event, (long)id, 0, 0, 0);
}

static long set(int id, uint64_t ns, bool again)
{
	long s = ns / 1000000000, rest = ns % 1000000000,
	     value[4] = {again ? s : 0, again ? rest : 0, s, rest};

	return arch_call(SYS_timer_settime, id, 0, (long)value, 0, 0, 0);
}

static void delete_timer(int id)
{
	arch_call(SYS_timer_delete, id, 0, 0, 0, 0, 0);
}

/* Return the element for thread @tid in the hash table. If the thread has no element, return a free
 * element. Return NULL if the table is full. */
static struct pc_timer *find(struct pc_timer table[ROOM], int tid)
{
	for (uint32_t i = 0; i < ROOM; i++) {
		struct pc_timer *p = &table[(tid + i) & (ROOM - 1)];

		if (!p->tid || p->tid == tid)
			return p;
	}
	return NULL;
}

/*
 * Return whether the clock of @p still runs. A timer that is not armed belongs to a thread that has
 * ended and whose id was reused. But if .is_once is set, a timer is also not armed between two
 * periods, so return true.
 */
static bool is_running(const struct pc_timers *t, const struct pc_timer *p)
{
	long value[4] = { 0, 0, 0, 0 };

	if (p->perf)
		return pc_perf_is(p->id - 1, p->perf) && pc_perf_is_running(p->id - 1);
	return !arch_call(SYS_timer_gettime, p->id - 1, (long)value, 0, 0, 0, 0) &&
	       (t->is_once || value[2] || value[3]);
}

/* Start a clock for the thread of @p. On failure set p->id to 0. */
static void begin_thread(struct pc_timers *t, struct pc_timer *p)
{
	int id;

	p->id = 0;
	p->perf = 0;
	if (t->by_perf) {
		id = pc_perf_open(&t->perf, p->tid, true, &p->perf);
		if (id >= 0) {
			p->id = id + 1;
			return;
		}
		p->perf = 0;
	}
	if (create(t, cpu_clock(t, p->tid), p->tid, t->tables, &id))
		return;
	if (!set(id, t->perf.period_ns, !t->is_once))
		p->id = id + 1;
	else
		delete_timer(id);
}

static void end_thread(const struct pc_timer *p)
{
	if (!p->perf)
		delete_timer(p->id - 1);
	else if (pc_perf_is(p->id - 1, p->perf))
		call_close(p->id - 1);
}

/* Add thread @tid to the table of the scan in progress. If the thread's clock in the old table
 * still runs, move the clock to the new table, otherwise start a new clock. */
static void add_thread(struct pc_timers *t, int tid)
{
	struct pc_timer *known = find(t->tables[t->now], tid), *p = find(t->tables[!t->now], tid);

	if (!p || p->tid)
		return;
	if (t->nr[!t->now] == PC_TIMERS) {
		t->missed++;
		return;
	}
	t->nr[!t->now]++;
	if (known && known->tid && known->id && is_running(t, known)) {
		*p = *known;
		known->id = 0;
	} else {
		p->tid = tid;
		begin_thread(t, p);
		t->missed += !p->id;
	}
}

static void add_threads(struct pc_timers *t, long got)
{
	struct entry { uint64_t inode, next; unsigned short len; unsigned char type; char name[]; };

	for (long at = 0; at < got; ) {
		const struct entry *e = (const struct entry *)(t->names + at);
		uint64_t tid;

		at += e->len;
		if (raw_str2num(&tid, e->name, __builtin_strlen(e->name), 10) && tid)
			add_thread(t, tid);
	}
}

static void delete_all(struct pc_timers *t, int which)
{
	if (!t->nr[which])
		return;
	for (uint32_t i = 0; i < ROOM; i++)
		if (t->tables[which][i].id)
			end_thread(&t->tables[which][i]);
	__builtin_memset(t->tables[which], 0, sizeof(t->tables[which]));
	t->nr[which] = 0;
}

/* List all threads, start clocks for new threads, and stop the clocks of ended threads. The caller
 * holds .lock. */
static int update_threads(struct pc_timers *t)
{
	int fd = call_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long got;

	if (fd < 0)
		return fd;
	t->missed = 0;
	while ((got = call_getdents(fd, t->names, sizeof(t->names))) > 0)
		add_threads(t, got);
	call_close(fd);
	/* The clocks that are still in the old table belong to threads that have ended. */
	delete_all(t, t->now);
	t->now = !t->now;
	return got;
}

/*
 * Handle a signal of the process-wide timer in the calling thread. Return the number of sampling
 * periods since the last signal of this timer, or 0 if the thread has its own clock. The caller
 * holds .lock.
 */
static uint64_t handle_process_signal(struct pc_timers *t, const siginfo_t *info)
{
	int tid = arch_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
	struct pc_timer *p = find(t->tables[t->now], tid);
	uint64_t nr;

	t->owed_ns += (1 + (uint64_t)info->si_overrun) * MEET_NS;
	nr = t->owed_ns / t->mean_ns;
	t->owed_ns %= t->mean_ns;
	if (p && p->tid && p->id)
		nr = 0;
	if (p && !p->tid && t->nr[t->now] < PC_TIMERS) {
		p->tid = tid;
		t->nr[t->now]++;
		begin_thread(t, p);
	}
	if (++t->met >= LOOKS) {
		t->met = 0;
		update_threads(t);
	}
	return nr;
}

static int try_perf(enum raw_pct_clock clock, uint64_t period_ns)
{
	const struct pc_perf perf = {
		.period_ns = period_ns, .signal = SIGURG, .is_user = clock == RAW_PCT_VIRTUAL};
	uint32_t id;
	int fd = clock == RAW_PCT_REAL ? -ENOTSUP : pc_perf_open(&perf, 0, false, &id);

	if (fd < 0)
		return fd;
	call_close(fd);
	return 0;
}

int pc_timers_try_perf(enum raw_pct_clock *clock, bool may_change, uint64_t period_ns)
{
	int err = try_perf(*clock, period_ns);

	/* kernel.perf_event_paranoid = 2 permits only user mode. */
	if ((err != -EACCES && err != -EPERM) || !may_change || *clock != RAW_PCT_PROF ||
	    try_perf(RAW_PCT_VIRTUAL, period_ns))
		return err;
	*clock = RAW_PCT_VIRTUAL;
	return 0;
}

int pc_timers_start(struct pc_timers *t, enum raw_pct_clock clock, int sig, bool by_perf,
		    uint64_t period_ns, uint32_t gap)
{
	bool is_real = clock == RAW_PCT_REAL;
	long err = 0;

	t->clock = clock;
	t->by_perf = by_perf;
	t->is_once = gap;
	t->mean_ns = gap ? period_ns * gap : period_ns;
	t->perf = (struct pc_perf){
		.period_ns = t->mean_ns, .signal = sig, .is_user = clock == RAW_PCT_VIRTUAL};
	t->owed_ns = t->met = 0;
	t->process = -1;
	if (!is_real)
		err = update_threads(t);
	if (!err)
		err = create(t, is_real ? CLOCK_MONOTONIC : cpu_clock(t, 0), 0,
			     is_real ? (void *)t->tables : &t->process, &t->process);
	if (!err)
		err = is_real ? set(t->process, t->mean_ns, !t->is_once)
			      : set(t->process, MEET_NS, true);
	__atomic_store_n(&t->lock, 0, __ATOMIC_RELEASE);
	if (err)
		pc_timers_stop(t);
	return err;
}

void pc_timers_stop(struct pc_timers *t)
{
	/* Try to lock for a limited time: the owner of the lock does not sleep, but may be
	 * preempted. */
	for (int i = 0; i < STOP_MS && __atomic_exchange_n(&t->lock, 1, __ATOMIC_ACQUIRE); i++)
		call_sleep_ms(1);
	if (t->process >= 0)
		delete_timer(t->process);
	t->process = -1;
	delete_all(t, t->now);
}

void pc_timers_forget(struct pc_timers *t)
{
	for (uint32_t i = 0; i < 2 * ROOM && (t->nr[0] || t->nr[1]); i++) {
		struct pc_timer *p = &t->tables[i / ROOM][i % ROOM];

		/* Close only perf events: a child does not inherit timers, and may have created
		 * a timer with the same id. */
		if (p->id && p->perf)
			end_thread(p);
		*p = (struct pc_timer){ 0, 0, 0 };
	}
	t->nr[0] = t->nr[1] = 0;
	t->process = -1;
}

uint64_t pc_timers_periods(struct pc_timers *t, const siginfo_t *info)
{
	uint64_t nr = 0;

	if (t->by_perf && info->si_code == POLL_IN)
		return 1;
	if (info->si_code != SI_TIMER)
		return 0;
	if (info->si_value.sival_ptr == t->tables)
		return 1 + (uint64_t)info->si_overrun;
	if (info->si_value.sival_ptr == &t->process &&
	    !__atomic_exchange_n(&t->lock, 1, __ATOMIC_ACQUIRE)) {
		nr = handle_process_signal(t, info);
		__atomic_store_n(&t->lock, 0, __ATOMIC_RELEASE);
	}
	return nr;
}

void pc_timers_again(struct pc_timers *t, const siginfo_t *info, uint64_t ns)
{
	if (info->si_code == POLL_IN)
		pc_perf_set_period(info->si_fd, ns);
	else if (info->si_value.sival_ptr == t->tables)
		set(info->si_timerid, ns, false);
}
