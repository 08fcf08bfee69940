// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dump.c -- the jitdump file: creates the file, appends complete records, and creates another file
 * after fork().
 */
#include "config.h"
#include "agents/dump.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agents/jitdump.h"

/* The thread's cancel state and signal mask before lock(), which unlock() restores. */
struct held {
	int cancel;
	sigset_t signals;
};

/* The state of the process. It is static, because the interface has no handle that could own it
 * (dump.h). */
static struct {
	pthread_mutex_t lock;	/* protects the members below, except .once */
	pthread_once_t once;
	const char *dir;
	int users;
	int fd;			/* descriptor of the file; -1: not open */
	/* the process that owns the file; differs from getpid() in a child of fork() */
	pid_t pid;
	off_t size;		/* offset of the end of the last complete record */
	void *marker;		/* mapping of the first page of the file; NULL: mmap() failed */
	char path[4096];
	dev_t dev;
	ino_t ino;
	struct held by_fork;
} dump = { .lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT, .dir = "/tmp", .fd = -1 };

void opa_dump_set_dir(const char *dir)
{
	dump.dir = dir;
}

/*
 * Acquire the lock, after disabling cancellation and blocking all signals. Writing is a
 * cancellation point: a thread that is cancelled there would never release the lock. A signal
 * handler that forks or calls a function of opagent.h would deadlock on the lock of its own
 * thread.
 */
static struct held lock(void)
{
	struct held held;
	sigset_t all;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &held.cancel);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &held.signals);
	pthread_mutex_lock(&dump.lock);
	return held;
}

static void unlock(struct held held)
{
	pthread_mutex_unlock(&dump.lock);
	pthread_sigmask(SIG_SETMASK, &held.signals, NULL);
	pthread_setcancelstate(held.cancel, NULL);
}

static void before_fork(void)
{
	struct held held = lock();

	dump.by_fork = held;
}

static void after_fork(void)
{
	unlock(dump.by_fork);
}

static void lock_across_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

/* Return the EM_* constant in this program's ELF header: the records contain code for the same
 * CPU. */
static uint32_t machine(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	/* the 32-bit header suffices: in 64-bit headers, e_machine has the same offset */
	Elf32_Ehdr head;
	ssize_t n;

	if (fd < 0)
		return EM_NONE;
	n = pread(fd, &head, sizeof(head), 0);
	close(fd);
	return n == sizeof(head) ? head.e_machine : EM_NONE;
}

/*
 * Write all @parts at offset @at. A failed write has no effect, because readers ignore incomplete
 * records at the end of the file. If the file exceeds the process's size limit, the kernel sends
 * SIGXFSZ to this thread, which would end the program. The signal is blocked while the lock is
 * held: remove the pending signal.
 */
static int write_at(int fd, struct iovec *parts, int nr, off_t at)
{
	static const struct timespec now = { 0 };
	sigset_t limit;
	bool was_pending;
	int err = 0;

	sigemptyset(&limit);
	sigpending(&limit);
	was_pending = sigismember(&limit, SIGXFSZ);
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	while (nr && !err) {
		ssize_t n = pwritev(fd, parts, nr, at);

		if (n < 0 && errno != EINTR)
			err = -errno;
		at += n > 0 ? n : 0;
		for (; n > 0 && nr && (size_t)n >= parts->iov_len; parts++, nr--)
			n -= parts->iov_len;
		if (n > 0) {
			parts->iov_base = (char *)parts->iov_base + n;
			parts->iov_len -= n;
		}
		while (nr && !parts->iov_len)
			parts++, nr--;
	}
	if (err == -EFBIG && !was_pending)
		sigtimedwait(&limit, NULL, &now);
	return err;
}

/* Remove the file at @path if it belonged to an ended process of this user with the same process
 * id. */
static int remove_old(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	bool old;

	if (fd < 0)
		return -EEXIST;
	old = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	      !flock(fd, LOCK_EX | LOCK_NB) && !unlink(path);
	close(fd);
	return old ? 0 : -EEXIST;
}

/* Create the jitdump file of this process in @dir. Return a descriptor or a negative errno. */
static int create(const char *dir)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int n = snprintf(dump.path, sizeof(dump.path), "%s/jit-%d.dump", dir, (int)getpid());
	int fd;

	if ((size_t)n >= sizeof(dump.path))
		return -ENAMETOOLONG;
	fd = open(dump.path, flags, 0600);
	if (fd < 0 && errno == EEXIST && !remove_old(dump.path))
		fd = open(dump.path, flags, 0600);
	if (fd < 0)
		return -errno;
	flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

static bool is_dump(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_dev == dump.dev && st->st_ino == dump.ino;
}

/* Set dump.fd to -1 if the descriptor no longer refers to the jitdump file. Some programs close
 * descriptors that they did not open, and may reuse the number for another file. */
static void check_fd(void)
{
	struct stat st;

	if (dump.fd >= 0 && (fstat(dump.fd, &st) || !is_dump(&st)))
		dump.fd = -1;
}

static void forget(void)
{
	if (dump.marker)
		munmap(dump.marker, sysconf(_SC_PAGESIZE));
	if (dump.fd >= 0)
		close(dump.fd);
	dump.marker = NULL;
	dump.fd = -1;
}

