// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine.c -- a library that tests preload into oprofiled, opintervals and opreport, to control
 * their clock, simulate the kernel module, kill them at any call, and simulate power failures.
 *
 * The test and the processes share the file $MACHINE, a struct machine. The simulated clocks are
 * the real clocks plus offsets. The daemon's main loop does not sleep, so that it notices a new
 * time immediately. The directory $MACHINE.d contains:
 *   cookies/N	path of the file with the cookie N, a newline, and "DEVICE INODE MTIME"
 *   kept/		copies of files that the processes delete, if .is_kept is set
 *   journal	a line for each deletion, rename and fsync in the store, if .is_kept is set
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "module/uapi/oprofile.h"

#define DAEMON_POLL_MS	1

/* Shared with tests/tools/lib/machine.py. */
struct machine {
	/* Written by the test. */
	int64_t boottime_ns;	/* offset of CLOCK_MONOTONIC and CLOCK_BOOTTIME */
	int64_t suspended_ns;	/* further offset of CLOCK_BOOTTIME: total time of suspends */
	int64_t realtime_ns;	/* offset of CLOCK_REALTIME, minus the offset of CLOCK_BOOTTIME */
	uint64_t step;		/* number of the last change by the test */
	int64_t kill_daemon;	/* number of calls until the daemon is killed; 0: never kill it */
	int64_t kill_child;	/* number of calls until opintervals is killed; 0: never kill it */
	uint64_t is_kept;	/* 1: fill the directories kept and journal */
	/* Written by the daemon in each iteration of its main loop. */
	uint64_t seen;		/* last .step that the daemon has seen */
	int64_t wait_ms;	/* time in ms that the daemon would sleep */
	uint64_t turns;
	uint64_t spawned;	/* number of processes that the daemon has started */
};

/* global, because replaced functions of the C library have no parameter for it */
static struct machine *machine;
static const char *machine_dir;
static int machine_dirfd = -1;
static bool is_daemon, is_child;
static int signal_fd = -1;	/* the daemon's signalfd */

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

#define NEXT(name)	static __typeof__(&name) f; if (!f) f = next(#name)

