// SPDX-License-Identifier: GPL-2.0-or-later
/* drop_rights.c -- limits, another user, and a list of the system calls that are left. */
#include "config.h"
#include "pp/image/drop_rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY		65534
#define MAX_MEMORY	(2ull << 30)	/* address space */
#define MAX_CPU		60		/* seconds, of all files together */
#define MAX_OUTPUT	(64ull << 20)
#define NICE		10

#if defined(__x86_64__)
#define OUR_ARCH	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH	AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OUR_ARCH	AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ARCH	AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define OUR_ARCH	AUDIT_ARCH_S390X
#endif

static int limit(int what, rlim_t value)
{
	const struct rlimit limit = { value, value };

	return setrlimit(what, &limit) ? -errno : 0;
}

static int set_limits(void)
{
	int err = 0;

#ifndef __SANITIZE_ADDRESS__	/* it takes terabytes of addresses for itself */
	err = limit(RLIMIT_AS, MAX_MEMORY);
#endif
	if (!err)
		err = limit(RLIMIT_CPU, MAX_CPU);
	if (!err)
		err = limit(RLIMIT_FSIZE, MAX_OUTPUT);
	if (!err)
		err = limit(RLIMIT_CORE, 0);
	if (!err)
		err = limit(RLIMIT_NPROC, 0);
	return err;
}

/* A container may have no user of that number; there the filter has to do. */
static int become_nobody(void)
{
	if (geteuid())
		return 0;
	if (setgroups(0, NULL) && errno != EPERM)
		return -errno;
	if ((setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)) &&
	    errno != EINVAL)
		return -errno;
	return 0;
}

#ifdef OUR_ARCH
#define ALLOW(call)								\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1),		\
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What reads and writes open files and manages memory. All else fails, and is no reason to die. */
static int filter(void)
{
	static struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(read), ALLOW(pread64), ALLOW(write), ALLOW(lseek), ALLOW(close), ALLOW(dup),
		ALLOW(fstat), ALLOW(newfstatat), ALLOW(fcntl), ALLOW(fdatasync), ALLOW(ftruncate), ALLOW(memfd_create),
		ALLOW(recvmsg), ALLOW(sendmsg),
		ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(brk), ALLOW(mprotect),
		ALLOW(futex), ALLOW(getrandom), ALLOW(clock_gettime),
		ALLOW(rt_sigreturn), ALLOW(rt_sigprocmask), ALLOW(exit), ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	const struct sock_fprog program = {
		.len = sizeof(rules) / sizeof(rules[0]),
		.filter = rules,
	};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}
#else
static int filter(void)
{
	return -ENOTSUP;
}
#endif

int pp_drop_rights(void)
{
	int err = set_limits();

	if (err)
		return err;
	setpriority(PRIO_PROCESS, 0, NICE);
	err = become_nobody();
	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return -errno;
	return filter();
}
