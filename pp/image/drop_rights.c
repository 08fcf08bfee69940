// SPDX-License-Identifier: GPL-2.0-or-later
/* drop_rights.c -- removes a process's privileges: resource limits, another user id, and a filter
 * of system calls. */
#include "config.h"
#include "pp/image/drop_rights.h"

#include <errno.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/base/rights.h"

#define NOBODY		65534
#define MAX_MEMORY	(2ull << 30)	/* maximum address space, in bytes */
/* maximum CPU time in seconds, for all files that the process parses */
#define MAX_CPU		60
#define MAX_OUTPUT	(64ull << 20)

static int set_limits(void)
{
	int err = 0;

#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer needs terabytes of address space */
	err = op_lower_limit(RLIMIT_AS, MAX_MEMORY);
#endif
	if (!err)
		err = op_lower_limit(RLIMIT_CPU, MAX_CPU);
	if (!err)
		err = op_lower_limit(RLIMIT_FSIZE, MAX_OUTPUT);
	if (!err)
		err = op_lower_limit(RLIMIT_CORE, 0);
	if (!err)
		err = op_lower_limit(RLIMIT_NPROC, 0);
	return err;
}

/* Switch to the user nobody. In a container without that user, only the filter of system calls
 * protects. */
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

/* System calls that read and write open files and manage memory. Other calls fail, but do not kill
 * the process. */
static const int needed[] = {
	SYS_read, SYS_pread64, SYS_write, SYS_lseek, SYS_close, SYS_dup,
	SYS_fstat, SYS_newfstatat, SYS_fcntl, SYS_fdatasync, SYS_ftruncate, SYS_memfd_create,
	SYS_recvmsg, SYS_sendmsg,
	SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_mprotect,
	SYS_futex, SYS_getrandom, SYS_clock_gettime,
	SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_exit, SYS_exit_group,
};

int pp_drop_rights(void)
{
	int err = set_limits();

	if (err)
		return err;
	err = become_nobody();
	/* The daemon's service passes capabilities on (AmbientCapabilities=). */
	if (!err)
		err = op_drop_capabilities();
	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return -errno;
	return op_only_system_calls(needed, sizeof(needed) / sizeof(needed[0]));
}
