// SPDX-License-Identifier: GPL-2.0-or-later
/* plan.c -- decides the windows of faults and the events of a seed. */
#include "config.h"
#include "tests/fleet/sim.h"

static void add_event(uint64_t at_ms, enum sim_action action, int64_t number)
{
	assert_true(sim->nr_events < SIM_EVENTS);
	sim->events[sim->nr_events++] = (struct sim_event){ at_ms, action, number };
}

static uint64_t ms_of(int64_t time)
{
	return (uint64_t)(time - SIM_BEGIN) * 1000;
}

/* The daemon closes and merges intervals; in some seeds the clock was set back, so that it closes an
 * interval after the next ones. */
static void plan_daemon(void)
{
	const bool is_set_back = sim_below(5) == 0;

	for (size_t i = 0; i < SIM_FILES; i++) {
		const struct sim_file *f = &sim->pool->files[i];
		uint64_t at = ms_of(f->entry.end) + 1000 + sim_below(20000);

		if (f->entry.step)
			at += 24 * SIM_HOUR + sim_below(2 * SIM_HOUR);
		if (i < SIM_ATOMS) {
			if (is_set_back && f->entry.end - f->entry.begin == SIM_SLOT && sim_below(8) == 0) {
				at += (1 + sim_below(3)) * SIM_SLOT * 1000u;
				sim->late |= f->atoms;
			}
			add_event(at, SIM_ADD, (int64_t)i);
		} else if (!f->entry.step || sim->merges) {
			/* an interval of two parts; it may stay unmerged */
			if (f->entry.step || sim_below(4))
				add_event(at + sim_below(2 * SIM_MINUTE), SIM_JOIN, (int64_t)i);
		}
	}
	for (uint32_t nr = sim_below(3) ? 0 : 1 + sim_below(4); nr; nr--)
		add_event(sim_below((uint32_t)sim->calm_ms), SIM_REMOVE, 1 + (int64_t)sim_below(8));
}

static void plan_server(void)
{
	const uint32_t calm = (uint32_t)sim->calm_ms;

	sim->server.has_tables = true;
	sim->server.has_tokens = sim_below(2);
	if (sim_below(8) == 0)
		add_event(0, SIM_OTHER_MACHINE, 0);
	if (sim_below(8) == 0) {
		const uint64_t at = sim_below(calm - SIM_HOUR / 2);

		add_event(at, SIM_DROP_TABLES, 0);
		add_event(at + 5000 + sim_below(sim_below(2) ? SIM_HOUR / 4 : 20000), SIM_MAKE_TABLES, 0);
	}
	if (sim_below(8) == 0) {
		const uint64_t at = sim_below(calm - SIM_HOUR / 2);

		add_event(at, SIM_NEWER_TABLES, 1);
		add_event(at + sim_below(SIM_HOUR / 4), SIM_NEWER_TABLES, 0);
	}
	if (sim_below(4) == 0)
		add_event(sim_below(calm), SIM_RESTART_SERVER, 0);
	if (sim_below(8) == 0)
		add_event(sim_below(calm), SIM_EXPIRE, 0);
}

static void plan_host(void)
{
	const uint32_t calm = (uint32_t)sim->calm_ms;

	for (uint32_t nr = sim_below(3) ? sim_below(3) : 0; nr; nr--)
		add_event(sim_below(calm), sim_below(3) ? SIM_KILL : SIM_STOP, 0);
	if (sim_below(8) == 0)
		add_event(sim_below(calm), SIM_LOSE_CURSOR, 0);
	if (sim_below(6) == 0) {
		const uint64_t at = sim_below(calm - SIM_HOUR);

		add_event(at, SIM_CLOCK, (int64_t)sim_below(4 * 3600) - 2 * 3600);
		add_event(at + sim_below(SIM_HOUR), SIM_CLOCK, 0);
	}
	sim->crash_permille = sim_below(2) ? 0 : sim_below(60);
}

static void plan_windows(void)
{
	for (sim->nr_windows = 0; sim->nr_windows < 1 + sim_below(SIM_WINDOWS - 1);) {
		struct sim_window *w = &sim->windows[sim->nr_windows++];

		w->from_ms = sim_below((uint32_t)sim->calm_ms);
		w->to_ms = w->from_ms + (sim_below(3) ? sim_below(SIM_HOUR) : sim_below(4 * SIM_HOUR));
		if (w->to_ms > sim->calm_ms)
			w->to_ms = sim->calm_ms;
		w->fault = SIM_NO_FAULT + 1 + sim_below(SIM_NR_FAULTS - 1);
		w->percent = sim_below(3) ? 5 + sim_below(40) : 100;
		/* doc/fleet.md: 18.16 stores a request again that the network delivers late or twice;
		 * a current server knows it by its token, unless the daemon has merged the interval */
		if ((w->fault == SIM_LATE || w->fault == SIM_REPEATED) &&
		    (!sim->server.has_tokens || sim->merges))
			w->fault = SIM_SLOW;
	}
}

static int compare_events(const void *a, const void *b)
{
	const struct sim_event *x = a, *y = b;

	if (x->at_ms != y->at_ms)
		return x->at_ms < y->at_ms ? -1 : 1;
	return x->action != y->action ? (x->action < y->action ? -1 : 1) :
					(x->number > y->number) - (x->number < y->number);
}

void sim_plan(void)
{
	sim->merges = sim_below(4) == 0;
	sim->calm_ms = (sim->merges ? 31 : 5) * SIM_HOUR;
	sim->end_ms = sim->calm_ms + SIM_LAST_MS;
	plan_daemon();
	plan_server();
	plan_host();
	plan_windows();
	qsort(sim->events, sim->nr_events, sizeof(*sim->events), compare_events);
}
