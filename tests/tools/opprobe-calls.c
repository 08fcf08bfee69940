// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-calls.c -- a program that reads, writes, sends, receives and maps known numbers of bytes
 * on known paths.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#define APART	__attribute__((noinline, noclone))
#define PAGE	((size_t)sysconf(_SC_PAGESIZE))

static char buf[1000];
static volatile int sink;

static void must(bool is_so)
{
	if (!is_so) {
		perror("opprobe-calls");
		exit(9);
	}
}

/* Write by 100 calls of 10 bytes, one call of 7 + 5 bytes (writev), and one call that fails. */
APART void write_blocks(int fd)
{
	struct iovec v[2] = { { buf, 7 }, { buf, 5 } };

	for (int i = 0; i < 100; i++)
		must(write(fd, buf, 10) == 10);
	must(writev(fd, v, 2) == 12);
	errno = 0;
	must(write(-1, buf, 10) == -1 && errno == EBADF);
	sink = 0;
}

/*
 * Read all bytes: 10 calls of 100 bytes, one call of 12, and one call at the end of the file that
 * reads nothing.
 */
APART void read_blocks(int fd)
{
	struct iovec v[2] = { { buf, 7 }, { buf, 5 } };

	for (int i = 0; i < 10; i++)
		must(read(fd, buf, 100) == 100);
	must(readv(fd, v, 2) == 12);
	must(read(fd, buf, 100) == 0);
	sink = 0;
}

/* Send 300 bytes to the other socket in 3 calls, and back in 2 calls. */
APART void exchange(const int fds[2])
{
	struct iovec v = { buf, 100 };
	struct mmsghdr m[2] = { { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } } };

	must(send(fds[0], buf, 100, 0) == 100);
	must(sendto(fds[0], buf, 50, 0, NULL, 0) == 50);
	m[1] = m[0];
	must(sendmmsg(fds[0], m, 1, 0) == 1);
	must(recv(fds[1], buf, 200, MSG_WAITALL) == 200);
	must(recvmsg(fds[1], &m[1].msg_hdr, 0) == 50);
	sink = 0;
}

/* Read and write at an offset of a file. */
APART void access_offsets(FILE *f)
{
	must(pwrite(fileno(f), buf, 500, 100) == 500);
	must(pread(fileno(f), buf, 200, 300) == 200);
	sink = 0;
}

/* Map 8 pages, resize the mapping to 12 pages and to 10 by mremap(), and unmap one page. */
APART void map_pages(void)
{
	char *at = mmap(NULL, 8 * PAGE - 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(at != MAP_FAILED);
	at = mremap(at, 8 * PAGE, 12 * PAGE, MREMAP_MAYMOVE);
	must(at != MAP_FAILED);
	must(mremap(at, 12 * PAGE - 10, 12 * PAGE, 0) == at);
	must(mremap(at, 12 * PAGE, 10 * PAGE, 0) == at);
	must(!munmap(at + PAGE, PAGE));
	must(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	sink = 0;
}

static sigjmp_buf out;

static void jump_out(int sig)
{
	(void)sig;
	siglongjmp(out, 1);
}

/* Read until a signal handler leaves the call. */
static void read_on(int fd)
{
	const struct itimerval soon = { { 0, 0 }, { 0, 300 } };

	if (sigsetjmp(out, 1))
		return;
	setitimer(ITIMER_REAL, &soon, NULL);
	for (;;)
		must(read(fd, buf, 1) == 1);
}

/* Leave calls by siglongjmp() from a handler: later calls must still be counted. */
APART void read_after_jumps(int fd)
{
	for (int i = 0; i < 1000; i++)
		must(read(fd, buf, 1) == 1);
	sink = 0;
}

static void jump_out_of_calls(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	signal(SIGALRM, jump_out);
	for (volatile int i = 0; i < 200; i++)
		read_on(fd);
	read_after_jumps(fd);
	close(fd);
}

int main(void)
{
	int pipes[2], sockets[2];
	FILE *f = tmpfile();

	must(f && !pipe(pipes) && !socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	write_blocks(pipes[1]);
	close(pipes[1]);
	read_blocks(pipes[0]);
	exchange(sockets);
	access_offsets(f);
	map_pages();
	jump_out_of_calls();
	puts("said");
	return 0;
}
