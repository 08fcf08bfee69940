// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * no-rights.c -- simulates the reader of symbol tables after a hostile binary has taken control of
 * it: drops its rights like the reader, then tries an attacker's system calls. Prints the calls
 * that succeeded.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pp/image/drop_rights.h"

#define TRY(call) do { if ((call) >= 0) { puts("this worked: " #call); worked = 1; } } while (0)

int main(void)
{
	int worked = 0, err;

	setvbuf(stdout, NULL, _IOLBF, 4096);
	/* let stdio allocate its buffer while the necessary system calls are still allowed */
	puts("");
	err = pp_drop_rights();
	if (err) {
		printf("rights cannot be dropped: %d\n", err);
		return 1;
	}
	TRY(syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY));
	TRY(syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY));
	TRY(syscall(SYS_openat, AT_FDCWD, "here", O_WRONLY | O_CREAT, 0600));
	TRY(syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0));
	TRY(syscall(SYS_open_by_handle_at, AT_FDCWD, NULL, O_RDONLY));
	TRY(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	TRY(syscall(SYS_execve, "/bin/true", NULL, NULL));
	TRY(syscall(SYS_execveat, 0, "", NULL, NULL, 0));
	TRY(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
	TRY(syscall(SYS_connect, 0, NULL, 0));
	TRY(syscall(SYS_kill, getppid(), 0));
	TRY(syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0));
	TRY(syscall(SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0));
	TRY(syscall(SYS_pidfd_open, getppid(), 0));
	TRY(syscall(SYS_unlinkat, AT_FDCWD, "mine", 0));
	TRY(syscall(SYS_mkdirat, AT_FDCWD, "here", 0700));
	TRY(syscall(SYS_fchmodat, AT_FDCWD, "mine", 0777));
	TRY(syscall(SYS_fchmod, 1, 0777));
	TRY(syscall(SYS_setuid, 0));
	TRY(syscall(SYS_unshare, CLONE_NEWUSER));
	TRY(syscall(SYS_mount, "none", "/", NULL, 0, NULL));
	TRY(syscall(SYS_bpf, 0, NULL, 0));
	TRY(syscall(SYS_io_uring_setup, 1, NULL));
	TRY(syscall(SYS_ioctl, 0, 0, 0));
	TRY(syscall(SYS_prlimit64, 0, 0, NULL, NULL));
	if (mmap(NULL, 1ul << 40, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED) {
		puts("this worked: a terabyte of memory");
		worked = 1;
	}
	return worked;
}
