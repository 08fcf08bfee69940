// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk.c -- the calls of opexport on files and on clocks, as the linker's option --wrap passes them:
 * a full or broken disk, crashes between calls, and what a power failure leaves.
 */
#include "config.h"
#include "tests/fleet/sim.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#define NR_FDS	256

/* The files that opexport has open, by descriptor: the kernel closes those of a killed process. */
static struct {
	bool is_open;
	bool is_new;		/* a file of the cursor's directory that is written */
	bool is_synced;
} fds[NR_FDS];
/* The file of the cursor that a power failure leaves, and whether the latest rename was one of a file
 * that was not on the disk yet. */
static char old_cursor[5000];
static size_t old_len;
static bool has_old, is_unsafe;

static bool is_ours(void)
{
	return sim && sim->is_alive;
}

static bool is_cursor(const char *path)
{
	return !strncmp(path, "cursor", 6);
}

static int fail_with(int err)
{
	errno = err;
	return -1;
}

/* Return whether the disk refuses a call: with ENOSPC or EIO in errno. */
static bool disk_fails(void)
{
	const enum sim_fault fault = sim_choose_fault(true);

	if (fault != SIM_NO_FAULT) {
		errno = fault == SIM_DISK_FULL ? ENOSPC : EIO;
		sim_trace("disk: %s", strerror(errno));
	}
	return fault != SIM_NO_FAULT;
}

/* Return the third argument of open(), which callers pass only with O_CREAT; without it, 0. */
static mode_t mode_of(int flags, va_list args)
{
	return flags & O_CREAT ? va_arg(args, mode_t) : 0;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;
	int fd;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	fd = __real_open(path, flags, mode);
	if (fd >= 0 && fd < NR_FDS && is_ours())
		fds[fd].is_open = true;
	return fd;
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...)
{
	const bool is_new = is_ours() && is_cursor(path) && flags & O_CREAT;
	va_list args;
	mode_t mode;
	int fd;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	if (is_new) {
		sim_maybe_crash("before the cursor is opened");
		if (disk_fails())
			return -1;
	}
	fd = __real_openat(dir, path, flags, mode);
	if (fd >= 0 && fd < NR_FDS && is_ours()) {
		fds[fd].is_open = true;
		fds[fd].is_new = is_new;
		fds[fd].is_synced = false;
	}
	return fd;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (fd >= 0 && fd < NR_FDS)
		fds[fd].is_open = false;
	return __real_close(fd);
}

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (!is_ours() || fd < 0 || fd >= NR_FDS || !fds[fd].is_new)
		return __real_write(fd, data, len);
	sim_maybe_crash("before the cursor is written");
	if (disk_fails()) {
		/* a full disk may take a part */
		if (len > 1 && sim_below(2))
			return __real_write(fd, data, len / 2);
		errno = ENOSPC;
		return -1;
	}
	len = len > 1 && !sim_below(8) ? len / 2 : len;
	if (__real_write(fd, data, len) != (ssize_t)len)
		return -1;
	sim_maybe_crash("after a part of the cursor is written");
	return (ssize_t)len;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	if (!is_ours() || fd < 0 || fd >= NR_FDS || !fds[fd].is_new)
		return __real_fsync(fd);
	sim_maybe_crash("before the cursor is on the disk");
	if (disk_fails())
		return -1;
	/* the simulated disk: real ones take milliseconds */
	fds[fd].is_synced = true;
	return 0;
}

static bool read_cursor(void)
{
	int fd = __real_open(sim->cursor, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, old_cursor, sizeof(old_cursor));

	if (fd >= 0)
		__real_close(fd);
	old_len = len < 0 ? 0 : (size_t)len;
	return len >= 0;
}

int __real_renameat(int dir, const char *from, int to_dir, const char *to);
int __wrap_renameat(int dir, const char *from, int to_dir, const char *to);
int __wrap_renameat(int dir, const char *from, int to_dir, const char *to)
{
	if (!is_ours() || !is_cursor(to))
		return __real_renameat(dir, from, to_dir, to);
	sim_maybe_crash("before the cursor is renamed");
	if (disk_fails())
		return fail_with(EIO);
	has_old = read_cursor();
	/* the descriptor of the new file is closed, but its entry keeps its state */
	is_unsafe = true;
	for (int fd = 0; fd < NR_FDS; fd++) {
		if (!fds[fd].is_new)
			continue;
		is_unsafe = is_unsafe && !fds[fd].is_synced;
		fds[fd].is_new = false;
	}
	if (__real_renameat(dir, from, to_dir, to))
		return -1;
	sim_maybe_crash("after the cursor is renamed");
	return 0;
}

static void put_cursor(const char *text, size_t len)
{
	int fd = __real_open(sim->cursor, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(__real_write(fd, text, len), len);
	__real_close(fd);
}

void sim_disk_kill(bool is_power_off)
{
	for (int fd = 3; fd < NR_FDS; fd++) {
		if (fds[fd].is_open)
			__real_close(fd);
		fds[fd].is_open = fds[fd].is_new = false;
	}
	if (!is_power_off)
		return;
	if (is_unsafe)
		put_cursor("", 0);
	else if (has_old && sim_below(2))
		put_cursor(old_cursor, old_len);
	is_unsafe = has_old = false;
}

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (!is_ours())
		return __real_clock_gettime(clock, ret);
	ret->tv_sec = (time_t)(sim->now_ms / 1000);
	ret->tv_nsec = (long)(sim->now_ms % 1000) * 1000000;
	if (clock == CLOCK_REALTIME)
		ret->tv_sec = (time_t)sim_host_time();
	return 0;
}

time_t __real_time(time_t *ret);
time_t __wrap_time(time_t *ret);
time_t __wrap_time(time_t *ret)
{
	time_t now = is_ours() ? (time_t)sim_host_time() : __real_time(NULL);

	if (ret)
		*ret = now;
	return now;
}

int __real_nanosleep(const struct timespec *wait, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wait, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wait, struct timespec *left)
{
	if (!is_ours())
		return __real_nanosleep(wait, left);
	sim_advance((uint64_t)wait->tv_sec * 1000 + (uint64_t)wait->tv_nsec / 1000000);
	return 0;
}
