// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote.c -- tests of calls that one process makes on the counters of a thread of another process.
 */
#include "vp.h"

#include <linux/ptrace.h>
#include <sys/resource.h>

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

/* A process that does not trace the thread is refused, even if it has the descriptor. */
static void check_untraced_caller(int fd)
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

/*
 * Cases of events that a tracer may count but its tracee may not: requested by the tracer; by both;
 * by the tracer for an object that the tracee created.
 */
enum files { TRACERS, EACH_ONES, TRACEES };

static int tracers_file(pid_t pid, enum files files, int theirs)
{
	if (files == TRACEES)
		return syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, pid, 0), theirs, 0);
	return open_tid(pid, files == TRACERS ? VPERFCTR_OPEN_CREAT : 0);
}

static void check_tracer_rights(enum files files)
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
		/* refused, because an event of this object counts the kernel now */
		want_errno(open_tid(0, 0), EACCES);
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

/* Check that the page and the call report the same values for a stopped thread. */
static void compare_page_and_call(int fd, volatile const struct vperfctr_state *page,
				  uint64_t least, uint64_t most)
{
	volatile const struct vperfctr_cpu_state *c = &page->cpu_state;
	struct vperfctr_read r;

	want_ok(read_all(fd, &r));
	if ((page->seq & 1) || (c->cstatus & VPERFCTR_CSTATUS_RUNNING) || !(c->cstatus & VPERFCTR_CSTATUS_TSC_ON))
		fail("a copy's page: seq %llu, cstatus %llx", (unsigned long long)page->seq, (unsigned long long)c->cstatus);
	if (page->version != VPERFCTR_ABI_VERSION || c->tsc_sum != r.sum.tsc || c->pmc[0].sum != r.sum.pmc[0].count ||
	    c->pmc[0].sum < least || c->pmc[0].sum > most)
		fail("a copy's page: tsc %llu of %llu, faults %llu of %llu", (unsigned long long)c->tsc_sum,
		     (unsigned long long)r.sum.tsc, (unsigned long long)c->pmc[0].sum,
		     (unsigned long long)r.sum.pmc[0].count);
}

/*
 * A copy gets its page when a process opens a file of the copy. Here the tracer opens the file
 * while the child waits for data in that page.
 */
static void check_page_of_copy(bool killed)
{
	int own, fd, status, go[2];
	volatile const struct vperfctr_state *page;
	char byte = 0;
	pid_t pid;

	want_ok(own = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_ok(set(own, 1, 1));
	if (pipe(go))
		exit(1);
	pid = tracee(go[0]);
	want_ok(ptrace(PTRACE_SEIZE, pid, 0, 0));
	want_ok(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	waitpid(pid, &status, 0);
	want_ok(fd = open_tid(pid, 0));
	page = map(fd);
	compare_page_and_call(fd, page, 0, 20);
	if (!killed) {
		if (write(go[1], &byte, 1) != 1)
			exit(1);
		do {
			ptrace(PTRACE_CONT, pid, 0, 0);
			waitpid(pid, &status, 0);
		} while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP);
		compare_page_and_call(fd, page, 50, 80);
	}
	kill(pid, SIGKILL);
	reap(pid, SIGKILL);
	compare_page_and_call(fd, page, killed ? 0 : 50, 80);
	if (!(page->cpu_state.cstatus & VPERFCTR_CSTATUS_DEAD))
		fail("a copy's page does not tell of its end");
	close(fd);
	want_ok(ioctl(own, VPERFCTR_IOC_UNLINK));
	close(own);
	close(go[0]);
	close(go[1]);
}

static void calls_on_tracee(void)
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
	check_untraced_caller(fd);
	want_ok(ptrace(PTRACE_CONT, pid, 0, 0));
	want_errno(set(fd, 1, 1), ESRCH);	/* the thread is running */
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
	/* the exec also copies the arguments, which causes more page faults */
	if (r.sum.pmc[0].count < 50 || r.sum.pmc[0].count > 80 || !r.sum.tsc)
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
}

static void run_until_stopped(pid_t pid)
{
	int status;

	do {
		ptrace(PTRACE_CONT, pid, 0, 0);
		waitpid(pid, &status, 0);
	} while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP);
}

