// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- the call-path probe in a profiled process, from its start to the .csp file.
 *
 * All counts go directly to the shared file PROGRAM.PID.csp.live. If the program calls exit(), the
 * probe converts the file to PROGRAM.PID.csp; otherwise opprobe(1) converts it.
 */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/linux/calls.h"
#include "probe/probe.h"
#include "probe/wrap/actions.h"
#include "probe/wrap/calls.h"
#include "probe/wrap/hooks.h"
#include "probe/wrap/threads.h"

extern void *__libc_stack_end;

/* The state of sampling in this process. Static, because signal handlers have no parameter to pass
 * it. */
static struct probe {
	/* the drivers are suspended, so a signal that arrives now was sent before; atomic */
	bool is_paused;
	struct driver_set drivers;
	/* for each element of .drivers: whether the event can use only this driver; false: the user
	 * may choose another driver (TIMER) */
	bool is_fixed[DRIVER_EVENTS];
	int free_signal;	/* signal that samples use; 0: the program uses all signals */
	bool has_begun;			/* sampling was started or requested at least once */
	bool is_detached;		/* child processes are not sampled */
	bool has_atfork;
	/* a seccomp filter restricts the system calls of the process */
	bool is_filtered;
} probe;

static void set_on(void)
{
	if (process.here)
		*process.here = 1;
	__atomic_store_n(&process.on, 1, __ATOMIC_RELEASE);
}

/* Return whether the probe samples this process. Return false in a child process that was created
 * without running fork() handlers: the child inherits the probe's memory, but is not sampled. */
static bool is_here(void)
{
	return __atomic_load_n(&process.on, __ATOMIC_ACQUIRE) && process.run.pid == call_getpid();
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	const struct driver_run *run;
	struct state *s = process_thread.state;
	uint64_t weight;
	uint32_t i = 0;

	if (!driver_is_ours(&probe.drivers, s ? &s->driver : NULL, info)) {
		actions_forward(sig, info, context);
		return;
	}
	if (!__atomic_load_n(&process.on, __ATOMIC_ACQUIRE) || !context)
		return;
	if (!s) {
		/* The thread has no state. Either the thread's start was not reported to the probe,
		 * or the thread is running its last destructors. */
		if (!process_thread.is_known)
			threads_report_in_handler();
		run_lost_sample(&process.run);
		return;
	}
	while ((run = driver_threads_take(&probe.drivers, &s->driver, info, &i, &weight))) {
		bool is_stopped = probe_is_stopped();

		if (!probe.is_fixed[run - probe.drivers.runs] &&
		    !(is_stopped && __atomic_load_n(&probe.is_paused, __ATOMIC_ACQUIRE)))
			state_signal(s);
		if (!is_stopped)
			state_sample(&process.run.states, s, context, run->metric, weight);
	}
	driver_threads_taken(&probe.drivers, &s->driver);
}

static void crashed(const siginfo_t *info, const void *context)
{
	uint64_t all = actions_all_but_raised(), before;
	struct state *s = process_thread.state;

	/* Do not count in a child of vfork(), which shares its parent's memory. */
	if (!s || !is_here())
		return;
	/* The probe itself caused the fault: abandon the sample by a jump. The jump does not
	 * restore the signal mask, so restore the mask first. */
	if (info->si_code > 0 && __atomic_load_n(&s->inside, __ATOMIC_RELAXED)) {
		arch_call(SYS_rt_sigprocmask, SIG_SETMASK,
			  (long)&((const ucontext_t *)context)->uc_sigmask, 0, sizeof(all), 0, 0);
		state_escape(s);
	}
	run_record(&process.run)->metrics[process.run.crashes].flags &= ~RAW_LIVE_HIDDEN;
	arch_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof(all), 0, 0);
	state_count(&process.run.states, s, context, process.run.crashes);
	run_rate_noted(&process.run);
	arch_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof(all), 0, 0);
}

