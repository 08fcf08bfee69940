// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-seccomp.c -- computes in before(), restricts its system calls by seccomp, and computes in
 * after().
 *
 * Arguments: how the filter is installed (prctl, syscall, strict); the effect on other calls (kill,
 * trap, refuse); and what is done afterwards (end, thread, crash, exec, again, vfork).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST	100

static volatile unsigned long sum;

#define COMPUTE(n) for (unsigned long i = 0, x = sum; i < 80000000; sum = x, i++) x = x * 6364136223846793005ul + i * (n)

/* Compute for many kernel ticks, so that a timer that expires only at ticks takes samples. */
__attribute__((noinline)) static void before(void)
{
	COMPUTE(1);
}

__attribute__((noinline)) static void after(void)
{
	COMPUTE(3);
}

static void *work(void *arg)
{
	after();
	return arg;
}

/* This filter permits neither sigreturn nor timers nor new descriptors. */
static const int plain[] = {
	SYS_write, SYS_exit_group, SYS_exit, SYS_futex, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_clone3, SYS_clone,
	SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_set_robust_list, SYS_rseq, SYS_getrandom, SYS_seccomp, SYS_prctl,
};

/* Additional system calls that are necessary to execute a program and to load its libraries. */
static const int to_begin[] = {
	SYS_execve, SYS_openat, SYS_close, SYS_read, SYS_newfstatat, SYS_pread64, SYS_set_tid_address, SYS_prlimit64, SYS_faccessat,
#ifdef SYS_access
	SYS_access, SYS_arch_prctl,
#endif
};

static int install(const char *how, const char *what, int begins)
{
	unsigned int other = !strcmp(what, "kill") ? SECCOMP_RET_KILL_PROCESS : !strcmp(what, "trap") ? SECCOMP_RET_TRAP :
			     SECCOMP_RET_ERRNO | EPERM;
	struct sock_filter f[MOST];
	struct sock_fprog filter = { 0, f };
	int nr = sizeof(plain) / sizeof(plain[0]), all = nr + (begins ? sizeof(to_begin) / sizeof(to_begin[0]) : 0);

	f[filter.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < all; i++) {
		f[filter.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, i < nr ? plain[i] : to_begin[i - nr], 0, 1);
		f[filter.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	f[filter.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other);
	if (!strcmp(how, "syscall"))
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
	if (!strcmp(how, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void print(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(77);
}

/* Ask the kernel whether it supports filters, as libraries do. */
static bool filters_are_supported(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) < 0 && errno == EFAULT &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) < 0 && errno == EFAULT;
}

int main(int argc, char **argv)
{
	const char *then = argc > 3 ? argv[3] : "";
	pthread_t thread;
	int status;

	if (!strcmp(then, "begun")) {
		print("begun\n");
		return 4;
	}
	if (!filters_are_supported() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 77;
	before();
	if (!strcmp(then, "vfork")) {
		pid_t pid = vfork();

		if (!pid) {
			if (install(argv[1], argv[2], 1))
				_exit(78);
			execl("/proc/self/exe", "begun", argv[1], argv[2], "begun", NULL);
			_exit(79);
		}
		after();
		return pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ? 80 : WEXITSTATUS(status);
	}
	if (install(argv[1], argv[2], !strcmp(then, "exec")))
		return 78;
	print("filtered\n");
	if (!strcmp(then, "again") && install("syscall", argv[2], 0))
		return 81;
	if (!strcmp(then, "exec")) {
		execl("/proc/self/exe", "begun", argv[1], argv[2], "begun", NULL);
		return 79;
	}
	if (!strcmp(then, "thread")) {
		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 82;
	} else {
		after();
	}
	free(malloc(100));
	print("done\n");
	if (!strcmp(then, "crash"))
		*(volatile int *)0 = 1;
	if (!strcmp(argv[1], "strict"))
		syscall(SYS_exit, 3);
	return 3;
}