static void want_unlinked(int fd, const struct vperfctr_sum_ctrs *sum)
{
	struct vperfctr_read r;

	want_ok(read_all(fd, &r));
	if (!(r.sum.cstatus & VPERFCTR_CSTATUS_DETACHED) || r.sum.tsc != sum->tsc || r.sum.pmc[0].count != sum->pmc[0].count)
		fail("unlinked: cstatus %llx, tsc %llu of %llu, %llu faults of %llu", (unsigned long long)r.sum.cstatus,
		     (unsigned long long)r.sum.tsc, (unsigned long long)sum->tsc, (unsigned long long)r.sum.pmc[0].count,
		     (unsigned long long)sum->pmc[0].count);
}

/*
 * After a tracer's UNLINK has returned, all calls treat the object as unlinked, although the tracee
 * has not run since.
 */
static void unlinked_at_once(void)
{
	static struct vperfctr_who who;
	struct vperfctr_read r, kept;
	int fd, second, status, go[2];
	char byte = 0;
	pid_t pid;

	if (pipe(go))
		exit(1);
	pid = tracee(go[0]);
	want_ok(ptrace(PTRACE_SEIZE, pid, 0, 0));
	want_ok(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	waitpid(pid, &status, 0);
	want_ok(fd = open_tid(pid, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 1));
	if (write(go[1], &byte, 1) != 1)
		exit(1);
	run_until_stopped(pid);
	want_ok(set(fd, 0, 0));		/* these settings never take effect */
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	want_ok(read_all(fd, &kept));
	if (kept.sum.pmc[0].count < 50 || !kept.sum.tsc || kept.control.nrctrs != 1)
		fail("unlinked: %llu faults, %u slots", (unsigned long long)kept.sum.pmc[0].count, kept.control.nrctrs);
	want_unlinked(fd, &kept.sum);
	want_errno(open_tid(pid, 0), ENOENT);
	want_errno(set(fd, 1, 1), ESRCH);
	want_errno(ioctl(fd, VPERFCTR_IOC_IRESUME), ESRCH);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	who.size = sizeof(who);
	want_ok(ioctl(device, VPERFCTR_IOC_WHO, &who));
	if (who.nr)
		fail("who still tells of thread %d", who.entry[0].tid);
	want_ok(second = open_tid(pid, VPERFCTR_OPEN_CREAT));
	want_ok(set(second, 1, 1));
	want_ok(ptrace(PTRACE_DETACH, pid, 0, 0));
	kill(pid, SIGCONT);
	reap(pid, 0);
	want_unlinked(fd, &kept.sum);
	want_ok(read_all(second, &r));
	if (r.sum.pmc[0].count < 20 || r.sum.pmc[0].count > 30 || !r.sum.tsc)
		fail("what comes after: %llu faults", (unsigned long long)r.sum.pmc[0].count);
	close(fd);
	close(second);
	close(go[0]);
	close(go[1]);
}

/*
 * An OPEN that fails because no descriptor is left creates no object, even if the thread does not
 * run before the next call.
 */
static void no_descriptor(void)
{
	struct rlimit before, none;
	int fd, status, go[2];
	pid_t pid;

	if (pipe(go))
		exit(1);
	pid = tracee(go[0]);
	want_ok(ptrace(PTRACE_SEIZE, pid, 0, 0));
	want_ok(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	waitpid(pid, &status, 0);
	want_ok(getrlimit(RLIMIT_NOFILE, &before));
	none = before;
	want_ok(fd = dup(go[0]));
	none.rlim_cur = fd;
	close(fd);
	want_ok(setrlimit(RLIMIT_NOFILE, &none));
	want_errno(open_tid(pid, VPERFCTR_OPEN_CREAT), EMFILE);
	want_ok(setrlimit(RLIMIT_NOFILE, &before));
	want_errno(open_tid(pid, 0), ENOENT);
	want_ok(fd = open_tid(pid, VPERFCTR_OPEN_CREAT));
	want_errno(open_tid(pid, VPERFCTR_OPEN_CREAT), EEXIST);
	close(fd);
	kill(pid, SIGKILL);
	reap(pid, SIGKILL);
	close(go[0]);
	close(go[1]);
}

/*
 * Tracers that repeatedly unlink and create objects reach a limit, because the stopped thread
 * cannot free objects. The limit is lifted when the thread has run.
 */
static void unlinked_often(void)
{
	int fd, status, go[2], nr = 0;
	char byte = 0;
	pid_t pid;

	if (pipe(go))
		exit(1);
	pid = tracee(go[0]);
	want_ok(ptrace(PTRACE_SEIZE, pid, 0, 0));
	want_ok(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	waitpid(pid, &status, 0);
	for (; nr < 1000; nr++) {
		fd = open_tid(pid, VPERFCTR_OPEN_CREAT);
		if (fd < 0)
			break;
		want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
		close(fd);
	}
	want_errno(open_tid(pid, VPERFCTR_OPEN_CREAT), EAGAIN);
	if (nr < 8)
		fail("only %d objects of a tracee may be unlinked", nr);
	if (write(go[1], &byte, 1) != 1)
		exit(1);
	run_until_stopped(pid);
	/* succeeds, because the thread has run and freed objects */
	want_ok(fd = open_tid(pid, VPERFCTR_OPEN_CREAT));
	close(fd);
	kill(pid, SIGKILL);
	reap(pid, SIGKILL);
	close(go[0]);
	close(go[1]);
}

/* Let the traced process @pid run until it enters the system call @nr. */
static void run_until_syscall(pid_t pid, uint64_t nr)
{
	struct __ptrace_syscall_info info;
	int status;

	do {
		want_ok(ptrace(PTRACE_SYSCALL, pid, 0, 0));
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
			fail("no system call %llu: status %#x", (unsigned long long)nr, status);
			exit(1);
		}
		info.op = 0;
		ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info);
	} while (info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != nr);
}

/* Unlink the thread's object at the entry of the system call @nr. */
static void unlinked_in(uint64_t nr)
{
	char *true_program[] = { "true", NULL };
	struct vperfctr_read kept;
	int fd, second, status, go[2];
	char byte = 0;
	pid_t pid;

	if (pipe(go))
		exit(1);
	pid = fork();
	if (!pid) {
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		touch(10);
		want_ok(open_tid(0, VPERFCTR_OPEN_CREAT));
		if (!fork())
			_exit(0);
		wait(&status);
		touch(10);
		if (nr == SYS_execve && !failed)
			execv("/bin/true", true_program);
		_exit(failed);
	}
	want_ok(ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD));
	want_ok(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	waitpid(pid, &status, 0);
	want_ok(fd = open_tid(pid, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 2));
	if (write(go[1], &byte, 1) != 1)
		exit(1);
	if (nr != SYS_ioctl) {	/* the thread creates its own object first */
		run_until_syscall(pid, SYS_ioctl);
		want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
		close(fd);
		run_until_syscall(pid, SYS_clone);
		want_ok(fd = open_tid(pid, 0));
		want_ok(set(fd, 1, 2));
	}
	if (nr != SYS_clone)
		run_until_syscall(pid, nr);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	want_ok(read_all(fd, &kept));
	if (nr != SYS_ioctl) {
		want_ok(second = open_tid(pid, VPERFCTR_OPEN_CREAT));
		want_ok(set(second, 1, 1));
		want_ok(ioctl(second, VPERFCTR_IOC_UNLINK));
		close(second);
	}
	want_ok(ptrace(PTRACE_DETACH, pid, 0, 0));
	reap(pid, 0);
	want_unlinked(fd, &kept.sum);
	close(fd);
	close(go[0]);
	close(go[1]);
}

void test_remote(void)
{
	calls_on_tracee();
	unlinked_at_once();
	unlinked_often();
	no_descriptor();
	unlinked_in(SYS_ioctl);
	unlinked_in(SYS_clone);
	unlinked_in(SYS_execve);
	unlinked_in(SYS_exit_group);
	for (enum files files = TRACERS; files <= TRACEES; files++)
		check_tracer_rights(files);
	check_page_of_copy(false);
	check_page_of_copy(true);
}

/* Kill the thread at a random moment, MANY times. */
void test_kill(void)
{
	const int times = getenv("MANY") ? atoi(getenv("MANY")) : 1000;
	struct vperfctr_read r;
	int fd, status, i;
	pid_t pid;

	for (i = 0; i < times; i++) {
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
