// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main of ocount: counts events of a command, of processes and threads, or of CPUs, by
 * perf_events; of a command also by vperfctr.ko.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/process.h"
#include "libop/base/reason.h"
#include "libop/perf/open.h"
#include "libop/perf/tasks.h"
#include "libvperf/vperf.h"
#include "utils/ocount/events.h"
#include "utils/ocount/options.h"
#include "utils/ocount/output.h"
#include "utils/ocount/set.h"
#include "utils/shared/run_command.h"
#include "utils/shared/virtual_counters.h"

/* The following functions count a command by vperfctr.ko. The module needs no descriptor for each
 * event, and counts each child process until its end. */

/*
 * Return whether vperfctr.ko can count as the options request. It can count only totals at the end
 * of a command, and only as many events as it has slots.
 */
static bool count_module_can(const struct count_options *options,
			     const struct count_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->list[i].codes[0].type == PERF_TYPE_TRACEPOINT)
			return false;
	/* The module adds the counts of a thread to the totals only when the thread ends, and each
	 * slot belongs to one type of core. */
	return options->what == COUNT_COMMAND && !options->interval_ms && events->nr <= VPERF_MAX &&
	       events->kinds.nr == 1;
}

struct opening {
	struct vperf **ret;
	const struct count_events *events;
	pid_t pid;
};

static int attach_counters(void *arg, struct op_reason *error)
{
	const struct opening *o = arg;
	struct vperf *v = NULL;
	int err = vperf_attach(&v, o->pid, VPERF_MODULE | VPERF_CHILDREN | VPERF_ON_EXEC);

	for (size_t e = 0; e < o->events->nr && err >= 0; e++) {
		const struct count_event *event = &o->events->list[e];
		const struct op_perf_code *code = &event->codes[0];
		const struct vperfctr_pmc pmc = {
			.type = code->type,
			.config = code->config,
			.config1 = code->config1,
			.flags = VPERFCTR_SHARE | (event->user ? VPERFCTR_USER : 0) |
				 (event->kernel ? VPERFCTR_KERNEL : 0),
		};

		err = vperf_add_pmc(v, &pmc);
	}
	if (err >= 0)
		err = vperf_start(v);
	if (err < 0) {
		op_fail(error, err, "%s", vperf_error(v));
		vperf_close(v);
		return err;
	}
	*o->ret = v;
	return 0;
}

/*
 * Open counters of vperfctr.ko for the child @pid, which waits before its exec, and for all its
 * later children. Return 0, or a negative errno with a message in @error.
 */
static int count_module_open(struct vperf **ret, const struct count_events *events, pid_t pid,
			     struct op_reason *error)
{
	struct opening o = { .ret = ret, .events = events, .pid = pid };

	return virtual_counters_give(pid, VPERF_MODULE, attach_counters, &o, error);
}

/* Read the counts of the child and of its children, which have all ended. Store one total for each
 * event in @values. Return 0 or a negative errno. */
static int count_module_read(struct vperf *v, struct count_value *values)
{
	struct vperf_counts own, children;
	int err = vperf_read(v, &own);

	if (!err)
		err = vperf_read_children(v, &children);
	for (uint32_t e = 0; !err && e < own.nr; e++)
		values[e] = (struct count_value){
			.count = own.slot[e].count + children.slot[e].count,
			.enabled = own.slot[e].enabled + children.slot[e].enabled,
			.running = own.slot[e].running + children.slot[e].running,
		};
	return err;
}

/*
 * State of one measurement, from opening the counters to printing the last line.
 *
 * A command is forked first and waits before its exec. Its counters start at the exec, so that they
 * count no events of ocount itself.
 */

#ifndef PIDFD_THREAD
#define PIDFD_THREAD	O_EXCL
#endif

#define NS_PER_MS	1000000ull
#define NS_PER_S	1000000000ull

struct run {
	const struct count_options *o;
	struct count_events events;
	/* perf_events counters; no descriptors are open if .module counts */
	struct count_set set;
	/* counters of vperfctr.ko; NULL: perf_events count instead */
	struct vperf *module;
	struct count_value *values;	/* counts of the last measuring interval */
	/* Only for several runs of a command (--repeat), else NULL or 0: sums of the counts, their
	 * deviations, deviation of the elapsed time, and sums of the times in ns. */
	struct count_value *sums;
	struct count_spread *spreads, spread_ns;
	uint64_t ns, user_ns, kernel_ns;
	unsigned long nr_runs;		/* number of completed runs of the command */
	/* the command and its state; .pid is 0 if no command was given */
	struct run_command command;
	char *path;			/* path of the command */
	FILE *out;
	/* Times of CLOCK_MONOTONIC. .begun: start of the current measuring interval. .due: time of
	 * the next output; 0: output only at the end. */
	uint64_t begun, due;
	unsigned long nr_printed;
	bool over;
	/* whether a signal ended the command, or ocount forwarded a signal to the command */
	bool interrupted;
	int status;			/* exit status of the command after its end */
};

