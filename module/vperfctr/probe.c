// SPDX-License-Identifier: GPL-2.0
/* vperfctr/probe.c -- the probe that is called when perf moves an event to another counter, or
 * reloads its counter. */
#include "vperfctr/probe.h"

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#define FUNCTION	"perf_event_update_userpage"

/* function to call; set before the probe is enabled */
static void (*on_moved)(struct perf_event *event);

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

static void notrace on_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			    struct ftrace_regs *regs)
{
	preempt_disable_notrace();
	on_moved((struct perf_event *)regs_get_kernel_argument(ftrace_get_regs(regs), 0));
	preempt_enable_notrace();
}

/* Not const, because ftrace keeps its state in this struct. */
static struct ftrace_ops ops = {
	.func = on_call,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT,
};

/* Set the filter only once, because it cannot be set again after ftrace_free_filter(). */
int vperfctr_probe_begin(void (*moved)(struct perf_event *event))
{
	static unsigned char name[] = FUNCTION;
	static bool filtered;
	int err = filtered ? 0 : ftrace_set_filter(&ops, name, strlen(FUNCTION), 1);

	if (err)
		return err;
	filtered = true;
	on_moved = moved;
	return register_ftrace_function(&ops);
}

void vperfctr_probe_end(void)
{
	unregister_ftrace_function(&ops);
}

void vperfctr_probe_exit(void)
{
	ftrace_free_filter(&ops);
}

#else	/* kernels without this configuration do not implement kprobes with ftrace */

static int on_call(struct kprobe *probe, struct pt_regs *regs)
{
	on_moved((struct perf_event *)regs_get_kernel_argument(regs, 0));
	return 0;
}

/* Not const, because the kernel keeps the state of a registered probe in this struct. */
static struct kprobe probe = { .symbol_name = FUNCTION, .pre_handler = on_call };

int vperfctr_probe_begin(void (*moved)(struct perf_event *event))
{
	on_moved = moved;
	probe.addr = NULL;	/* clear the address that the previous registration has stored */
	probe.flags = 0;
	return register_kprobe(&probe);
}

void vperfctr_probe_end(void)
{
	unregister_kprobe(&probe);
}

void vperfctr_probe_exit(void)
{
}

#endif
