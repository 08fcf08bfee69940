// SPDX-License-Identifier: GPL-2.0
/* backends.c -- choice of the backend, and the text that says why it was chosen. */
#include "backends.h"

#include <linux/kernel.h>
#include <linux/string.h>

#include "backend.h"
#include "sampling.h"
#include "why.h"

static const struct oprofile_backend *const backends[] = {
	&oprofile_backend_perf,
	&oprofile_backend_native,
	/* The timer works on every machine, so `auto` never reaches the backends below. */
	&oprofile_backend_timer,
	&oprofile_backend_offcpu,
};

/*
 * Return the best backend for counting events. Try perf before native, because perf shares the
 * counters with other users. Store why each backend before the returned one cannot be used, for
 * users who wonder why the timer samples.
 */
static const struct oprofile_backend *best(struct oprofile_sampling *s)
{
	char reasons[sizeof(s->why)] = "";
	size_t length = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		const struct oprofile_backend *b = backends[i];

		oprofile_refuse(s, 0, "%s", "");
		if (!b->probe || !b->probe(s))
			break;
		length += scnprintf(reasons + length, sizeof(reasons) - length, "%s%s: %s",
				    length ? "; " : "", b->name, s->why);
	}
	if (length)
		oprofile_refuse(s, 0, "%s", reasons);
	else
		oprofile_refuse(s, 0, "%s", "the kernel's perf events have a PMU");
	return backends[min_t(int, i, ARRAY_SIZE(backends) - 1)];
}

int oprofile_backend_choose(struct oprofile_sampling *s, const char *name)
{
	const struct oprofile_backend *b = NULL;
	bool automatic = !strcmp(name, "auto");
	int i, err = 0;

	mutex_lock(&s->lock);
	if (s->is_setup) {
		err = -EBUSY;
		goto unlock;
	}
	for (i = 0; i < ARRAY_SIZE(backends) && !automatic; i++) {
		if (!strcmp(name, backends[i]->name))
			b = backends[i];
	}
	if (automatic) {
		b = best(s);
	} else if (!b) {
		err = -EINVAL;
	} else {
		oprofile_refuse(s, 0, "%s", "");
		err = b->probe ? b->probe(s) : 0;
		if (!err)
			oprofile_refuse(s, 0, "%s", "requested");
	}
	if (!err) {
		s->chosen = b;
		s->automatic = automatic;
	}
unlock:
	mutex_unlock(&s->lock);
	return err;
}

const struct oprofile_backend *oprofile_backend_current(struct oprofile_sampling *s)
{
	const struct oprofile_backend *b;

	mutex_lock(&s->lock);
	b = s->is_setup ? s->backend : s->chosen;
	mutex_unlock(&s->lock);
	return b;
}

static bool counts_more(struct oprofile_sampling *s, const struct oprofile_backend *b)
{
	return b->counts_more && b->counts_more(s);
}

/* Choose a backend for the setting `auto`: one that can sample IBS if IBS is requested; the timer
 * if no event is enabled; otherwise the best backend for counting events. */
static const struct oprofile_backend *automatic(struct oprofile_sampling *s)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		if (counts_more(s, backends[i])) {
			oprofile_refuse(s, 0, "only %s samples IBS", backends[i]->name);
			return backends[i];
		}
	}
	if (!s->chosen->needs_events || oprofile_events_any(s->event))
		return s->chosen;
	oprofile_refuse(s, 0, "%s", "no event is enabled");
	return &oprofile_backend_timer;
}

/* Check the events by the rules that all backends have in common. */
static int check_events(struct oprofile_sampling *s)
{
	int i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		const struct oprofile_event *e = &s->event[i];

		if (!e->enabled)
			continue;
		if (e->count < OPROFILE_MIN_COUNT)
			return oprofile_refuse(s, -EINVAL,
					       "event %d: a count of %lu is below the least, %lu",
					       i, e->count, OPROFILE_MIN_COUNT);
		if (!e->kernel && !e->user)
			return oprofile_refuse(s, -EINVAL,
					       "event %d: kernel and user code are both disabled",
					       i);
		if (e->count < 2UL << s->settings.jitter)
			return oprofile_refuse(
				s, -EINVAL,
				"event %d: %lu random bits are too many for a count of %lu", i,
				s->settings.jitter, e->count);
	}
	return 0;
}

int oprofile_backend_setup(struct oprofile_sampling *s)
{
	const struct oprofile_backend *b = s->automatic ? automatic(s) : s->chosen;
	int err;

	lockdep_assert_held(&s->lock);
	s->wants_entries = s->outside_guests = false;
	if (b->needs_events && !oprofile_events_any(s->event) && !counts_more(s, b))
		return oprofile_refuse(
			s, -EINVAL,
			"no event is enabled: write 1 to N/enabled, or timer to backend");
	err = b->needs_events ? check_events(s) : 0;
	err = err ?: b->setup(s);
	if (!err)
		WRITE_ONCE(s->backend, b);
	return err;
}

int oprofile_backends_create_files(struct oprofile_sampling *s, struct dentry *root)
{
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(backends) && !err; i++) {
		if (backends[i]->create_files)
			err = backends[i]->create_files(s, root);
	}
	return err;
}

static void exit_first(struct oprofile_sampling *s, int nr)
{
	while (nr--)
		backends[nr]->exit(s);
}

int oprofile_backends_init(struct oprofile_sampling *s)
{
	int i, err;

	spin_lock_init(&s->why_lock);
	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		err = backends[i]->init(s);
		if (err) {
			exit_first(s, i);
			return err;
		}
	}
	s->backend = &oprofile_backend_timer;
	return oprofile_backend_choose(s, "auto");
}

void oprofile_backends_exit(struct oprofile_sampling *s)
{
	exit_first(s, ARRAY_SIZE(backends));
}
