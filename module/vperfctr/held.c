// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/held.c -- delayed disabling of static keys and probes.
 */
#include "vperfctr/held.h"

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "uapi/vperfctr.h"
#include "vperfctr/probe.h"

#define LINGER	(10 * HZ)

/* serializes the creation and release of held events, which keep static keys enabled (held.h) */
static DEFINE_MUTEX(lock);
static atomic_t uses = ATOMIC_INIT(0);
static struct perf_event *held[PERF_COUNT_SW_MAX];
/* mask of the kinds of software events for which make() creates a held event; protected by the
 * lock */
static unsigned long wanted;
static void (*report_moved)(struct perf_event *event);
static bool probed;		/* whether the probe is enabled; protected by the lock */

/* Return the mask of the kinds of software events in the settings @c. Skip clock events, because
 * they have no static key. */
static unsigned long kinds_of(const struct vperfctr_control *c)
{
	const unsigned long clocks = BIT(PERF_COUNT_SW_CPU_CLOCK) | BIT(PERF_COUNT_SW_TASK_CLOCK);
	unsigned long kinds = 0;
	u32 i;

	for (i = 0; i < c->nrctrs; i++) {
		if (c->pmc[i].type == PERF_TYPE_SOFTWARE && c->pmc[i].config < PERF_COUNT_SW_MAX)
			kinds |= BIT(c->pmc[i].config);
	}
	return kinds & ~clocks;
}

static unsigned long missing(unsigned long kinds)
{
	unsigned long left = 0;
	u32 i;

	for_each_set_bit(i, &kinds, PERF_COUNT_SW_MAX) {
		if (!READ_ONCE(held[i]))
			left |= BIT(i);
	}
	return left;
}

/* Create the held events in a kernel thread: if they belonged to the caller, each of the
 * caller's context switches would be slower. */
static void make(struct work_struct *work)
{
	u32 i;

	for_each_set_bit(i, &wanted, PERF_COUNT_SW_MAX) {
		struct perf_event_attr attr = {
			.size = sizeof(attr),
			.type = PERF_TYPE_SOFTWARE,
			.config = i,
			.disabled = 1,
		};
		struct perf_event *event =
			perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);

		if (!IS_ERR(event))
			WRITE_ONCE(held[i], event);
	}
}

static DECLARE_WORK(make_work, make);

static void drop_all(void)
{
	u32 i;

	if (probed)
		vperfctr_probe_end();
	WRITE_ONCE(probed, false);
	for (i = 0; i < ARRAY_SIZE(held); i++) {
		if (held[i])
			perf_event_release_kernel(held[i]);
		WRITE_ONCE(held[i], NULL);
	}
}

static void drop_unused(struct work_struct *work)
{
	mutex_lock(&lock);
	if (!atomic_read(&uses))
		drop_all();
	mutex_unlock(&lock);
}

static DECLARE_DELAYED_WORK(drop_work, drop_unused);

int vperfctr_hold(const struct vperfctr_control *control)
{
	unsigned long kinds = kinds_of(control);
	int err = 0;

	if (atomic_inc_not_zero(&uses)) {
		if (!missing(kinds))
			return 0;
		mutex_lock(&lock);
	} else {
		mutex_lock(&lock);
		atomic_inc(&uses);
	}
	wanted = missing(kinds);
	if (wanted) {
		schedule_work(&make_work);
		flush_work(&make_work);
		if (missing(kinds))
			err = -ENOMEM;
	}
	mutex_unlock(&lock);
	if (err)
		vperfctr_unhold();
	return err;
}

bool vperfctr_hold_probe(void)
{
	if (READ_ONCE(probed))
		return true;
	mutex_lock(&lock);
	if (!probed)
		WRITE_ONCE(probed, !vperfctr_probe_begin(report_moved));
	mutex_unlock(&lock);
	return READ_ONCE(probed);
}

void vperfctr_unhold(void)
{
	if (atomic_dec_and_test(&uses))
		mod_delayed_work(system_dfl_wq, &drop_work, LINGER);
}

void vperfctr_held_init(void (*moved)(struct perf_event *event))
{
	report_moved = moved;
}

void vperfctr_held_exit(void)
{
	cancel_delayed_work_sync(&drop_work);
	drop_all();
	vperfctr_probe_exit();
}
