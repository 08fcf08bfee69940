/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confine.h -- drops the rights of the process opintervals if the daemon has started it. */
#ifndef ITV_CONFINE_H
#define ITV_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Drop all rights that the process does not need to work on the store (store.h), which must be the
 * current directory. The process keeps its user id, because this user owns the session's files, but
 * drops all capabilities. If @is_rooted, change the root directory to the directory of the
 * sessions. From then on the process can only make the listed system calls, write at most @room
 * bytes to the disk, use limited memory, and is killed when its parent @daemon ends. Return 0 or a
 * negative errno; -ESRCH if the daemon has already ended.
 */
int itv_confine(uint64_t room, pid_t daemon, bool is_rooted);

/* Return whether a write to the disk was refused because it exceeded the @room of itv_confine(). */
bool itv_confined_is_short(void);

#endif