static int open_tasks(struct run *r, struct op_reason *error)
{
	pid_t *ids = NULL;
	size_t nr = 0;
	int err;

	if (r->o->what == COUNT_THREADS)
		return count_set_open_tasks(&r->set, &r->events, r->o->ids, r->o->nr_ids,
					    r->o->nr_ids, COUNT_ALONE, error);
	err = op_perf_tasks(&ids, &nr, r->o->ids, r->o->nr_ids, true, "/proc");
	if (err)
		return op_fail(error, err, "cannot read /proc; check that it is mounted");
	err = count_set_open_tasks(&r->set, &r->events, ids, nr, r->o->nr_ids, COUNT_FAMILY, error);
	free(ids);
	return err;
}

/* Find the CPUs to count: the CPUs of --cpu-list or, without it, all online CPUs. @cpus and @online
 * have OP_MAX_CPUS elements. */
static int find_cpus(bool *cpus, bool *online, const char *list, struct op_reason *error)
{
	struct op_online_cpus *file = calloc(1, sizeof(*file));
	int err = file ? op_online_cpus_open(file) : -ENOMEM;

	if (!err) {
		err = op_online_cpus_changed(file, online);
		op_online_cpus_close(file);
	}
	free(file);
	if (err < 0)
		return op_fail(error, err, "cannot read the list of online CPUs; check that /sys "
					   "is mounted");
	if (!list)
		memcpy(cpus, online, OP_MAX_CPUS * sizeof(*cpus));
	else if (!*list || op_cpu_list_parse(cpus, list))
		return op_fail(error, -EINVAL, "option \"--cpu-list\": \"%s\" is not a list of "
					       "CPUs such as 2,4-7", list);
	for (int cpu = 0; cpu < OP_MAX_CPUS; cpu++)
		if (cpus[cpu] && !online[cpu])
			return op_fail(error, -ENODEV, "CPU %d is not online", cpu);
	return 0;
}

static int open_cpus(struct run *r, struct op_reason *error)
{
	bool *online = calloc(OP_MAX_CPUS, sizeof(*online)),
	     *cpus = calloc(OP_MAX_CPUS, sizeof(*cpus));
	int err = online && cpus ? find_cpus(cpus, online, r->o->cpus, error) : -ENOMEM;

	if (!err)
		err = count_set_open_cpus(&r->set, &r->events, cpus, error);
	free(cpus);
	free(online);
	return err;
}

/*
 * Open counters for the command: those of vperfctr.ko if the module can count as requested, else
 * perf_events. If --source=module requires the module, fail instead of using perf_events.
 */
static int open_command(struct run *r, struct op_reason *error)
{
	const unsigned int source = r->o->source;
	struct op_reason cause = { "" };
	int err = -EOPNOTSUPP;

	if (source != VPERF_PERF && count_module_can(r->o, &r->events))
		err = count_module_open(&r->module, &r->events, r->command.pid, &cause);
	else
		op_fail(&cause, err, "vperfctr.ko counts at most %d events, no tracepoints, and only on CPUs with one kind of core", VPERF_MAX);
	if (!err && r->o->verbose)
		op_clean_printf(stderr, "ocount: %s counts\n", vperf_source(r->module));
	if (!err && strstr(vperf_source(r->module), "user code only"))
		fputs("ocount: user code only: vperfctr.ko does not let users count in the kernel\n", stderr);
	if (!err)
		return count_set_open_empty(&r->set, &r->events);
	if (source == VPERF_MODULE)
		return op_fail(error, err, "%s", cause.text);
	if (r->o->verbose && source != VPERF_PERF)
		op_clean_printf(stderr, "ocount: perf_events counts: %s\n", cause.text);
	return count_set_open_tasks(&r->set, &r->events, &r->command.pid, 1, 1, COUNT_AT_EXEC,
				    error);
}

