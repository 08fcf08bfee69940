// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote.c -- calls for another thread.
 */
#include "vp.h"

static pid_t tracee(int go)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	if (read(go, &byte, 1) != 1)
		_exit(1);
	touch(50);
	raise(SIGSTOP);
	touch(20);
	_exit(0);
}

/* Another process may not, though it has the descriptor. */
static void stranger(int fd)
{
	struct vperfctr_read r;
	int status;

	if (!fork()) {
		want_errno(set(fd, 1, 1), ESRCH);
		want_errno(read_all(fd, &r), ESRCH);
		want_errno(ioctl(fd, VPERFCTR_IOC_UNLINK), ESRCH);
		_exit(failed);
	}
	wait(&status);
	if (status)
		fail("a stranger's calls");
}

/* Who has files of what a tracer counts that its tracee may not count: the tracer alone; both; both one, which the tracee made. */
enum files { TRACERS, EACH_ONES, TRACEES };

static int tracers_file(pid_t pid, enum files files, int theirs)
{
	if (files == TRACEES)
		return syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, pid, 0), theirs, 0);
	return open_tid(pid, files == TRACERS ? VPERFCTR_OPEN_CREAT : 0);
}

static void beyond_rights(enum files files)
{
	struct vperfctr_control c = settings(1, 1);
	int fd, theirs = -1, status, p[2], go[2];
	char byte = 0;
	pid_t pid;

	if (pipe(p) || pipe(go))
		exit(1);
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534) || (files != TRACERS && (theirs = open_tid(0, VPERFCTR_OPEN_CREAT)) < 0))
			_exit(1);
		if (write(p[1], &theirs, sizeof(theirs)) != sizeof(theirs) || read(go[0], &byte, 1) != 1)
			_exit(1);
		want_errno(open_tid(0, 0), EACCES);	/* counts the kernel now */
		_exit(failed);
	}
	if (read(p[0], &theirs, sizeof(theirs)) != sizeof(theirs))
		exit(1);
	want_ok(ptrace(PTRACE_SEIZE, pid, 0, 0));
	want_ok(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	waitpid(pid, &status, 0);
	want_ok(fd = tracers_file(pid, files, theirs));
	want_ok(control(fd, &c));
	c.pmc[0].flags |= VPERFCTR_KERNEL;
	if (files != TRACERS)
		want_errno(control(fd, &c), EACCES);
	else
		want_ok(control(fd, &c));
	want_ok(ptrace(PTRACE_DETACH, pid, 0, 0));
	if (files != TRACERS)
		kill(pid, SIGKILL);
	else if (write(go[1], &byte, 1) != 1)
		exit(1);
	reap(pid, files != TRACERS ? SIGKILL : 0);
	close(fd);
	for (int i = 0; i < 2; i++) {
		close(p[i]);
		close(go[i]);
	}
}

void test_remote(void)
{
	struct vperfctr_read r;
	struct vperfctr_control c;
	struct { struct vperfctr_control c; uint64_t more; } larger = { .c = settings(1, 1) };
	int fd, status, p[2];
	char byte = 0;
	pid_t pid;

	if (pipe(p))
		exit(1);
	pid = tracee(p[0]);
	want_errno(open_tid(pid, VPERFCTR_OPEN_CREAT), ESRCH);	/* not traced */
	want_ok(ptrace(PTRACE_SEIZE, pid, 0, 0));
	want_errno(open_tid(pid, VPERFCTR_OPEN_CREAT), ESRCH);	/* not stopped */
	want_ok(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	waitpid(pid, &status, 0);
	want_errno(open_tid(pid, 0), ENOENT);
	want_ok(fd = open_tid(pid, VPERFCTR_OPEN_CREAT));
	want_errno(open_tid(pid, VPERFCTR_OPEN_CREAT), EEXIST);
	c = settings(1, 1);
	c.pmc[0].type = PERF_TYPE_TRACEPOINT;
	want_errno(control(fd, &c), EACCES);
	want_ok(set(fd, 1, 2));
	larger.c.size = sizeof(larger);
	want_ok(control(fd, &larger.c));
	want_ok(read_all(fd, &r));
	if (r.control.nrctrs != 1 || r.sum.tsc || r.control.size != sizeof(r.control))
		fail("what is to come: %u slots, size %u", r.control.nrctrs, r.control.size);
	stranger(fd);
	want_ok(ptrace(PTRACE_CONT, pid, 0, 0));
	want_errno(set(fd, 1, 1), ESRCH);	/* runs */
	if (write(p[1], &byte, 1) != 1)
		exit(1);
	waitpid(pid, &status, 0);
	while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP) {
		ptrace(PTRACE_CONT, pid, 0, 0);
		waitpid(pid, &status, 0);
	}
	want_ok(read_all(fd, &r));
	printf("remote: %llu faults, virtual tsc %llu\n", (unsigned long long)r.sum.pmc[0].count,
	       (unsigned long long)r.sum.tsc);
	if (r.sum.pmc[0].count < 50 || r.sum.pmc[0].count > 60 || !r.sum.tsc)
		fail("what was set while stopped does not count");
	c = settings(0, 1);
	want_ok(control(fd, &c));
	want_ok(ptrace(PTRACE_DETACH, pid, 0, 0));
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	want_errno(set(fd, 1, 1), ESRCH);
	want_ok(read_all(fd, &r));
	if (r.sum.pmc[0].count < 20 || r.sum.pmc[0].count > 30 || r.sum.tsc)
		fail("after a remote control: %llu faults", (unsigned long long)r.sum.pmc[0].count);
	close(fd);
	close(p[0]);
	close(p[1]);
	beyond_rights(TRACERS);
	beyond_rights(EACH_ONES);
	beyond_rights(TRACEES);
}

/* SIGKILL comes in at any moment. */
void test_kill(void)
{
	struct vperfctr_read r;
	int fd, status, i;
	pid_t pid;

	for (i = 0; i < 1000; i++) {
		pid_t killer;

		pid = fork();
		if (!pid)
			for (;;)
				touch(1);
		ptrace(PTRACE_SEIZE, pid, 0, 0);
		ptrace(PTRACE_INTERRUPT, pid, 0, 0);
		waitpid(pid, &status, 0);
		killer = fork();
		if (!killer) {
			for (volatile int n = 0; n < (i * 37) % 20000; n++)
				;
			kill(pid, SIGKILL);
			_exit(0);
		}
		fd = open_tid(pid, VPERFCTR_OPEN_CREAT);
		if (fd >= 0) {
			set(fd, 1, 2);
			set(fd, i & 1, 1);
			read_all(fd, &r);
			if (i % 3 == 0)
				ioctl(fd, VPERFCTR_IOC_UNLINK);
			close(fd);
		}
		waitpid(killer, NULL, 0);
		waitpid(pid, NULL, 0);
	}
	printf("remote: %d times against SIGKILL\n", i);
}
