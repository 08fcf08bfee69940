// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * finder_process.c -- the processes of the finder: open and read files for the daemon, which
 * abandons a worker when a file system does not answer.
 *
 * There are two kinds of processes. The keeper is forked while the daemon is small and has no
 * important files open. The keeper forks a worker at the daemon's first request, and another one
 * when the daemon abandons a stuck worker. A worker that is stuck in a user's file system cannot
 * even be killed. It has no file of the daemon open, and it exits when the file system answers or
 * is unmounted.
 */
#include "config.h"
#include "daemon/image/finder_message.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/rights.h"

#define NOBODY		65534
#define MAX_STUCK	32
#define MAX_ARGS	(1 << 20)
/* maximum size of a copied memory map in bytes, enough for some 150,000 mappings */
#define MAX_MAPS	(16 << 20)
#define PAGE		4096		/* smallest page size of the supported CPUs */

/*
 * Become the user "nobody" before opening files: this user has write permission for very few
 * files. Change only the effective user id. With all user ids changed, any other process of
 * "nobody" could kill this process. The real user id stays 0, but the process cannot become root
 * again, because the system call filter (needed_calls[]) forbids it. Ignore EINVAL: a container
 * may not have the user "nobody".
 */
static int become_nobody(void)
{
	if (geteuid())
		return 0;
	if (setgroups(0, NULL) && errno != EPERM)
		return -errno;
	if ((setresgid(NOBODY, NOBODY, NOBODY) || setresuid(0, NOBODY, 0)) && errno != EINVAL)
		return -errno;
	return 0;
}

/* Keep only the capabilities to search and read other users' directories and files, to see the
 * root directories of other users' processes, and to open files that are mapped but deleted. */
static int drop_rights(void)
{
	const uint32_t needed = 1u << CAP_DAC_READ_SEARCH | 1u << CAP_SYS_PTRACE;
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int err = become_nobody();

	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capget, &header, data))
		return -errno;
	data[0].permitted &= needed;
	data[0].effective = data[0].permitted;
	data[0].inheritable = 0;
	data[1].permitted &= CAP_TO_MASK(CAP_CHECKPOINT_RESTORE);
	data[1].effective = data[1].permitted;
	data[1].inheritable = 0;
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

static int hand_over(char kind, const int *fds, size_t nr)
{
	int err, send[OPD_FINDER_FDS] = { -1 };

	if (nr < 3)
		return -EINVAL;
	send[0] = opd_open_found(fds[0]);
	if (send[0] < 0)
		return send[0];
	memcpy(send + 1, fds + 2, (nr - 2) * sizeof(*fds));
	err = opd_finder_send(fds[1], &kind, 1, send, nr - 1);
	close(send[0]);
	return err;
}

/* Copy the memory map of process @tgid to descriptor @to. If the copy is incomplete, the daemon
 * treats a missing mapping as one that was created later. */
