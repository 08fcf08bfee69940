// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_cpus.c -- the CPUs on which perf_events are open. */
#include "config.h"
#include "daemon/source/perf_cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "libop/perf/pmus.h"

/* After this number of samples, the period of a timer changes from slightly too long to slightly
 * too short, or back. Each change costs half a sample. */
#define PERIODS_TO_TURN	1000

int opd_perf_cpus_init(struct opd_perf_cpus *c, const struct opd_perf_plan *plan, size_t nr_events)
{
	c->plan = plan;
	c->max = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	c->cpus = calloc(c->max, sizeof(*c->cpus));
	c->samples = calloc(c->max, sizeof(*c->samples));
	c->notices = calloc(c->max, sizeof(*c->notices));
	c->switches = calloc(c->max, sizeof(*c->switches));
	c->times = calloc(nr_events, sizeof(*c->times));
	if (!c->cpus || !c->samples || !c->notices || !c->switches || !c->times)
		return -ENOMEM;
	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return c->epoll_fd < 0 ? -errno : 0;
}

void opd_perf_cpus_release(struct opd_perf_cpus *c)
{
	opd_perf_cpus_remove_all(c);
	op_online_cpus_close(&c->online);
	if (c->epoll_fd >= 0)
		close(c->epoll_fd);
	free(c->times);
	free(c->cpus);
	free(c->samples);
	free(c->notices);
	free(c->switches);
}

int opd_perf_cpus_watch(struct opd_perf_cpus *c, int fd)
{
	/* Use edge-triggered events: the event descriptor of an ended process stays ready for
	 * ever. */
	struct epoll_event e = { .events = EPOLLIN | EPOLLET, .data.fd = fd };

	return epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

int opd_perf_cpus_open(struct opd_perf_cpus *c, struct op_reason *error)
{
	bool online[OP_MAX_CPUS];
	int err;

	op_online_cpus_close(&c->online);
	err = op_online_cpus_open(&c->online);
	if (!err)
		err = op_online_cpus_changed(&c->online, online);
	if (err < 0)
		return op_fail(error, err,
			       "cannot read /sys/devices/system/cpu/online: is /sys mounted?");
	for (int cpu = 0; cpu < OP_MAX_CPUS; cpu++) {
		if (!online[cpu] || !c->plan->wanted[cpu])
			continue;
		err = opd_perf_cpus_add(c, cpu, error);
		/* -ENODEV: the CPU went offline before its events were opened */
		if (err && err != -ENODEV)
			return err;
	}
	if (c->nr)
		return 0;
	return op_fail(error, -ENODEV, "all CPUs of --cpus are offline");
}

int opd_perf_cpus_add(struct opd_perf_cpus *c, int number, struct op_reason *error)
{
	struct opd_perf_cpu *cpu;
	int err;

	if (c->nr == c->max)
		return -E2BIG;
	err = opd_perf_cpu_open(&cpu, opd_perf_plan_of_cpu(c->plan, number), number, error);
	if (err)
		return err;
	err = opd_perf_cpus_watch(c, cpu->fds[0]);
	if (!err)
		err = opd_perf_cpus_watch(c, cpu->notice_fds[0]);
	if (!err && cpu->nr_switch_fds)
		err = opd_perf_cpus_watch(c, cpu->switch_fds[0]);
	if (!err && c->enabled)
		err = opd_perf_cpu_enable(cpu, true);
	if (err) {
		op_fail(error, err, "cannot wait for samples in a buffer of perf_events");
		opd_perf_cpu_close(cpu);
		return err;
	}
	c->cpus[c->nr] = cpu;
	c->samples[c->nr] = &cpu->samples;
	c->notices[c->nr] = &cpu->notices;
	c->switches[c->nr] = &cpu->switches;
	c->nr++;
	return 0;
}

void opd_perf_cpus_remove(struct opd_perf_cpus *c, size_t i)
{
	struct opd_perf_cpu *cpu = c->cpus[i];

	c->lost += opd_perf_cpu_read(cpu, &c->plan->setup, c->nr, c->times);
	c->lost_switches += opd_perf_cpu_read_switches(cpu, &c->plan->setup);
	c->bad += cpu->samples.bad + cpu->notices.bad + cpu->switches.bad;
	c->shortened += cpu->samples.shortened;
	opd_perf_cpu_close(cpu);
	c->nr--;
	c->cpus[i] = c->cpus[c->nr];
	c->samples[i] = c->samples[c->nr];
	c->notices[i] = c->notices[c->nr];
	c->switches[i] = c->switches[c->nr];
}

void opd_perf_cpus_remove_all(struct opd_perf_cpus *c)
{
	/* Read the times of the events before c->nr decreases: each CPU adds 1/nr of the time for
	 * which a task's event was enabled. */
	opd_perf_cpus_read_lost(c);
	while (c->nr)
		opd_perf_cpus_remove(c, c->nr - 1);
}

static int switch_all(struct opd_perf_cpus *c, bool on)
{
	int first = 0;

	for (size_t i = 0; i < c->nr; i++) {
		int err = opd_perf_cpu_enable(c->cpus[i], on);

		if (err && !first)
			first = err;
	}
	return first;
}

int opd_perf_cpus_enable(struct opd_perf_cpus *c, bool on)
{
	int err = switch_all(c, on);

	if (on && err)
		switch_all(c, false);
	c->enabled = on && !err;
	return err;
}

/* Ignore errors of opd_perf_cpu_turn(): if the CPU went offline, follow_hotplug() removes it. */
void opd_perf_cpus_turn(struct opd_perf_cpus *c, uint64_t now)
{
	const struct opd_perf_setup *setup = &c->plan->setup;
	uint64_t longest = 0;

	if (now < c->next_turn)
		return;
	for (size_t i = 0; i < setup->nr_events; i++)
		if (op_perf_code(setup->pmus, 0, i)->timer && setup->events[i].count > longest)
			longest = setup->events[i].count;
	c->next_turn = now + PERIODS_TO_TURN * longest;
	for (size_t i = 0; i < c->nr; i++)
		opd_perf_cpu_turn(c->cpus[i], opd_perf_plan_of_cpu(c->plan, c->cpus[i]->cpu));
}

void opd_perf_cpus_read_lost(struct opd_perf_cpus *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		c->lost += opd_perf_cpu_read(c->cpus[i], &c->plan->setup, c->nr, c->times);
		c->lost_switches += opd_perf_cpu_read_switches(c->cpus[i], &c->plan->setup);
	}
}

uint64_t opd_perf_cpus_bad(const struct opd_perf_cpus *c)
{
	uint64_t bad = c->bad;

	for (size_t i = 0; i < c->nr; i++)
		bad += c->samples[i]->bad + c->notices[i]->bad + c->switches[i]->bad;
	return bad;
}

uint64_t opd_perf_cpus_shortened(const struct opd_perf_cpus *c)
{
	uint64_t shortened = c->shortened;

	for (size_t i = 0; i < c->nr; i++)
		shortened += c->samples[i]->shortened;
	return shortened;
}