/* Set *@low to the lowest address and *@high to the end of the calling thread's stack. If they are
 * unknown, leave both unchanged. The function may allocate memory, so it must not be called in
 * signal handlers. */
static void find_stack(uint64_t *low, uint64_t *high)
{
	pthread_attr_t attr;
	size_t size;
	void *at;

	if (call_getpid() == arch_call(SYS_gettid, 0, 0, 0, 0, 0, 0)) {
		*low = (uintptr_t)__builtin_frame_address(0) & ~(uint64_t)4095;
		*high = (uintptr_t)__libc_stack_end;
	} else if (!pthread_getattr_np(pthread_self(), &attr)) {
		if (!pthread_attr_getstack(&attr, &at, &size)) {
			*low = (uintptr_t)at;
			*high = *low + size;
		}
		pthread_attr_destroy(&attr);
	}
}

/* Start sampling the calling thread. In a signal handler, do not look up the stack's address range,
 * because the lookup allocates memory; walks then read the stack by system calls. Return 0 or a
 * negative errno. */
static int begin_thread(struct probe *p, bool in_handler)
{
	bool was_counting = process_thread.is_counting;
	uint64_t low = 0, high = 0;
	struct state *s;
	int err = -ENOMEM;

	process_thread.is_known = process_thread.is_counting = true;
	if (!in_handler)
		find_stack(&low, &high);
	s = state_claim(&process.run.states, arch_call(SYS_gettid, 0, 0, 0, 0, 0, 0), low, high);
	if (s) {
		__atomic_store_n(&process_thread.state, s, __ATOMIC_RELEASE);
		err = driver_threads_begin(&p->drivers, &s->driver);
	}
	if (s && err) {
		__atomic_store_n(&process_thread.state, NULL, __ATOMIC_RELEASE);
		state_release(s);
	}
	if (!was_counting)
		probe_leave();
	if (!err)
		actions_thread_begins(&s->stack);
	return err;
}

static void thread_begins(bool in_handler)
{
	if (is_here() && !process_thread.is_known &&
	    !(in_handler && driver_set_allocates(&probe.drivers)))
		begin_thread(&probe, in_handler);
}

static void thread_ends(void)
{
	struct state *s = process_thread.state;

	if (!s || !process.run.pid || process.run.pid != call_getpid())
		return;
	driver_threads_end(&probe.drivers, &s->driver);
	actions_thread_ends();
	__atomic_store_n(&process_thread.state, NULL, __ATOMIC_RELEASE);
	state_release(s);
}

/* Start the drivers of the events with index @first and above, for the process and the calling
 * thread. Return 0 or a negative errno. */
static int begin_drivers(struct probe *p, uint32_t first)
{
	/* The vperf driver may be in a separate library. Call paths must also omit frames of this
	 * library. If the library is not loaded, the address of this weak symbol is NULL. */
	const struct epoch_module *own =
		first ? NULL : epoch_find(process.run.epochs.now, (uintptr_t)&opprobe_vperf_driver);
	int err = driver_set_init(&p->drivers, first);

	if (err)
		return err;
	if (own)
		err = unsafe_add(&process.run.states.unsafe, own->start, own->end, UNSAFE_OWN);
	if (!err)
		err = process_thread.state ?
			      driver_threads_begin(&p->drivers, &process_thread.state->driver) :
			      begin_thread(p, false);
	if (err)
		driver_set_fini(&p->drivers, first);
	return err;
}

/* Start the drivers of the events with index @first and above. For TIMER events, use @driver.
 * Install the handler of the signal that all events share. Return 0 or a negative errno. */
static int try_driver(struct probe *p, const struct driver *driver, uint32_t first)
{
	struct driver_run *runs = p->drivers.runs;
	int err;

	for (uint32_t i = first; i < p->drivers.nr; i++) {
		if (!p->is_fixed[i])
			runs[i].driver = driver;
		runs[i].signal = runs[i].driver->signal ? runs[i].driver->signal : p->free_signal;
		if (!runs[i].signal)
			return -EBUSY;
		if (runs[i].signal != runs[0].signal)
			return -EINVAL;
	}
	err = p->drivers.nr ? actions_set(runs[0].signal, on_signal, actions_all_but_raised()) : 0;
	return err ? err : begin_drivers(p, first);
}