/* Open the file again by its name. Return a descriptor, or a negative errno if the name now
 * belongs to another file. */
static int open_again(int mode)
{
	int fd = open(dump.path, mode | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && is_dump(&st) && st.st_uid == geteuid() && st.st_size >= dump.size)
		return fd;
	close(fd);
	return -ESTALE;
}

/* Use @fd as the jitdump file of this process. Its first @size bytes are the header and complete
 * records. */
static void adopt(int fd, off_t size)
{
	struct stat st = { 0 };
	void *marker = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	fstat(fd, &st);
	forget();
	/* Ignore a failed mapping, for example on a file system mounted noexec. Profilers then
	 * find the file only by its name in /tmp. */
	dump.marker = marker == MAP_FAILED ? NULL : marker;
	dump.fd = fd;
	dump.pid = getpid();
	dump.size = size;
	dump.dev = st.st_dev;
	dump.ino = st.st_ino;
}

static int copy_records(int to, int from, off_t size)
{
	char buf[65536];

	for (off_t at = sizeof(struct opa_jitdump_header); at < size; ) {
		size_t want = size - at < (off_t)sizeof(buf) ? (size_t)(size - at) : sizeof(buf);
		ssize_t n = pread(from, buf, want, at);
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		err = write_at(to, &(struct iovec){ buf, n }, 1, at);
		if (err)
			return err;
		at += n;
	}
	return 0;
}

/* Create a new file. If dump.fd is open, it is the previous file: copy its records to the new
 * file. */
static int begin(void)
{
	struct opa_jitdump_header header = {
		.magic = OPA_JITDUMP_MAGIC,
		.version = OPA_JITDUMP_VERSION,
		.size = sizeof(header),
		.machine = machine(),
		.pid = getpid(),
	};
	const char *elsewhere = secure_getenv("XDG_RUNTIME_DIR");
	off_t size = dump.fd >= 0 ? dump.size : (off_t)sizeof(header);
	struct timespec now;
	int fd, err;

	clock_gettime(CLOCK_MONOTONIC, &now);
	header.time_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	fd = create(dump.dir);
	if (fd < 0 && elsewhere && *elsewhere == '/')
		fd = create(elsewhere);
	if (fd < 0)
		return fd;
	err = write_at(fd, &(struct iovec){ &header, sizeof(header) }, 1, 0);
	if (!err && dump.fd >= 0)
		err = copy_records(fd, dump.fd, size);
	if (err) {
		unlink(dump.path);
		close(fd);
		return err;
	}
	adopt(fd, size);
	return 0;
}

/* Open this process's own file again, after all agents were closed or the program closed the
 * descriptor. */
static bool reopen(void)
{
	int fd;

	if (dump.pid != getpid())
		return false;
	forget();	/* unmap the file first: a mapping would keep the old lock */
	fd = open_again(O_RDWR);
	if (fd < 0)
		return false;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return false;
	}
	adopt(fd, dump.size);
	return true;
}

/* Ensure that dump.fd is this process's own file. In a child of fork(), the file then begins with a
 * copy of the parent's records. */
static int ensure(void)
{
	check_fd();
	if (dump.pid == getpid() && (dump.fd >= 0 || reopen()))
		return 0;
	if (dump.fd < 0 && dump.users)
		dump.fd = open_again(O_RDONLY);
	return begin();
}

int opa_dump_take(void)
{
	struct held held;
	int err;

	pthread_once(&dump.once, lock_across_forks);
	held = lock();
	err = ensure();
	dump.users += !err;
	unlock(held);
	return err;
}

static int append(struct iovec *parts, int nr, size_t size)
{
	int err = ensure();

	if (err)
		return err;
	err = write_at(dump.fd, parts, nr, dump.size);
	if (!err)
		dump.size += size;
	else if (ftruncate(dump.fd, dump.size)) {
		/* Ignore the error: readers stop at the incomplete record, and the next record
		 * overwrites it. */
	}
	return err;
}

int opa_dump_append(const struct iovec *parts, int nr, size_t size)
{
	struct iovec copy[OPA_MAX_PARTS];
	struct held held;
	int err = -EINVAL;

	if (nr > OPA_MAX_PARTS || size > UINT32_MAX)
		return -EINVAL;
	memcpy(copy, parts, nr * sizeof(*parts));
	held = lock();
	if (dump.users)
		err = append(copy, nr, size);
	unlock(held);
	return err;
}

int opa_dump_put(void)
{
	struct opa_jitdump_prefix end = { .id = OPA_JITDUMP_CLOSE, .size = sizeof(end) };
	struct timespec now;
	struct held held = lock();
	int err = -EINVAL;

	if (dump.users) {
		err = 0;
		check_fd();
		if (!--dump.users) {
			clock_gettime(CLOCK_MONOTONIC, &now);
			end.time_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
			/* A child of fork() that wrote no record has no file of its own, so write
			 * no record that closes the file. */
			if (dump.pid == getpid())
				append(&(struct iovec){ &end, sizeof(end) }, 1, sizeof(end));
			forget();
		}
	}
	unlock(held);
	return err;
}

/* When the library is unloaded, close the file even if an agent is still open. */
__attribute__((destructor)) static void close_at_unload(void)
{
	struct held held = lock();

	check_fd();
	forget();
	dump.users = 0;
	unlock(held);
}
