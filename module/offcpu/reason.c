// SPDX-License-Identifier: GPL-2.0
/* offcpu/reason.c -- tables of the system calls and the types of files in which threads wait. */
#include "offcpu/reason.h"

#include <linux/kernel.h>
#include <linux/stat.h>

#include <asm/unistd.h>

/* Marks a call whose first argument determines the reason: 0 in the table means a call without a
 * row. */
#define BY_FILE	0xfd

static const unsigned char reason_of_call[] = {
	[__NR_futex] = OPROFILE_OFFCPU_BY_FUTEX,
#ifdef __NR_futex_waitv
	[__NR_futex_waitv] = OPROFILE_OFFCPU_LOCK,
#endif
#ifdef __NR_futex_wait
	[__NR_futex_wait] = OPROFILE_OFFCPU_LOCK,
#endif
	[__NR_semop] = OPROFILE_OFFCPU_LOCK,
	[__NR_semtimedop] = OPROFILE_OFFCPU_LOCK,
	[__NR_flock] = OPROFILE_OFFCPU_LOCK,
	[__NR_fcntl] = OPROFILE_OFFCPU_LOCK,

	[__NR_nanosleep] = OPROFILE_OFFCPU_SLEEP,
	[__NR_clock_nanosleep] = OPROFILE_OFFCPU_SLEEP,
	[__NR_rt_sigsuspend] = OPROFILE_OFFCPU_SLEEP,
	[__NR_rt_sigtimedwait] = OPROFILE_OFFCPU_SLEEP,
#ifdef __NR_pause
	[__NR_pause] = OPROFILE_OFFCPU_SLEEP,
#endif

#ifdef __NR_poll
	[__NR_poll] = OPROFILE_OFFCPU_POLL,
#endif
#ifdef __NR_select
	[__NR_select] = OPROFILE_OFFCPU_POLL,
#endif
#ifdef __NR_epoll_wait
	[__NR_epoll_wait] = OPROFILE_OFFCPU_POLL,
#endif
	[__NR_ppoll] = OPROFILE_OFFCPU_POLL,
	[__NR_pselect6] = OPROFILE_OFFCPU_POLL,
	[__NR_epoll_pwait] = OPROFILE_OFFCPU_POLL,
#ifdef __NR_epoll_pwait2
	[__NR_epoll_pwait2] = OPROFILE_OFFCPU_POLL,
#endif

	[__NR_accept] = OPROFILE_OFFCPU_NET,
	[__NR_accept4] = OPROFILE_OFFCPU_NET,
	[__NR_connect] = OPROFILE_OFFCPU_NET,
	[__NR_sendto] = OPROFILE_OFFCPU_NET,
	[__NR_sendmsg] = OPROFILE_OFFCPU_NET,
	[__NR_sendmmsg] = OPROFILE_OFFCPU_NET,
	[__NR_recvfrom] = OPROFILE_OFFCPU_NET,
	[__NR_recvmsg] = OPROFILE_OFFCPU_NET,
	[__NR_recvmmsg] = OPROFILE_OFFCPU_NET,

	[__NR_wait4] = OPROFILE_OFFCPU_CHILD,
	[__NR_waitid] = OPROFILE_OFFCPU_CHILD,
#ifdef __NR_vfork
	[__NR_vfork] = OPROFILE_OFFCPU_CHILD,
#endif

	[__NR_fsync] = OPROFILE_OFFCPU_IO,
	[__NR_fdatasync] = OPROFILE_OFFCPU_IO,
	[__NR_sync] = OPROFILE_OFFCPU_IO,
	[__NR_syncfs] = OPROFILE_OFFCPU_IO,
	[__NR_sync_file_range] = OPROFILE_OFFCPU_IO,
	[__NR_msync] = OPROFILE_OFFCPU_IO,
	[__NR_io_getevents] = OPROFILE_OFFCPU_IO,
	[__NR_io_uring_enter] = OPROFILE_OFFCPU_IO,

	[__NR_restart_syscall] = OPROFILE_OFFCPU_AS_BEFORE,

	[__NR_read] = BY_FILE,
	[__NR_readv] = BY_FILE,
	[__NR_pread64] = BY_FILE,
	[__NR_preadv] = BY_FILE,
	[__NR_preadv2] = BY_FILE,
	[__NR_write] = BY_FILE,
	[__NR_writev] = BY_FILE,
	[__NR_pwrite64] = BY_FILE,
	[__NR_pwritev] = BY_FILE,
	[__NR_pwritev2] = BY_FILE,
	[__NR_sendfile] = BY_FILE,
	[__NR_splice] = BY_FILE,
	[__NR_tee] = BY_FILE,
	[__NR_vmsplice] = BY_FILE,
};

unsigned int oprofile_offcpu_reason_of_call(int nr)
{
	unsigned int reason = nr >= 0 && nr < (int)ARRAY_SIZE(reason_of_call) ?
				      reason_of_call[nr] : 0;

	if (reason == BY_FILE)
		return OPROFILE_OFFCPU_BY_FILE;
	return reason ? reason : OPROFILE_OFFCPU_OTHER;
}

unsigned int oprofile_offcpu_reason_of_mode(unsigned int mode)
{
	switch (mode & S_IFMT) {
	case S_IFIFO:
		return OPROFILE_OFFCPU_PIPE;
	case S_IFSOCK:
		return OPROFILE_OFFCPU_NET;
	case S_IFREG:
	case S_IFBLK:
	case S_IFDIR:
		return OPROFILE_OFFCPU_IO;
	}
	return OPROFILE_OFFCPU_OTHER;	/* a terminal, an eventfd, inotify, .. */
}