/* If one of the events with index @first and above is TIMER, store in the .csp.live file that
 * @driver samples it. @refused: errno of the preferred driver, or 0. */
static void note_driver(struct probe *p, enum raw_probe_driver driver, uint32_t refused,
			uint32_t first)
{
	for (uint32_t i = first; i < p->drivers.nr; i++)
		if (!p->is_fixed[i]) {
			process.run.rate = (struct raw_live_rate){
				driver, refused, p->drivers.runs[i].period, 0
			};
			run_rate_begins(&process.run);
		}
}

/*
 * Start the drivers of the events with index @from and above. For TIMER events, use the driver that
 * the user requested, or otherwise the first driver that the kernel permits. If the kernel refuses
 * perf, report why another driver is used. Return 0 or a negative errno.
 */
static int choose_driver(struct probe *p, uint32_t from)
{
	int first, err;

	if (process.run.words.driver) {
		note_driver(p, process.run.words.driver, process.run.words.refused, from);
		return try_driver(p, drivers[process.run.words.driver], from);
	}
	note_driver(p, RAW_PROBE_PERF, 0, from);
	err = first = try_driver(p, drivers[RAW_PROBE_PERF], from);
	for (int i = RAW_PROBE_PERF + 1; err && i < RAW_PROBE_MONOTONIC; i++) {
		note_driver(p, i, -first, from);
		err = try_driver(p, drivers[i], from);
		if (!err)
			run_report(&process.run,
				 "perf_event_open() is refused, so CPU time is sampled by ",
				 drivers[i]->name, first);
	}
	return err ? first : 0;
}

/* Add the drivers that sample @event to the set of drivers; @metric counts the samples. Add
 * nothing if the event is not sampled by signals. Return 0 or a negative errno. */
static int add_runs(struct probe *p, const struct raw_probe_event *event, uint32_t metric)
{
	const struct raw_probe_perf cpu_time = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0 };
	const struct raw_probe_kind *kind = event->kind;
	struct raw_probe_perf parts[2];
	uint32_t nr = raw_probe_perf_parts(kind->by == RAW_PROBE_BY_PERF ? &event->perf : &cpu_time,
					   parts);

	if (!raw_probe_by_signal(kind))
		return 0;
	if (p->drivers.nr + nr > DRIVER_EVENTS)
		return -E2BIG;
	if (!driver_by(kind->by))
		return -ENOPKG;
	if (!p->drivers.nr)
		p->free_signal = driver_free_signal();
	for (uint32_t part = 0; part < nr; part++) {
		p->is_fixed[p->drivers.nr] = kind->by != RAW_PROBE_BY_DRIVER;
		p->drivers.runs[p->drivers.nr] = (struct driver_run){
			.driver = driver_by(kind->by),
			.set = &p->drivers,
			.period = event->period,
			.metric = metric,
			.perf = parts[part],
			.event = raw_probe_vperf_name(event),
		};
		/* Initialize the new element before incrementing the number of elements, because
		 * signal handlers of other threads may read the set. */
		__atomic_store_n(&p->drivers.nr, p->drivers.nr + 1, __ATOMIC_RELEASE);
	}
	return 0;
}

/* Add and start the drivers of all requested events. Return 0 or a negative errno. */
static int begin_sampling(struct probe *p)
{
	int err = 0;

	run_rate_begins(&process.run);
	for (uint32_t i = 0; i < process.run.words.nr_events && !err; i++)
		err = add_runs(p, &process.run.words.events[i],
			       run_metric(&process.run, process.run.words.events[i].name));
	return err ? err : choose_driver(p, 0);
}

