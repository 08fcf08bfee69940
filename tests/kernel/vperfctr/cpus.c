// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpus.c -- tests of CPUs that cannot count hardware slots: the module was loaded with
 * forbidden_cpus=1.
 */
#include "vp.h"

#include <pthread.h>

static volatile int ills;

static void on_ill(int signo)
{
	(void)signo;
	ills++;
}

/* Return the mask of CPUs on which this thread may run. */
static unsigned int allowed(void)
{
	cpu_set_t set;

	want_ok(sched_getaffinity(0, sizeof(set), &set));
	return CPU_ISSET(0, &set) | CPU_ISSET(1, &set) << 1;
}

static void allow(unsigned int mask)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < 2; i++)
		if (mask & 1u << i)
			CPU_SET(i, &set);
	want_ok(sched_setaffinity(0, sizeof(set), &set));
}

static void want_allowed(int line, unsigned int mask, int signals)
{
	if (allowed() != mask || ills != signals)
		fail("line %d: may run on %x, not %x; %d times SIGILL, not %d", line, allowed(), mask, ills, signals);
}

/* Slots that stopped because the thread moved to a forbidden CPU restart with new settings. */
static void check_move_to_forbidden_cpu(int fd)
{
	struct vperfctr_control c = hardware(2);
	struct vperfctr_read r, later;

	want_ok(control(fd, &c));
	want_ok(read_all(fd, &r));
	if (r.control.cpus != 1 || r.sum.cstatus & VPERFCTR_CSTATUS_FORBIDDEN)
		fail("%u CPUs count, cstatus %llx", r.control.cpus, (unsigned long long)r.sum.cstatus);
	want_allowed(__LINE__, 1, 0);
	turns(1000000);
	allow(2);
	want_allowed(__LINE__, 2, 1);
	want_ok(read_all(fd, &r));
	turns(1000000);
	want_ok(read_all(fd, &later));
	printf("moved: %llu cycles before, %llu after; cstatus %llx\n", (unsigned long long)r.sum.pmc[0].count,
	       (unsigned long long)later.sum.pmc[0].count, (unsigned long long)later.sum.cstatus);
	if (!(later.sum.cstatus & VPERFCTR_CSTATUS_FORBIDDEN) || r.sum.pmc[0].count < 1000000 ||
	    r.sum.pmc[0].count != later.sum.pmc[0].count)
		fail("slots where nobody counts them");
	want_errno(ioctl(fd, VPERFCTR_IOC_IRESUME), EPERM);
	want_errno(control(fd, &c), EINVAL);	/* no CPU remains that can count */
	want_allowed(__LINE__, 2, 1);
	allow(3);
	want_allowed(__LINE__, 3, 1);
	want_ok(control(fd, &c));
	want_allowed(__LINE__, 1, 1);
	turns(1000000);
	want_ok(read_all(fd, &r));
	if (r.sum.pmc[0].count < 1000000 || r.sum.cstatus & VPERFCTR_CSTATUS_FORBIDDEN)
		fail("new settings do not count: cstatus %llx", (unsigned long long)r.sum.cstatus);
}

void test_cpus(void)
{
	static struct vperfctr_cpus cpus;
	struct sigaction action = { .sa_handler = on_ill };
	struct vperfctr_control c = hardware(8), any = hardware(2);
	int fd;
	pid_t pid;

	cpus.size = sizeof(cpus);
	want_ok(ioctl(device, VPERFCTR_IOC_CPUS, &cpus));
	if (cpus.usable[0] != 1 || cpus.forbidden[0] != 2)
		fail("cpus: %llx, forbidden %llx", (unsigned long long)cpus.usable[0], (unsigned long long)cpus.forbidden[0]);
	sigaction(SIGILL, &action, NULL);
	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	/* the virtual TSC and software events are counted on forbidden CPUs, too */
	want_ok(set(fd, 1, 1));
	pin(1);
	want_ok(set(fd, 1, 1));
	want_allowed(__LINE__, 2, 0);
	allow(3);
	/* the settings were refused, so the thread's CPU mask is unchanged */
	want_errno(control(fd, &c), ENOSPC);
	want_allowed(__LINE__, 3, 0);
	any.flags = VPERFCTR_ANY_CPU;
	want_ok(control(fd, &any));
	pin(1);
	turns(1000000);
	want_allowed(__LINE__, 2, 0);
	allow(3);
	check_move_to_forbidden_cpu(fd);
	/*
	 * the child of fork() gets a copy with the same settings, and may run on the parent's CPUs
	 */
	pid = fork();
	if (!pid) {
		ills = 0;
		want_allowed(__LINE__, 1, 0);
		pin(1);
		want_allowed(__LINE__, 2, 1);
		_exit(failed);
	}
	reap(pid, 0);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}

/*
 * ---- settings that are refused while another process changes the thread's CPU mask (needs three
 * CPUs) ----
 */

/* maximum number of attempts; on a busy machine most attempts end before the other thread runs */
#define RACES	5000
#define SEEN	100

static volatile int turn, done;	/* numbers of races started and finished */
static volatile bool over;
static volatile pid_t refused_tid;

static void *run_refused_thread(void *unused)
{
	struct vperfctr_control c = hardware(8);
	int fd = open_tid(0, VPERFCTR_OPEN_CREAT);

	(void)unused;
	want_ok(fd);
	refused_tid = gettid();
	for (int n = 1; !over; n++) {
		while (turn < n && !over)
			sched_yield();
		if (!over)
			want_errno(control(fd, &c), ENOSPC);
		done = n;
	}
	close(fd);
	return NULL;
}

static void set_refused_affinity(unsigned long mask)
{
	want_ok(syscall(SYS_sched_setaffinity, refused_tid, sizeof(mask), &mask));
}

static unsigned long get_refused_affinity(void)
{
	unsigned long mask = 0;

	want_ok(syscall(SYS_sched_getaffinity, refused_tid, sizeof(mask), &mask));
	return mask;
}

/*
 * The first and the last CPU can count. While settings are refused, which takes milliseconds with
 * movpmu.ko, another thread sets the thread's CPU mask: to the CPUs that can count, or to the last
 * two. This mask must remain.
 */
void test_affinity(void)
{
	int during = 0, undone = 0, n;
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_refused_thread, NULL))
		exit(1);
	while (!refused_tid)
		sched_yield();
	for (n = 1; n <= RACES && during < SEEN; n++) {
		unsigned long mask = n & 1 ? 5 : 6;

		set_refused_affinity(7);
		turn = n;
		usleep(1000);
		during += done < n;
		set_refused_affinity(mask);
		while (done < n)
			sched_yield();
		undone += get_refused_affinity() != mask;
	}
	over = true;
	pthread_join(thread, NULL);
	printf("affinity set during refused settings: %d of %d times, undone %d times\n", during, n - 1, undone);
	if (during < SEEN || undone > during / 20)
		fail("refused settings undo what others have set");
}
