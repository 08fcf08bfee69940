// SPDX-License-Identifier: GPL-2.0
/*
 * movpmu.c -- for virtual machines without a PMU: simulated counters in memory for all users of raw
 * events, and NMIs that move events between counters.
 *
 * Each counter counts the TSC. NMIs arrive at CPU 0 at random times. Each NMI moves the events on
 * that CPU to other counters, as perf does when it reschedules events, updates their mapped pages,
 * and reports an overflow of those with a period. /proc/movpmu prints the number of NMIs, the
 * number of times an event got another counter (also by a context switch), and the counters of the
 * events on the reader's CPU: "MOVES PLACES CONFIG:PLACE...".
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/proc_fs.h>
#include <linux/random.h>
#include <linux/seq_file.h>

#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/tsc.h>

#define COUNTERS	4
/* number of "places" (identities of counters), which are reused cyclically */
#define PLACES		1000

static uint pause_us = 20;
module_param(pause_us, uint, 0644);
MODULE_PARM_DESC(pause_us, "between NMIs; 0: none are sent");

static uint refuse_us;
module_param(refuse_us, uint, 0644);
MODULE_PARM_DESC(refuse_us, "how long a CPU takes to see that all its counters are taken");

struct counters {
	struct perf_event *event[COUNTERS];
	/* nonzero while this CPU changes its events outside of NMIs; an NMI then moves no event */
	int busy;
	u32 next;
	u64 moves;
};

static DEFINE_PER_CPU(struct counters, counters);
static struct task_struct *sender;

static struct counters *begin(void)
{
	struct counters *c = this_cpu_ptr(&counters);

	c->busy++;
	barrier();
	return c;
}

static void end(struct counters *c)
{
	barrier();
	c->busy--;
}

static void fold(struct perf_event *event)
{
	u64 now = rdtsc_ordered();

	local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static int new_place(struct counters *c)
{
	return c->next++ % PLACES;
}

static void pmu_start(struct perf_event *event, int flags)
{
	struct counters *c = begin();

	event->hw.state = 0;
	local64_set(&event->hw.prev_count, rdtsc_ordered());
	perf_event_update_userpage(event);
	end(c);
}

static void pmu_stop(struct perf_event *event, int flags)
{
	struct counters *c = begin();

	if (!(event->hw.state & PERF_HES_STOPPED))
		fold(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	end(c);
}

static int pmu_add(struct perf_event *event, int flags)
{
	struct counters *c = begin();
	int err = -EAGAIN;

	for (int i = 0; i < COUNTERS && err; i++) {
		if (c->event[i])
			continue;
		c->event[i] = event;
		event->hw.idx = new_place(c);
		event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		err = 0;
	}
	if (!err && (flags & PERF_EF_START))
		pmu_start(event, 0);
	if (err)
		udelay(min(READ_ONCE(refuse_us), 10000u));
	end(c);
	return err;
}

static void pmu_del(struct perf_event *event, int flags)
{
	struct counters *c = begin();

	pmu_stop(event, PERF_EF_UPDATE);
	for (int i = 0; i < COUNTERS; i++) {
		if (c->event[i] == event)
			c->event[i] = NULL;
	}
	perf_event_update_userpage(event);
	end(c);
}

static void pmu_read(struct perf_event *event)
{
	struct counters *c = begin();

	if (!(event->hw.state & PERF_HES_STOPPED))
		fold(event);
	end(c);
}

static int pmu_event_init(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_RAW && event->attr.type != PERF_TYPE_HARDWARE)
		return -ENOENT;
	event->hw.idx = -1;
	event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	return 0;
}

static int pmu_event_idx(struct perf_event *event)
{
	return event->hw.idx < 0 ? -1 : event->hw.idx + 1;
}

static struct pmu movpmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_hw_context,
	.event_init = pmu_event_init,
	.event_idx = pmu_event_idx,
	.add = pmu_add,
	.del = pmu_del,
	.start = pmu_start,
	.stop = pmu_stop,
	.read = pmu_read,
};

static void move(struct counters *c, struct perf_event *event, struct pt_regs *regs)
{
	struct perf_sample_data data;

	if (!event || (event->hw.state & PERF_HES_STOPPED))
		return;
	fold(event);
	event->hw.idx = new_place(c);
	perf_event_update_userpage(event);
	if (!is_sampling_event(event))
		return;
	perf_sample_data_init(&data, 0, event->hw.last_period);
	/* no event is stopped here, because modules cannot call perf_event_overflow() */
	event->overflow_handler(event, &data, regs);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct counters *c = this_cpu_ptr(&counters);

	if (smp_processor_id() || c->busy)
		return NMI_HANDLED;
	for (int i = 0; i < COUNTERS; i++)
		move(c, c->event[i], regs);
	c->moves++;
	return NMI_HANDLED;
}

static int send(void *unused)
{
	while (!kthread_should_stop()) {
		uint us = READ_ONCE(pause_us);

		if (us) {
			apic->send_IPI(0, NMI_VECTOR);
			usleep_range(us / 2, us / 2 + get_random_u32() % us);
		} else {
			msleep(1);
		}
	}
	return 0;
}

static int show(struct seq_file *to, void *unused)
{
	struct counters *c = get_cpu_ptr(&counters);

	seq_printf(to, "%llu %u", READ_ONCE(c->moves), READ_ONCE(c->next));
	for (int i = 0; i < COUNTERS; i++) {
		struct perf_event *event = c->event[i];

		if (event && !(event->hw.state & PERF_HES_STOPPED))
			seq_printf(to, " %llu:%d", event->attr.config, READ_ONCE(event->hw.idx));
	}
	seq_putc(to, '\n');
	put_cpu_ptr(&counters);
	return 0;
}

static int __init movpmu_init(void)
{
	int err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "movpmu");

	if (err)
		return err;
	err = perf_pmu_register(&movpmu, "cpu", PERF_TYPE_RAW);
	if (err)
		goto err_nmi;
	sender = kthread_run(send, NULL, "movpmu");
	err = PTR_ERR_OR_ZERO(sender);
	if (err)
		goto err_pmu;
	err = -ENOMEM;
	if (!proc_create_single("movpmu", 0444, NULL, show))
		goto err_sender;
	return 0;

err_sender:
	kthread_stop(sender);
err_pmu:
	perf_pmu_unregister(&movpmu);
err_nmi:
	unregister_nmi_handler(NMI_LOCAL, "movpmu");
	return err;
}

static void __exit movpmu_exit(void)
{
	remove_proc_entry("movpmu", NULL);
	kthread_stop(sender);
	msleep(10);	/* wait until the last NMI is handled */
	perf_pmu_unregister(&movpmu);
	unregister_nmi_handler(NMI_LOCAL, "movpmu");
}

module_init(movpmu_init);
module_exit(movpmu_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For oprofile's tests: counters in memory, which NMIs move");
