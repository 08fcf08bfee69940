// SPDX-License-Identifier: GPL-2.0
/*
 * kload -- a kernel thread that spends 70, 20 and 10 % of its time in three functions. Parameters:
 * cpu: the CPU it runs on; on: whether it works (writable; 0: sleep).
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>

/* The loop of tests/subject/work.h: its time is proportional to n. */
#if defined(CONFIG_X86_64)
#define WORK_LOOP(n, x) \
	asm volatile(".p2align 6\n1:\timulq %1, %1\n\taddq $3, %1\n\tdecq %0\n\tjnz 1b" \
		     : "+r"(n), "+r"(x) : : "cc")
#elif defined(CONFIG_ARM64)
#define WORK_LOOP(n, x) \
	asm volatile(".p2align 6\n1:\tmul %1, %1, %1\n\tadd %1, %1, #3\n\tsubs %0, %0, #1\n\tb.ne 1b" \
		     : "+r"(n), "+r"(x) : : "cc")
#endif

#define WORK(name)					\
	static noinline __attribute__((no_icf)) void name(unsigned long n) \
	{						\
		unsigned long x = n | 1;		\
		WORK_LOOP(n, x);			\
	}

WORK(kload_70)
WORK(kload_20)
WORK(kload_10)

static int cpu;
module_param(cpu, int, 0444);

static int on = 1;
module_param(on, int, 0644);

static struct task_struct *thread;

static int kload_thread(void *unused)
{
	u64 n;

	while (!kthread_should_stop()) {
		if (!READ_ONCE(on)) {
			msleep(20);
			continue;
		}
		n = 5000 + get_random_u32() % 5000;
		kload_70(7 * n);
		kload_20(2 * n);
		kload_10(n);
		cond_resched();
	}
	return 0;
}

static int __init kload_init(void)
{
	thread = kthread_create(kload_thread, NULL, "kload");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	if (cpu >= 0 && cpu < nr_cpu_ids && cpu_online(cpu))
		kthread_bind(thread, cpu);
	wake_up_process(thread);
	return 0;
}

static void __exit kload_exit(void)
{
	kthread_stop(thread);
}

module_init(kload_init);
module_exit(kload_exit);
MODULE_DESCRIPTION("kernel thread with a known profile");
MODULE_LICENSE("GPL");