int probe_add_events(const struct raw_probe_words *words)
{
	struct probe *p = &probe;
	const struct raw_live_rate rate = process.run.rate;
	const uint32_t before = p->drivers.nr;
	int err = run_check_events(&process.run, words);

	if (err)
		return err;
	threads_report();
	for (uint32_t i = 0; i < words->nr_events && !err; i++)
		if (run_metric(&process.run, words->events[i].name) < 0)
			err = add_runs(p, &words->events[i],
				       run_new_metric(&process.run, words, i));
	if (!err && p->drivers.nr > before)
		err = choose_driver(p, before);
	if (!err) {
		run_add_events(&process.run, words);
		return 0;
	}
	__atomic_store_n(&p->drivers.nr, before, __ATOMIC_RELEASE);
	process.run.rate = rate;
	run_record(&process.run)->rate = rate;
	return err;
}

void probe_thread_adds(void)
{
	if (process_thread.state && is_here())
		driver_threads_begin(&probe.drivers, &process_thread.state->driver);
}

/* Called in a child after fork(). Create the child's own file, and do not change the parent's
 * file. */
static void forked(void)
{
	struct probe *p = &probe;
	bool was_on = process.on && !p->is_detached;
	int err;

	if (!process.run.pid)
		return;
	process.on = 0;
	for (struct state *s = process.run.states.first; s; s = s->next)
		driver_threads_forget(&p->drivers, &s->driver);
	process_thread.state = NULL;
	fd_close(&process.run.file);
	process.run.pid = 0;
	if (!was_on || !raw_probe_follows_children(&process.run.words))
		return;
	err = run_open(&process.run);
	if (err) {
		process.run.pid = 0;
		run_report(&process.run, "a child is not profiled: cannot create a file in ",
			 process.run.names.dir, err);
		return;
	}
	process.run.is_child = true;
	set_on();
	run_rate_begins(&process.run);
	err = begin_drivers(p, 0);
	if (err)
		run_report(&process.run, "a child is not sampled", "", err);
}

void probe_pause(bool pauses)
{
	__atomic_store_n(&probe.is_paused, pauses, __ATOMIC_RELEASE);
	for (struct state *s = __atomic_load_n(&process.run.states.first, __ATOMIC_ACQUIRE); s;
	     s = s->next)
		(pauses ? driver_threads_suspend : driver_threads_resume)(&probe.drivers,
									  &s->driver);
	if (pauses)
		states_wait(&process.run.states);
}

__attribute__((destructor)) static void leaving(void)
{
	if (!process.run.pid || process.run.pid != call_getpid() ||
	    !__atomic_exchange_n(&process.on, 0, __ATOMIC_SEQ_CST))
		return;
	probe_pause(true);
	run_end(&process.run);
	process.run.pid = 0;
}

/*
 * Stop sampling before a seccomp filter is installed, because the kernel may kill the process for
 * the probe's system calls. Restore the program's signal actions. From then on, the probe does
 * nothing at the end of a thread or of the process. Do nothing in a child of vfork(), which shares
 * its parent's memory and soon executes another program or ends.
 */
static void filters(bool kills)
{
	if (probe.is_filtered || (process.run.pid && process.run.pid != call_getpid()))
		return;
	probe.is_filtered = true;
	if (process.run.pid)
		run_report(&process.run, process.run.names.program,
			 " installs a seccomp filter, so opprobe stops sampling it; to sample all "
			 "of its run, use operf",
			 0);
	leaving();
	actions_end();
	if (kills)
		names_forget_variable(environ, "OPPROBE");
}

/*
 * Suspend the thread's drivers before exec*(), because a pending sample signal would kill the next
 * program. Do nothing in a child of vfork(), which shares its parent's memory but has no drivers of
 * its own.
 */
