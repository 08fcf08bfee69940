// SPDX-License-Identifier: GPL-2.0-or-later
/* world.c -- the clock of the simulation, its events, and the run of a seed. */
#include "config.h"
#include "tests/fleet/sim.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>

#include "libop/base/hash.h"
#include "utils/opexport/run.h"

/* the simulation of this process: see sim.h */
struct sim *sim;

static uint64_t next_random(void)
{
	sim->random = op_hash_number(sim->random, 0x9e3779b97f4a7c15) + 1;
	return sim->random;
}

uint32_t sim_below(uint32_t limit)
{
	return limit ? (uint32_t)((next_random() >> 16 & 0xffffffff) % limit) : 0;
}

bool sim_percent(unsigned int percent)
{
	return sim_below(100) < percent;
}

static void print(const char *format, va_list args)
{
	const uint64_t s = sim->now_ms / 1000;

	fprintf(stderr, "%3" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%03" PRIu64 " ", s / 3600, s / 60 % 60,
		s % 60, sim->now_ms % 1000);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void sim_trace(const char *format, ...)
{
	va_list args;

	if (!sim->traces)
		return;
	va_start(args, format);
	print(format, args);
	va_end(args);
}

void sim_wrong(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!*sim->wrong)
		vsnprintf(sim->wrong, sizeof(sim->wrong), format, args);
	va_end(args);
	if (sim->traces)
		fprintf(stderr, "WRONG: %s\n", sim->wrong);
}

int64_t sim_server_time(void)
{
	return SIM_BEGIN + (int64_t)(sim->now_ms / 1000);
}

int64_t sim_host_time(void)
{
	return sim_server_time() + sim->clock_off;
}

enum sim_fault sim_choose_fault(bool is_disk)
{
	for (size_t i = 0; i < sim->nr_windows; i++) {
		const struct sim_window *w = &sim->windows[i];

		if ((w->fault >= SIM_NR_NETWORK) == is_disk && sim->now_ms >= w->from_ms &&
		    sim->now_ms < w->to_ms && sim_percent(w->percent)) {
			sim->nr_faults++;
			return w->fault;
		}
	}
	return SIM_NO_FAULT;
}

/* End opexport at once. A simulated process leaves its memory behind, and this one ends soon. */
static __attribute__((noreturn)) void kill_exporter(bool is_power_off)
{
	sim->is_alive = false;
	sim->nr_crashes++;
	sim_disk_kill(is_power_off);
	siglongjmp(sim->killed, 1);
}

void sim_maybe_crash(const char *where)
{
	if (!sim->is_alive || sim->now_ms >= sim->calm_ms || sim_below(1000) >= sim->crash_permille)
		return;
	sim_trace("killed %s", where);
	kill_exporter(sim_below(3) == 0);
}

/* Let the daemon, the administrator or the server do something. Return whether opexport is killed. */
static bool happen(const struct sim_event *e)
{
	switch (e->action) {
	case SIM_ADD:
		sim_store_add((size_t)e->number);
		sim_trace("the daemon closed %s", sim->pool->files[e->number].name);
		break;
	case SIM_JOIN:
		sim_store_join((size_t)e->number);
		break;
	case SIM_REMOVE:
		sim_store_remove((size_t)e->number);
		break;
	case SIM_CLOCK:
		sim->clock_off = e->number;
		sim_trace("the clock is %" PRId64 " s off", e->number);
		break;
	case SIM_LOSE_CURSOR:
		unlink(sim->cursor);
		break;
	case SIM_DROP_TABLES:
		sim_trace("the tables are dropped");
		sim_server_drop();
		break;
	case SIM_MAKE_TABLES:
		sim->server.has_tables = true;
		break;
	case SIM_NEWER_TABLES:
		sim->server.is_newer = e->number != 0;
		break;
	case SIM_RESTART_SERVER:
		sim_server_restart();
		break;
	case SIM_EXPIRE:
		sim_trace("the server removes the first day");
		sim_server_expire();
		break;
	case SIM_OTHER_MACHINE:
		sim_server_other_machine();
		break;
	case SIM_STOP:
		sim_trace("SIGTERM");
		if (sim->is_alive)
			raise(SIGTERM);
		break;
	case SIM_KILL:
		return true;
	}
	return false;
}

