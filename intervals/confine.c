// SPDX-License-Identifier: GPL-2.0-or-later
/* confine.c -- drops the rights of the process opintervals: capabilities, root directory, resource
 * limits and system calls. */
#include "config.h"
#include "intervals/confine.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/base/quota.h"
#include "libop/base/rights.h"

#define MAX_MEMORY	(3ull << 30)	/* limit of the address space, in bytes */

/* Disk space in bytes that this process may still use. The struct is a global variable, because the
 * limit is per process. */
static struct {
	uint64_t left;
	bool is_short;
} room_of_process;

static int check_quota(void *arg, enum op_quota_use use, uint64_t bytes)
{
	(void)arg;
	(void)use;
	if (bytes > room_of_process.left) {
		room_of_process.is_short = true;
		return -ENOSPC;
	}
	room_of_process.left -= bytes;
	return 0;
}

bool itv_confined_is_short(void)
{
	return room_of_process.is_short;
}

/* Call chroot() for the directory of the sessions. Some containers forbid chroot(); then only the
 * seccomp filter limits access to other files. */
static int change_root(void)
{
	if (chdir("..") || (chroot(".") && errno != EPERM) || chdir(".intervals"))
		return -errno;
	return 0;
}

/* The system calls that the seccomp filter allows: they access files and memory. All other system
 * calls fail. */
static const int needed[] = {
	SYS_openat,    SYS_read,      SYS_pread64,   SYS_write,	     SYS_pwrite64,   SYS_lseek,
	SYS_close,     SYS_dup,	      SYS_fcntl,     SYS_fstat,	     SYS_newfstatat, SYS_statx,
	SYS_getdents64, SYS_faccessat, SYS_mkdirat,  SYS_unlinkat,   SYS_linkat,     SYS_renameat,
	SYS_renameat2, SYS_ftruncate, SYS_fallocate, SYS_fsync,	     SYS_fdatasync,  SYS_fchmod,
	SYS_fchmodat,  SYS_flock,     SYS_utimensat, SYS_readlinkat, SYS_memfd_create,
	SYS_mmap,      SYS_munmap,
	SYS_mremap,    SYS_madvise,   SYS_mprotect,  SYS_brk,	     SYS_msync,	     SYS_futex,
	SYS_getrandom, SYS_getpid,    SYS_geteuid,   SYS_clock_gettime, SYS_clock_nanosleep,
	SYS_nanosleep, SYS_rt_sigaction, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_exit,
	SYS_exit_group,
};

static int set_limits(void)
{
	int err = 0;

#ifndef __SANITIZE_ADDRESS__ /* do not limit the address space for ASan, which reserves terabytes */
	err = op_lower_limit(RLIMIT_AS, MAX_MEMORY);
#endif
	if (!err)
		err = op_lower_limit(RLIMIT_CORE, 0);
	return err ? err : op_lower_limit(RLIMIT_NPROC, 0);
}

int itv_confine(uint64_t room, pid_t daemon, bool is_rooted)
{
	int err = set_limits();

	room_of_process.left = room;
	op_quota_set(check_quota, NULL);
	if (!err && is_rooted && !geteuid())
		err = change_root();
	if (!err)
		err = op_drop_capabilities();
	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
		return -errno;
	/* PR_SET_PDEATHSIG has no effect if the daemon has already ended, so check the parent
	 * process here. */
	if (getppid() != daemon)
		return -ESRCH;
	err = op_only_system_calls(needed, sizeof(needed) / sizeof(needed[0]));
	return err == -ENOTSUP ? 0 : err;
}
