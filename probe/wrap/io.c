// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io.c -- libopprobe_io.so: replaces read(), write(), send(), recv() and similar functions, and
 * reports the bytes of each call to libopprobe.so.
 */
#include "config.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "probe/wrap/calls.h"
#include "probe/wrap/next.h"

#define EXPORT	__attribute__((visibility("default")))

/* Weak, so that this library has no effect without libopprobe.so. */
#pragma weak opprobe_source
#pragma weak opprobe_called

/* Indexes of the metrics of the event "io". Each index is the number of bytes; the next index is
 * the number of calls. */
enum { READ = 0, WRITTEN = 2, SENT = 4, RECEIVED = 6 };

#define SIMPLE(X)												\
	X(READ, read, (int fd, void *buf, size_t len), (fd, buf, len))						\
	X(READ, readv, (int fd, const struct iovec *v, int nr), (fd, v, nr))					\
	X(READ, pread64, (int fd, void *buf, size_t len, off64_t at), (fd, buf, len, at))			\
	X(READ, preadv64, (int fd, const struct iovec *v, int nr, off64_t at), (fd, v, nr, at))			\
	X(READ, preadv64v2, (int fd, const struct iovec *v, int nr, off64_t at, int flags), (fd, v, nr, at, flags))	\
	X(READ, __read_chk, (int fd, void *buf, size_t len, size_t room), (fd, buf, len, room))			\
	X(READ, __pread64_chk, (int fd, void *buf, size_t len, off64_t at, size_t room), (fd, buf, len, at, room))	\
	X(WRITTEN, write, (int fd, const void *buf, size_t len), (fd, buf, len))				\
	X(WRITTEN, writev, (int fd, const struct iovec *v, int nr), (fd, v, nr))				\
	X(WRITTEN, pwrite64, (int fd, const void *buf, size_t len, off64_t at), (fd, buf, len, at))		\
	X(WRITTEN, pwritev64, (int fd, const struct iovec *v, int nr, off64_t at), (fd, v, nr, at))		\
	X(WRITTEN, pwritev64v2, (int fd, const struct iovec *v, int nr, off64_t at, int flags), (fd, v, nr, at, flags))	\
	X(SENT, send, (int fd, const void *buf, size_t len, int flags), (fd, buf, len, flags))			\
	X(SENT, sendto, (int fd, const void *buf, size_t len, int flags, const struct sockaddr *to, socklen_t size),	\
	  (fd, buf, len, flags, to, size))									\
	X(SENT, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags))				\
	X(RECEIVED, recv, (int fd, void *buf, size_t len, int flags), (fd, buf, len, flags))			\
	X(RECEIVED, recvfrom, (int fd, void *buf, size_t len, int flags, struct sockaddr *from, socklen_t *size),	\
	  (fd, buf, len, flags, from, size))									\
	X(RECEIVED, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags))				\
	X(RECEIVED, __recv_chk, (int fd, void *buf, size_t len, size_t room, int flags), (fd, buf, len, room, flags))	\
	X(RECEIVED, __recvfrom_chk,										\
	  (int fd, void *buf, size_t len, size_t room, int flags, struct sockaddr *from, socklen_t *size),	\
	  (fd, buf, len, room, flags, from, size))

/* If off_t has 64 bits, functions with the suffix 64 are aliases. */
#if __SIZEOF_LONG__ == 8
#define LONG(X)													\
	X(READ, pread, (int fd, void *buf, size_t len, off_t at), (fd, buf, len, at))				\
	X(READ, preadv, (int fd, const struct iovec *v, int nr, off_t at), (fd, v, nr, at))			\
	X(READ, preadv2, (int fd, const struct iovec *v, int nr, off_t at, int flags), (fd, v, nr, at, flags))	\
	X(READ, __pread_chk, (int fd, void *buf, size_t len, off_t at, size_t room), (fd, buf, len, at, room))	\
	X(WRITTEN, pwrite, (int fd, const void *buf, size_t len, off_t at), (fd, buf, len, at))			\
	X(WRITTEN, pwritev, (int fd, const struct iovec *v, int nr, off_t at), (fd, v, nr, at))			\
	X(WRITTEN, pwritev2, (int fd, const struct iovec *v, int nr, off_t at, int flags), (fd, v, nr, at, flags))
#else
#define LONG(X)
#endif

/* The real functions of the C library. They are looked up before main(), because signal handlers of
 * the program may call the replacements. */
static struct {
#define X(metric, name, takes, gives) ssize_t (*name) takes;
	SIMPLE(X) LONG(X)
#undef X
	int (*sendmmsg)(int fd, struct mmsghdr *m, unsigned int nr, int flags);
	int (*recvmmsg)(int fd, struct mmsghdr *m, unsigned int nr, int flags,
			struct timespec *timeout);
} real;

__attribute__((constructor)) static void find_real(void)
{
#define X(metric, name, takes, gives) *(void **)&real.name = next_function(#name);
	SIMPLE(X) LONG(X)
#undef X
	*(void **)&real.sendmmsg = next_function("sendmmsg");
	*(void **)&real.recvmmsg = next_function("recvmmsg");
}

static inline __attribute__((always_inline)) void count_bytes(int metric, ssize_t bytes)
{
	int first;

	if (bytes < 0 || !opprobe_source)
		return;
	first = opprobe_source("io");
	if (first >= 0)
		opprobe_called(first + metric, bytes);
}

#define X(metric, name, takes, gives)			\
EXPORT ssize_t name takes;				\
EXPORT ssize_t name takes				\
{							\
	ssize_t ret;					\
							\
	if (!real.name)					\
		find_real();				\
	ret = real.name gives;				\
	count_bytes(metric, ret);				\
	return ret;					\
}
SIMPLE(X)
LONG(X)
#undef X

static uint64_t sum(const struct mmsghdr *m, int nr)
{
	uint64_t bytes = 0;

	for (int i = 0; i < nr; i++)
		bytes += m[i].msg_len;
	return bytes;
}

EXPORT int sendmmsg(int fd, struct mmsghdr *m, unsigned int nr, int flags)
{
	int ret;

	if (!real.sendmmsg)
		find_real();
	ret = real.sendmmsg(fd, m, nr, flags);
	count_bytes(SENT, ret < 0 ? ret : (ssize_t)sum(m, ret));
	return ret;
}

EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned int nr, int flags, struct timespec *timeout)
{
	int ret;

	if (!real.recvmmsg)
		find_real();
	ret = real.recvmmsg(fd, m, nr, flags, timeout);
	count_bytes(RECEIVED, ret < 0 ? ret : (ssize_t)sum(m, ret));
	return ret;
}