void sim_advance(uint64_t ms)
{
	const uint64_t end = sim->now_ms + ms;
	bool is_killed = false, is_alive = sim->is_alive;

	/* the daemon and the server do not see the simulated clock and disk of opexport */
	sim->is_alive = false;
	while (sim->next_event < sim->nr_events && sim->events[sim->next_event].at_ms <= end) {
		const struct sim_event *e = &sim->events[sim->next_event++];

		if (e->at_ms > sim->now_ms)
			sim->now_ms = e->at_ms;
		sim_server_turn();
		sim->is_alive = is_alive && e->action == SIM_STOP;
		is_killed = happen(e) || is_killed;
		sim->is_alive = false;
	}
	sim->now_ms = end;
	sim_server_turn();
	sim->is_alive = is_alive;
	if (!is_alive)
		return;
	if (sim->now_ms >= sim->end_ms)
		raise(SIGTERM);
	if (is_killed) {
		sim_trace("killed");
		kill_exporter(sim_below(2));
	}
}

/* The same message at most once a minute, and at most one failure a minute. */
static void take_message(struct pp_log *log, enum pp_log_level level, const char *text)
{
	const uint64_t hash = op_hash_text(OP_HASH_BEGIN, text);
	size_t i = 0;

	(void)log;
	sim_trace("message: %s", text);
	if (level == PP_LOG_ERROR) {
		if (sim->failure_ms && sim->now_ms - sim->failure_ms < SIM_MINUTE)
			sim_wrong("two failures within a minute: %s", text);
		sim->failure_ms = sim->now_ms + !sim->now_ms;
	}
	while (i < sim->nr_said && sim->said[i].hash != hash)
		i++;
	if (i < sim->nr_said && sim->now_ms - sim->said[i].at_ms < SIM_MINUTE)
		sim_wrong("the same message twice within a minute: %s", text);
	if (i == sizeof(sim->said) / sizeof(sim->said[0]))
		return;
	sim->nr_said += i == sim->nr_said;
	sim->said[i].hash = hash;
	sim->said[i].at_ms = sim->now_ms;
}

/* Run opexport until it ends or is killed: as a service, or once. */
static void live(bool is_service)
{
	char url[] = "http://server:8123/", database[] = SIM_DATABASE;
	struct export_options options = {
		.target = { .url = url, .database = database }, .http = { .agent = "sim", .timeout = 30 },
		.session_dir = sim->dir, .cursor = is_service ? sim->cursor : NULL, .service = is_service,
		.since = INT64_MIN, .until = INT64_MAX, .every = sim->merges ? 600 : 240,
	};
	struct pp_log log = { .write = take_message };

	if (!is_service && sim_below(2))
		options.since = SIM_BEGIN;
	sim_trace("opexport %s", is_service ? "--service" : options.since == SIM_BEGIN ? "--since" : "");
	sim->nr_lives++;
	sim->nr_said = 0;
	sim->failure_ms = 0;
	sim->is_alive = true;
	if (!sigsetjmp(sim->killed, 0)) {
		const int err = is_service ? export_run_service(&options, &log) :
					     export_run_once(&options, &log);

		sim_trace("ended: %d %s", err, log.error.text);
		if (err && is_service)
			sim_wrong("the service ended: %s", log.error.text);
	}
	sim->is_alive = false;
	/* the next process has variables of its own */
	if (sim->stop)
		*(volatile int *)sim->stop = 0;
}

bool sim_run(const struct sim_pool *pool, uint64_t seed, const char *dir, bool traces)
{
	static struct sim s;	/* large */

	s = (struct sim){ .pool = pool, .seed = seed, .random = op_hash_number(OP_HASH_BEGIN, seed),
			  .traces = traces };
	sim = &s;
	sim_store_make(dir);
	sim_plan();
	if (sim->server.has_tables)
		sim_advance(1000);
	while (sim->now_ms < sim->calm_ms) {
		live(!sim_percent(15));
		if (sim->now_ms < sim->end_ms)
			sim_advance(sim_below(4) ? 5000 + sim_below(5 * SIM_MINUTE) :
						   sim_below(3 * SIM_HOUR));
	}
	/* opexport may come back late */
	sim->end_ms = sim->now_ms + SIM_LAST_MS > sim->end_ms ? sim->now_ms + SIM_LAST_MS : sim->end_ms;
	while (sim->now_ms < sim->end_ms)
		live(true);
	sim_check();
	sim_trace("%" PRIu64 " requests, %" PRIu64 " faults, %" PRIu64 " lives, %" PRIu64 " crashes",
		  sim->nr_requests, sim->nr_faults, sim->nr_lives, sim->nr_crashes);
	return !*sim->wrong;
}
