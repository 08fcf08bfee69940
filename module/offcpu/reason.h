/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu/reason.h -- the reason of a wait, from the number of the system call in which a thread
 * waits.
 */
#ifndef OPROFILE_OFFCPU_REASON_H
#define OPROFILE_OFFCPU_REASON_H

#include "uapi/offcpu.h"

/* The call reads or writes a file, and the type of its first argument, a descriptor, determines the
 * reason. */
#define OPROFILE_OFFCPU_BY_FILE	0
/* The call is futex(), and its arguments determine the reason. */
#define OPROFILE_OFFCPU_BY_FUTEX	254
/* The call goes on with a call that was interrupted, and has the reason of that call. */
#define OPROFILE_OFFCPU_AS_BEFORE	255

/* Return the reason of a wait in the native system call @nr (enum oprofile_offcpu_reason), or
 * OPROFILE_OFFCPU_BY_FILE, OPROFILE_OFFCPU_BY_FUTEX or OPROFILE_OFFCPU_AS_BEFORE. */
unsigned int oprofile_offcpu_reason_of_call(int nr);
/* Return the reason of a wait for a file, from the mode of its inode. */
unsigned int oprofile_offcpu_reason_of_mode(unsigned int mode);

#endif
