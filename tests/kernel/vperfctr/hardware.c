// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hardware.c -- tests of slots of the CPU's PMU, on aarch64: QEMU's PMU has a counter of cycles and
 * six other counters.
 */
#include "vp.h"

#define CYCLES		0x11
#define INSTRUCTIONS	0x08	/* QEMU has this event if its clock counts instructions */
#define COUNTERS	7

/* Return settings with @nr slots of cycles in user mode, without the virtual TSC. */
struct vperfctr_control hardware(int nrctrs)
{
	struct vperfctr_control c = settings(0, 0);

	c.nrctrs = nrctrs;
	for (int i = 0; i < nrctrs; i++)
		c.pmc[i] = (struct vperfctr_pmc){ .type = PERF_TYPE_RAW, .config = CYCLES, .flags = VPERFCTR_USER };
	return c;
}

/* Execute a loop of four instructions @n times. */
void turns(uint64_t n)
{
#ifdef __aarch64__
	__asm__ volatile("1: subs %0, %0, #1\n\tnop\n\tnop\n\tb.ne 1b" : "+r" (n) : : "cc");
#else
	while (n--)
		__asm__ volatile("");
#endif
}

static uint64_t slot(int fd, int i)
{
	struct vperfctr_read r;

	want_ok(read_all(fd, &r));
	return r.sum.pmc[i].count;
}

/* Use the maximum number of slots. An additional slot is refused without a change of the others. */
static void check_all_slots(int fd)
{
	struct vperfctr_control c = hardware(COUNTERS);
	struct vperfctr_read r;
	uint64_t before, least = UINT64_MAX, most = 0;

	want_ok(control(fd, &c));
	turns(10000000);
	want_ok(read_all(fd, &r));
	for (int i = 0; i < COUNTERS; i++) {
		least = r.sum.pmc[i].count < least ? r.sum.pmc[i].count : least;
		most = r.sum.pmc[i].count > most ? r.sum.pmc[i].count : most;
	}
	printf("%d slots: %llu to %llu cycles\n", COUNTERS, (unsigned long long)least, (unsigned long long)most);
	if (!least || most > least * 1.01 || (r.sum.cstatus & VPERFCTR_CSTATUS_ERRORS))
		fail("slots of the same event");
	before = least;
	c = hardware(COUNTERS + 1);
	want_errno(control(fd, &c), ENOSPC);
	want_ok(read_all(fd, &r));
	if (r.control.nrctrs != COUNTERS || r.sum.pmc[0].count < before)
		fail("refused settings changed: %u slots", r.control.nrctrs);
	before = r.sum.pmc[0].count;
	turns(1000000);
	if (slot(fd, 0) - before < 1000000)
		fail("slots stand after refused settings");
}

/*
 * With more events than counters, the events are multiplexed: the scaled counts must equal the
 * count of an event that always has a counter.
 */
static void check_multiplexing(int fd)
{
	struct vperfctr_control c = hardware(COUNTERS + 2);
	struct vperfctr_read r;
	double want, worst = 0;

	for (int i = 1; i < COUNTERS + 2; i++)
		c.pmc[i].flags |= VPERFCTR_SHARE;
	want_ok(control(fd, &c));
	do {
		turns(20000000);
		want_ok(read_all(fd, &r));
	} while (r.sum.pmc[0].count < 2000000000);
	want = r.sum.pmc[0].count;
	for (int i = 1; i < COUNTERS + 2; i++) {
		double got = r.sum.pmc[i].running ?
			(double)r.sum.pmc[i].count * r.sum.pmc[i].enabled / r.sum.pmc[i].running : 0, off = got / want - 1;

		worst = off < 0 ? (-off > worst ? -off : worst) : off > worst ? off : worst;
		if (!r.sum.pmc[i].running || r.sum.pmc[i].running >= r.sum.pmc[i].enabled)
			fail("slot %d had a counter for %llu of %llu ns", i, (unsigned long long)r.sum.pmc[i].running,
			     (unsigned long long)r.sum.pmc[i].enabled);
	}
	printf("%d slots in turns: off by at most %.2f %%\n", COUNTERS + 1, worst * 100);
	if (worst > 0.05)
		fail("scaled counts");
}

static volatile int refused;
static int object;

/*
 * Signal handler: request settings that cannot be satisfied. The old slots must stay stopped until
 * IRESUME.
 */
