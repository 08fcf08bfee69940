// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counter_alloc.c -- allocation of counters to events, as a matching in a bipartite graph.
 */
#include "config.h"
#include "libop/event/counter_alloc.h"

#include <errno.h>
#include <stdbool.h>

#define NO_EVENT	((size_t)-1)

struct search {
	const uint64_t *allowed;
	uint64_t available;
	/* for each counter, the index of the event to which it is allocated */
	size_t owner[OP_MAX_COUNTERS];
	uint64_t seen;			/* mask of the counters that this search has visited */
	size_t visited[OP_MAX_COUNTERS + 1];
	/* number of events in .visited: the events for which this search has tried to find a
	 * counter */
	size_t nr_visited;
};

/*
 * Find a counter for @event; move other events to other counters if necessary. Return whether a
 * counter was found. If not, visited[] contains the events that compete for the visited counters.
 * There is one event more than counters, because each event except @event owns one of the counters.
 */
static bool place(struct search *s, size_t event)
{
	uint64_t counters = s->allowed[event] & s->available;
	int counter;

	s->visited[s->nr_visited++] = event;
	/* Try free counters first. Prefer fixed counters, because few other events can use them. */
	for (int i = 0; i < OP_MAX_COUNTERS; i++) {
		counter = (OP_FIXED_COUNTER(0) + i) % OP_MAX_COUNTERS;
		if (counters & (1ULL << counter) && s->owner[counter] == NO_EVENT) {
			s->owner[counter] = event;
			return true;
		}
	}
	for (counter = 0; counter < OP_MAX_COUNTERS; counter++) {
		if (!(counters & ~s->seen & (1ULL << counter)))
			continue;
		s->seen |= 1ULL << counter;
		if (place(s, s->owner[counter])) {
			s->owner[counter] = event;
			return true;
		}
	}
	return false;
}

static void report(const struct search *s, struct op_counter_clash *clash)
{
	size_t j;

	clash->nr_events = 0;
	clash->counters = s->seen;
	for (size_t i = 0; i < s->nr_visited; i++) {
		for (j = clash->nr_events; j && clash->events[j - 1] > s->visited[i]; j--)
			clash->events[j] = clash->events[j - 1];
		clash->events[j] = s->visited[i];
		clash->nr_events++;
	}
}

int op_counter_alloc(int *counters, const uint64_t *allowed, size_t nr, uint64_t available,
		     struct op_counter_clash *clash)
{
	struct search s = { .allowed = allowed, .available = available };

	for (int counter = 0; counter < OP_MAX_COUNTERS; counter++)
		s.owner[counter] = NO_EVENT;
	for (size_t event = 0; event < nr; event++) {
		s.seen = 0;
		s.nr_visited = 0;
		if (!place(&s, event)) {
			report(&s, clash);
			return -EBUSY;
		}
	}
	for (int counter = 0; counter < OP_MAX_COUNTERS; counter++) {
		if (s.owner[counter] != NO_EVENT)
			counters[s.owner[counter]] = counter;
	}
	return 0;
}