static __attribute__((constructor)) void begin(void)
{
	const char *path = getenv("MACHINE");
	char *dir;
	int fd;

	if (!path)
		return;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	machine = mmap(NULL, sizeof(*machine), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (machine == MAP_FAILED)
		abort();
	close(fd);
	if (asprintf(&dir, "%s.d", path) < 0)
		abort();
	machine_dir = dir;
	/* Open the directory before opintervals changes its root directory. */
	machine_dirfd = (int)syscall(SYS_openat, AT_FDCWD, dir, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	is_daemon = !strcmp(program_invocation_short_name, "oprofiled");
	is_child = !strcmp(program_invocation_short_name, "opintervals");
	if (is_daemon || is_child)
		unsetenv("LD_PRELOAD");
}

/* Kill this process if the test requested it at this call. */
static void count_call(void)
{
	int64_t *left = is_daemon ? &machine->kill_daemon : &machine->kill_child;

	if (machine && (is_daemon || is_child) && *left > 0 && !__atomic_sub_fetch(left, 1, __ATOMIC_RELAXED)) {
		kill(getpid(), SIGKILL);
		_exit(128 + SIGKILL);	/* opintervals is not permitted to send signals */
	}
}

static void add_ns(struct timespec *t, int64_t ns)
{
	ns += (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
	t->tv_sec = ns / 1000000000;
	t->tv_nsec = ns % 1000000000;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	NEXT(clock_gettime);
	int ret = f(id, t);

	if (ret || !machine)
		return ret;
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		add_ns(t, machine->realtime_ns + machine->boottime_ns + machine->suspended_ns);
	else if (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE)
		add_ns(t, machine->boottime_ns);
	else if (id == CLOCK_BOOTTIME)
		add_ns(t, machine->boottime_ns + machine->suspended_ns);
	return ret;
}

time_t time(time_t *to)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (to)
		*to = t.tv_sec;
	return t.tv_sec;
}

int signalfd(int fd, const sigset_t *set, int flags)
{
	NEXT(signalfd);

	signal_fd = f(fd, set, flags);
	return signal_fd;
}

static int poll_briefly(struct pollfd *fds, nfds_t nr, int ms)
{
	NEXT(poll);

	/*
	 * Simulate only the poll() of the main loop, which is the only one that waits for signals.
	 */
	if (!machine || !is_daemon || !nr || fds[0].fd != signal_fd)
		return f(fds, nr, ms);
	machine->wait_ms = ms;
	machine->turns++;
	__atomic_store_n(&machine->seen, machine->step, __ATOMIC_SEQ_CST);
	return f(fds, nr, ms < 0 || ms > DAEMON_POLL_MS ? DAEMON_POLL_MS : ms);
}

int poll(struct pollfd *fds, nfds_t nr, int ms)
{
	return poll_briefly(fds, nr, ms);
}

int __poll_chk(struct pollfd *fds, nfds_t nr, int ms, size_t size);
int __poll_chk(struct pollfd *fds, nfds_t nr, int ms, size_t size)
{
	(void)size;
	return poll_briefly(fds, nr, ms);
}

static int find_cookie(struct oprofile_cookie_info *info)
{
	char path[4096], text[8192], *line;
	unsigned long dev, ino, mtime;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/cookies/%llu", machine_dir, (unsigned long long)info->cookie);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	line = strchr(text, '\n');
	if (!line || sscanf(line, "%lu %lu %lu", &dev, &ino, &mtime) != 3) {
		errno = ENOENT;
		return -1;
	}
	*line = '\0';
	info->path_len = (uint32_t)(line - text + 1);
	if (info->path_len > info->path_size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy((char *)(uintptr_t)info->path, text, info->path_len);
	info->dev = info->fs_dev = dev;
	info->ino = ino;
	info->mtime_sec = mtime;
	info->flags = 0;
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	NEXT(ioctl);
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (machine && is_daemon && request == OPROFILE_IOC_COOKIE)
		return find_cookie(arg);
	if (machine && is_daemon && request == OPROFILE_IOC_TABLE)
		return 0;
	return f(fd, request, arg);
}

static void write_journal(char what, const char *text)
{
	int fd = (int)syscall(SYS_openat, machine_dirfd, "journal", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	dprintf(fd, "%c %s\n", what, text);
	close(fd);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* Copy the entry @name of the directory @dirfd to kept/@to, by the external command @how. */
static void copy_entry(const char *how, int dirfd, const char *name, const char *to)
{
	char command[8192];

	snprintf(command, sizeof(command), "rm -rf %s/kept/%s; %s /proc/%d/fd/%d/%s %s/kept/%s", machine_dir, to,
		 how, (int)getpid(), dirfd, name, machine_dir, to);
	if (system(command))
		errno = 0;	/* ignore errors, because the entry may be missing */
}

/* Copy a deleted interval or session, which a simulated power failure may restore. */
static void note_deleted(int dirfd, const char *name)
{
	if (!machine || !machine->is_kept)
		return;
	if (ends_with(name, ".opi"))
		copy_entry("ln", dirfd, name, name);
	else if (ends_with(name, ".session"))
		copy_entry("cp -a", dirfd, name, name);
	else
		return;
	write_journal('D', name);
}

int unlinkat(int dirfd, const char *name, int flags)
{
	NEXT(unlinkat);

	count_call();
	if (!flags)
		note_deleted(dirfd, name);
	return f(dirfd, name, flags);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	NEXT(renameat);

	count_call();
	note_deleted(from_fd, from);
	return f(from_fd, from, to_fd, to);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
	NEXT(renameat2);

	count_call();
	/* An exchange of two names deletes nothing. */
	if (!(flags & RENAME_EXCHANGE))
		note_deleted(from_fd, from);
	return f(from_fd, from, to_fd, to, flags);
}

int fsync(int fd)
{
	NEXT(fsync);
	struct stat st;
	char text[64];
	int ret;

	count_call();
	ret = f(fd);
	if (machine && machine->is_kept && !ret && !fstat(fd, &st)) {
		snprintf(text, sizeof(text), "%lu", (unsigned long)st.st_ino);
		write_journal('S', text);
	}
	return ret;
}

/*
 * Replace syncfs(): copy the current session, because a power failure restores the state of the
 * last sync.
 */
int syncfs(int fd)
{
	NEXT(syncfs);
	struct stat st;
	char text[64];
	int ret;

	count_call();
	ret = machine ? 0 : f(fd);	/* the test simulates no other file systems */
	if (machine && machine->is_kept && is_daemon && !fstat(fd, &st)) {
		copy_entry("cp -a", fd, ".", "current");
		snprintf(text, sizeof(text), "%lu", (unsigned long)st.st_ino);
		write_journal('F', text);
	}
	return ret;
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const env[])
{
	NEXT(posix_spawn);

	count_call();
	if (machine && is_daemon)
		machine->spawned++;
	return f(pid, path, actions, attributes, argv, env);
}

/*
 * Return the kernel files to read instead of @name: they have few symbols, so that packing takes
 * less time.
 */
static const char *real_name(const char *name)
{
	return machine && !strcmp(name, "/proc/kallsyms") ? "/dev/null" : name;
}

FILE *fopen(const char *name, const char *how)
{
	NEXT(fopen);

	return f(real_name(name), how);
}

int open(const char *name, int flags, ...)
{
	NEXT(open);
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	count_call();
	return f(real_name(name), flags, mode);
}

int openat(int dirfd, const char *name, int flags, ...)
{
	NEXT(openat);
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	count_call();
	return f(dirfd, real_name(name), flags, mode);
}

int mkdirat(int dirfd, const char *name, mode_t mode)
{
	NEXT(mkdirat);

	count_call();
	return f(dirfd, name, mode);
}

ssize_t write(int fd, const void *data, size_t size)
{
	NEXT(write);

	count_call();
	return f(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
	NEXT(pwrite);

	count_call();
	return f(fd, data, size, at);
}
