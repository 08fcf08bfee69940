// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stalls COUNT DISK GROUPS -- processes that the kernel stops COUNT times each, for known reasons, in
 * functions of their own: reads from the slow disk DISK, and flushes of it; page faults that another
 * thread resolves; stops by signals, by a debugger and by the freezer; and the end of a CPU quota.
 * GROUPS is the root of cgroup v2, with the controller cpu. Prints for each function the time that it
 * waited, by the program's own clock: "REASON FUNCTION NS".
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "call.h"
#include "common.h"

#define PAGE	4096
#define NAP_NS	7000000
#define FREEZER	"stalls-frozen"
#define QUOTA	"stalls-quota"

static const struct timespec nap = { 0, NAP_NS };
static long count;
static const char *disk, *groups;
static long long *shared;	/* a result of a child process */

static void partner_nap(void)
{
	call(SYS_nanosleep, (long)&nap, 0, 0, 0);
}

static void put(const char *dir, const char *file, const char *text)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s", groups, dir, file);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

static void enter_new(const char *dir)
{
	char path[4096], pid[16];

	snprintf(path, sizeof(path), "%s/%s", groups, dir);
	if (mkdir(path, 0755))
		err(1, "%s", path);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	put(dir, "cgroup.procs", pid);
}

static int disk_fd;
static char *page;

static __attribute__((noinline)) void wait_read(long i)
{
	call(SYS_pread64, disk_fd, (long)page, PAGE, i * PAGE);
}

static __attribute__((noinline)) void wait_flush(long i)
{
	(void)i;
	call(SYS_fdatasync, disk_fd, 0, 0, 0);
}

static __attribute__((noinline)) void wait_fault(long i)
{
	((volatile char *)page)[i * PAGE] = 1;
}

static __attribute__((noinline)) void wait_stopped(long i)
{
	(void)i;
	call(SYS_kill, getpid(), SIGSTOP, 0, 0);
}

static __attribute__((noinline)) void wait_traced(long i)
{
	(void)i;
	call(SYS_kill, getpid(), SIGUSR1, 0, 0);
}

static __attribute__((noinline)) void wait_frozen(void)
{
	for (;;)
		call(SYS_ppoll, 0, 0, 0, 0);
}

static __attribute__((noinline)) void wait_quota(volatile unsigned long *n)
{
	for (int i = 0; i < 100000; i++)
		++*n;
}

/* Return the time in ns in which the calling thread does not run during COUNT calls of @wait. */
static long long times(void (*wait)(long i), void (*prepare)(long i))
{
	long long ns = 0;

	for (long i = 0; i < count; i++) {
		long long since, cpu;

		if (prepare)
			prepare(i);
		since = ns_of(CLOCK_MONOTONIC);
		cpu = ns_of(CLOCK_THREAD_CPUTIME_ID);
		wait(i);
		ns += ns_of(CLOCK_MONOTONIC) - since - (ns_of(CLOCK_THREAD_CPUTIME_ID) - cpu);
	}
	return ns;
}

static void write_page(long i)
{
	if (pwrite(disk_fd, page, PAGE, i * PAGE) != PAGE)
		err(1, "%s", disk);
}

static long long stall_disk(void (*wait)(long i), void (*prepare)(long i), int flags)
{
	long long ns;

	disk_fd = open(disk, O_RDWR | flags);
	page = aligned_alloc(PAGE, PAGE);
	if (disk_fd < 0 || !page)
		err(1, "%s", disk);
	memset(page, 1, PAGE);
	ns = times(wait, prepare);
	close(disk_fd);
	free(page);
	return ns;
}

static void *resolve_faults(void *arg)
{
	int fd = *(int *)arg;
	static char content[PAGE];

	for (long i = 0; i < count; i++) {
		struct uffd_msg msg;
		struct uffdio_copy copy = { .src = (unsigned long)content, .len = PAGE };

		if (read(fd, &msg, sizeof(msg)) != sizeof(msg))
			err(1, "userfaultfd");
		partner_nap();
		copy.dst = msg.arg.pagefault.address & ~(PAGE - 1ULL);
		if (ioctl(fd, UFFDIO_COPY, &copy))
			err(1, "UFFDIO_COPY");
	}
	return NULL;
}

static long long stall_fault(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	pthread_t partner;
	long long ns;

	page = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area.range.start = (unsigned long)page;
	area.range.len = count * PAGE;
	if (fd < 0 || page == MAP_FAILED || madvise(page, count * PAGE, MADV_NOHUGEPAGE) ||
	    ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &area))
		err(1, "userfaultfd");
	if (pthread_create(&partner, NULL, resolve_faults, &fd))
		errx(1, "pthread_create");
	ns = times(wait_fault, NULL);
	pthread_join(partner, NULL);
	return ns;
}

/* A child stops itself COUNT times, and this process continues it each time. */
static long long stall_stops(void (*wait)(long i), bool traced)
{
	pid_t child = fork();
	int status;

	if (!child) {
		if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			err(1, "ptrace");
		*shared = times(wait, NULL);
		_exit(0);
	}
	while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
		partner_nap();
		if (traced ? ptrace(PTRACE_CONT, child, NULL, NULL) : kill(child, SIGCONT))
			err(1, "cannot continue the child");
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		errx(1, "the child ended with status %#x", status);
	return *shared;
}

static long long stall_freezer(void)
{
	pid_t child = fork();
	long long ns = 0;

	if (!child) {
		enter_new(FREEZER);
		wait_frozen();
	}
	partner_nap();
	partner_nap();
	for (long i = 0; i < count; i++) {
		long long since;

		put(FREEZER, "cgroup.freeze", "1");
		since = ns_of(CLOCK_MONOTONIC);
		partner_nap();
		put(FREEZER, "cgroup.freeze", "0");
		ns += ns_of(CLOCK_MONOTONIC) - since;
		partner_nap();
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return ns;
}

static long long stall_quota(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		long long since, cpu, end;
		volatile unsigned long n = 0;

		enter_new(QUOTA);
		put(QUOTA, "cpu.max", "3000 10000");
		since = ns_of(CLOCK_MONOTONIC);
		cpu = ns_of(CLOCK_THREAD_CPUTIME_ID);
		end = since + count * NAP_NS;
		while (ns_of(CLOCK_MONOTONIC) < end)
			wait_quota(&n);
		*shared = ns_of(CLOCK_MONOTONIC) - since - (ns_of(CLOCK_THREAD_CPUTIME_ID) - cpu);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		errx(1, "the child ended with status %#x", status);
	return *shared;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		errx(2, "usage: %s COUNT DISK GROUPS", argv[0]);
	count = atol(argv[1]);
	disk = argv[2];
	groups = argv[3];
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		err(1, "mmap");
	printf("io wait_read %lld\n", stall_disk(wait_read, NULL, O_DIRECT));
	printf("io wait_flush %lld\n", stall_disk(wait_flush, write_page, 0));
	printf("fault wait_fault %lld\n", stall_fault());
	fflush(stdout);
	printf("stopped wait_stopped %lld\n", stall_stops(wait_stopped, false));
	fflush(stdout);
	printf("stopped wait_traced %lld\n", stall_stops(wait_traced, true));
	fflush(stdout);
	printf("stopped wait_frozen %lld\n", stall_freezer());
	fflush(stdout);
	printf("runqueue wait_quota %lld\n", stall_quota());
	return 0;
}
