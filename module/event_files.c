// SPDX-License-Identifier: GPL-2.0
/*
 * event_files.c -- files of oprofilefs with the settings of events, and with the times for which
 * events were counted.
 */
#include "control_files.h"

#include <linux/cpu.h>
#include <linux/cpumask.h>

#include "backend.h"
#include "oprofilefs.h"
#include "sampling.h"
#include "time_slice.h"

static int create_event_files(struct oprofile_sampling *s, struct dentry *dir,
			      struct oprofile_event *e)
{
	static const struct oprofilefs_setting settings[] = {
		{ "enabled", 0, 1, true },
		{ "event", 0, 0xffff, true },
		{ "unit_mask", 0, 0xff, true },
		{ "extra", 0, OPROFILE_EXTRA_BITS, true },
		{ "count", 0, OPROFILE_MAX_COUNT, true },
		{ "kernel", 0, 1, true },
		{ "user", 0, 1, true },
		{ "counter", 0, OPROFILE_ANY_COUNTER, true },
		{ "core_type", 0, 0xff, true },
		{ "group", 0, OPROFILE_MAX_EVENTS - 1, true },
	};
	unsigned long *values[ARRAY_SIZE(settings)] = {
		&e->enabled, &e->event, &e->unit_mask, &e->extra, &e->count, &e->kernel, &e->user,
		&e->counter, &e->core_type, &e->group,
	};
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(settings) && !err; i++)
		err = oprofilefs_create_setting(s, dir, &settings[i], values[i]);
	return err;
}

int oprofile_events_create_files(struct oprofile_sampling *s, struct dentry *root)
{
	static const struct oprofilefs_setting time_slice = { "time_slice", 1, 10000, true };
	static const struct oprofilefs_setting jitter = { "jitter", 0, OPROFILE_MAX_JITTER, true };
	struct dentry *dir;
	char name[16];
	int i, err = 0;

	for (i = 0; i < OPROFILE_MAX_EVENTS && !err; i++) {
		scnprintf(name, sizeof(name), "%d", i);
		dir = oprofilefs_mkdir(root, name);
		err = dir ? create_event_files(s, dir, &s->event[i]) : -ENOMEM;
	}
	err = err ?: oprofilefs_create_setting(s, root, &time_slice, &s->settings.time_slice);
	return err ?: oprofilefs_create_setting(s, root, &jitter, &s->settings.jitter);
}

static void event_time(struct oprofile_sampling *s, unsigned int event,
		       struct oprofile_event_time *sum)
{
	int cpu;

	*sum = (struct oprofile_event_time){ };
	mutex_lock(&s->lock);
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		struct oprofile_event_time time = { };

		if (!s->event[event].enabled)
			break;
		if (s->backend->event_time)
			s->backend->event_time(s, cpu, event, &time);
		else
			oprofile_time_slice_time(s, cpu, event, &time);
		sum->enabled_ns += time.enabled_ns;
		sum->running_ns += time.running_ns;
	}
	cpus_read_unlock();
	mutex_unlock(&s->lock);
}

static u64 enabled_value(struct oprofile_sampling *s, int cpu, unsigned long event)
{
	struct oprofile_event_time time;

	event_time(s, event, &time);
	return time.enabled_ns;
}

static u64 running_value(struct oprofile_sampling *s, int cpu, unsigned long event)
{
	struct oprofile_event_time time;

	event_time(s, event, &time);
	return time.running_ns;
}

int oprofile_events_create_stats(struct oprofile_sampling *s, struct dentry *stats)
{
	struct dentry *dir;
	char name[16];
	int i, err = 0;

	for (i = 0; i < OPROFILE_MAX_EVENTS && !err; i++) {
		scnprintf(name, sizeof(name), "event%d", i);
		dir = oprofilefs_mkdir(stats, name);
		if (!dir)
			return -ENOMEM;
		err = oprofilefs_create_value(s, dir, "enabled_ns", enabled_value, -1, i);
		err = err ?: oprofilefs_create_value(s, dir, "running_ns", running_value, -1, i);
	}
	return err;
}