static void before_exec(long kept[4])
{
	struct state *s = process_thread.state;

	kept[0] = s && process.run.pid &&
		  arch_call(SYS_gettid, 0, 0, 0, 0, 0, 0) == (long)s->driver.tid;
	if (!kept[0])
		return;
	driver_threads_suspend(&probe.drivers, &s->driver);
	run_rate_noted(&process.run);
	/* Remove the file of a child process that executes another program before anything was
	 * counted. Most children do this. */
	if (process.run.is_child && is_here())
		run_drop_empty(&process.run);
}

static void exec_failed(const long kept[4])
{
	if (kept[0])
		driver_threads_resume(&probe.drivers, &process_thread.state->driver);
}

static uint64_t own_signals(void)
{
	int sig = probe.drivers.nr ? probe.drivers.runs[0].signal : 0;

	return process.run.pid && sig ? 1ULL << (sig - 1) : 0;
}

static const struct hooks probe_hooks = {
	.before_exec = before_exec,
	.exec_failed = exec_failed,
	.thread_begins = thread_begins,
	.thread_ends = thread_ends,
	.allocates = probe_allocates,
	.defers = probe_defers,
	.own_signals = own_signals,
	.is_here = is_here,
	.crashed = crashed,
	.exits = leaving,
	.filters = filters,
};

void probe_begin(const char *text)
{
	struct raw_pct_words words = { .dir = "opprobe_data" };
	struct probe *p = &probe;
	size_t wrong;
	int err;

	p->has_begun = true;
	names_find_fifo(&process.run.names, environ);
	if (raw_probe_words_parse(&process.run.words, text, &wrong)) {
		run_report_syntax(text, wrong);
		return;
	}
	process.run.nr_first = process.run.words.nr_events;
	if (process.run.words.follow == RAW_PROBE_FOLLOW_FORK ||
	    process.run.words.follow == RAW_PROBE_FOLLOW_NONE)
		names_forget_variable(environ, "OPPROBE");
	words.dir = process.run.words.dir ?: words.dir;
	process.run.place = &place;
	place.check(&process.run);
	run_begin_marking(&process.run);
	process.here = call_word_here();
	process.run.filter = opprobe_filter;
	err = names_find(&process.run.names, &words, environ) ?: run_open(&process.run);
	if (err) {
		process.run.pid = 0;
		run_report(&process.run, "cannot create a file in ", words.dir, err);
		return;
	}
	/* Register fork() handlers even if children are not sampled now, because opattach may
	 * attach to a child later. */
	if (!p->has_atfork)
		pthread_atfork(NULL, NULL, forked);
	p->has_atfork = true;
	at_quick_exit(leaving);
	actions_begin();
	if (raw_probe_counts_calls(&process.run.words))
		actions_defer();
	set_on();
	err = begin_sampling(p);
	if (err) {
		run_report(
			&process.run,
			err == -EBUSY
				? "all real-time signals are in use: nothing is sampled by driver "
			: err == -ENOPKG
				? "libopprobe_vperf.so is not loaded: nothing is sampled by driver "
				: "the kernel rejected an event: nothing is sampled by driver ",
			raw_probe_drivers[process.run.words.driver], err);
		process.on = 0;
		call_unlinkat(AT_FDCWD, process.run.file.path);
		fd_close(&process.run.file);
		process.run.pid = 0;
	}
}

static void begin(const char *otherwise)
{
	const char *asked, *text;

	hooks_set(&probe_hooks);
	asked = names_variable(environ, "OPPROBE");
	text = asked ? asked : otherwise;
	if (text && !names_is_privileged(environ))
		probe_begin(text);
}

void probe_begin_once(void)
{
	if (!probe.has_begun)
		begin("");
}

__attribute__((constructor)) static void loaded(void)
{
	begin(NULL);
}

void probe_detach(bool is_detached)
{
	probe.is_detached = is_detached;
}

void probe_drop_pending(void)
{
	uint64_t nr = process_thread.state ?
			      driver_threads_drop(&probe.drivers, &process_thread.state->driver,
						  own_signals()) :
			      0;

	for (; nr; nr--)
		run_lost_sample(&process.run);
}
