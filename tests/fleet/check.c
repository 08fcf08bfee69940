// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check.c -- the rules that the tables must keep after all faults: each interval is there exactly
 * once, or a row of table sessions names the gap.
 */
#include "config.h"
#include "tests/fleet/sim.h"

#include <inttypes.h>

#include "libop/base/hash.h"
#include "utils/opexport/batch.h"

#define DAY	86400

static const struct sim_file *find_file(const char *name)
{
	for (size_t i = 0; i < SIM_FILES; i++)
		if (!strcmp(sim->pool->files[i].name, name))
			return &sim->pool->files[i];
	return NULL;
}

static bool is_ours(const struct sim_session *s)
{
	return !strcmp(s->machine, SIM_MACHINE);
}

static uint64_t sum_of(uint64_t host, int64_t t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sim->server.nr_samples; i++)
		if (sim->server.samples[i].host == host && sim->server.samples[i].t == t)
			sum += sim->server.samples[i].count;
	return sum;
}

uint64_t sim_complete_atoms(void)
{
	uint64_t atoms = 0;

	for (size_t i = 0; i < sim->server.nr_sessions; i++) {
		const struct sim_file *f = find_file(sim->server.sessions[i].name);

		if (is_ours(&sim->server.sessions[i]) && f)
			atoms |= f->atoms;
	}
	return atoms;
}

static bool has_merged_gap(const struct sim_session *s)
{
	for (size_t i = 0; i < s->nr_gaps; i++)
		if (!strcmp(s->gaps[i].reason, EXPORT_MERGED_GAP))
			return true;
	return false;
}

/* Compare a row of table sessions with its interval, and add its atoms to @covered. */
static void check_session(const struct sim_session *s, uint64_t *covered)
{
	const struct sim_file *f = find_file(s->name);

	if (!f) {
		sim_wrong("the interval %s does not exist", s->name);
		return;
	}
	if (*covered & f->atoms)
		sim_wrong("%s was sent twice", s->name);
	*covered |= f->atoms;
	if (s->t != f->entry.begin || s->end != f->entry.end)
		sim_wrong("%s: wrong times", s->name);
	if (s->samples != f->sum)
		sim_wrong("%s: %" PRIu64 " samples instead of %" PRIu64, s->name, s->samples, f->sum);
	if (s->sent != f->sum && !(s->sent < f->sum && has_merged_gap(s)))
		sim_wrong("%s: %" PRIu64 " samples sent instead of %" PRIu64, s->name, s->sent, f->sum);
	for (size_t i = 0; i < s->nr_gaps; i++)
		for (size_t k = 0; k < i; k++)
			if (s->gaps[i].from < s->gaps[k].to && s->gaps[k].from < s->gaps[i].to)
				sim_wrong("%s: gaps that overlap: %s, %s", s->name, s->gaps[k].reason,
					  s->gaps[i].reason);
}

/* Each time of a session has the samples that all sessions of this host and time count. */
static void check_sums(void)
{
	const int64_t expired = sim->server.expired_before;

	for (size_t i = 0; i < sim->server.nr_sessions; i++) {
		const struct sim_session *s = &sim->server.sessions[i];
		const uint64_t sum = sum_of(s->host, s->t);
		uint64_t sent = 0;

		for (size_t k = 0; k < sim->server.nr_sessions; k++)
			if (sim->server.sessions[k].host == s->host && sim->server.sessions[k].t == s->t)
				sent += sim->server.sessions[k].sent;
		/* the server may have removed the samples before the session came */
		if (sum != sent && !(s->t < expired && !sum))
			sim_wrong("%s: the table has %" PRIu64 " samples, the sessions %" PRIu64, s->name,
				  sum, sent);
	}
}

static void check_stacks(void)
{
	const struct sim_server *v = &sim->server;

	for (size_t i = 0; i < v->nr_samples; i++) {
		bool is_there = !v->samples[i].stack;	/* of the other machine */

		for (size_t k = 0; k < v->nr_stacks && !is_there; k++)
			is_there = v->stacks[k].stack == v->samples[i].stack &&
				   v->stacks[k].service == v->samples[i].service && v->stacks[k].nr_frames;
		if (!is_there) {
			sim_wrong("samples of %" PRId64 " have no stack %016" PRIx64, v->samples[i].t,
				  v->samples[i].stack);
			return;
		}
	}
}

static bool is_in_gap(const struct itv_entry *e)
{
	for (size_t i = 0; i < sim->server.nr_sessions; i++) {
		const struct sim_session *s = &sim->server.sessions[i];

		for (size_t k = 0; k < s->nr_gaps && is_ours(s); k++)
			if (s->gaps[k].from <= e->begin && s->gaps[k].to >= e->end)
				return true;
	}
	return false;
}

/* Return whether the tables have an interval of ours that begins at @time or later, or (@is_before)
 * that ends then or earlier. */
static bool has_beside(int64_t time, bool is_before)
{
	for (size_t i = 0; i < sim->server.nr_sessions; i++) {
		const struct sim_session *s = &sim->server.sessions[i];

		if (is_ours(s) && (is_before ? s->end <= time : s->t >= time))
			return true;
	}
	return false;
}

/* Return whether the atom, which the tables do not have, may be missing. */
static bool may_miss(unsigned int atom)
{
	const struct itv_entry *e = &sim->pool->files[atom].entry;
	const uint64_t bit = 1ull << atom;
	const bool was_emptied = sim->server.was_dropped || sim->server.expired_before;

	if (!(sim->closed & bit) || sim->server.removed & bit || is_in_gap(e))
		return true;
	/* a gap needs an interval after it, and begins where the last sent interval ends */
	if (sim->deleted & bit)
		return sim->late & bit || !has_beside(e->end, false) || !has_beside(e->begin, true);
	/* only --since sends intervals that are older than the first one of the server */
	return (was_emptied || sim->late & bit) && !has_beside(e->begin, true);
}

static void check_orphans(uint64_t covered)
{
	for (unsigned int i = 0; i < SIM_ATOMS; i++) {
		const struct sim_file *f = &sim->pool->files[i];
		bool has_session = false;

		for (size_t k = 0; k < sim->server.nr_sessions; k++)
			has_session = has_session || sim->server.sessions[k].t == f->entry.begin;
		for (size_t k = 0; k < sim->server.nr_samples && !has_session; k++)
			if (sim->server.samples[k].t == f->entry.begin && !(covered & f->atoms) &&
			    !may_miss(i)) {
				sim_wrong("%s: samples without a session", f->name);
				return;
			}
	}
}

void sim_check(void)
{
	uint64_t covered = 0;

	for (size_t i = 0; i < sim->server.nr_sessions; i++)
		if (is_ours(&sim->server.sessions[i]))
			check_session(&sim->server.sessions[i], &covered);
	check_sums();
	check_stacks();
	check_orphans(covered);
	for (unsigned int i = 0; i < SIM_ATOMS; i++)
		if (!(covered & 1ull << i) && !may_miss(i))
			sim_wrong("%s was not sent", sim->pool->files[i].name);
}