static int open_set(struct run *r, struct op_reason *error)
{
	int err;

	switch (r->o->what) {
	case COUNT_COMMAND:
		err = run_command_fork(&r->command, r->o->command, r->o->caller, error);
		return err ? err : open_command(r, error);
	case COUNT_PROCESSES:
	case COUNT_THREADS:
		return open_tasks(r, error);
	default:
		return open_cpus(r, error);
	}
}

static void report_events(const struct run *r)
{
	for (size_t e = 0; r->o->verbose && e < r->events.nr; e++) {
		const struct count_event *event = &r->events.list[e];

		for (size_t k = 0; k < r->events.kinds.nr; k++)
			op_clean_printf(stderr, "ocount: %s: perf_events type %" PRIu32 ", config 0x%" PRIx64
					", config1 0x%" PRIx64 "%s%s%s\n", event->name, event->codes[k].type,
					event->codes[k].config, event->codes[k].config1,
					event->user ? ", user" : "", event->kernel ? ", kernel" : "",
					event->codes[k].counted ? "" : ", not on this kind of core");
	}
}

/* Allocate the arrays for counts. A command has only one row of counts, both for perf_events and
 * for the module. */
static int make_values(struct run *r)
{
	const size_t nr = r->set.nr_rows * r->events.nr;

	r->values = calloc(nr, sizeof(*r->values));
	if (r->o->nr_runs > 1) {
		r->sums = calloc(nr, sizeof(*r->sums));
		r->spreads = calloc(nr, sizeof(*r->spreads));
	}
	return r->values && (r->o->nr_runs < 2 || (r->sums && r->spreads)) ? 0 : -ENOMEM;
}

static int prepare(struct run *r, struct op_reason *error)
{
	struct op_reason note = { "" };
	int err;

	err = count_events_find(&r->events, r->o->events, r->o->nr_events, "/sys", &note, error);
	if (err)
		return err;
	if (*note.text)
		op_clean_printf(stderr, "ocount: %s\n", note.text);
	report_events(r);
	r->command.signal_fd = run_command_open_signals(NULL, error);
	err = r->command.signal_fd < 0 ? r->command.signal_fd : open_set(r, error);
	if (err)
		return err;
	if (r->set.user_only)
		fputs("ocount: user code only: kernel.perf_event_paranoid does not let users count in the kernel\n", stderr);
	if (r->set.outside_guests)
		fputs("ocount: " OP_PERF_OUTSIDE_GUESTS "\n", stderr);
	err = make_values(r);
	if (err)
		return err;
	/* Open the output file only after the counters are open: fopen() truncates an existing
	 * file, which must not happen if the counters cannot be opened. */
	r->out = r->o->output ? fopen(r->o->output, "we") : stdout;
	return r->out ? 0 : op_fail(error, -errno, "cannot write %s: %s", r->o->output, strerror(errno));
}

static int read_counts(struct run *r, struct op_reason *error)
{
	int err = r->module ? count_module_read(r->module, r->values) :
			      count_set_read(&r->set, r->values);

	return err ? op_fail(error, err, "cannot read the counters: %s", strerror(-err)) : 0;
}

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_usec * 1000;
}

static int write_counts(struct run *r, struct count_dump *dump, struct op_reason *error)
{
	dump->options = r->o;
	dump->command = r->path;
	dump->set = &r->set;
	clock_gettime(CLOCK_REALTIME, &dump->end);
	r->nr_printed++;
	return count_print(r->out, dump) ? op_fail(error, -EIO, "cannot write the counts: %s", strerror(errno)) : 0;
}

/* Print the counts since the last call of print(). If a command has ended, also print its times. */
static int print(struct run *r, struct op_reason *error)
{
	const uint64_t ns = op_now_ns() - r->begun;
	struct count_dump dump = { .values = r->values, .nr_runs = 1, .ns = ns };
	struct rusage used;
	int err = read_counts(r, error);

	if (err)
		return err;
	if (r->o->what == COUNT_COMMAND && !r->o->interval_ms &&
	    !getrusage(RUSAGE_CHILDREN, &used)) {
		dump.has_times = true;
		dump.user_ns = ns_of(&used.ru_utime);
		dump.kernel_ns = ns_of(&used.ru_stime);
	}
	r->begun += ns;
	return write_counts(r, &dump, error);
}