static void on_fault(int signo)
{
	struct vperfctr_control c = hardware(COUNTERS + 1);
	uint64_t before = slot(object, 0);
	struct vperfctr_read r;

	(void)signo;
	want_errno(control(object, &c), ENOSPC);
	touch(30);
	want_ok(read_all(object, &r));
	if (r.sum.pmc[0].count != before || !(r.sum.cstatus & VPERFCTR_CSTATUS_SUSPENDED))
		fail("refused settings let slots go on: %llu after %llu faults, cstatus %llx",
		     (unsigned long long)r.sum.pmc[0].count, (unsigned long long)before, (unsigned long long)r.sum.cstatus);
	want_ok(ioctl(object, VPERFCTR_IOC_IRESUME));
	refused++;
}

static void check_refused_control_in_handler(int fd)
{
	struct vperfctr_control c = settings(1, 1);
	struct sigaction action = { .sa_handler = on_fault };

	object = fd;
	sigaction(SIGIO, &action, NULL);
	touch(60);
	c.si_signo = SIGIO;
	c.pmc[0].ireset = 100;
	want_ok(control(fd, &c));
	touch(150);
	if (refused != 1 || slot(fd, 0) != 150)
		fail("%d signals, %llu faults", refused, (unsigned long long)slot(fd, 0));
	want_ok(set(fd, 0, 0));
}

void test_hardware(void)
{
	struct vperfctr_info info = { .size = sizeof(info) };
	int fd;

	pin(0);
	want_ok(ioctl(device, VPERFCTR_IOC_INFO, &info));
	if (!(info.features & VPERFCTR_FEATURE_PCINT))
		fail("nobody tells of interrupts: features %x", info.features);
	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	check_all_slots(fd);
	check_multiplexing(fd);
	check_refused_control_in_handler(fd);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}

static volatile int taken;

static void on_overflow(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)context;
	taken += ((int *)info)[4] == 1;
	ioctl(object, VPERFCTR_IOC_IRESUME);
}

/*
 * Check that there was one overflow for each million events in the sums, or at least for the
 * fraction @part of them. The last overflow may be pending.
 */
static void check_overflows(const char *of, uint64_t count, double part)
{
	printf("%llu %s: %d overflows\n", (unsigned long long)count, of, taken);
	if (taken < count * part / 1000000 - 1 || taken > count * 1.01 / 1000000)
		fail("%s: an overflow every million", of);
}

static void every_million(int fd, struct vperfctr_control c)
{
	uint64_t cycles;

	want_ok(control(fd, &c));
	while ((cycles = slot(fd, 0)) < 1000000000)
		turns(1000000);
	check_overflows("cycles", cycles, 0.99);
	want_ok(set(fd, 0, 0));
}

/*
 * Set the same settings again, with preserved counts, before each overflow: this must not restart
 * the period.
 */
static void set_in_parts(int fd, const char *of, struct vperfctr_control c, double part)
{
	taken = 0;
	for (int i = 0; i < 400; i++) {
		want_ok(control(fd, &c));
		turns(75000);
		c.preserve = 1;
	}
	check_overflows(of, slot(fd, 0), part);
	want_ok(set(fd, 0, 0));
}

static void overflows(int fd)
{
	struct sigaction action = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO };
	struct vperfctr_control c = hardware(1);

	sigaction(SIGIO, &action, NULL);
	object = fd;
	c.si_signo = SIGIO;
	c.pmc[0].ireset = 1000000;
	every_million(fd, c);
	set_in_parts(fd, "cycles in parts", c, 0.99);
	c.pmc[0].type = PERF_TYPE_SOFTWARE;
	c.pmc[0].config = PERF_COUNT_SW_TASK_CLOCK;
	/* a software clock continues until it is stopped; then its next period starts */
	set_in_parts(fd, "ns in parts", c, 0.9);
}

/* Tests for machines whose clock counts instructions. */
void test_instructions(void)
{
	struct vperfctr_control c = hardware(3);
	struct vperfctr_read r;
	int fd;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	for (int i = 0; i < 3; i++)
		c.pmc[i].config = INSTRUCTIONS;
	c.pmc[1].flags = VPERFCTR_KERNEL;
	c.pmc[2].flags = VPERFCTR_USER | VPERFCTR_KERNEL;
	want_ok(control(fd, &c));
	turns(100000000);
	want_ok(read_all(fd, &r));
	printf("10^8 turns: %llu instructions of the user's, %llu of the kernel's, %llu of both\n",
	       (unsigned long long)r.sum.pmc[0].count, (unsigned long long)r.sum.pmc[1].count,
	       (unsigned long long)r.sum.pmc[2].count);
	if (r.sum.pmc[0].count < 400000000 || r.sum.pmc[0].count > 400002000)
		fail("instructions");
	if (!r.sum.pmc[1].count || llabs((long long)(r.sum.pmc[2].count - r.sum.pmc[1].count - r.sum.pmc[0].count)) > 2000)
		fail("user's and kernel's");
	/* skipped on other machines, where an interrupt may be late if the machine is busy */
	overflows(fd);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}
