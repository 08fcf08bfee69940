/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confine.h -- restriction of opintervals when the daemon starts it. */
#ifndef ITV_CONFINE_H
#define ITV_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Drop all rights that work on the store does not need. The current directory must be the store.
 * The process keeps its user id, because this user owns the session's files, but drops all
 * capabilities and chroots to the directory of the sessions if @is_rooted. From then on the process
 * can only make the listed system calls, write at most @room bytes to the disk, use limited memory,
 * and is killed when its parent @daemon ends. Return 0 or a negative errno; -ESRCH if the daemon
 * has already ended.
 */
int itv_confine(uint64_t room, pid_t daemon, bool is_rooted);

/* Return whether a write was refused because it exceeded @room. */
bool itv_confined_is_short(void);

#endif