/* Add the counts and the elapsed time of one run to the sums over all runs. */
static int add_run(struct run *r, struct op_reason *error)
{
	const uint64_t ns = op_now_ns() - r->begun;
	int err = read_counts(r, error);

	for (size_t e = 0; e < r->events.nr && !err; e++) {
		r->sums[e].count += r->values[e].count;
		r->sums[e].enabled += r->values[e].enabled;
		r->sums[e].running += r->values[e].running;
		count_spread_add(&r->spreads[e], (double)count_scaled(&r->values[e]));
	}
	count_spread_add(&r->spread_ns, (double)ns);
	r->ns += ns;
	r->nr_runs++;
	return err;
}

static int print_runs(struct run *r, struct op_reason *error)
{
	const unsigned long nr = r->nr_runs;
	struct count_dump dump = {
		.values = r->sums, .nr_runs = nr, .ns = r->ns / nr, .has_times = true,
		.user_ns = r->user_ns / nr, .kernel_ns = r->kernel_ns / nr,
		.spreads = r->spreads, .spread_ns = &r->spread_ns,
	};

	return write_counts(r, &dump, error);
}

/* Return the time until the next output in ms, rounded up. Return -1 if the next output is at the
 * end of the measurement. */
static int time_left(const struct run *r)
{
	const uint64_t now = op_now_ns();
	uint64_t ms;

	if (!r->due)
		return -1;
	ms = r->due > now ? (r->due - now + NS_PER_MS - 1) / NS_PER_MS : 0;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

static int time_is_up(struct run *r, struct op_reason *error)
{
	int err = print(r, error);

	r->due += r->o->interval_ms * NS_PER_MS;
	/* If ocount was stopped for a while, print one interval instead of several missed
	 * intervals. */
	if (r->due < op_now_ns())
		r->due = op_now_ns() + r->o->interval_ms * NS_PER_MS;
	if (r->nr_printed == r->o->nr_intervals) {
		r->due = 0;
		/* stop after the last interval, unless a command is still running */
		r->over = !r->command.pid;
	}
	return err;
}

/* Return whether to forward the received signal to the command. If no command exists, end the
 * measurement instead. */
static bool may_forward(void *arg, const struct signalfd_siginfo *info)
{
	struct run *r = arg;

	(void)info;
	r->interrupted = true;
	if (!r->command.pid)
		r->over = true;
	return !r->over;
}

static void check_command(struct run *r)
{
	int status;

	if (!run_command_ended(&r->command, &status))
		return;
	r->interrupted |= WIFSIGNALED(status);
	r->status = run_command_exit_status("ocount", r->o->command[0], status, 0);
	r->over = true;
}

/*
 * Return a pidfd that becomes readable when the process or thread @id ends. Return -1 if the kernel
 * does not support such a pidfd; pidfds of threads need Linux 6.9.
 */
static int open_pidfd(pid_t id)
{
	int fd = op_pidfd_open(id);

	return fd < 0 ? (int)syscall(SYS_pidfd_open, id, PIDFD_THREAD) : fd;
}

/* Close the pidfds of processes and threads that have ended. After the last one, end the
 * measurement. */
static void tasks_ended(struct run *r, struct pollfd *fds, size_t *nr_there)
{
	for (size_t i = 0; i < r->o->nr_ids; i++) {
		if (fds[i].fd < 0 || !fds[i].revents)
			continue;
		close(fds[i].fd);
		fds[i].fd = -1;
		if (!--*nr_there)
			r->over = true;
	}
}

static int watch(struct run *r, struct op_reason *error)
{
	size_t nr = r->o->nr_ids, nr_there = nr;
	struct pollfd *fds = calloc(nr + RUN_COMMAND_FDS, sizeof(*fds));
	int err = 0;

	if (!fds)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		fds[i] = (struct pollfd){ .fd = open_pidfd(r->o->ids[i]), .events = POLLIN };
	while (!err && !r->over) {
		int n = run_command_poll(&r->command, fds, nr, time_left(r));

		if (n < 0 && n != -EINTR)
			err = n;
		if (n > 0) {
			check_command(r);
			tasks_ended(r, fds, &nr_there);
		}
		if (!err && !r->over && r->due && op_now_ns() >= r->due)
			err = time_is_up(r, error);
	}
	for (size_t i = 0; i < nr; i++)
		if (fds[i].fd >= 0)
			close(fds[i].fd);
	free(fds);
	return err;
}

static int begin(struct run *r, struct op_reason *error)
{
	int err;

	r->begun = op_now_ns();
	if (r->o->interval_ms)
		r->due = r->begun + r->o->interval_ms * NS_PER_MS;
	if (r->command.pid)
		return run_command_exec(&r->command, r->o->command[0], error);
	err = count_set_start(&r->set);
	if (err)
		return op_fail(error, err, "cannot start the counters: %s", strerror(-err));
	if (!r->o->nr_intervals)
		fprintf(stderr, "ocount: counting; Ctrl-C or 'kill -INT %d' ends\n", (int)getpid());
	return 0;
}

static void close_counters(struct run *r)
{
	run_command_release(&r->command);
	vperf_close(r->module);
	r->module = NULL;
	count_set_close(&r->set);
	r->set = (struct count_set){ .nr_rows = 0 };
}

/* Run the command once more, from fork to exit, and count it. */
static int run_again(struct run *r, struct op_reason *error)
{
	int err;

	close_counters(r);
	r->over = false;
	err = open_set(r, error);
	if (!err)
		err = begin(r, error);
	return err ? err : watch(r, error);
}

/*
 * For --repeat: repeat the command, which has run once, and print the means of all runs. If a
 * signal ends a run, stop repeating. Ignore that run, unless it is the only run. The exit status is
 * that of the first run that failed.
 */
static int repeat(struct run *r, struct op_reason *error)
{
	struct rusage used = { .ru_maxrss = 0 };
	int failed = r->status, err;

	err = add_run(r, error);
	getrusage(RUSAGE_CHILDREN, &used);
	while (!err && r->nr_runs < r->o->nr_runs && !r->interrupted) {
		err = run_again(r, error);
		failed = failed ? failed : r->status;
		if (!err && !r->interrupted)
			err = add_run(r, error);
		if (!err && !r->interrupted)
			getrusage(RUSAGE_CHILDREN, &used);
	}
	if (err)
		return err;
	r->status = failed;
	r->user_ns = ns_of(&used.ru_utime);
	r->kernel_ns = ns_of(&used.ru_stime);
	if (r->nr_runs < r->o->nr_runs)
		fprintf(stderr, "ocount: interrupted: only %lu of %lu runs were counted\n",
			r->nr_runs, r->o->nr_runs);
	return print_runs(r, error);
}

static void release(struct run *r)
{
	close_counters(r);
	count_events_release(&r->events);
	free(r->values);
	free(r->sums);
	free(r->spreads);
	free(r->path);
	if (r->command.signal_fd >= 0)
		close(r->command.signal_fd);
	if (r->out && r->out != stdout)
		fclose(r->out);
}

/*
 * Run the measurement, and return the exit status of ocount. With a command, this is the status of
 * the command (128 + N if signal N killed it). Without a command, it is 0. On a failure of ocount,
 * it is one of CTL_EXIT_* (run_command.h), with a message in @error.
 */
static int count_run(const struct count_options *options, struct op_reason *error)
{
	struct run r = { .o = options,
			 .command = { .signal_fd = -1, .may_forward = may_forward, .arg = &r } };
	int err, status = CTL_EXIT_FAILED;

	if (options->what == COUNT_COMMAND) {
		err = run_command_find(&r.path, options->command[0], error);
		if (err)
			return run_command_error_status(err);
	}
	err = prepare(&r, error);
	if (!err) {
		err = begin(&r, error);
		if (err == -ENOENT || err == -EACCES || err == -ENOEXEC)
			status = CTL_EXIT_NO_EXEC;
	}
	if (!err)
		err = watch(&r, error);
	/* With --repeat print the means. Otherwise print the incomplete last interval, unless all
	 * requested intervals were printed. */
	if (!err && options->nr_runs > 1)
		err = repeat(&r, error);
	else if (!err && (!options->nr_intervals || r.nr_printed < options->nr_intervals))
		err = print(&r, error);
	if (err && !*error->text)
		op_fail(error, err, "%s", op_strerror(err));
	if (!err)
		status = r.status;
	release(&r);
	return status;
}

int main(int argc, char **argv)
{
	struct op_caller caller;
	struct count_options options = { .caller = &caller };
	struct op_reason error = { "" };
	int status = CTL_EXIT_FAILED;
	enum ctl_parse parsed;

	op_process_prepare(&caller, OP_PROCESS_WORKS);
	parsed = count_options_parse(&options, argc, argv, stdout, &error);
	if (parsed == CTL_RUN)
		status = count_run(&options, &error);
	count_options_release(&options);
	return ctl_command_line_exit("ocount", parsed, status, &error);
}
