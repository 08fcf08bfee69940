// SPDX-License-Identifier: GPL-2.0
/*
 * badluck.c -- a module for virtual machines that injects failures: of all calls of another module
 * to kernel functions that can fail, the n-th fails.
 *
 * Parameters: `start` and `size`: address range of the other module; `nth`: number of the call that
 * fails (0: none), written before each round; reading it returns the remaining number of calls. The
 * return address of a call shows which module makes it.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>

static ulong start, size;
module_param(start, ulong, 0444);
module_param(size, ulong, 0444);

static atomic_t left = ATOMIC_INIT(0);

static int set_nth(const char *text, const struct kernel_param *param)
{
	int nth, err = kstrtoint(text, 10, &nth);

	if (!err)
		atomic_set(&left, nth);
	return err;
}

static int get_nth(char *text, const struct kernel_param *param)
{
	return sprintf(text, "%d\n", max(atomic_read(&left), 0));
}

static const struct kernel_param_ops nth_ops = { .set = set_nth, .get = get_nth };
module_param_cb(nth, &nth_ops, NULL, 0644);

/*
 * Return the failure in place of the probed function. This is a separate function, because ftrace's
 * probes cannot change the stack pointer.
 */
void badluck_return(void);
asm(".text\n.globl badluck_return\nbadluck_return:\n\tret\n\tint3\n");

static bool fail(struct kprobe *probe, struct pt_regs *regs, long result)
{
	unsigned long caller = *(unsigned long *)regs->sp;

	if (caller - start >= size || atomic_read(&left) <= 0 || atomic_dec_return(&left))
		return false;
	pr_info("badluck: %s fails for %pS\n", probe->symbol_name, (void *)caller);
	regs->ax = result;
	regs->ip = (unsigned long)badluck_return;
	return true;
}

static int no_memory(struct kprobe *probe, struct pt_regs *regs)
{
	return fail(probe, regs, 0);	/* failure result: NULL or false */
}

static int error(struct kprobe *probe, struct pt_regs *regs)
{
	return fail(probe, regs, -ENOMEM);
}

static struct kprobe probes[] = {
	{ .symbol_name = "kmalloc_trace", .pre_handler = no_memory },
	{ .symbol_name = "__kmalloc", .pre_handler = no_memory },
	{ .symbol_name = "kmem_cache_alloc", .pre_handler = no_memory },
	{ .symbol_name = "__get_free_pages", .pre_handler = no_memory },
	{ .symbol_name = "alloc_pages", .pre_handler = no_memory },
	{ .symbol_name = "alloc_cpumask_var_node", .pre_handler = no_memory },
	{ .symbol_name = "alloc_anon_inode", .pre_handler = error },
	{ .symbol_name = "alloc_file_pseudo", .pre_handler = error },
	{ .symbol_name = "get_unused_fd_flags", .pre_handler = error },
	{ .symbol_name = "simple_pin_fs", .pre_handler = error },
	{ .symbol_name = "remap_pfn_range", .pre_handler = error },
	{ .symbol_name = "file_open_root", .pre_handler = error },
	{ .symbol_name = "perf_event_create_kernel_counter", .pre_handler = error },
};

static void forget(int nr)
{
	while (nr--)
		unregister_kprobe(&probes[nr]);
}

static int __init badluck_init(void)
{
	int err;

	for (int i = 0; i < ARRAY_SIZE(probes); i++) {
		err = register_kprobe(&probes[i]);
		if (err) {
			pr_err("badluck: no probe at %s: %d\n", probes[i].symbol_name, err);
			forget(i);
			return err;
		}
	}
	return 0;
}

static void __exit badluck_exit(void)
{
	forget(ARRAY_SIZE(probes));
}

module_init(badluck_init);
module_exit(badluck_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For oprofile's tests: the n-th call that can fail does");
