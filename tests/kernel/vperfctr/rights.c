// SPDX-License-Identifier: GPL-2.0-or-later
/* rights.c -- tests of programs that gain or drop privileges, and of users with few privileges. */
#include "vp.h"

/* After an exec, test whether the counters still exist. @want: 1 if they must. */
void test_after_exec(int want)
{
	int fd = open_tid(0, 0);
	struct vperfctr_read r;

	if (want != (fd >= 0))
		fail("after exec: %s", fd < 0 ? strerror(errno) : "an object");
	if (fd >= 0 && (read_all(fd, &r) || !r.sum.tsc))
		fail("after exec: no sums");
}

static void exec_child(const char *program, int flags, const char *want)
{
	pid_t pid = fork();

	if (!pid) {
		struct vperfctr_control c = settings(1, 1);
		int fd = open_tid(0, VPERFCTR_OPEN_CREAT);

		c.flags = flags;
		if (fd < 0 || control(fd, &c))
			_exit(4);
		execl(program, "vperfctr", want, NULL);
		_exit(5);
	}
	reap(pid, 0);
}

/*
 * A process that counted the kernel as a privileged user cannot open its object any more after it
 * has dropped its privileges.
 */
static void test_lost_rights(void)
{
	struct vperfctr_control c = settings(1, 1);
	int fd, status;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	c.pmc[0].flags |= VPERFCTR_KERNEL;
	want_ok(control(fd, &c));
	if (!fork()) {
		want_ok(close(open_tid(0, 0)));
		if (setgid(65534) || setuid(65534))
			_exit(1);
		want_errno(open_tid(0, 0), EACCES);
		_exit(failed);
	}
	wait(&status);
	if (status)
		fail("lost rights: %#x", status);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}

void test_exec(void)
{
	test_lost_rights();
	exec_child("/proc/self/exe", 0, "lives");
	exec_child("/proc/self/exe", VPERFCTR_CLOEXEC, "gone");
	/* as the user nobody, execute a set-user-ID program and an unreadable program */
	if (!fork()) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		failed = 0;
		exec_child("/tmp/vp-plain", 0, "lives");
		exec_child("/tmp/vp-setuid", 0, "gone");
		exec_child("/tmp/vp-setgid", 0, "gone");
		exec_child("/tmp/vp-unreadable", 0, "gone");
		_exit(failed);
	} else {
		int status;

		wait(&status);
		if (status)
			fail("programs that gain rights: %#x", status);
	}
}

/* ---- permissions and limits of the user nobody ---- */

void test_nobody(void)
{
	static struct vperfctr_who who;
	struct vperfctr_control c = settings(1, 1);
	struct vperfctr_read r;
	pid_t kid;
	int fd;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 2));
	c.pmc[0].flags |= VPERFCTR_KERNEL;
	want_errno(control(fd, &c), EACCES);
	c.pmc[0].flags = VPERFCTR_KERNEL;
	want_errno(control(fd, &c), EACCES);
	c = settings(1, 1);
	c.pmc[0].type = PERF_TYPE_HARDWARE;
	c.pmc[0].config = PERF_COUNT_HW_INSTRUCTIONS;
	want_errno(control(fd, &c), EACCES);	/* perf_event_paranoid is 3 here */
	c.pmc[0].type = PERF_TYPE_RAW;
	want_errno(control(fd, &c), EACCES);
	c.pmc[0].type = 40;
	want_errno(control(fd, &c), EACCES);
	who.size = sizeof(who);
	want_ok(ioctl(device, VPERFCTR_IOC_WHO, &who));
	if (who.nr != 1 || who.entry[0].tid != getpid())
		fail("who tells %u", who.nr);
	/* the limit is three slots: with two in use, two more are refused */
	want_errno(set(fd, 1, 2), EAGAIN);
	want_ok(set(fd, 1, 0));
	want_errno(set(fd, 1, 4), EAGAIN);
	want_ok(set(fd, 1, 3));
	want_ok(set(fd, 1, 0));
	/* the limit is two pages of rings */
	c = settings(1, 1);
	c.ring_pages = 3;
	want_errno(control(fd, &c), EAGAIN);
	c.ring_pages = 2;
	want_ok(control(fd, &c));
	c.ring_pages = 1;
	want_errno(control(fd, &c), EAGAIN);	/* refused, because both pages still exist */
	want_ok(set(fd, 1, 0));
	want_ok(control(fd, &c));
	want_ok(set(fd, 1, 0));
	/* the limit is one object now: fork() succeeds, but the child is not counted */
	kid = fork();
	if (!kid)
		_exit(open_tid(0, 0) == -1 && errno == ENOENT ? 7 : 8);
	reap(kid, 7 << 8);
	want_ok(read_all(fd, &r));
	if (r.children.nr_children || r.children.nr_missed != 1)
		fail("%llu children, %llu missed", (unsigned long long)r.children.nr_children,
		     (unsigned long long)r.children.nr_missed);
	kid = fork();
	if (!kid)
		_exit(open_tid(0, VPERFCTR_OPEN_CREAT) == -1 && errno == EAGAIN ? 7 : 8);
	reap(kid, 7 << 8);
}

