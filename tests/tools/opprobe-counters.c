// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-counters.c -- simulates a CPU counter on machines without counters. `counters CONFIG
 * COMMAND...` runs a command; when it opens the raw event CONFIG (hexadecimal) by
 * perf_event_open(2), it gets an event of page faults in user mode. Without a command, it is the
 * profiled program, which causes a known number of page faults.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES	4000
#define PAGE	4096
#define APART	__attribute__((noinline, noclone))
#define NOT_HERE 77

APART void touch(volatile char *at)
{
	for (size_t i = 0; i < PAGES; i++)
		at[i * PAGE] = 1;
}

static void *fault(void *at)
{
	touch(at);
	return NULL;
}

/* The profiled program: cause page faults, half of them in a second thread. */
static int run_subject(void)
{
	char *at = mmap(NULL, 2 * PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	if (at == MAP_FAILED || madvise(at, 2 * PAGES * PAGE, MADV_NOHUGEPAGE))
		return 1;
	if (pthread_create(&thread, NULL, fault, at) || pthread_join(thread, NULL))
		return 1;
	touch(at + PAGES * PAGE);
	return 3;
}

static int watch_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
}

/* Open page faults for @pid instead of the requested event. Return a descriptor or a negative
 * errno. */
static int open_faults(const struct perf_event_attr *asked, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = asked->sample_period, .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void answer_open(int listener, const struct seccomp_notif *asked, uint64_t config)
{
	struct seccomp_notif_resp response = { .id = asked->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	struct seccomp_notif_addfd give = { .id = asked->id, .flags = SECCOMP_ADDFD_FLAG_SEND, .newfd_flags = O_CLOEXEC };
	struct perf_event_attr attr = { .type = PERF_TYPE_MAX };
	char path[40];
	int mem, fd;

	snprintf(path, sizeof(path), "/proc/%u/mem", asked->pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem < 0 || pread(mem, &attr, PERF_ATTR_SIZE_VER0, asked->data.args[0]) != PERF_ATTR_SIZE_VER0)
		perror(path);
	close(mem);
	if (attr.type != PERF_TYPE_RAW || attr.config != config || !attr.exclude_kernel) {
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
		return;
	}
	fd = open_faults(&attr, asked->pid);
	if (fd >= 0) {
		give.srcfd = fd;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &give);
		close(fd);
		return;
	}
	response.flags = 0;
	response.error = fd;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* Return a copy of the descriptor whose number the child @child has sent to @from. */
static int fetch_descriptor(int from, pid_t child)
{
	int number, pidfd = syscall(SYS_pidfd_open, child, 0), fd = -1;

	if (pidfd >= 0 && read(from, &number, sizeof(number)) == sizeof(number) && number >= 0)
		fd = syscall(SYS_pidfd_getfd, pidfd, number, 0);
	close(pidfd);
	return fd;
}

int main(int argc, char **argv)
{
	struct pollfd listener = { .events = POLLIN };
	uint64_t config;
	int pair[2], status;
	pid_t child;

	if (argc < 3)
		return run_subject();
	config = strtoull(argv[1], NULL, 16);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return NOT_HERE;
	child = fork();
	if (!child) {
		int fd = watch_calls();
		char go;

		if (write(pair[1], &fd, sizeof(fd)) != sizeof(fd) || read(pair[1], &go, 1) != 1)
			_exit(NOT_HERE);
		close(fd);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	close(pair[1]);
	listener.fd = fetch_descriptor(pair[0], child);
	if (listener.fd < 0 || write(pair[0], "1", 1) != 1) {
		close(pair[0]);
		waitpid(child, NULL, 0);
		return NOT_HERE;
	}
	/* poll() reports a hangup when all processes that could request events have ended. */
	while (poll(&listener, 1, -1) == 1 && !(listener.revents & POLLHUP)) {
		struct seccomp_notif asked = { .id = 0 };

		if (!ioctl(listener.fd, SECCOMP_IOCTL_NOTIF_RECV, &asked))
			answer_open(listener.fd, &asked, config);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