static int copy_maps(const char *proc_dir, pid_t tgid, int to)
{
	char name[300], text[16384];
	ssize_t n = 0;
	off_t at = 0;
	int fd;

	snprintf(name, sizeof(name), "%s/%d/maps", proc_dir, (int)tgid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (at < MAX_MAPS && (n = read(fd, text, sizeof(text))) > 0 &&
	       pwrite(to, text, (size_t)n, at) == n)
		at += n;
	close(fd);
	return 0;
}

/* Copy up to @size bytes at @address in the memory of thread @tid to descriptor @to. Stop at the
 * first unreadable page. Return the number of copied bytes, or a negative errno. */
static ssize_t copy_memory(pid_t tid, uint64_t address, size_t size, int to)
{
	/* static, because the arrays are too large for the stack; the process has one thread */
	static char bytes[OPD_FINDER_MEMORY_MAX];
	static struct iovec from[OPD_FINDER_MEMORY_MAX / PAGE + 1];
	struct iovec all = { bytes, size };
	size_t nr = 0;
	ssize_t got;

	if (size > sizeof(bytes) || address + size < address)
		return -EINVAL;
	/* Use one iovec element per page: process_vm_readv() never copies a part of an element, so
	 * it can stop at a page that cannot be read. */
	for (size_t done = 0; done < size; nr++) {
		size_t left = PAGE - (address + done) % PAGE,
		       len = size - done < left ? size - done : left;

		from[nr] = (struct iovec){ (void *)(uintptr_t)(address + done), len };
		done += len;
	}
	got = process_vm_readv(tid, &all, 1, from, nr, 0);
	if (got < 0)
		return -errno;
	return pwrite(to, bytes, (size_t)got, 0) == got ? got : -EIO;
}

static void answer(struct opd_finder_answer *a, const struct opd_finder_request *r,
		   const char *proc_dir, const int *fds, size_t nr)
{
	switch (r->what) {
	case OPD_FINDER_FIND:
		a->result = opd_identify(&a->identity, r->path, r->dev, r->ino, r->tgid);
		break;
	case OPD_FINDER_OPEN:
		a->result = opd_open_in_root(&a->identity, r->path, r->tgid);
		break;
	case OPD_FINDER_EXE:
		a->result = opd_identify_exe(&a->dev, &a->ino, r->tgid);
		break;
	case OPD_FINDER_MAPS:
		if (nr == 1)
			a->result = copy_maps(proc_dir, r->tgid, fds[0]);
		break;
	case OPD_FINDER_COPY:
		if (nr == 1 || nr == 2)
			a->result = opd_copy_found(&a->copied, fds[0], nr == 2 ? fds[1] : -1, r->at,
						   nr == 2 ? r->size : 0);
		break;
	case OPD_FINDER_MEMORY:
		if (nr == 1) {
			ssize_t got = copy_memory(r->tgid, r->dev, r->size, fds[0]);

			a->result = got < 0 ? (int)got : 0;
			a->copied.len = got < 0 ? 0 : (size_t)got;
		}
		break;
	case OPD_FINDER_OPEN_IN_MEMORY:
		if (nr == 1) {
			a->identity.fd = opd_open_in_memory(fds[0]);
			a->result = a->identity.fd < 0 ? a->identity.fd : 0;
		}
		break;
	case OPD_FINDER_HAND_OVER:
		a->result = hand_over(r->kind, fds, nr);
		break;
	}
}

/* System calls that the seccomp filter allows a worker: to open, examine and copy files, to
 * answer, and to allocate memory. */
static const int needed_calls[] = {
	SYS_openat,	SYS_read,	SYS_pread64,	  SYS_pwrite64,	       SYS_lseek,
	SYS_close,	SYS_fcntl,	SYS_process_vm_readv, SYS_fstat,   SYS_newfstatat,
	SYS_statx,	SYS_fstatfs,	SYS_recvmsg,	  SYS_sendmsg,	       SYS_mmap,
	SYS_munmap,	SYS_mremap,	SYS_madvise,	  SYS_brk,	       SYS_mprotect,
	SYS_futex,	SYS_getrandom,	SYS_rt_sigreturn, SYS_rt_sigprocmask,  SYS_exit,
	SYS_exit_group, SYS_preadv2,
};

static void __attribute__((noreturn)) work(int socket, const char *proc_dir)
{
	/* static, because the request is too large for the stack; the process has one thread */
	static struct opd_finder_request r;
	struct opd_finder_answer hello = { .worker = getpid() };
	int fds[OPD_FINDER_FDS], err;
	size_t nr;

	err = op_only_system_calls(needed_calls, sizeof(needed_calls) / sizeof(needed_calls[0]));
	if ((err && err != -ENOTSUP) || opd_finder_send(socket, &hello, sizeof(hello), NULL, 0))
		_exit(1);
	while (opd_finder_receive(socket, &r, sizeof(r), fds, &nr) > 0) {
		struct opd_finder_answer a = { .result = -EINVAL, .identity.fd = -1 };

		answer(&a, &r, proc_dir, fds, nr);
		/* Close the descriptors of the request before answering: if close() blocks, the
		 * daemon gets no answer and abandons this worker. */
		for (size_t i = 0; i < nr; i++)
			close(fds[i]);
		err = opd_finder_send(socket, &a, sizeof(a), &a.identity.fd, a.identity.fd >= 0);
		opd_identity_release(&a.identity);
		if (err)
			break;
	}
	_exit(0);
}

/* Reap workers that have exited, and remove them from @pids. Return the number of remaining
 * workers. */
static size_t reap(pid_t *pids, size_t nr)
{
	size_t left = 0;

	for (size_t i = 0; i < nr; i++)
		if (waitpid(pids[i], NULL, WNOHANG) == 0)
			pids[left++] = pids[i];
	return left;
}

static void kill_all(const pid_t *pids, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		kill(pids[i], SIGKILL);
}

static void interrupt(int sig)
{
	(void)sig;
}

/* Wait for a request of the daemon, and reap workers as soon as they exit. Return false if the
 * daemon has closed the socket. */
static bool next_request(int socket, int *fds, size_t *nr, pid_t *pids, size_t *nr_pids)
{
	struct pollfd poll_fd = { .fd = socket, .events = POLLIN };
	sigset_t none;
	char byte;

	sigemptyset(&none);
	do
		*nr_pids = reap(pids, *nr_pids);
	while (ppoll(&poll_fd, 1, NULL, &none) < 0 && errno == EINTR);
	return opd_finder_receive(socket, &byte, 1, fds, nr) > 0;
}

static void supervise(int socket, const char *proc_dir)
{
	const struct sigaction action = { .sa_handler = interrupt };
	int fds[OPD_FINDER_FDS];
	pid_t pids[MAX_STUCK];
	size_t nr_pids = 0, nr;
	sigset_t child;

	/* Block SIGCHLD except during ppoll(), which is the only system call that the signal may
	 * interrupt. */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	sigaction(SIGCHLD, &action, NULL);
	while (next_request(socket, fds, &nr, pids, &nr_pids)) {
		/* The daemon requests a worker only after it has abandoned the previous one: kill
		 * all workers. */
		kill_all(pids, nr_pids);
		nr_pids = reap(pids, nr_pids);
		if (nr_pids < MAX_STUCK) {
			pid_t pid = fork();

			if (!pid) {
				close(socket);
				work(fds[0], proc_dir);
			}
			if (pid > 0)
				pids[nr_pids++] = pid;
		}
		for (size_t i = 0; i < nr; i++)
			close(fds[i]);
	}
	kill_all(pids, nr_pids);
}

/* Close all descriptors that were inherited from the daemon, except @socket. Otherwise this
 * process would keep the daemon's lock and counters alive after the daemon's end. */
static void close_all_but(int socket)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (socket > STDERR_FILENO + 1)
		syscall(SYS_close_range, STDERR_FILENO + 1, socket - 1, 0);
	syscall(SYS_close_range, socket + 1, ~0u, 0);
}

/* Change the process name that ps and killall show, so that users do not mistake this process for
 * the daemon. The memory from argv[0] up to the environment contains the arguments. */
static void rename_self(void)
{
	static const char name[] = "oprofiled-look";
	char *args = program_invocation_name, *end = environ ? environ[0] : NULL;

	prctl(PR_SET_NAME, name);
	if (!end || end < args + sizeof(name) || end > args + MAX_ARGS)
		return;
	memset(args, 0, (size_t)(end - args));
	strcpy(args, name);
}

void __attribute__((noreturn)) opd_finder_process(int socket, const char *proc_dir)
{
	rename_self();
	close_all_but(socket);
	if (chdir("/") < 0 || drop_rights())
		_exit(1);
	supervise(socket, proc_dir);
	_exit(0);
}