/* With perf_event_paranoid 3 the user nobody may have the virtual TSC, but no event. */
void test_refused(void)
{
	struct vperfctr_control c = settings(1, 1);
	int fd;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 0));
	want_errno(control(fd, &c), EACCES);
	c.pmc[0].config = PERF_COUNT_SW_TASK_CLOCK;
	c.pmc[0].ireset = 1000000;
	c.si_signo = SIGUSR1;
	want_errno(control(fd, &c), EACCES);
	c.pmc[0].type = PERF_TYPE_HARDWARE;
	c.pmc[0].config = PERF_COUNT_HW_INSTRUCTIONS;
	want_errno(control(fd, &c), EACCES);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}

/* Open an object of the current thread, as open_tid() does. Objects of threads that have ended count
 * until the kernel has freed them, so try again for two seconds while the user has too many. */
static int open_when_free(void)
{
	int fd = open_tid(0, VPERFCTR_OPEN_CREAT);

	for (int i = 0; i < 20 && fd < 0 && errno == EAGAIN; i++) {
		usleep(100000);
		fd = open_tid(0, VPERFCTR_OPEN_CREAT);
	}
	return fd;
}

/*
 * In a user namespace of the user nobody, all ids of a range share one limit: of three processes
 * with three ids, two get an object.
 */
void test_ranges(void)
{
	static const char ids[] = "0 100000 65536";
	int go[2], ready[2], results[2], status, map;
	char name[64], byte = 0, result[3];
	pid_t pid;

	if (pipe(go) || pipe(ready) || pipe(results))
		exit(1);
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534) || prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
			_exit(1);
		if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(2);
		for (int id = 1; id <= 3; id++) {
			if (fork())
				continue;
			if (setresuid(id, id, id) || prctl(PR_SET_PDEATHSIG, SIGKILL))
				_exit(3);
			byte = open_when_free() >= 0 ? 'y' : errno == EAGAIN ? 'n' : '?';
			if (write(results[1], &byte, 1) != 1)
				_exit(4);
			pause();
		}
		pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		exit(1);
	snprintf(name, sizeof(name), "/proc/%d/uid_map", pid);
	map = open(name, O_WRONLY);
	if (map < 0 || write(map, ids, strlen(ids)) < 0 || write(go[1], &byte, 1) != 1)
		fail("a range of ids: %s", strerror(errno));
	for (int i = 0, yes = 0; i < 3; i++) {
		if (read(results[0], &result[i], 1) != 1)
			exit(1);
		yes += result[i] == 'y';
		if (i == 2 && (yes != 2 || memchr(result, '?', 3)))
			fail("of a user with three ids %d have an object: %.3s", yes, result);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

/*
 * With limits of two objects and three slots, the copy of an object with two slots counts nothing,
 * and its parent is notified.
 */
void test_slots(void)
{
	const uint64_t both = VPERFCTR_CSTATUS_ERROR(0) | VPERFCTR_CSTATUS_ERROR(1);
	struct vperfctr_read r;
	pid_t kid;
	int fd;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 2));
	kid = fork();
	if (!kid) {
		touch(10);
		want_ok(fd = open_tid(0, 0));
		want_ok(read_all(fd, &r));
		if ((r.sum.cstatus & both) != both || r.sum.pmc[0].count || !r.sum.tsc)
			fail("a copy without slots: cstatus %llx", (unsigned long long)r.sum.cstatus);
		_exit(failed);
	}
	reap(kid, 0);
	want_ok(read_all(fd, &r));
	if (r.children.nr_children != 1 || (r.children.cstatus & both) != both || !r.children.tsc)
		fail("children without slots: cstatus %llx", (unsigned long long)r.children.cstatus);
	want_ok(set(fd, 1, 0));
	want_ok(read_all(fd, &r));
	if (r.children.cstatus)
		fail("a new control's children: cstatus %llx", (unsigned long long)r.children.cstatus);
}
