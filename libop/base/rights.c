// SPDX-License-Identifier: GPL-2.0-or-later
/* rights.c -- a seccomp filter that allows a list of system calls, and the loss of capabilities and
 * resources. */
#include "config.h"
#include "libop/base/rights.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

#ifdef OUR_ARCH
int op_only_system_calls(const int *allowed, size_t nr)
{
	static const struct sock_filter head[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	enum { HEAD = sizeof(head) / sizeof(head[0]) };
	struct sock_filter rules[HEAD + 2 * OP_SYSTEM_CALLS_MAX + 1];
	struct sock_fprog program = { .filter = rules };
	unsigned short len = 0;

	if (nr > OP_SYSTEM_CALLS_MAX)
		return -E2BIG;
	for (; len < HEAD; len++)
		rules[len] = head[len];
	for (size_t i = 0; i < nr; i++) {
		rules[len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							    (unsigned int)allowed[i], 0, 1);
		rules[len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	rules[len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	program.len = len;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}
#else
int op_only_system_calls(const int *allowed, size_t nr)
{
	(void)allowed;
	(void)nr;
	return -ENOTSUP;
}
#endif

int op_drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[2] = { { 0 } };

	return syscall(SYS_capset, &header, none) ? -errno : 0;
}

int op_lower_limit(int resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return -errno;
	if (limit.rlim_max > value)
		limit.rlim_max = value;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return setrlimit(resource, &limit) ? -errno : 0;
}
