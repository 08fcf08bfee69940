// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * badluck.c -- makes each kernel call of the module that can fail, fail once; badluck.ko must be
 * loaded. The user's call must return the error and change nothing, and later calls must succeed.
 */
#include "vp.h"

#define NTH	"/sys/module/badluck/parameters/nth"

static void set_number(const char *file, int n)
{
	FILE *f = fopen(file, "w");

	if (!f || fprintf(f, "%d", n) < 0 || fclose(f))
		fail("%s: %s", file, strerror(errno));
}

static int read_nth(void)
{
	FILE *f = fopen(NTH, "r");
	int n = -1;

	if (!f || fscanf(f, "%d", &n) != 1)
		fail("%s: %s", NTH, strerror(errno));
	fclose(f);
	return n;
}

static int unlucky;	/* number of calls that failed in this round */
static bool unmapped;	/* mmap() was one of the failed calls */

/* Return whether the call succeeded. ENOMEM is the only permitted error. */
static bool call_succeeded(const char *what, long result)
{
	if (result >= 0)
		return true;
	unlucky++;
	/* an unreadable perf_event_paranoid is treated as the strictest value */
	if (errno != ENOMEM && errno != EACCES)
		fail("%s: %s", what, strerror(errno));
	return false;
}

/* Make the call, and repeat it if it fails. */
#define TRY(call)							\
	(call_succeeded(#call, call) || call_succeeded(#call, call) ||	\
	 (fail("%s fails twice", #call), false))

static void check_settings(int fd, int tsc_on, uint32_t nrctrs, uint32_t ring_pages)
{
	struct vperfctr_read r;

	want_ok(read_all(fd, &r));
	if (r.control.tsc_on != (uint32_t)tsc_on || r.control.nrctrs != nrctrs || r.control.ring_pages != ring_pages)
		fail("settings are tsc %u, %u slots, %u pages, not %d, %u, %u", r.control.tsc_on, r.control.nrctrs,
		     r.control.ring_pages, tsc_on, nrctrs, ring_pages);
}

/*
 * Check that in a fork the counts are correct, except that a child without a copy of the counters
 * is counted as missing, or the copy's slots are marked as failed.
 */
static void copy(int fd)
{
	struct vperfctr_read r;
	uint64_t faults;
	int status;
	pid_t pid = fork();

	if (!pid) {
		touch(10);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail("fork or its child");
	want_ok(read_all(fd, &r));
	faults = r.children.pmc[0].count;
	if (r.children.nr_children + r.children.nr_missed != 1)
		fail("%llu children, %llu missed", (unsigned long long)r.children.nr_children,
		     (unsigned long long)r.children.nr_missed);
	if (r.children.nr_missed ? faults : faults < 10 && !(r.children.cstatus & VPERFCTR_CSTATUS_ERROR(0)))
		fail("a child's 10 faults are %llu, cstatus %llx", (unsigned long long)faults,
		     (unsigned long long)r.children.cstatus);
}

/*
 * A forked child's copy of the counters gets a file when a process opens it. Creating the copy may
 * have failed before.
 */
static void check_file_of_copy(void)
{
	int status, fd;
	pid_t pid = fork();

	if (!pid) {
		fd = open_tid(0, 0);
		if (fd < 0 && errno == ENOMEM)
			fd = open_tid(0, 0);
		if (fd < 0 ? errno != ENOENT : mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED &&
					       mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			fail("a copy's file: %s", strerror(errno));
		_exit(failed);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail("a copy's file");
}

static void call_everything(void)
{
	static struct vperfctr_who who;
	struct vperfctr_control c = settings(1, 2);
	int fd, again;
	char *at;

	if (!call_succeeded("OPEN", fd = open_tid(0, VPERFCTR_OPEN_CREAT))) {
		/* if the call fails, the object is freed before the call returns */
		if (!call_succeeded("OPEN", fd = open_tid(0, VPERFCTR_OPEN_CREAT))) {
			fail("OPEN fails twice");
			return;
		}
	}
	check_settings(fd, 0, 0, 0);
	if (!call_succeeded("CONTROL", set(fd, 1, 1))) {
		check_settings(fd, 0, 0, 0);
		want_ok(set(fd, 1, 1));
	}
	c.ring_pages = 2;
	c.pmc[1].type = PERF_TYPE_SOFTWARE;
	c.pmc[1].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	c.pmc[1].flags |= VPERFCTR_KERNEL;
	c.pmc[0].ireset = 1000;
	if (!call_succeeded("CONTROL", control(fd, &c))) {
		check_settings(fd, 1, 1, 0);
		want_ok(control(fd, &c));
	}
	check_settings(fd, 1, 2, 2);
	at = mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (!call_succeeded("mmap", at == MAP_FAILED ? -1 : 0)) {
		unmapped = true;
		at = mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
		want_ok(at == MAP_FAILED ? -1 : 0);
	}
	copy(fd);
	if (TRY(set(fd, 1, 1)))
		check_file_of_copy();
	if (TRY(again = open_tid(0, 0)))
		close(again);
	who.size = sizeof(who);
	(void)TRY(ioctl(device, VPERFCTR_IOC_WHO, &who));
	munmap(at, 3 * PAGE);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}

/*
 * Check that all resources were freed: a user can again create the maximum number of objects. Ended
 * objects are freed with a short delay.
 */
static void check_all_freed(void)
{
	int fd = -1;

	set_number("/sys/module/vperfctr/parameters/max_objects", 2);
	set_number("/sys/module/vperfctr/parameters/max_slots", 5);
	set_number("/sys/module/vperfctr/parameters/max_ring_pages", 4);
	for (int tries = 0; fd < 0 && tries < 1000; tries++) {
		struct vperfctr_control c = settings(0, 5);

		c.ring_pages = 4;
		fd = open_tid(0, VPERFCTR_OPEN_CREAT);
		if (fd >= 0 && control(fd, &c)) {
			ioctl(fd, VPERFCTR_IOC_UNLINK);
			close(fd);
			fd = -1;
		}
		usleep(10000);
	}
	if (fd < 0)
		fail("afterwards: %s", strerror(errno));
	close(fd);
}

void test_badluck(void)
{
	int n, quiet = 0, left = 0, mappings = 0;

	for (n = 1; !left; n++) {
		int status;
		pid_t pid;

		set_number(NTH, n);
		pid = fork();
		if (!pid) {
			call_everything();
			if (unlucky > 1)
				fail("%d calls failed", unlucky);
			_exit(failed ? 1 : unmapped ? 4 : unlucky ? 2 : 3);
		}
		waitpid(pid, &status, 0);
		left = read_nth();
		if (!WIFEXITED(status) || WEXITSTATUS(status) < 2)
			fail("round %d: status %#x", n, status);
		quiet += WIFEXITED(status) && WEXITSTATUS(status) == 3;
		mappings += WIFEXITED(status) && WEXITSTATUS(status) == 4;
	}
	set_number(NTH, 0);
	printf("%d things went wrong, one at a time; %d of them a copy or nobody noticed\n", n - 2, quiet - 1);
	check_all_freed();
	/* lower bound of the calls that badluck.ko lets fail; slots are created twice */
	if (n - 2 < 20)
		fail("too few");
	/* one mmap() call must have failed for each of the three pages */
	if (mappings != 3)
		fail("%d calls of mmap failed, not 3", mappings);
}
