// SPDX-License-Identifier: GPL-2.0-or-later
/* overflow.c -- tests of signals at overflows. */
#include "vp.h"

static int object, taken, wrong, frozen, resumes;
static unsigned int want_mask;
static volatile const struct vperfctr_state *page;

static void on_signal(int signo, siginfo_t *info, void *context)
{
	struct vperfctr_read before, after;
	uint64_t t;

	(void)signo, (void)context;
	taken++;
	wrong += info->si_code != VPERFCTR_SI_PMC_OVF || (unsigned int)info->si_pid != want_mask;
	read_all(object, &before);
	t = read_tsc(page);
	touch(50);
	read_all(object, &after);
	frozen += before.sum.pmc[0].count == after.sum.pmc[0].count && before.sum.pmc[1].count == after.sum.pmc[1].count &&
		after.sum.tsc > before.sum.tsc && read_tsc(page) > t && (after.sum.cstatus & VPERFCTR_CSTATUS_SUSPENDED);
	if (taken < resumes)
		want_ok(ioctl(object, VPERFCTR_IOC_IRESUME));
}

static void count(const char *what, struct vperfctr_control *c, int signals, uint64_t faults0, uint64_t faults1)
{
	struct vperfctr_read r;

	taken = wrong = frozen = 0;
	resumes = signals;
	/*
	 * touch the pages of the handler and of this function before, so that their page faults are
	 * not counted
	 */
	touch(60);
	want_errno(ioctl(object, VPERFCTR_IOC_IRESUME), EPERM);
	want_ok(control(object, c));
	touch(12000);
	want_ok(read_all(object, &r));
	printf("%s: %d signals, %d wrong, %d frozen; %llu and %llu faults\n", what, taken, wrong, frozen,
	       (unsigned long long)r.sum.pmc[0].count, (unsigned long long)r.sum.pmc[1].count);
	if (taken != signals || wrong || frozen != signals || r.sum.pmc[0].count != faults0 || r.sum.pmc[1].count != faults1)
		fail("%s: %d signals and %llu, %llu faults", what, signals, (unsigned long long)faults0,
		     (unsigned long long)faults1);
	want_ok(set(object, 0, 0));
}

void test_overflow(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct vperfctr_control c = settings(1, 2);

	sigaction(SIGIO, &action, NULL);
	want_ok(object = open_tid(0, VPERFCTR_OPEN_CREAT));
	page = map(object);
	c.pmc[0].ireset = 100;
	want_errno(control(object, &c), EINVAL);	/* no process would receive the signal */
	c.si_signo = SIGIO;
	c.pmc[0].ireset = 1ULL << 63;
	want_errno(control(object, &c), EINVAL);
	want_mask = 1;
	c.pmc[0].ireset = 100;
	count("once", &c, 1, 100, 100);
	count("a hundred times", &c, 100, 10000, 10000);
	c.pmc[1].ireset = 100;
	want_mask = 3;
	count("both", &c, 20, 2000, 2000);
	want_ok(ioctl(object, VPERFCTR_IOC_UNLINK));
	want_errno(ioctl(object, VPERFCTR_IOC_IRESUME), ESRCH);
	close(object);
}
